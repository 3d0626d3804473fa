"""The five tasks of the ready project, made of the example's clips, in two languages: one of every kind of study."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from aptone.ratings.tasks import task_template, with_items
from aptone.rooms.aptness.rating_items import rating_items as line_items
from aptone.rooms.style.build.rating_task import rating_item as style_item
from aptone.rooms.style.data import StylePair
from aptone.studio.demo.listeners import LISTENERS
from aptone.studio.demo.readings import READINGS, Reading
from aptone.studio.store.blinding import story_lines
from aptone.types import AudioRef, Json, RatingItem, RatingTask, Sample

RATERS = len(LISTENERS) + 1
"""Places an item: one for every made-up listener, and one for whoever tries the room."""

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


def story_task(samples: Mapping[str, Sample], judged: Mapping[str, float]) -> RatingTask:
    """CEAEval-D: all fifteen dimensions of a line in its story, whose other lines can be heard as well.

    Args:
        samples: the lines in their story.
        judged: what the built-in judge gives them.
    """
    spoken = {one.target.text: clip_of(one) for one in samples.values() if one.ids["reading"] == "apt"}
    items = [_with_neighbours(item, spoken) for item in line_items(list(samples.values()), judged=judged)]
    task = with_items(task_template("ceaeval-d"), items, calibration=list(CALIBRATING))
    return replace(task, raters_per_item=RATERS)


def _with_neighbours(item: RatingItem, spoken: Mapping[str, AudioRef]) -> RatingItem:
    """The same with the apt readings of the other lines, where there are any; for a calibration item with its score."""
    story = item.fields["story"]
    assert isinstance(story, Mapping)
    audio, lines = dict(item.audio), []
    for place, line in enumerate(story_lines(story)):
        clip = spoken.get(str(line["text"]).strip('"“”')) if place != story["target"] else None
        if clip is not None:
            audio[f"line_{place}"] = clip
        lines.append({**line, "clip": f"line_{place}" if clip is not None else ""})
    gold: dict[str, Json] = {"overall_score": CALIBRATING[item.id]} if item.id in CALIBRATING else {}
    return replace(item, audio=audio, fields={**item.fields, "story": {**story, "lines": lines}}, gold=gold)


def clip_of(sample: Sample) -> AudioRef:
    """Where a line of the example is recorded."""
    assert isinstance(sample.audio, AudioRef)
    return sample.audio


def style_task(samples: Mapping[str, Sample], judge: Callable[[Reading, str], float]) -> RatingTask:
    """S3Bench: does a description fit a voice? Each clip comes with its own description or with another's.

    Six pairs that everybody can tell make the test; one of them comes again later, to find out who listens.

    Args:
        samples: the lines in their story.
        judge: what the built-in style model gives a reading and a description.
    """
    plain = [reading for reading in READINGS if reading.manner != "flat"]
    test = [
        _style_item(reading, described, samples, prefix="test-", gold=GOLD_FIT if reading is described else GOLD_MISFIT)
        for reading, described in _opposites(plain[:6])
    ]
    check = replace(test[0], id="check-" + test[0].id)
    rated = [
        _style_item(reading, described, samples, judged=judge(reading, described.description))
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
    samples: Mapping[str, Sample],
    *,
    prefix: str = "",
    gold: float | None = None,
    judged: float = math.nan,
) -> RatingItem:
    sample = samples[reading.clip]
    pair = StylePair(
        id=prefix + reading.clip,
        audio=clip_of(sample),
        description=described.description,
        language=sample.language,
        ids={"described": described.clip},
    )
    return style_item(pair, gold=gold, judged=judged)


def verification_task(samples: Mapping[str, Sample]) -> RatingTask:
    """ParaS2SBench: are these the words, and is it said in this way? Some clips come with another line's words."""
    items = []
    for place, reading in enumerate(READINGS):
        other = READINGS[(place + 3) % len(READINGS)]
        words = other if place % 4 == 3 and other.is_mandarin == reading.is_mandarin else reading
        fields: dict[str, Json] = {"words": samples[words.clip].target.text, "style": _STYLES[reading.line]}
        hidden: dict[str, Json] = {"manner": reading.manner, "words_of": words.line}
        audio = {"clip": clip_of(samples[reading.clip])}
        items.append(RatingItem(reading.clip, audio=audio, fields=fields, hidden=hidden))
    return replace(with_items(task_template("paras2s"), items), raters_per_item=RATERS)


def caption_task(samples: Mapping[str, Sample]) -> RatingTask:
    """EmoSURA: how good is a caption? One of three describes another reading."""
    items = []
    for place, reading in enumerate(READINGS):
        other = READINGS[(place + 2) % len(READINGS)]
        described = other if place % 3 == 1 and other.is_mandarin == reading.is_mandarin else reading
        items.append(
            RatingItem(
                reading.clip,
                audio={"clip": clip_of(samples[reading.clip])},
                fields={"caption": described.caption},
                hidden={"described": described.clip},
            )
        )
    return replace(with_items(task_template("emosura-mos"), items), raters_per_item=RATERS)


def preference_task(samples: Mapping[str, Sample]) -> RatingTask:
    """A/B: each two readings of a line against each other, in an order drawn for everybody anew."""
    by_line: dict[str, list[Reading]] = {}
    for reading in READINGS:
        by_line.setdefault(reading.line, []).append(reading)
    items = [
        RatingItem(
            f"{line}-{number}",
            audio={"one": clip_of(samples[first.clip]), "two": clip_of(samples[second.clip])},
            fields={"line": samples[first.clip].target.text, "takes": ["one", "two"]},
            hidden={"systems": {"one": first.manner, "two": second.manner}},
        )
        for line, readings in by_line.items()
        for number, (first, second) in enumerate(combinations(readings, 2), start=1)
    ]
    return replace(with_items(task_template("preference"), items), raters_per_item=RATERS)
