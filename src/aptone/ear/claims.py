"""Is what a description claims about a voice true of what the ear heard? Yes, no or undecided, with what was measured.

A claim is one value of one attribute, as `aptone.ear.describe` names them: "the pitch is low", "she laughs".
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aptone.ear.describe import Attribute, style_of
from aptone.types import ClosedSet, Language, Perception


class Verdict(ClosedSet):
    """What the ear says about a claim."""

    TRUE = "true", "属实", "yes"
    FALSE = "false", "不实", "no"
    UNDECIDED = "undecided", "无法判断"


@dataclass(frozen=True, slots=True)
class Claim:
    """One value of one attribute; denied where the description says that it does not hold ("not angry").

    Args:
        attribute: what is claimed about.
        value: what is claimed of it.
        is_denied: whether the opposite is claimed.
    """

    attribute: Attribute
    value: ClosedSet
    is_denied: bool = False


@dataclass(frozen=True, slots=True)
class Checked:
    """What became of a claim.

    Args:
        verdict: true, false or undecided.
        support: how strongly the measurement speaks for the claim, from -1 (against) to 1; NaN where nothing was heard.
        evidence: what was measured, in words, by language.
    """

    verdict: Verdict
    support: float
    evidence: Mapping[Language, str]


def check(claim: Claim, perception: Perception, *, language: str | None = None) -> Checked:
    """What the ear says about a claim.

    Args:
        claim: what is claimed.
        perception: what was heard.
        language: code of the language spoken, for the norms of pitch and rate; ``None`` for all together.
    """
    heard: Any = getattr(style_of(perception, language=language), claim.attribute)
    if not heard:
        nothing = {"en": "could not be judged", "zh": "无法判断"}
        return Checked(Verdict.UNDECIDED, float("nan"), nothing)  # type: ignore[arg-type]
    holds = (claim.value in heard if claim.attribute == "events" else heard == claim.value) != claim.is_denied
    found = {"en": f"heard: {heard}", "zh": f"听到：{heard}"}
    return Checked(Verdict.TRUE if holds else Verdict.FALSE, 1.0 if holds else -1.0, found)  # type: ignore[arg-type]
