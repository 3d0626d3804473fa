"""The files of S3Bench: the corpus that is read, the rating task, what is written, and when a folder may be used.

The corpus is a set of pairs, shards, or labelled recordings. Words and rules of the task are those of the task file
``s3bench``; the paper names no distance that makes a rating an outlier, so that the two points there are ours.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aptone.audio import read_ref, write_lossless
from aptone.ear.labelled_clips import TABLE
from aptone.errors import RecordError, RunError, UsageError
from aptone.files import make_folder, write_bytes_whole
from aptone.ratings.rules import set_aside, unrated_items
from aptone.ratings.tasks import JUDGE_SCORE, task_template, with_items
from aptone.rooms.style.build.labelled import LabelledPairs, read_labelled
from aptone.rooms.style.data import FIT, PAIRS, RATINGS, Ratings, StylePair, read_pairs, read_ratings
from aptone.rooms.style.score import Agreement, rater_agreement
from aptone.run import write_whole
from aptone.run.sources.manifest import manifest_records
from aptone.run.sources.shards import read_shards, shard_files
from aptone.types import (
    AudioRef,
    Json,
    Language,
    Rating,
    RatingItem,
    RatingTask,
    dumps,
    from_json,
    language_of_text,
    loads,
)


def read_corpus(source: Path, *, unpack_to: Path, languages: tuple[Language, ...], split: str = "") -> LabelledPairs:
    """The clips of a corpus, each with one description for each language that there is one in.

    Shards (``aptone build style-corpus``) are unpacked; recordings with a table of labels are described by our grammar
    from what the table says, in the language that is spoken, or in each that is asked for where people speak another.

    Args:
        source: a set of pairs, a folder of shards, or a folder with ``labels.csv``.
        split: split of labelled recordings; empty for all.

    Returns:
        The clips, and the rows of a table that were left out, with the reasons.

    Raises:
        UsageError: if there is nothing in these languages.
        RecordError: if a record cannot be understood.
    """
    if source.is_dir() and (source / TABLE).is_file():
        found = read_labelled(source, languages=languages, split=split)
    elif source.is_dir() and shard_files(source):
        found = LabelledPairs(tuple(_shards(source, unpack_to)))
    else:
        found = LabelledPairs(tuple(read_pairs(source)))
    chosen = tuple(pair for pair in found.pairs if pair.language in languages)
    if not chosen:
        first = next(iter(found.left_out.values()), "")
        reasons = f" {len(found.left_out)} rows were left out, the first: {first}." if first else ""
        raise UsageError(
            f"{source}: no description is in {' or '.join(languages)}; name others with --language.{reasons}"
        )
    return replace(found, pairs=chosen)


def _shards(source: Path, unpack_to: Path) -> list[StylePair]:
    pairs = []
    make_folder(unpack_to)
    for sample in read_shards(source):
        path = unpack_to / f"{sample.key}.{sample.ending}"
        if not path.is_file():
            write_bytes_whole(path, sample.recording)
        seen: set[str] = set()
        for caption in sample.captions:
            if caption.language not in ("en", "zh") or caption.language in seen:
                continue
            seen.add(caption.language)
            language: Language = "zh" if caption.language == "zh" else "en"
            audio = AudioRef(str(path.absolute()))
            pairs.append(StylePair(f"{sample.key}-{language}", audio, caption.text, language))
    if not pairs:
        raise RecordError(f"{source}: no clip in the shards has a description in English or Mandarin.")
    return pairs


TASK = "s3bench"
CLIP, DESCRIPTION = "clip", "description"
QUALIFYING = 10
RIGHT, WRONG = 4.5, 0.5
"""Expected ratings of the test's pairs: with the file's tolerance of 1.5, right ones 3 or more, wrong ones up to 2."""


def rating_task(
    pairs: Sequence[StylePair], *, qualifying: Sequence[tuple[StylePair, float]] = (), name: str = TASK
) -> RatingTask:
    """The task: five people a pair, 250 pairs a person, a test of ten pairs first, nothing shown but clip and text."""
    items = [*(rating_item(pair) for pair in pairs), *(rating_item(pair, gold=gold) for pair, gold in qualifying)]
    return with_items(task_template(TASK), items, name=name, qualification=[pair.id for pair, _ in qualifying])


def rating_item(pair: StylePair, *, gold: float | None = None, judged: float = math.nan) -> RatingItem:
    """A pair as raters get it, all but clip and description hidden; one of the test has `gold`."""
    score = {} if math.isnan(judged) else {JUDGE_SCORE: judged}
    return RatingItem(
        id=pair.id,
        audio={CLIP: pair.audio},
        fields={DESCRIPTION: pair.description},
        hidden={"language": pair.language, **pair.ids, **score},
        gold={} if gold is None else {FIT: gold},
    )


@dataclass(frozen=True, slots=True)
class ImportedRatings:
    """Ratings that count, why raters were set aside, and how many pairs have fewer ratings than the task asks for."""

    ratings: Ratings
    raters: int
    set_aside: Mapping[str, str]
    short: int
    agreement: tuple[Agreement, ...]


def count_ratings(answers: Ratings, task: RatingTask) -> tuple[Ratings, dict[str, str]]:
    """Ratings of those who passed the test and do not stray, and why others are set aside (`aptone.ratings.rules`)."""
    given = [
        Rating(task.name, pair, rater, {FIT: score}) for pair, by in answers.items() for rater, (score, _) in by.items()
    ]
    aside, test = set_aside(task, given), unrated_items(task)
    counted = {
        pair: {rater: one for rater, one in by.items() if rater not in aside}
        for pair, by in answers.items()
        if pair not in test
    }
    return {pair: by for pair, by in counted.items() if by}, aside


def import_ratings(pairs: Sequence[StylePair], answers: Ratings, task: RatingTask, *, seed: int = 0) -> ImportedRatings:
    """Everything about the answers to a task; arguments as those of `count_ratings`, and the pairs of the set.

    Raises:
        ValueError: if a rating lies outside of the scale.
    """
    ratings, aside = count_ratings(answers, task)
    rated = [
        StylePair(pair.id, pair.audio, pair.description, pair.language, ratings={r: s for r, (s, _) in by.items()})
        for pair in pairs
        if (by := ratings.get(pair.id))
    ]
    several = any(len(pair.ratings) > 1 for pair in rated)
    return ImportedRatings(
        ratings=ratings,
        raters=len({rater for by in ratings.values() for rater in by}),
        set_aside=aside,
        short=sum(len(ratings.get(pair.id, {})) < task.raters_per_item for pair in pairs),
        agreement=tuple(rater_agreement(rated, seed=seed)) if several else (),
    )


SEED_FILE, POOL_FILE, TASK_FILE, ABOUT = "seeds.jsonl", "descriptions.jsonl", "task.json", "build.json"
EXPANSION, CLIPS = "expansion", "clips"


def import_answers(folder: Path, answers: Path, *, seed: int = 0) -> ImportedRatings:
    """Take what people answered into a benchmark: ``ratings.jsonl`` with the ratings that count.

    Raises:
        RecordError: if the answers name a pair that was never asked about, or cannot be understood.
        RunError: if the folder holds no benchmark.
    """
    try:
        data = loads((folder / TASK_FILE).read_bytes(), what=str(folder / TASK_FILE))
    except OSError as error:
        raise RunError(f"{folder}: no benchmark is in it (no {TASK_FILE}); build one first.") from error
    task, pairs = from_json(RatingTask, data), [replace(one, ratings={}) for one in read_pairs(folder / PAIRS)]
    given = read_ratings(answers)
    if unknown := sorted(set(given) - {item.id for item in task.items}):
        raise RecordError(f"{answers}: the task has no item {unknown[0]!r}; are these answers to another task?")
    if not given:
        raise RecordError(
            f"{answers}: there is no answer in it; expected pair, rater and score (and confidence) a row."
        )
    try:
        found = import_ratings(pairs, given, task, seed=seed)
    except ValueError as error:
        raise RecordError(f"{answers}: {error}") from error
    rows: list[dict[str, Json]] = [
        {"pair": pair, "rater": rater, "score": score, "confidence": confidence}
        for pair, by in found.ratings.items()
        for rater, (score, confidence) in by.items()
    ]
    write_whole(folder / f"{RATINGS}.jsonl", "".join(f"{dumps(row)}\n" for row in rows))
    return found


def read_seeds(path: Path) -> dict[Language, list[str]]:
    """Seeds that somebody wrote, by language: one a line, or as ``seeds.jsonl`` has them.

    Raises:
        RecordError: if the file cannot be understood.
    """
    found: dict[Language, list[str]] = {}
    if path.suffix.lower() == ".jsonl":
        for where, data in manifest_records(path):
            text = data.get("description") if isinstance(data, Mapping) else None
            if not isinstance(text, str) or not text.strip():
                raise RecordError(f"{where}: expected a text under description.")
            found.setdefault(language_of_text(text), []).append(text)
        return found
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path}: cannot be read ({error}); expected a text file with one seed a line.") from error
    for line in filter(str.strip, lines):
        found.setdefault(language_of_text(line), []).append(line.strip())
    return found


def agree_on_settings(folder: Path, about: Mapping[str, Json]) -> None:
    """See that a folder is new, or was begun with the same settings.

    Raises:
        RunError: if it holds something else.
    """
    path = folder / ABOUT
    if path.is_file():
        before = loads(path.read_bytes(), what=str(path))
        then = before.get("settings") if isinstance(before, Mapping) else None
        if then != loads(dumps(about)):
            raise RunError(f"{folder}: was begun with other settings (see {ABOUT}); repeat them, or name a new folder.")
        return
    if folder.is_dir() and any(folder.iterdir()):
        raise RunError(f"{folder}: holds other files and no benchmark; name a new folder.")
    make_folder(folder)
    write_whole(path, dumps({"settings": about, "yields": {}}, indent=1) + "\n")


def write_yields(folder: Path, about: Mapping[str, Json], yields: Mapping[str, Mapping[str, int]]) -> None:
    """Write what was built with, and what each step gave."""
    note = "Preliminary scores decided which pairs are rated, and nothing else."
    counts: dict[str, Json] = {name: dict(one) for name, one in yields.items()}
    whole: dict[str, Json] = {"about": note, "settings": about, "yields": counts}
    write_whole(folder / ABOUT, dumps(whole, indent=1) + "\n")


def with_clips(pairs: Sequence[StylePair], folder: Path) -> list[StylePair]:
    """The pairs with copies of their clips in the folder, named by the pair: a name could tell what is acted."""
    make_folder(folder / CLIPS)
    made = []
    for pair in pairs:
        there = [folder / CLIPS / f"{pair.id}{suffix}" for suffix in (".flac", ".wav")]
        path = next((one for one in there if one.is_file()), None)
        if path is None:
            path = write_lossless(folder / CLIPS / pair.id, read_ref(pair.audio, rate=None, channel="mix"))
        made.append(replace(pair, audio=replace(pair.audio, path=str(path.absolute()), start=0.0, end=None, sha256="")))
    return made


def task_near(task: RatingTask, folder: Path) -> RatingTask:
    """The task with paths relative to the folder, so that both can be moved."""
    root = folder.absolute()
    items = tuple(
        replace(
            item,
            audio={
                name: replace(ref, path=Path(ref.path).relative_to(root).as_posix()) for name, ref in item.audio.items()
            },
        )
        for item in task.items
    )
    return replace(task, items=items)


def write_descriptions(path: Path, texts: Mapping[Language, Sequence[str]]) -> None:
    """Write descriptions, one a line, with their language."""
    rows: list[dict[str, Any]] = [
        {"language": language, "description": text} for language, listed in texts.items() for text in listed
    ]
    write_whole(path, "".join(f"{dumps(row)}\n" for row in rows))
