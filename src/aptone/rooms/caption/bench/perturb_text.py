"""Falsehoods in captions that people or models wrote: the words of a claim are exchanged, the rest stays as it is.

The claims of the caption make a style; `aptone.rooms.caption.bench.perturb` makes that false; then every place that
names a changed value gets words for the new one, in the same form (`aptone.rooms.caption.bench.perturb_words`), with
pronouns and articles that agree. Denied claims ("not angry") stay. A made-up event is added as a sentence at the end.

What comes out is read again: of several falsehoods the first is taken whose text claims what was intended and else what
the caption claimed before. `PerturbedCaption.is_coherent` says whether there was one; benchmarks leave the others out.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from aptone.ear.describe import Attribute, Style
from aptone.ear.describe import english as english_words
from aptone.ear.describe import mandarin as mandarin_words
from aptone.ear.describe.lexicon import Sense
from aptone.errors import UsageError
from aptone.rooms.caption.bench.perturb import COUNTED, Perturbation, PerturbedStyle, perturb, perturb_step
from aptone.rooms.caption.bench.perturb_wordings import UNSAFE, WORDINGS, agreeing
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.decompose.built_in import claim_places, decompose
from aptone.types import ClosedSet, Emotion, Language

HEARD: Mapping[Language, str] = {"en": " {event} can be heard.", "zh": "录音中可以听到{event}。"}

SEEDS_TRIED = 8
"""Falsehoods among which one is looked for that does not contradict the rest of the caption."""

_JOINED = re.compile(r"\s+(?:(?:with|of|and|in|over|by|at|a|an|the|his|her|pure|sheer|such)\s+)*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Replacement:
    """Words that were exchanged."""

    start: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PerturbedCaption:
    """A caption that says something else about some attributes, and what was exchanged; added sentences are not.

    Args:
        is_coherent: whether the built-in grammar reads in it what was intended, and the other claims as before.
    """

    caption: str
    changed: tuple[Attribute, ...]
    replacements: tuple[Replacement, ...] = ()
    is_coherent: bool = True


def perturb_caption(
    caption: str, units: Sequence[Unit], kind: Perturbation, *, language: Language, seed: int
) -> PerturbedCaption:
    """A caption with one kind of falsehood in it; not one that the caption denies elsewhere, where there is another.

    Raises:
        UsageError: if the caption claims nothing that could be changed so.
    """
    true = claimed_style(units)
    tried = [perturb(true, kind, seed=seed + more) for more in range(SEEDS_TRIED)]
    denied = [(unit.attribute, unit.known) for unit in units if unit.is_denied]
    fitting = [one for one in tried if not any(getattr(one.style, name) == value for name, value in denied)]
    return _first_coherent(caption, units, true, fitting or tried[:1], language=language)


def _first_coherent(
    caption: str, units: Sequence[Unit], true: Style, tried: Sequence[PerturbedStyle], *, language: Language
) -> PerturbedCaption:
    """Return the first of several falsehoods that is read as it is meant; the first of all where none is."""
    first: PerturbedCaption | None = None
    for one in dict.fromkeys(tried):
        found = _reworded(caption, units, true, one, language=language)
        if found.is_coherent:
            return found
        first = first or found
    assert first is not None
    return first


def perturb_claims(
    caption: str,
    units: Sequence[Unit],
    count: int,
    *,
    language: Language,
    seed: int,
    among: Sequence[Attribute] = COUNTED,
) -> PerturbedCaption:
    """A caption with that many attributes false; see `aptone.rooms.caption.bench.perturb.perturb_step`.

    Raises:
        UsageError: if it claims less.
    """
    true = claimed_style(units)
    found = perturb_step(true, count, seed=seed, among=[name for name in among if name != "events"])
    return _first_coherent(caption, units, true, [found], language=language)


def claimed_style(units: Sequence[Unit]) -> Style:
    """The style that claims add up to: the first value of each attribute; denied ones and other words left out."""
    values: dict[Attribute, ClosedSet] = {}
    for unit in units:
        if not unit.is_denied and unit.known is not None and unit.attribute != "events" and not unit.becomes:
            values.setdefault(unit.attribute, unit.known)
    if values.get("emotion") in (None, Emotion.NEUTRAL):
        values.pop("intensity", None)
    return Style(**values)  # type: ignore[arg-type]


def _reworded(
    caption: str, units: Sequence[Unit], true: Style, false: PerturbedStyle, *, language: Language
) -> PerturbedCaption:
    targets: dict[Attribute, ClosedSet] = {
        name: value
        for name in false.changed
        if name != "events" and getattr(true, name) is not None and (value := getattr(false.style, name)) is not None
    }
    places = _places(caption, units, targets, language)
    intended = _claims(caption, language) - _old(true, targets, language, caption)
    text, done, shift, is_safe = caption, [], 0, True
    for start, end, senses in places:
        before, after = text[: start + shift], text[end + shift :]
        old = caption[start:end]
        new = WORDINGS[language](old, senses, targets, before, after)
        if new == UNSAFE:
            is_safe = False
            continue
        if new == old:
            continue
        if language == "en":
            new = new[0].upper() + new[1:] if old[0].isupper() else new
            before = agreeing(before, new)
        text = f"{before}{new}{after}"
        shift = len(text) - len(after) - end
        done.append(Replacement(start, old, new))
    if lost := [name for name in targets if not any(name in _attributes(senses) for *_, senses in places)]:
        raise UsageError(f"no words about the {lost[0]} were found in the caption, so they cannot be exchanged.")
    if fabricated := [event for event in false.style.events if event not in true.events]:
        words: ModuleType = english_words if language == "en" else mandarin_words
        noun = words.WORDS["events"][fabricated[0]].nouns[0]
        text = text.rstrip() + HEARD[language].format(event=noun[0].upper() + noun[1:])
    if not done and not fabricated and false.changed:
        raise UsageError("nothing in the caption could be exchanged without breaking its grammar.")
    changed = (*targets, *(("events",) if fabricated else ()))
    is_coherent = is_safe and _is_coherent(intended, targets, text, language)
    return PerturbedCaption(text, changed, tuple(done), is_coherent)


Claimed = tuple[Attribute, str, bool]


def _claims(caption: str, language: Language) -> frozenset[Claimed]:
    """Return what the built-in grammar reads; changes over time and values in free words left out."""
    units = decompose(caption, language=language)
    return frozenset((unit.attribute, unit.value, unit.is_denied) for unit in units if unit.known and not unit.becomes)


def _old(true: Style, targets: Mapping[Attribute, ClosedSet], language: Language, caption: str) -> frozenset[Claimed]:
    """Return the claims about attributes that change; an intensity may go with its emotion."""
    gone = {*targets, *(["intensity"] if "emotion" in targets else [])}
    return frozenset(claim for claim in _claims(caption, language) if claim[0] in gone and not claim[2])


def _is_coherent(
    intended: frozenset[Claimed], targets: Mapping[Attribute, ClosedSet], text: str, language: Language
) -> bool:
    """Return True if a text claims the new values, no other ones of their attributes, and the rest as before."""
    found = _claims(text, language)
    about = {claim for claim in found if claim[0] in targets and not claim[2]}
    if about != {(name, value.value, False) for name, value in targets.items()}:
        return False
    graded = {claim for claim in found if claim[0] == "intensity"} if "emotion" in targets else set()
    events = {claim for claim in found if claim[0] == "events"} - intended
    return found - about - graded - events == intended - graded


def _places(
    caption: str, units: Sequence[Unit], targets: Mapping[Attribute, ClosedSet], language: Language
) -> list[tuple[int, int, tuple[Sense, ...]]]:
    """Find the places of the caption that name what is to change, with all meanings of the words; no two overlap."""
    denied = [(unit.start, unit.end) for unit in units if unit.is_denied]
    found: dict[tuple[int, int], tuple[Sense, ...]] = {
        (start, end): senses for start, end, senses in claim_places(caption, language=language)
    }
    for unit in units:
        own = (unit.start, unit.end)
        if unit.known is None or unit.becomes:
            continue
        if (own in found and unit.attribute not in _attributes(found[own])) or not any(
            start < own[1] and own[0] < end for start, end in found if found[start, end]
        ):  # the caller knows better what it means
            found[own] = (Sense(unit.attribute, unit.known),)
    chosen = [
        (start, end, senses)
        for (start, end), senses in sorted(found.items())
        if _attributes(senses) & set(targets) and not any(left < end and start < right for left, right in denied)
    ]
    return list(_merged(caption, chosen))


def _merged(
    caption: str, places: Sequence[tuple[int, int, tuple[Sense, ...]]]
) -> Iterator[tuple[int, int, tuple[Sense, ...]]]:
    """Join places of one attribute that only small words part: "boiling over with rage" is said once."""
    for place in places:
        held = place
        break
    else:
        return
    for start, end, senses in places[1:]:
        between = caption[held[1] : start]
        if "emotion" in _attributes(held[2]) & _attributes(senses) and _JOINED.fullmatch(between):
            held = (held[0], end, held[2])
        else:
            yield held
            held = (start, end, senses)
    yield held


def _attributes(senses: Sequence[Sense]) -> set[Attribute]:
    return {sense.attribute for sense in senses}
