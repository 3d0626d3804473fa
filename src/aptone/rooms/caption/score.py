"""The scores of EmoSURA, pure: which units hold and which units match goes in, numbers come out.

With 𝒫 the units of the caption, 𝒫_true those that the recording bears out, 𝒪 the units of the reference and 𝒬 ⊆ 𝒪
those that at least one unit of the caption matches:

    s_p  = |𝒫_true| / |𝒫|
    s_r  = (|𝒬| + E) / (|𝒪| + E)
    s_f  = 2 s_p s_r / (s_p + s_r)
    s'_f = the same over descriptive units only
    F    = (s_f + s'_f) / 2

The paper writes E as |𝒫_true ∖ 𝒬|, but 𝒬 holds units of the reference and 𝒫_true units of the caption. Its words say
what is meant: E counts verified units of the caption that match no unit of the reference, true things that the
reference does not mention. A unit that matches counts for 𝒬 whether it was verified or not, as in the paper.

The paper does not say which units are descriptive; `is_descriptive` is our reading.

A full s_p says that everything in the caption is true. Where that is not known, since a word that may be a claim was
not read, or a claim was given the benefit of the doubt, it is held back to n / (n + 1), as if one claim more had not
been verified. No other score changes.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aptone.ear.describe import Attribute
from aptone.messages import message
from aptone.rooms.caption.data import Unit
from aptone.types import Score

RANGE = (0.0, 1.0)

NOT_DESCRIPTIVE: frozenset[Attribute] = frozenset({"sex", "age", "recording_condition", "music"})
"""Attributes that say who speaks, or where and over what it was recorded."""

NO_REFERENCE = message("caption.no-reference-caption")
NO_UNITS = message("caption.claims-nothing")
NO_DESCRIPTIVE_UNITS = message("caption.claims-nothing-about-sound")
NOTHING_TO_COVER = message("caption.reference-claims-nothing")
NOTHING_DESCRIPTIVE_TO_COVER = message("caption.reference-claims-nothing-about-sound")


class Match(NamedTuple):
    """A unit of the caption that says what a unit of the reference says; both by their place."""

    generated: int
    reference: int


@dataclass(frozen=True, slots=True)
class Counts:
    """Counts that the scores are computed from.

    Args:
        units: |𝒫|, units of the caption.
        verified: |𝒫_true|, those that the recording bears out.
        reference: |𝒪|, units of the reference.
        matched: |𝒬|, those that the caption mentions.
        extra: E, verified units that match none of the reference.
    """

    units: int
    verified: int
    reference: int
    matched: int
    extra: int


@dataclass(frozen=True, slots=True)
class Emosura:
    """The scores of one caption, each from 0 to 1, or undefined with the reason.

    Args:
        precision: s_p, share of the caption's claims that are true.
        recall: s_r, share of the reference that is covered, true additions counted in.
        overall: s_f, harmonic mean of both.
        descriptive: s'_f, the same over descriptive units.
        final: F, mean of s_f and s'_f.
    """

    precision: Score
    recall: Score
    overall: Score
    descriptive: Score
    final: Score

    def by_name(self) -> dict[str, Score]:
        """The scores under the paper's names."""
        return {
            "F": self.final,
            "s_p": self.precision,
            "s_r": self.recall,
            "s_f": self.overall,
            "s'_f": self.descriptive,
        }


def is_descriptive(unit: Unit) -> bool:
    """Return True if a unit describes the sound, rather than the speaker or the recording.

    Our reading of the paper's word: pitch, its variation and intonation, rate, rhythm, volume, texture, emotion with
    its intensity, and what the voice does besides speaking are descriptive; gender, age, recording condition and
    background music are not. A listener could give the latter as labels, without any description.

    >>> is_descriptive(Unit("The pitch is low.", "pitch", "low", "deep", 0, 4))
    True
    >>> is_descriptive(Unit("The speaker is male.", "sex", "male", "He", 0, 2))
    False
    """
    return unit.attribute not in NOT_DESCRIPTIVE


def emosura(
    units: Sequence[Unit],
    verified: Sequence[bool],
    reference: Sequence[Unit] | None = None,
    matches: Collection[Match] = (),
    *,
    is_held_back: bool = False,
) -> Emosura:
    """The scores of a caption.

    Undefined are: everything but s_p without a reference; s_p of a caption without units, and with it s_f and F; s_r
    where the reference has no units and nothing beyond it was verified. s'_f is undefined in the same cases, counted
    over descriptive units, and so is F with it. Where nothing is verified and nothing matches, s_f is 0: the limit of
    the harmonic mean, whose formula would be 0/0.

    Args:
        verified: whether the recording bears each of them out.
        reference: units of the reference; ``None`` where there is none.
        matches: pairs of units, of the caption and the reference, that say the same.
        is_held_back: whether it is not known that all of the caption is true; False for the paper's formulas.

    Raises:
        ValueError: if there is not one verdict for each unit, or a match names a unit that is not there.

    >>> low = Unit("The pitch is low.", "pitch", "low", "deep", 0, 4)
    >>> loud = Unit("The voice is loud.", "volume", "loud", "loud", 5, 9)
    >>> emosura([low, loud], [True, False], [low], {Match(0, 0)}).final.value  # s_p 1/2, s_r 1, F 2/3
    0.6666666666666666
    >>> emosura([low], [True], is_held_back=True).precision.value
    0.5
    """
    if len(units) != len(verified):
        raise ValueError(f"{len(units)} units cannot have {len(verified)} verdicts.")
    covered = () if reference is None else reference
    for match in matches:
        if not (0 <= match.generated < len(units) and 0 <= match.reference < len(covered)):
            raise ValueError(f"{match} names a unit that is not there.")
    precision, recall, overall = _three(
        count(range(len(units)), verified, range(len(covered)), matches),
        has_reference=reference is not None,
        is_held_back=is_held_back,
        no_units=NO_UNITS,
        no_recall=NOTHING_TO_COVER,
    )
    some = count(
        [place for place, unit in enumerate(units) if is_descriptive(unit)],
        verified,
        [place for place, unit in enumerate(covered) if is_descriptive(unit)],
        matches,
    )
    _, _, descriptive = _three(
        some,
        has_reference=reference is not None,
        is_held_back=is_held_back,
        no_units=NO_DESCRIPTIVE_UNITS if units else NO_UNITS,
        no_recall=NOTHING_DESCRIPTIVE_TO_COVER,
    )
    undefined = next((score for score in (overall, descriptive) if not score.is_defined), None)
    final = _score((overall.value + descriptive.value) / 2.0) if undefined is None else undefined
    return Emosura(precision, recall, overall, descriptive, final)


def count(
    units: Collection[int], verified: Sequence[bool], reference: Collection[int], matches: Collection[Match]
) -> Counts:
    """Count some units of the caption and some of the reference, given by their places."""
    chosen, covered = frozenset(units), frozenset(reference)
    among = [match for match in matches if match.generated in chosen and match.reference in covered]
    matching = {match.generated for match in among}
    true = [place for place in chosen if verified[place]]
    return Counts(
        units=len(chosen),
        verified=len(true),
        reference=len(covered),
        matched=len({match.reference for match in among}),
        extra=sum(place not in matching for place in true),
    )


def _three(
    counts: Counts, *, has_reference: bool, is_held_back: bool, no_units: str, no_recall: str
) -> tuple[Score, Score, Score]:
    """s_p, s_r and s_f."""
    doubted = int(is_held_back and counts.verified == counts.units)
    precision = _score(counts.verified / (counts.units + doubted)) if counts.units else _undefined(no_units)
    everything = counts.reference + counts.extra
    if not has_reference:
        recall = _undefined(NO_REFERENCE)
    else:
        recall = _score((counts.matched + counts.extra) / everything) if everything else _undefined(no_recall)
    for score in (recall, precision) if not has_reference else (precision, recall):
        if not score.is_defined:
            return precision, recall, score
    total = precision.value + recall.value
    return precision, recall, _score(2.0 * precision.value * recall.value / total if total else 0.0)


def _score(value: float) -> Score:
    return Score(value, range=RANGE)


def _undefined(reason: str) -> Score:
    return Score(math.nan, range=RANGE, reason=reason)
