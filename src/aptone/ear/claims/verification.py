"""Is what a description claims about a voice true of what the ear heard? Yes, no or undecided, with what was measured.

A claim is one value of one attribute, as `aptone.ear.describe` names them: "the pitch is low", "she laughs". Each
attribute has a rule (`aptone.ear.claims.rules`) with two limits, and between them lies "undecided". A change over time
("starts calm and ends furious") is a claim of its own (`aptone.ear.claims.change`).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from aptone.ear.claims.change import read_change
from aptone.ear.claims.rules import Hearing
from aptone.ear.describe import Attribute
from aptone.types import ClosedSet, Language, Perception, Sex

DECIDED = 0.5
"""Support from which on a claim is true; below its negative it is false."""
SURE_EMOTION = 0.85
"""Support from which on the ear names an emotion for sure. Of 222 full scores of captions to learn from, 10 were of
false ones and 212 of true ones; 6 and 198 have this support."""


class Verdict(ClosedSet):
    """Verdict of the ear on a claim."""

    TRUE = "true", "属实", "yes"
    FALSE = "false", "不实", "no"
    UNDECIDED = "undecided", "无法判断"


@dataclass(frozen=True, slots=True)
class Claim:
    """One value of one attribute, or a change from it to another one.

    Args:
        is_denied: whether the description says that it does not hold ("not angry").
        becomes: value that takes its place in the course of the clip; ``None`` where nothing changes.
    """

    attribute: Attribute
    value: ClosedSet
    is_denied: bool = False
    becomes: ClosedSet | None = None


@dataclass(frozen=True, slots=True)
class ClaimCheck:
    """Result of checking a claim.

    Args:
        support: how strongly the measurement speaks for the claim, from -1 (against) to 1; true from 0.5 on, false
            from -0.5 down; NaN where nothing was heard.
        evidence: measurements in words, by language.
        is_own: whether the ear would say so itself, rather than let it pass: a measure lies in that step, an emotion
            leads or nearly leads and has much support.
    """

    verdict: Verdict
    support: float
    evidence: Mapping[Language, str]
    is_own: bool = True


def check(
    claim: Claim, perception: Perception, *, language: str | None = None, described: Sex | None = None
) -> ClaimCheck:
    """Check a claim against a perception. For several claims about one clip, `check_all` is faster.

    Args:
        language: code of the language spoken, for the norms of pitch and rate; ``None`` for all together.
        described: the sex that the description gives the voice: "low" is then low for that sex; ``None`` where it names
            none, and the sex that was heard decides.
    """
    return _checked(claim, Hearing(perception, language=language, described=described))


def check_all(
    claims: Iterable[Claim], perception: Perception, *, language: str | None = None
) -> tuple[ClaimCheck, ...]:
    """Check every claim of one description against a perception, in their order.

    A denied claim has the same evidence. Where the claim is false, its denial is true; where the claim is undecided, so
    is its denial. Where the claim is true, its denial is false if the ear would make that claim itself, and undecided
    where the claim is only let pass (`aptone.ear.claims.rules`). If the claims name one sex, measures are held against
    the norms of that sex.

    Args:
        language: code of the language spoken, for the norms of pitch and rate; ``None`` for all together.
    """
    listed = tuple(claims)
    hearing = Hearing(perception, language=language, described=described_sex(listed))
    return tuple(_checked(claim, hearing) for claim in listed)


def described_sex(claims: Iterable[Claim]) -> Sex | None:
    """The one sex that claims name; ``None`` where they name none, or both.

    >>> described_sex([Claim("sex", Sex.MALE), Claim("sex", Sex.FEMALE, is_denied=True)])
    <Sex.MALE: 'male'>
    """
    named = {claim.value for claim in claims if claim.attribute == "sex" and not claim.is_denied}
    found = [sex for sex in (Sex.FEMALE, Sex.MALE) if sex in named]
    return found[0] if len(found) == 1 else None


def _checked(claim: Claim, hearing: Hearing) -> ClaimCheck:
    if claim.becomes is None:
        reading = hearing.read(claim.attribute, claim.value)
    else:
        reading = read_change(hearing, claim.attribute, claim.value, claim.becomes)
    lean = reading.denial if claim.is_denied else reading.lean
    support = lean / (1.0 + abs(lean))
    is_sure = reading.is_own and (claim.attribute != "emotion" or support >= SURE_EMOTION)
    return _decided(support, reading.evidence, is_own=is_sure or claim.is_denied)


def _decided(support: float, evidence: Mapping[Language, str], *, is_own: bool) -> ClaimCheck:
    if math.isnan(support) or abs(support) < DECIDED:
        return ClaimCheck(Verdict.UNDECIDED, support, evidence)
    verdict = Verdict.TRUE if support > 0.0 else Verdict.FALSE
    return ClaimCheck(verdict, support, evidence, is_own=is_own or verdict is Verdict.FALSE)
