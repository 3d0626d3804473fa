"""Plans that a person edits: what they become, and the request that scores an item by them."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from aptone.audio import encode_lossless, read_ref
from aptone.errors import RecordError, UsageError
from aptone.files import unusable
from aptone.messages import LANGUAGES, Language, message
from aptone.report.item_view import plan_of
from aptone.rooms.aptness.data import read_plan
from aptone.rooms.operation import ClipFile
from aptone.run.folder import Whereabouts
from aptone.run.payload import lines_of
from aptone.types import (
    AudioRef,
    Emotion,
    Entry,
    Json,
    Plan,
    RecordingCondition,
    Score,
    from_json,
    in_language,
    to_json,
)

FIELDS = ("emotion", "rhythm", "intonation", "recording_condition")
LONGEST = 200
"""Characters of a field of a plan."""
LARGEST_CLIP = 64 * 1024 * 1024
"""Bytes of a recording that is sent to a worker as it is; of a larger one, the decoded part is."""
CONTEXT = 200
"""Lines before the line that are sent along; the plan is given, so they only serve as a record."""


@dataclass(frozen=True, slots=True)
class ScoreChange:
    """A score by the old plan and by the new one; ``None`` where there is none."""

    name: str
    old: Score | None
    new: Score | None

    @property
    def difference(self) -> float:
        """New minus old; NaN where one is missing."""
        return self.new.value - self.old.value if self.old is not None and self.new is not None else math.nan


def can_score_again(entry: Entry) -> bool:
    """Whether an item is a spoken line with a recording."""
    payload = entry.item.payload
    return bool(lines_of(payload, "target")) and isinstance(payload.get("audio"), Mapping)


def edited_plan(entry: Entry, fields: Mapping[str, Json]) -> Plan:
    """The plan of an item with other values in some fields.

    What the story says about the emotion (probabilities, evidence, intensity) stays only with the emotion that it was
    said about; another one is a plan by hand.

    Raises:
        UsageError: if a field is no text or too long, or nothing is planned at all.
        RecordError: if a field has a value that is none of its choices.
    """
    if set(fields) - set(FIELDS) or not all(
        isinstance(value, str) and len(value) <= LONGEST for value in fields.values()
    ):
        raise UsageError(message("view.plan-fields", longest=LONGEST))
    written = read_plan({name: str(value).strip() for name, value in fields.items()}, where="plan")
    if written == Plan(""):
        raise UsageError(message("view.plan-empty"))
    old = plan_of(entry)
    if old is None or not _is_same(written.emotion, old.emotion, Emotion):
        return written
    condition = written.recording_condition
    if _is_same(condition, old.recording_condition, RecordingCondition):
        condition = old.recording_condition
    changed = replace(old, rhythm=written.rhythm, intonation=written.intonation, recording_condition=condition)
    return old if changed == old else replace(changed, votes=(), no_votes=(), windows=0, source="by hand", signature="")


def _is_same(written: str, old: str, closed: type[Emotion | RecordingCondition]) -> bool:
    """Whether a word was left as it is; the page shows it in the reader's language."""
    return written in (old, *(in_language(old, closed, language) for language in LANGUAGES))


def score_request(entry: Entry, plan: Plan, *, folder: Path, language: Language) -> dict[str, object]:
    """The request that scores an item of a run by a plan.

    Raises:
        AptoneError: if the item is no spoken line, or its recording is gone or cannot be read.
    """
    if not can_score_again(entry):
        raise UsageError(message("view.no-line-to-score"))
    payload = entry.item.payload
    target = lines_of(payload, "target")[0]
    spoken = payload.get("language")
    return {
        "audio": _clip(from_json(AudioRef, payload["audio"]), folder),
        "line": target.text,
        "context": tuple(line.text for line in lines_of(payload, "context")[-CONTEXT:]),
        "plan": to_json(plan),
        "role": target.role,
        "language": spoken if spoken in ("en", "zh") else None,
        "lang": language,
    }


def _clip(ref: AudioRef, folder: Path) -> ClipFile:
    found = Whereabouts(folder).locate(ref)
    file = Path(found.path)
    try:
        if not file.is_file():
            raise RecordError(message("view.recording-gone", name=file.name))
        if found.start == 0.0 and found.end is None and file.stat().st_size <= LARGEST_CLIP:
            return ClipFile(file.name, file.read_bytes())
    except OSError as error:
        raise unusable(file, error, doing="read") from error
    data, ending = encode_lossless(read_ref(found, rate=None, channel="mix"))
    return ClipFile(f"{file.stem}.{ending}", data)


def score_changes(old: Entry, new: Entry) -> tuple[ScoreChange, ...]:
    """Scores of two verdicts on one item, the main one first."""
    main = old.outcome.main_score
    names = dict.fromkeys([main, *old.outcome.scores, *new.outcome.scores])
    return tuple(
        ScoreChange(name, old.outcome.scores.get(name), new.outcome.scores.get(name))
        for name in names
        if name in old.outcome.scores or name in new.outcome.scores
    )
