"""The five tasks of the ready project, made of the example's clips: every kind of task that ships, in two languages."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from aptone.audio import probe
from aptone.run.rating_tasks import task_template, with_items
from aptone.studio.demo_listeners import LISTENERS
from aptone.studio.demo_readings import READINGS, Reading
from aptone.types import AudioRef, Json, RatingItem, RatingTask, Sample

Clips = Mapping[str, AudioRef]
"""Name of a reading to its clip inside the project folder."""

RATERS = len(LISTENERS) + 1
"""Places an item: one for every made-up listener, and one for whoever tries the room."""

JUDGED = "judge_score"
"""Hidden field that holds the automatic judge's score."""

GOLD_FIT, GOLD_MISFIT = 4.5, 0.5
CALIBRATING = {"wall-apt": 4.5, "wall-wrong": 0.5, "sleep-zh-apt": 4.0}
"""Readings that everybody scores first, and what they are worth."""

_STYLES = {
    "wall": "frightened, calling out / 惊恐地呼喊",
    "anybody": "asking anxiously / 焦急地询问",
    "keeper": "gravely, over a telephone / 严肃，电话中",
    "sleep": "softly, to a child / 轻柔地对孩子说",
    "wall-zh": "frightened, calling out / 惊恐地呼喊",
    "sleep-zh": "softly, to a child / 轻柔地对孩子说",
}


def story_task(clips: Clips, samples: Mapping[str, Sample], judged: Mapping[str, float]) -> RatingTask:
    """CEAEval-D: all fifteen dimensions of a line in its story, whose other lines can be heard as well.

    Args:
        clips: of the readings.
        samples: the lines in their story.
        judged: what the built-in judge gives them.
    """
    spoken = {sample.target.text: name for name, sample in samples.items() if sample.ids["reading"] == "apt"}
    items = [_story_item(sample, clips, spoken, judged[name]) for name, sample in samples.items()]
    task = with_items(task_template("ceaeval-d"), items, calibration=list(CALIBRATING))
    return replace(task, raters_per_item=RATERS)


def _story_item(sample: Sample, clips: Clips, spoken: Mapping[str, str], judged: float) -> RatingItem:
    target = len(sample.context)
    audio = {"audio": clips[sample.id]}
    lines: list[Json] = []
    for place, line in enumerate((*sample.context, sample.target, *sample.following)):
        reading = spoken.get(line.text.strip('"“”')) if place != target else None
        name = f"line-{place}" if reading else ""
        if reading:
            audio[name] = clips[reading]
        lines.append({"text": line.text, "role": line.role, "clip": name})
    assert isinstance(sample.audio, AudioRef)
    return RatingItem(
        id=sample.id,
        audio=audio,
        fields={
            "story": {"lines": lines, "target": target},
            "context": [line.text for line in sample.context],
            "line": sample.target.text,
            "boundaries": [0.0, math.floor(100 * probe(sample.audio.path).seconds) / 100],
        },
        hidden={JUDGED: round(judged, 3), **sample.ids},
        gold={"overall_score": CALIBRATING[sample.id]} if sample.id in CALIBRATING else {},
    )


def style_task(clips: Clips, judge: Callable[[Reading, str], float]) -> RatingTask:
    """S3Bench: does a description fit a voice? Each clip comes with its own description or with another's.

    Six pairs that everybody can tell make the test; one of them comes again later, to find out who listens.

    Args:
        clips: of the readings.
        judge: what the built-in style model gives a reading and a description.
    """
    plain = [reading for reading in READINGS if reading.manner != "flat"]
    test = [
        _style_item(reading, described, clips, prefix="test-", gold=GOLD_FIT if reading is described else GOLD_MISFIT)
        for reading, described in _opposites(plain[:6])
    ]
    check = replace(test[0], id="check-" + test[0].id)
    rated = [
        _style_item(reading, described, clips, judged=judge(reading, described.description))
        for reading, described in _descriptions()
    ]
    task = with_items(
        task_template("s3bench"), [*test, check, *rated], qualification=[item.id for item in test], attention=[check.id]
    )
    return replace(task, raters_per_item=RATERS, attention_every=6)


def _opposites(readings: Sequence[Reading]) -> list[tuple[Reading, Reading]]:
    """Readings with their own description and, every other time, with that of the opposite reading of the same line."""
    return [
        (reading, readings[place ^ 1] if place % 4 in (1, 2) else reading) for place, reading in enumerate(readings)
    ]


def _descriptions() -> list[tuple[Reading, Reading]]:
    """Every reading with its own description, and with that of the next reading in the same language."""
    pairs = []
    for place, reading in enumerate(READINGS):
        other = READINGS[(place + 1) % len(READINGS)]
        pairs.append((reading, reading if place % 3 or other.is_mandarin != reading.is_mandarin else other))
    return pairs


def _style_item(
    reading: Reading,
    described: Reading,
    clips: Clips,
    *,
    prefix: str = "",
    gold: float | None = None,
    judged: float | None = None,
) -> RatingItem:
    hidden: dict[str, Json] = {"described": described.clip}
    return RatingItem(
        id=prefix + reading.clip,
        audio={"clip": clips[reading.clip]},
        fields={"description": described.description},
        hidden=hidden if judged is None else {**hidden, JUDGED: round(judged, 3)},
        gold={} if gold is None else {"fit": gold},
    )


def verification_task(clips: Clips, samples: Mapping[str, Sample]) -> RatingTask:
    """ParaS2SBench: are these the words, and is it said in this way? Every fourth clip comes with another line's words."""
    items = []
    for place, reading in enumerate(READINGS):
        other = READINGS[(place + 3) % len(READINGS)]
        words = other if place % 4 == 3 and other.is_mandarin == reading.is_mandarin else reading
        fields: dict[str, Json] = {"words": samples[words.clip].target.text, "style": _STYLES[reading.line]}
        hidden: dict[str, Json] = {"manner": reading.manner, "words_of": words.line}
        items.append(RatingItem(reading.clip, audio={"clip": clips[reading.clip]}, fields=fields, hidden=hidden))
    return replace(with_items(task_template("paras2s"), items), raters_per_item=RATERS)


def caption_task(clips: Clips) -> RatingTask:
    """EmoSURA: how good is a caption? One of three describes another reading."""
    items = []
    for place, reading in enumerate(READINGS):
        other = READINGS[(place + 2) % len(READINGS)]
        described = other if place % 3 == 1 and other.is_mandarin == reading.is_mandarin else reading
        items.append(
            RatingItem(
                reading.clip,
                audio={"clip": clips[reading.clip]},
                fields={"caption": described.caption},
                hidden={"described": described.clip},
            )
        )
    return replace(with_items(task_template("emosura-mos"), items), raters_per_item=RATERS)


def preference_task(clips: Clips, samples: Mapping[str, Sample]) -> RatingTask:
    """A/B: each two readings of a line against each other, in an order drawn for everybody anew."""
    by_line: dict[str, list[Reading]] = {}
    for reading in READINGS:
        by_line.setdefault(reading.line, []).append(reading)
    items = [
        RatingItem(
            f"{line}-{number}",
            audio={"one": clips[first.clip], "two": clips[second.clip]},
            fields={"line": samples[first.clip].target.text, "takes": ["one", "two"]},
            hidden={"systems": {"one": first.manner, "two": second.manner}},
        )
        for line, readings in by_line.items()
        for number, (first, second) in enumerate(combinations(readings, 2), start=1)
    ]
    return replace(with_items(task_template("preference"), items), raters_per_item=RATERS)
