"""Training pairs of the miniature judge: a line in its context, a clip, and a grade of their fit.

A line comes from a TV dialogue (MELD) with an annotated emotion; a clip, of other words, has the emotion that an actor
was asked for. The *true plan* of a line has that emotion; rhythm, intonation and recording condition as a sentence of
narration before it asks, or else as they follow from the emotion and the punctuation of the line by the built-in
planner's table. The grade is a proxy without listeners:

    grade = 5 · (0.6 emotion + 0.2 rhythm + 0.2 intonation) · (condition_factor if the recording conditions differ)

with emotion = max(0, 1 - distance / reach) as in `aptone.rooms.aptness.build.proxy_grade`, and rhythm and intonation
the ear's probability of the planned value over that of the likeliest.

Besides the true plan a pair has those of planners that read the context: the built-in one by vote, its longest window
alone, and another model (`recipes.miniature.planner`). Splits are MELD's and, for clips, by speaker.

The words of a third of the lines of TV dialogues do not show their emotion: no planner names the one that annotators
heard on the screen. Judges are trained and tested on the others (`Pair.is_readable`), in all splits alike; all lines
are a control.
"""

import gzip
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from aptone.ear.labelled_clips import LabelledClip
from aptone.errors import RecordError, UsageError
from aptone.files import write_bytes_whole
from aptone.planner.built_in import BuiltInPlanner
from aptone.planner.labelled_dialogues import Dialogue
from aptone.planner.reading.cues import cues
from aptone.planner.story_reader import delivery
from aptone.rooms.aptness.api import plan_sample
from aptone.rooms.aptness.build.proxy import ProxyItem, Scene, sample_items
from aptone.rooms.aptness.build.proxy_grade import ProxySettings, grade
from aptone.types import (
    AudioRef,
    Emotion,
    Intonation,
    Line,
    Plan,
    RecordingCondition,
    Rhythm,
    Sample,
    dumps,
    from_json,
    loads,
    to_json,
)
from recipes.miniature.clips import MiniatureClip
from recipes.miniature.narration import sentences
from recipes.miniature.planner import LineClassifier

PlanKind = Literal["one", "vote", "other", "true"]
"""Planner: one window of 15 lines, the vote of all windows, another model, or the truth."""

WEIGHTS: Mapping[str, float] = {"emotion": 0.6, "rhythm": 0.2, "intonation": 0.2}
"""Weights of the aspects in a grade."""
SETTINGS = ProxySettings(asked=0.5, answered=0.5, unasked=0.3, condition_factor=0.4)
MANNER = 0.8
"""Share of lines whose narration asks for a rhythm or an intonation."""
MANNER_FITS = 0.5
"""Share of those for which the clip has it."""
AT_ONCE = 240
"""Clips to choose from at a time, in all sets together."""
DIALOGUES_AT_ONCE = 120
PER_DRAW = 600
"""Pairs sampled at a time."""


@dataclass(frozen=True, slots=True)
class Pair:
    """One pair.

    Args:
        id: id, unique in its file.
        split: train, dev or test, of the speaker and of the dialogue.
        clip: key of the clip.
        speaker: speaker of the clip.
        acted: emotion of the clip.
        version: version of the clip; 0 is as recorded.
        heard: recording condition of the clip.
        target, context: the line, and those before it with the narration.
        plans: plans by planner.
        aspects: fit of each aspect, 0 to 5.
        score: grade, 0 to 5.
    """

    id: str
    split: str
    clip: str
    speaker: str
    acted: Emotion
    version: int
    heard: RecordingCondition
    target: Line
    context: tuple[Line, ...]
    plans: Mapping[str, Plan]
    aspects: Mapping[str, float]
    score: float

    @property
    def is_readable(self) -> bool:
        """True if any planner finds the emotion of the line in its text."""
        return any(plan.emotion == self.plans["true"].emotion for kind, plan in self.plans.items() if kind != "true")

    def sample(self, kind: PlanKind | None) -> Sample:
        """Return the pair as input of a judge: with a plan, or with the story alone."""
        return Sample(
            self.id,
            AudioRef(self.clip),
            self.target,
            context=self.context,
            plan=None if kind is None else self.plans[kind],
            proxy_score=self.score,
            ids={"speaker": self.speaker, "clip": self.clip},
        )


def make_pairs(
    dialogues: Sequence[Dialogue],
    clips: Sequence[MiniatureClip],
    *,
    split: str,
    count: int,
    seed: int,
    other: LineClassifier,
) -> Iterator[Pair]:
    """Sample pairs of one split.

    Args:
        dialogues: dialogues of that split.
        clips: clips of that split.
        split: name of the split.
        count: number of pairs.
        seed: random seed.
        other: the other planner.

    Raises:
        UsageError: if there is nothing to sample from.
    """
    by_key = {clip.key: clip for clip in clips if clip.split == split}
    if not by_key:
        raise UsageError(f"no clip belongs to {split}.")
    generator = np.random.default_rng([seed, *split.encode()])
    planner = BuiltInPlanner(voting="release")
    made = 0
    while made < count:
        wanted = min(PER_DRAW, count - made)
        settings = SETTINGS.with_overrides(seed=int(generator.integers(1 << 31)), items=wanted)
        scenes = [dialogues[place] for place in generator.permutation(len(dialogues))[:DIALOGUES_AT_ONCE].tolist()]
        for item in sample_items(scenes, _some(list(by_key.values()), generator), settings=settings):
            clip = by_key[item.clip.path.name]
            yield _pair(f"{split}-{made:06d}", item, clip, planner=planner, other=other, generator=generator)
            made += 1


def _some(clips: Sequence[MiniatureClip], generator: np.random.Generator) -> list[LabelledClip]:
    """Sample the same number of clips of each set: searching a large set for every line would take too long."""
    sets = sorted({clip.set for clip in clips})
    found = []
    for name in sets:
        own = [clip for clip in clips if clip.set == name]
        places = generator.permutation(len(own))[: AT_ONCE // len(sets)]
        found += [_labelled(own[place]) for place in places.tolist()]
    return found


def _labelled(clip: MiniatureClip) -> LabelledClip:
    return LabelledClip(
        Path(clip.key), clip.speaker, clip.sex, "", clip.language, clip.emotion.value, clip.intensity, "", clip.split
    )


def _pair(
    identifier: str,
    item: ProxyItem,
    clip: MiniatureClip,
    *,
    planner: BuiltInPlanner,
    other: LineClassifier,
    generator: np.random.Generator,
) -> Pair:
    is_training = clip.split == "train"
    context, scene = list(item.scene.context), item.scene
    manner = _asked_manner(clip, generator)
    if manner is not None:
        context.append(Line(_one_of(sentences(manner, is_training=is_training), generator)))
    if item.asked is not RecordingCondition.NORMAL:
        context.append(Line(_one_of(sentences(item.asked, is_training=is_training), generator)))
    true = _true_plan(scene, context, manner=manner, condition=item.asked)
    aspects = _aspects(true, scene, clip, asked=item.asked, heard=item.heard)
    within = overall(aspects)
    factor = 1.0 if item.asked is item.heard else SETTINGS.condition_factor
    sample = Sample(identifier, AudioRef(clip.key), scene.line, context=tuple(context))
    voted = plan_sample(sample, planner).plan
    plans = {
        "one": _alone(voted),
        "vote": _bare(voted),
        "other": _planned(other.emotion(scene.line.text), context, scene.line),
        "true": true,
    }
    return Pair(
        id=identifier,
        split=clip.split,
        clip=clip.key,
        speaker=clip.speaker,
        acted=clip.emotion,
        version=int(generator.integers(1, 1 << 16)) if is_training else 0,
        heard=item.heard,
        target=scene.line,
        context=tuple(context),
        plans=plans,
        aspects=aspects,
        score=round(within * factor, 2),
    )


def _asked_manner(clip: MiniatureClip, generator: np.random.Generator) -> Rhythm | Intonation | None:
    if generator.random() >= MANNER:
        return None
    shares: Mapping[Any, float] = clip.rhythm if generator.random() < 0.6 else clip.intonation
    likeliest = max(shares, key=lambda name: shares[name])
    if generator.random() < MANNER_FITS:
        return likeliest  # type: ignore[no-any-return]
    others = [name for name in shares if name is not likeliest]
    return others[int(generator.integers(len(others)))]  # type: ignore[no-any-return]


def _one_of(texts: Sequence[str], generator: np.random.Generator) -> str:
    return texts[int(generator.integers(len(texts)))]


def _true_plan(
    scene: Scene, context: Sequence[Line], *, manner: Rhythm | Intonation | None, condition: RecordingCondition
) -> Plan:
    plan = _planned(scene.emotion, context, scene.line)
    return replace(
        plan,
        rhythm=manner if isinstance(manner, Rhythm) else plan.rhythm,
        intonation=manner if isinstance(manner, Intonation) else plan.intonation,
        recording_condition=condition.value,
        source="true",
    )


def _planned(emotion: Emotion, context: Sequence[Line], target: Line) -> Plan:
    """Return the plan for a line whose emotion is known: the rest by the cues and the table of the built-in planner."""
    spoken = delivery(emotion, cues(context, target, language="en"))
    return Plan(
        emotion.value,
        rhythm=spoken.rhythm,
        intonation=spoken.intonation,
        recording_condition=spoken.recording_condition.value,
    )


def _alone(voted: Plan) -> Plan:
    """Return the plan of the longest window alone."""
    vote = voted.votes[-1]
    return Plan(
        vote.emotion, rhythm=vote.rhythm, intonation=vote.intonation, recording_condition=vote.recording_condition
    )


def _bare(plan: Plan) -> Plan:
    return Plan(
        plan.emotion, rhythm=plan.rhythm, intonation=plan.intonation, recording_condition=plan.recording_condition
    )


def _aspects(
    true: Plan, scene: Scene, clip: MiniatureClip, *, asked: RecordingCondition, heard: RecordingCondition
) -> dict[str, float]:
    assert true.rhythm is not None
    assert true.intonation is not None
    return {
        "emotion": round(grade(scene.emotion, clip.emotion, intensity=clip.intensity, settings=SETTINGS), 2),
        "rhythm": round(5.0 * clip.rhythm[true.rhythm] / max(clip.rhythm.values()), 2),
        "intonation": round(5.0 * clip.intonation[true.intonation] / max(clip.intonation.values()), 2),
        "recording_condition": 5.0 if asked is heard else 5.0 * SETTINGS.condition_factor,
    }


def overall(aspects: Mapping[str, float]) -> float:
    """Return the weighted mean of the aspects that have a weight."""
    return sum(weight * aspects[name] for name, weight in WEIGHTS.items())


def write_pairs(path: Path, pairs: Sequence[Pair]) -> None:
    """Write pairs, one JSON object a line, compressed; the same pairs give the same bytes."""
    text = "".join(dumps(to_json(pair)) + "\n" for pair in pairs)
    write_bytes_whole(path, gzip.compress(text.encode(), mtime=0))


def read_pairs(path: Path) -> list[Pair]:
    """Read the pairs of `write_pairs`.

    Raises:
        UsageError: if there is no such file.
        RecordError: if it holds something else.
    """
    try:
        text = gzip.decompress(path.read_bytes()).decode("utf-8")
    except FileNotFoundError as error:
        raise UsageError(f"{path}: no such file; make it: python -m recipes.miniature rows") from error
    except (OSError, EOFError, ValueError) as error:
        again = "make it again: python -m recipes.miniature rows"
        raise RecordError(f"{path}: cannot be read ({error}); {again}") from error
    return [
        from_json(Pair, loads(line, what=f"{path}, line {number}")) for number, line in enumerate(text.splitlines(), 1)
    ]
