"""Columns of other people's files under our names: guessed from a published list, or as the user maps them."""

import difflib
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from aptone.errors import RecordError, UsageError
from aptone.messages import message
from aptone.run.sources.source import Cell, Recording
from aptone.types import Json, dumps, loads

NAMES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "utt_id", "utterance_id", "utt", "key", "uid", "item_id", "segment_id"),
    "audio": (
        *("audio", "audio_path", "audio_filepath", "audio_file", "file_name", "filename", "file", "path"),
        *("wav", "wav_path", "clip", "recording", "speech", "url"),
    ),
    "speaker": ("speaker", "speaker_id", "spk", "spk_id", "client_id"),
    "system": ("system", "system_id", "tts_system"),
    "language": ("language", "lang", "locale"),
    "start": ("start", "start_time", "begin"),
    "end": ("end", "end_time", "stop"),
    "human_score": ("human_score",),
    "ratings": ("ratings",),
    "ids": ("ids",),
}
"""Names that are understood as a field of every verb, in the order in which they are looked for."""

TEXTS = ("text", "transcript", "transcription", "sentence", "normalized_text", "raw_text", "txt", "words")
"""Names for the words that are spoken."""

NEEDED = ("audio", "line", "description", "content", "category")
"""Fields that no record can lack, so that a column that is chosen for one is in every record."""
NUMBERS = ("start", "end", "human_score", "proxy_score")
STRUCTURES = ("plan", "context", "following", "ratings", "ids")  # JSON in a cell of a table
IDENTITIES = ("speaker", "system", "take")
META = "meta."
LONGEST_META = 1000
"""Characters of a column that travels along; the rest of a longer one is cut off."""
NEAR = 0.7
"""Likeness of two names from which on one is taken for a misspelling of the other."""
_LANGUAGES = {"english": "en", "eng": "en", "chinese": "zh", "mandarin": "zh", "cmn": "zh", "zho": "zh", "cn": "zh"}


@dataclass(frozen=True, slots=True)
class Columns:
    """Fields of a verb, and where to find them.

    Args:
        names: names that are understood as a field, by field, in the order in which they are looked for.
        native: names of the source's own kind, which go before those.
        chosen: columns that the user has chosen, by field.
        passed: pattern of columns that the verb takes as they are.
        identities: fields that stand under ``ids``.
        is_strict: whether a column that is called nearly like a missing field is an error, as in our own manifest.
    """

    names: Mapping[str, tuple[str, ...]]
    native: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    chosen: Mapping[str, str] = field(default_factory=dict)
    passed: str = ""
    identities: tuple[str, ...] = IDENTITIES
    is_strict: bool = False

    def __post_init__(self) -> None:
        if unknown := [name for name in self.chosen if name not in self.names]:
            raise UsageError(message("sources.no-such-field", name=unknown[0], names=", ".join(sorted(self.names))))

    def places(self, columns: Iterable[str]) -> dict[str, str]:
        """Columns of a record, by our field.

        Each is used once: the chosen ones first, then the names of the source's kind, then columns that are called
        like a field, then the other names of the list. A column that the source's kind has for a field of other verbs
        is never guessed: the words of a NeMo manifest are no description of a style.
        """
        there = [column for column in columns if not self._passes(column)]
        taken = {name: column for name, column in self.chosen.items() if column in there}
        others = {column for name, known in self.native.items() if name not in self.names for column in known}
        free = [column for column in there if column not in taken.values() and column not in others]
        own = {name: self.native[name] for name in self.names if name in self.native}
        for stage in (own, {name: (name,) for name in self.names}, self.names):
            for name, known in stage.items():
                found = next((column for column in known if column in free), None)
                if name not in taken and name not in self.chosen and found is not None:
                    taken[name] = found
                    free.remove(found)
        return {name: taken[name] for name in self.names if name in taken}

    def left_over(self, columns: Iterable[str]) -> list[str]:
        """Columns of a record that no field holds, and that travel along."""
        there = list(columns)
        places = set(self.places(there).values())
        return [column for column in there if column not in places and not self._passes(column)]

    def renamed(self, cells: Mapping[str, Cell], *, where: str) -> dict[str, Cell]:
        """A record under our names; what no field holds is under ``ids`` as ``meta.*``.

        Raises:
            RecordError: if a chosen column is not there, a cell is no number or no JSON where one is expected, or a
                column seems misspelt.
        """
        given = {name: value for name, value in cells.items() if value is not None}
        places = self.places(given)
        for name, column in self.chosen.items():
            if name in NEEDED and column not in cells:
                there = ", ".join(cells)[:300]
                raise RecordError(message("sources.no-such-column", where=where, name=column, names=there))
        record: dict[str, Cell] = {
            name: _value(given[column], name, where) for name, column in places.items() if name not in self.identities
        }
        ids = record.pop("ids", {})
        if not isinstance(ids, Mapping):
            raise RecordError(message("sources.ids-no-object", where=where))
        kept: dict[str, Json] = {**ids}
        kept |= {name: str(given[places[name]]) for name in self.identities if name in places}
        for column in self.left_over(given):
            self._refuse_near(column, places, where)
            if not isinstance(value := given[column], Recording):
                kept[meta_name(column)] = meta_text(value)
        record |= {column: value for column, value in given.items() if self._passes(column)}
        return {**record, "ids": kept} if kept else record

    def _passes(self, column: str) -> bool:
        return bool(self.passed) and re.fullmatch(self.passed, column) is not None

    def _refuse_near(self, column: str, places: Mapping[str, str], where: str) -> None:
        lacking = [name for name in self.names if name not in places]
        if self.is_strict and (near := difflib.get_close_matches(column, lacking, n=2, cutoff=NEAR)):
            raise RecordError(
                message("sources.near-field", where=where, name=repr(column), names=" or ".join(near), column=column)
            )


def meta_name(column: str) -> str:
    """Name under which a column travels along.

    >>> meta_name("studio"), meta_name("meta.studio")
    ('meta.studio', 'meta.studio')
    """
    return column if column.startswith(META) else META + column


def meta_text(value: Json) -> str:
    """A value as it travels along: text, a number, or JSON, at most `LONGEST_META` characters.

    >>> meta_text("studio 2"), meta_text(3.5), meta_text([1, 2])
    ('studio 2', '3.5', '[1,2]')
    """
    text = value if isinstance(value, str) else dumps(value)
    return text if len(text) <= LONGEST_META else f"{text[: LONGEST_META - 1]}…"


def read_mapping(pairs: Iterable[str]) -> dict[str, str]:
    """Columns by field, as ``audio=path`` names them.

    >>> read_mapping(["audio=path", "line=text"])
    {'audio': 'path', 'line': 'text'}

    Raises:
        UsageError: if one has no equals sign, or a field comes twice.
    """
    found: dict[str, str] = {}
    for pair in pairs:
        name, equals, column = pair.partition("=")
        if not equals or not name or not column or name in found:
            raise UsageError(message("sources.strange-map", what=pair))
        found[name] = column
    return found


def _value(value: Cell, name: str, where: str) -> Cell:
    if name == "language" and isinstance(value, str):
        plain = value.strip().lower().replace("_", "-").partition("-")[0]
        return _LANGUAGES.get(plain, plain)
    if not isinstance(value, str):
        return value
    if name in NUMBERS:
        try:
            return float(value)
        except ValueError:
            raise RecordError(message("sources.no-number", where=where, name=name, what=repr(value)[:100])) from None
    if name in STRUCTURES and value.lstrip()[:1] in ("{", "["):
        return loads(value, what=f"{where}, {name}")
    return value
