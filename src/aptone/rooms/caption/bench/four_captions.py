"""Four captions of one recording whose right order is known: for when no people can be asked.

The kinds are EmoSURA's, made from a style that is known to be true of the recording:

- ``true``: everything, in up to four sentences;
- ``sabotaged``: the same words with something made false: in turn the emotion, the gender, an acoustic feature, a vocal
  event, or all of them (`aptone.rooms.caption.bench.perturb`);
- ``long``: the true one, and then the same facts again in other words, at least 1.5 times as long;
- ``concise``: everything in one sentence.

A fifth wording of the same facts is the reference. The right order is true = long = concise > sabotaged: length and
wording are no merit. So in Kendall's τ-b the three true ones are tied, and only the three pairs with the sabotaged
caption have an order to get right; a metric that tells true captions apart by their wording pays for it in the
denominator (a perfect order with three different scores for the true ones gives 3 / √18 = 0.71, not 1).

What is true of labelled recordings: emotion, intensity and sex as labelled, acoustics as measured (`labelled_truth`).
Where the measures come from the ear that verifies, they agree with it by construction; a benchmark whose acoustics were
measured by something else brings its own `TrueClip`.
"""

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from aptone.ear.describe import Style, attributes_of, describe, narrow, style_from, style_of
from aptone.ear.describe.attributes import ORDINARY
from aptone.ear.hearing import hear
from aptone.ear.labelled_clips import LabelledClip
from aptone.errors import RecordError, UsageError
from aptone.rooms.caption.bench.perturb import ACOUSTICS, Perturbation, PerturbedStyle, perturb
from aptone.rooms.caption.data import CaptionSample
from aptone.run import display_for
from aptone.run.progress import progress
from aptone.types import AudioRef, ClosedSet, Emotion, Language, Perception, Sex
from aptone.types.story import TYPICAL_VAD

LONGER = 1.5
"""Smallest ratio of the long caption's length to the true one's."""
NUMBER = 320
AGAIN: Mapping[Language, tuple[str, ...]] = {
    "en": ("In other words: ", "To put it differently: ", "Once more: "),
    "zh": ("换句话说：", "也就是说：", "再说一遍："),
}
_SENTENCE = re.compile(r"[^\s.。][^.。]*[.。]")


class Kind(ClosedSet):
    """Kind of a caption."""

    TRUE = "true", "属实"
    SABOTAGED = "sabotaged", "被篡改"
    LONG = "long", "属实而冗长"
    CONCISE = "concise", "属实而简短"


RIGHT_ORDER: Mapping[Kind, float] = {Kind.TRUE: 1.0, Kind.LONG: 1.0, Kind.CONCISE: 1.0, Kind.SABOTAGED: 0.0}
"""Substitute for people's ratings: equal numbers are ties."""


@dataclass(frozen=True, slots=True)
class TrueClip:
    """A recording and what is known to be true of it."""

    id: str
    path: Path
    style: Style
    spoken: str = ""


def sabotage(style: Style, *, seed: int) -> PerturbedStyle:
    """A style with something false in it: what, goes by the seed, as far as the style has it.

    >>> str(sabotage(Style(sex=Sex.MALE), seed=0).kind)
    'gender'
    """
    kinds = list(Perturbation)
    for turn in range(len(kinds)):
        try:
            return perturb(style, kinds[(seed + turn) % len(kinds)], seed=seed)
        except UsageError:
            continue
    raise AssertionError("an event can be made up in every style.")


def captions_of(style: Style, sabotaged: Style, *, seed: int, language: Language = "en") -> tuple[str, dict[Kind, str]]:
    """The reference, and the four captions by kind."""
    reference, own, other = (zlib.crc32(f"{seed} {name}".encode()) for name in ("reference", "true", "again"))
    true = describe(style, language=language, length="caption", seed=own)
    captions = {
        Kind.TRUE: true,
        Kind.SABOTAGED: describe(sabotaged, language=language, length="caption", seed=own),
        Kind.LONG: lengthened(true, style, seed=other, language=language),
        Kind.CONCISE: describe(style, language=language, length="sentence", seed=own, keep=tuple(attributes_of(style))),
    }
    return describe(style, language=language, length="caption", seed=reference), captions


def lengthened(caption: str, style: Style, *, seed: int, language: Language) -> str:
    """A caption that says the same again in other words, sentence by sentence, until it is 1.5 times as long."""
    text, turn = caption, 0
    space = " " if language == "en" else ""
    while True:
        again = describe(style, language=language, length="caption", seed=seed + turn)
        opening = AGAIN[language][turn % len(AGAIN[language])]
        for sentence in _SENTENCE.findall(again):
            first = sentence[0].lower() + sentence[1:] if language == "en" and opening else sentence
            text += f"{space}{opening}{first}"
            opening = ""
            if len(text) >= LONGER * len(caption):
                return text
        turn += 1


def four_captions(clips: Sequence[TrueClip], *, seed: int, language: Language = "en") -> list[CaptionSample]:
    """Every recording with its four captions, each compared with the recording's reference; ``ids`` holds the kind."""
    samples = []
    for clip in clips:
        own = zlib.crc32(f"{seed} {clip.id}".encode())
        false = sabotage(clip.style, seed=own)
        reference, captions = captions_of(clip.style, false.style, seed=own, language=language)
        samples += [
            CaptionSample(
                id=f"{clip.id}-{kind.value}",
                audio=AudioRef(str(clip.path.absolute())),
                caption=caption,
                reference=reference,
                language=language,
                spoken=clip.spoken,
                ids={"clip": clip.id, "kind": kind.value, "false": str(false.kind) if kind is Kind.SABOTAGED else ""},
            )
            for kind, caption in captions.items()
        ]
    return samples


def stratified(clips: Sequence[TrueClip], *, number: int = NUMBER, seed: int) -> list[TrueClip]:
    """Recordings with equally many in each quadrant of valence and arousal and of each sex, as far as there are.

    The quadrant is that of the emotion's usual place (`aptone.types.story.TYPICAL_VAD`); neutral speech lies in none
    and makes strata of its own, which like all others give what they have when another runs out. Drawn by the seed.

    Args:
        clips: clips to sample from; those without an emotion or a sex make strata, too.
        number: number of clips; fewer where there are not so many.
    """
    strata: dict[tuple[str, str], list[TrueClip]] = {}
    for place in np.random.default_rng(seed).permutation(len(clips)):
        clip = clips[int(place)]
        strata.setdefault((quadrant(clip.style.emotion), sex_name(clip.style.sex)), []).append(clip)
    picked: list[TrueClip] = []
    waiting = [strata[name] for name in sorted(strata)]
    while waiting and len(picked) < number:
        for stratum in waiting:
            if len(picked) < number:
                picked.append(stratum.pop())
        waiting = [stratum for stratum in waiting if stratum]
    return picked


def quadrant(emotion: Emotion | None) -> str:
    """The quadrant of an emotion's usual valence and arousal, such as ``-+`` for anger; ``0`` for neutral speech.

    >>> [quadrant(emotion) for emotion in (Emotion.ANGRY, Emotion.CALM, Emotion.NEUTRAL)]
    ['-+', '+-', '0']
    """
    if emotion is None or emotion is Emotion.NEUTRAL:
        return "0"
    place = TYPICAL_VAD[emotion]
    return f"{'+' if place.valence >= 0 else '-'}{'+' if place.arousal >= 0 else '-'}"


def sex_name(sex: Sex | None) -> str:
    """A sex as the name of a stratum."""
    return "unknown" if sex is None else sex.value


def label_style(clip: LabelledClip) -> Style:
    """Emotion, intensity and sex of a recording, as far as its labels say.

    Raises:
        RecordError: if a label is not known.
    """
    try:
        emotion = Emotion.parse(clip.emotion) if clip.emotion else None
        graded = emotion not in (None, Emotion.NEUTRAL)
        return style_from({"emotion": clip.emotion, "sex": clip.sex, "intensity": clip.intensity if graded else ""})
    except RecordError as error:
        raise RecordError(f"{clip.path}: {error}") from error


def with_acoustics(style: Style, heard: Perception, *, language: str | None) -> Style:
    """The style with what the ear measured and found out of the ordinary."""
    measured = narrow(style_of(heard, language=language), ACOUSTICS)
    telling = {name: value for name, value in attributes_of(measured).items() if value != ORDINARY.get(name)}
    return replace(style, **telling)  # type: ignore[arg-type]


def labelled_truth(clips: Sequence[LabelledClip], *, number: int, seed: int, ear: str) -> list[TrueClip]:
    """Recordings drawn evenly over quadrants and sexes (`stratified`), each with what is true of it.

    Raises:
        AudioError: if a recording cannot be read.
        RecordError: if a label is not known.
    """
    known = [TrueClip(clip.path.name, clip.path, label_style(clip), clip.language) for clip in clips]
    drawn = stratified(known, number=number, seed=seed)
    found = []
    with progress(display_for(label="measures"), total=len(drawn)) as advance:
        for clip in drawn:
            spoken = clip.spoken or None
            heard = hear(clip.path, ear=ear, language=spoken)
            found.append(replace(clip, style=with_acoustics(clip.style, heard, language=spoken)))
            advance()
    return found
