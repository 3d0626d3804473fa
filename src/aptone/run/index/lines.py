"""What the index keeps of one line of a journal: enough to list, filter, sort and sum, and the place of the rest.

Lines are parsed, not checked as records: whoever opens an item reads its line strictly (`aptone.run.journal`).
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, cast

from aptone.errors import RecordError
from aptone.run.chain import without_checksum
from aptone.run.payload import line_of, lines_of
from aptone.types import AudioRef, Json, Line, ScoreState, State, loads, schema_name

LONGEST_TEXT = 600
"""Characters of a line or a reason that are kept."""
LONGEST_SEARCHED = 4_000
"""Characters of a line, a reason or a rationale that a search looks through."""
LONGEST_LABEL = 200
MOST_LABELS = 24
ROLE, LANGUAGE = "role", "language"
"""Labels besides those in the item's ``ids``."""
_AUDIO = schema_name(AudioRef)
_ENCODED = json.JSONEncoder(sort_keys=True).encode
_LONE = re.compile(rb"\\ud[89a-f][0-9a-f]{2}")
"""Half of a character, which a journal escapes and SQLite cannot hold; whole ones are not escaped there."""


class ScoreCell(NamedTuple):
    """One score of a line; `value` is ``None`` where it is undefined or not needed, `given` is the score as written."""

    name: str
    value: float | None
    spread: float | None
    given: Mapping[str, Any]

    @property
    def scale(self) -> tuple[float | None, float | None, bool | None, str]:
        """Ends of the range, whether higher is better, and the unit, as far as they are given."""
        low, high = self.given.get("range") or (None, None)
        better = self.given.get("higher_is_better")
        return (
            number_of(low),
            number_of(high),
            better if isinstance(better, bool) else None,
            str(self.given.get("unit")),
        )


class IndexedLine(NamedTuple):
    """The part of an entry that the index keeps.

    Args:
        state: ``done``, ``not-needed``, ``unscored`` or ``failed``, as reports show it: an outcome that is done but
            whose main score is undefined counts as unscored.
        line_key: hash of what is said and where in its story; items of several systems or takes share it.
        reason: reason why it has no score, and `message` the message behind it as the journal keeps it, if it is one.
        text: everything that a search looks through, folded to one case.
        labels: what items are grouped by: the ``ids`` of the item, its role and its language; `labelled` is their JSON.
    """

    id: str
    repeat: int
    position: int
    content_hash: str
    line_key: str
    state: str
    reason: str
    message: str
    main_score: str
    line: str
    text: str
    signature: str
    cost: float
    seconds: float
    parse_failures: int
    finished: str
    labelled: str
    scores: tuple[ScoreCell, ...]
    labels: Mapping[str, str]


def read_line(line: bytes) -> IndexedLine:
    """Read what the index keeps of a line.

    Raises:
        ValueError: if it holds no entry.
    """
    record = without_checksum(line)
    try:
        return _indexed(cast(Any, loads(record if b"\\ud" not in record else _LONE.sub(b"?", record))))
    except (RecordError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise ValueError(f"no entry of a journal ({type(error).__name__}: {error})") from error


def _indexed(entry: Mapping[str, Any]) -> IndexedLine:
    item, outcome = entry["item"], entry["outcome"]
    payload = item["payload"]
    target = lines_of(payload, "target")
    labels = _labels(payload, target)
    cells = tuple(
        ScoreCell(str(name), number_of(score["value"]), number_of(score.get("spread")), score)
        for name, score in outcome["scores"].items()
    )
    main = str(outcome["main_score"])
    state, reason = _state(outcome, main)
    line = target[0].text if target else line_of(payload)
    parts = (item["id"], line, reason, outcome["rationale"], *labels.values())
    stored = entry.get("messages", {}).get(reason) if reason else None
    return IndexedLine(
        id=str(item["id"]),
        repeat=int(entry["repeat"]),
        position=int(item["position"]),
        content_hash=str(item["content_hash"]),
        line_key=_line_key(payload),
        state=state,
        reason=reason[:LONGEST_TEXT],
        message=json.dumps({reason: stored}) if stored is not None and len(reason) <= LONGEST_TEXT else "",
        main_score=main,
        line=line[:LONGEST_TEXT],
        text=" \n".join([part[:LONGEST_SEARCHED] for part in parts if part]).casefold().replace("\0", " "),
        signature=str(outcome["signature"]),
        cost=float(entry["cost"]),
        seconds=float(entry["seconds"]),
        parse_failures=int(entry["parse_failures"]),
        finished=str(entry["finished"]),
        labelled=_ENCODED(labels),
        scores=cells,
        labels=labels,
    )


def number_of(value: object) -> float | None:
    """A finite number; ``None`` for everything else."""
    if type(value) is float or type(value) is int:
        return float(value) if math.isfinite(value) else None
    return None


def _state(outcome: Mapping[str, Any], main: str) -> tuple[str, str]:
    state = str(State(outcome["state"]).value)
    if state != State.DONE:
        return state, str(outcome["reason"])
    score = outcome["scores"][main]
    if number_of(score["value"]) is not None:
        return state, ""
    return (State.UNSCORED.value if score["needed"] else ScoreState.NOT_NEEDED.value), str(score["reason"])


_OF_ONE_RECORDING = frozenset(
    {"schema", "id", "ids", "audio", "plan", "human_score", "proxy_score", "ratings", "weak", "answers", "system"}
)
"""Fields of a payload that differ between recordings of one line."""


def _line_key(payload: Mapping[str, Json]) -> str:
    shared = {
        name: value
        for name, value in payload.items()
        if name not in _OF_ONE_RECORDING and not (isinstance(value, dict) and value.get("schema") == _AUDIO)
    }
    return hashlib.blake2b(_ENCODED(shared).encode(), digest_size=12).hexdigest()


def _labels(payload: Mapping[str, Json], target: Sequence[Line]) -> dict[str, str]:
    found: dict[str, str] = {}
    ids = payload.get("ids")
    if isinstance(ids, dict):
        found = {
            str(key)[:LONGEST_LABEL]: str(value)[:LONGEST_LABEL]
            for key, value in list(ids.items())[:MOST_LABELS]
            if isinstance(value, str | int) and value != ""
        }
    if target and target[0].role:
        found.setdefault(ROLE, target[0].role[:LONGEST_LABEL])
    if isinstance(language := payload.get(LANGUAGE), str) and language:
        found.setdefault(LANGUAGE, language[:LONGEST_LABEL])
    return found
