"""Marks on the verdicts of a run: right or wrong, with the score that it should have, and a comment.

They lie beside the run, whose journal is never changed, as `Rating` records of the studio:

``verdicts.jsonl``   every mark that was ever made, one line each, appended and on the disk before the page says so
``ratings.jsonl``    the last mark of each item that gives it a score, for ``aptone calibrate RUN --ratings`` and
                     others that read ratings; written whole, and ratings of others in it are kept
"""

import contextlib
import math
import os
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from filelock import FileLock, Timeout

from aptone.errors import RecordError, RunError
from aptone.files import sync_folder, unusable, write_whole
from aptone.messages import message
from aptone.ratings.storage import RUN_RATINGS, rating_number, studio_rating
from aptone.run.step import now
from aptone.types import Json, Rating, dumps, loads, to_json

VERDICTS, RATINGS = "verdicts.jsonl", RUN_RATINGS
RATER = "viewer"
"""Rater of all marks that are made in a view."""
CONTROLS: Mapping[str, str] = {"score": "overall_score", "rank": "overall_score", "style": "fit"}
"""Question that a corrected score answers, by the verb of the run; readers of the others take the only number."""
LONGEST_COMMENT = 4_000
PATIENCE = 10.0
"""Seconds to wait for another process that marks the same run."""

Verdict = Literal["right", "wrong"]
_WRITING = threading.Lock()


@dataclass(frozen=True, slots=True)
class Mark:
    """What a person says of a verdict; `score` is what it should be, NaN where nobody says."""

    verdict: Verdict
    score: float = math.nan
    comment: str = ""
    finished: str = ""


def read_mark(folder: Path, item: str) -> Mark | None:
    """The last mark of an item; ``None`` where there is none.

    Raises:
        RunError: if the file cannot be read.
    """
    found = None
    for rating in _marks(folder):
        found = rating if rating.item == item else found
    return None if found is None else _mark(found)


def keep_mark(folder: Path, item: str, mark: Mark, *, verb: str) -> Mark:
    """Keep a mark, on the disk when this returns; the last one of an item counts.

    Raises:
        RunError: if it cannot be written, or another process holds the files for long.
        RecordError: if ``ratings.jsonl`` holds something else than ratings.
    """
    control = CONTROLS.get(verb, "score")
    answers: dict[str, Json] = {"verdict": mark.verdict, "comment": mark.comment}
    if not math.isnan(mark.score):
        answers[control] = mark.score
    rating = Rating(f"{verb} verdicts", item, RATER, answers, finished=mark.finished or now())
    with _held(folder):
        _append(folder / VERDICTS, dumps(to_json(rating)))
        _write_ratings(folder)
    return _mark(rating)


def _mark(rating: Rating) -> Mark:
    score = math.nan
    with contextlib.suppress(RecordError):
        score = rating_number(rating)
    verdict: Verdict = "right" if rating.answers.get("verdict") == "right" else "wrong"
    return Mark(verdict, score, str(rating.answers.get("comment") or ""), rating.finished)


def _marks(folder: Path) -> Iterator[Rating]:
    """Marks in the order in which they were made; a line that a kill cut short is passed over."""
    try:
        text = (folder / VERDICTS).read_bytes().decode("utf-8", "replace")
    except FileNotFoundError:
        return
    except OSError as error:
        raise unusable(folder / VERDICTS, error, doing="read") from error
    for line in text.splitlines():
        with contextlib.suppress(RecordError):
            if line.strip() and (rating := studio_rating(loads(line, what=VERDICTS))) is not None:
                yield rating


def _append(file: Path, line: str) -> None:
    try:
        is_new = not file.exists()
        with file.open("ab+") as opened:
            end = opened.seek(0, os.SEEK_END)
            if end:
                opened.seek(end - 1)
                is_cut = opened.read(1) != b"\n"
                opened.seek(0, os.SEEK_END)
            else:
                is_cut = False
            opened.write(("\n" if is_cut else "").encode() + line.encode() + b"\n")
            opened.flush()
            os.fsync(opened.fileno())
        if is_new:
            sync_folder(file.parent)
    except OSError as error:
        raise unusable(file, error) from error


def _write_ratings(folder: Path) -> None:
    file = folder / RATINGS
    last = {rating.item: rating for rating in _marks(folder)}
    ours = [rating for rating in last.values() if not math.isnan(_mark(rating).score)]
    lines = [*_of_others(file), *(dumps(to_json(rating)) for rating in ours)]
    if lines or file.exists():
        write_whole(file, "".join(f"{line}\n" for line in lines))


def _of_others(file: Path) -> list[str]:
    """Lines of a file of ratings that no view has written."""
    try:
        text = file.read_text(encoding="utf-8")
    except FileNotFoundError:
        return []
    except (OSError, UnicodeDecodeError) as error:
        raise RunError(message("view.ratings-unreadable", name=file)) from error
    kept = []
    for line in filter(str.strip, text.splitlines()):
        rating = studio_rating(loads(line, what=str(file)))
        if rating is None or rating.rater != RATER:
            kept.append(line)
    return kept


@contextlib.contextmanager
def _held(folder: Path) -> Iterator[None]:
    """Hold the files against other threads and other processes."""
    try:
        with _WRITING, FileLock(folder / f"{VERDICTS}.lock", timeout=PATIENCE):
            yield
    except Timeout as error:
        raise RunError(message("view.verdicts-in-use", name=folder)) from error
    except OSError as error:
        raise unusable(folder, error) from error
