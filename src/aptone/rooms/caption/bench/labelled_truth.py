"""What is true of recordings with labels: emotion, intensity and sex as labelled, acoustics as measured.

Where the measures come from the ear that verifies, they agree with it by construction; a benchmark whose acoustics were
measured by something else brings its own `aptone.rooms.caption.bench.four_captions.TrueClip`.
"""

from collections.abc import Sequence
from dataclasses import replace

from aptone.ear.describe import Style, attributes_of, narrow, style_from, style_of
from aptone.ear.describe.choice import ORDINARY
from aptone.ear.hear import hear
from aptone.ear.labelled_clips import LabelledClip
from aptone.errors import RecordError
from aptone.rooms.caption.bench.four_captions import TrueClip, stratified
from aptone.rooms.caption.bench.perturb import ACOUSTICS
from aptone.run import Tally, display_for
from aptone.types import Emotion, Perception


def label_style(clip: LabelledClip) -> Style:
    """Emotion, intensity and sex of a recording, as far as its labels say.

    Raises:
        RecordError: if a label is not known.
    """
    try:
        emotion = Emotion.parse(clip.emotion) if clip.emotion else None
        graded = emotion not in (None, Emotion.NEUTRAL)
        labels = {"emotion": clip.emotion, "sex": clip.sex, "intensity": clip.intensity if graded else ""}
        return style_from(labels)
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
    tally, display = Tally(total=len(drawn), before=0), display_for(label="measures")
    display.start(tally)
    found = []
    for clip in drawn:
        spoken = clip.spoken or None
        heard = hear(clip.path, ear=ear, language=spoken)
        found.append(replace(clip, style=with_acoustics(clip.style, heard, language=spoken)))
        tally.now += 1
        display.update(tally)
    display.stop(tally)
    return found
