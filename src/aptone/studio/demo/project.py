"""Demonstration project of ``aptone studio --demo``: example clips, five tasks in two languages, and answers.

The clips are those of the example story, read by synthetic voices in three ways. Some of the answers come from made-up
listeners, so that there is something to look at; one place an item is left for whoever tries it. The built-in judge has
scored the story's lines and the style model the descriptions, so that they can be seen beside the listeners.
"""

import contextlib
import math
import random
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.resources import as_file, files
from itertools import combinations
from pathlib import Path

from aptone.judge.engines import BUILT_IN
from aptone.models import load_style_embedder
from aptone.ratings.tasks import task_template, with_items
from aptone.rooms.aptness.data import make_items, read_manifest
from aptone.rooms.aptness.rating_items import rating_items as line_items
from aptone.rooms.aptness.step import make_step
from aptone.rooms.style.api import judge_all
from aptone.rooms.style.build.s3bench_files import rating_item as style_item
from aptone.rooms.style.data import StylePair
from aptone.rooms.style.step import style_step
from aptone.run import RunConfig, run_items
from aptone.studio.demo.listeners import LISTENERS, READINGS, Heard, Listener, Reading, answers
from aptone.studio.folder import ClipStorage
from aptone.studio.project import Project
from aptone.studio.store.answers import story_lines
from aptone.studio.store.assignments import Assignments
from aptone.studio.store.people import People
from aptone.studio.store.records import Change
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
    """CEAEval-D: all dimensions of a line in its story, whose other lines can be heard; with the judge's scores."""
    spoken = {one.target.text: clip_of(one) for one in samples.values() if one.ids["reading"] == "apt"}
    items = [_with_neighbours(item, spoken) for item in line_items(list(samples.values()), judged=judged)]
    task = with_items(task_template("ceaeval-d"), items, calibration=list(CALIBRATING))
    return replace(task, raters_per_item=RATERS)


def _with_neighbours(item: RatingItem, spoken: Mapping[str, AudioRef]) -> RatingItem:
    """Add the apt readings of the other lines, where there are any, and the score of a calibration item."""
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
    """Recording of a line of the example."""
    assert isinstance(sample.audio, AudioRef)
    return sample.audio


def style_task(samples: Mapping[str, Sample], judge: Callable[[Reading, str], float]) -> RatingTask:
    """S3Bench: does a description fit a voice? Each clip comes with its own description or with another's.

    Six pairs that everybody can tell make the test; one of them comes again later, to find out who listens.
    """
    plain = [reading for reading in READINGS if reading.manner != "flat"][:6]
    # Every other time the description is that of the opposite reading of the same line.
    tested = [(one, plain[place ^ 1] if place % 4 in (1, 2) else one) for place, one in enumerate(plain)]
    test = [
        _style_item(reading, described, samples, prefix="test-", gold=GOLD_FIT if reading is described else GOLD_MISFIT)
        for reading, described in tested
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
        clip, hidden = {"clip": clip_of(samples[reading.clip])}, {"described": described.clip}
        items.append(RatingItem(reading.clip, audio=clip, fields={"caption": described.caption}, hidden=hidden))
    return replace(with_items(task_template("emosura-mos"), items), raters_per_item=RATERS)


def preference_task(samples: Mapping[str, Sample]) -> RatingTask:
    """A/B: each two readings of a line against each other, in a random order for each person."""
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


SEED = 10
DAYS_AGO = 2.0
DONE_SHARE = 0.85
"""Share of the items of a task that a listener has done."""

_DAY = 86400.0


@dataclass
class _Clock:
    """Clock that is set by hand: the made-up listeners worked some days ago."""

    now: float

    def __call__(self) -> float:
        return self.now


@contextlib.contextmanager
def open_demo(folder: Path | None = None, *, database_url: str = "") -> Iterator[Project]:
    """Open the demonstration project, by default in a temporary folder; fill it on first use."""
    with contextlib.ExitStack() as kept:
        place = folder or Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="aptone-demo-")))
        project = kept.enter_context(Project.open(place, database_url=database_url))
        if not project.tasks.names():
            fill_demo(project)
        yield project


def fill_demo(project: Project) -> None:
    """Put clips, tasks and the answers of made-up listeners into a new project."""
    with example_folder() as example:
        samples = {sample.id: sample for sample in read_manifest(example / "manifest.jsonl")}
        storage = ClipStorage(project.folder, base=example)
        readings = {storage.add(clip_of(samples[reading.clip])).path: reading for reading in READINGS}
        for task in (
            story_task(samples, built_in_scores(list(samples.values()))),
            style_task(samples, style_judge(samples)),
            verification_task(samples),
            caption_task(samples),
            preference_task(samples),
        ):
            project.tasks.put(replace(task, items=tuple(storage.add_all(task.items)))).result()
    for number, listener in enumerate(LISTENERS):
        _listen(project, listener, samples, readings, chance=random.Random(SEED + number))  # noqa: S311  (made up)


@contextlib.contextmanager
def example_folder() -> Iterator[Path]:
    """Folder of the example's manifest and clips, in the installed package or in the repository."""
    inside = files("aptone.studio") / "example"
    if inside.is_dir():
        with as_file(inside) as folder:
            yield folder
    else:
        yield Path(__file__).resolve().parents[4] / "examples" / "lighthouse"


def built_in_scores(samples: Sequence[Sample]) -> dict[str, float]:
    """Score the lines with the built-in judge, 0 to 5."""
    with tempfile.TemporaryDirectory() as folder:
        ended = run_items(
            list(make_items(samples)),
            make_step(BUILT_IN),
            folder=Path(folder) / "run",
            config=RunConfig("score", BUILT_IN.name),
        )
        return {entry.item.id: entry.outcome.scores["aptness"].value for entry in ended.run.entries}


def style_judge(samples: Mapping[str, Sample]) -> Callable[[Reading, str], float]:
    """Return a function that scores a reading against a description with the built-in style model, 0 to 5."""
    step = style_step(load_style_embedder("built-in"))

    def judge(reading: Reading, description: str) -> float:
        (described,) = judge_all(step, samples[reading.clip].audio, [description])
        return described.outcome.scores["fit"].value

    return judge


def _listen(
    project: Project,
    listener: Listener,
    samples: Mapping[str, Sample],
    readings: Mapping[str, Reading],
    *,
    chance: random.Random,
) -> None:
    """Let a listener come in and work through a part of every task; `readings` by the path of their clip."""
    clock = _Clock(time.time() - DAYS_AGO * _DAY + chance.uniform(0.0, _DAY / 4))
    people = People(project.database, project.writer, clock=clock)
    work = Assignments(project.database, project.writer, project.tasks, clock=clock)
    invited = people.invite("annotator", name=listener.name, days=30.0).result()
    person = people.enter(invited.token, language=listener.language).result().session.person.id
    for name in project.tasks.names():
        task = project.tasks.get(name).task
        for _ in range(round(DONE_SHARE * len(task.items))):
            view = work.next(name, person).result().view
            if view is None:
                break
            clock.now += 1.0
            for clip in view.clips:
                if clip.must_play:
                    clock.now += clip.seconds
                    work.played(view.id, person, clip.clip).result()
            clock.now += listener.pace * chance.uniform(0.6, 1.6)
            played = [one.clip for one in view.clips if one.must_play]
            heard = {clip: readings[work.clip(view.id, person, clip).path] for clip in played}
            given = answers(listener, task.controls, Heard(view, heard, samples[heard[played[0]].clip]), chance)
            changes = [
                Change(f"{view.id}-{number}", control, value, number)
                for number, (control, value) in enumerate(given.items())
            ]
            work.submit(view.id, person, changes).result()
        clock.now += 600.0
