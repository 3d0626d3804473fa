"""The works that a set of spoken lines is made of: recordings, the text that is read in them, and whose they are.

One work can be named on a command line; several stand in a file, one JSON object a line (or one array, or a table)::

    {"work": "lighthouse", "recordings": "lighthouse/", "text": "lighthouse.txt",
     "licence": "CC BY 4.0", "source": "https://example.org/lighthouse"}

=================  ================================================================================================
``work``           its name, unique
``recordings``     a file, a folder, or a list of them
``text``           the whole story; ``.srt`` where the subtitles of one recording are the text
``transcripts``    subtitles of the recordings from another source, one for each, instead of a transcriber
``language``       ``en`` or ``zh``; by default that of the text's characters
``story``          works of one story, or with the same people in them, share this name; by default that of the work
``licence``        of the recordings
``source``         where they come from
``speech``         ``human`` or ``synthetic``; by default human
=================  ================================================================================================
"""

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from aptone.errors import RecordError
from aptone.rooms.aptness.books.book import find_recordings
from aptone.run.sources.manifest import check_fields, manifest_records
from aptone.types import Json, Language

SpeechKind = Literal["human", "synthetic"]
WORKS_FILES = (".json", ".jsonl", ".csv")
"""Endings of files that list works."""

_FIELDS = frozenset({"work", "recordings", "text", "transcripts", "language", "story", "licence", "source", "speech"})


@dataclass(frozen=True, slots=True)
class Work:
    """A work that was read aloud.

    Args:
        transcripts: subtitles, one file for each recording; none where a transcriber is to hear them.
        language: ``None`` for that of the text.
        story: works that share it share their people, so that no split may part them; empty for the name.
        speech: kind of speech: people, or a synthesiser.

    Raises:
        RecordError: if it has no name, no recording, or not one transcript for each recording.
    """

    name: str
    recordings: tuple[Path, ...]
    text: Path
    transcripts: tuple[Path, ...] = ()
    language: Language | None = None
    story: str = ""
    licence: str = ""
    source: str = ""
    speech: SpeechKind = "human"

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise RecordError("a work needs a name.")
        if not self.recordings:
            raise RecordError(f"work {self.name!r}: there is no recording.")
        if self.transcripts and len(self.transcripts) != len(self.recordings):
            raise RecordError(
                f"work {self.name!r}: {len(self.recordings)} recordings, but {len(self.transcripts)} transcripts; "
                "give one for each, in the same order."
            )
        if self.is_subtitled and (len(self.recordings) != 1 or self.transcripts):
            raise RecordError(
                f"work {self.name!r}: subtitles that are the text belong to one recording and need no transcript."
            )

    @property
    def key(self) -> str:
        """Its name for files and ids: lower-case letters, digits and ``-``; a mark where that is not the name itself.

        >>> Work("The Lighthouse", (Path("a.wav"),), Path("a.txt")).key
        'the-lighthouse-7b75e3'
        >>> Work("lighthouse", (Path("a.wav"),), Path("a.txt")).key
        'lighthouse'
        """
        plain = re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")[:40].strip("-")
        mark = hashlib.sha256(self.name.encode()).hexdigest()[:6]
        return plain if plain == self.name else f"{plain}-{mark}".strip("-")

    @property
    def is_subtitled(self) -> bool:
        """Return whether its text has times of its own."""
        return self.text.suffix.lower() == ".srt"

    @property
    def world(self) -> str:
        """Name that groups stories and people: no split may separate two works that share it."""
        return self.story or self.name


def read_works(path: Path) -> list[Work]:
    """The works that a file lists; its paths are relative to it.

    Raises:
        RecordError: if a record cannot be understood, or two works have one name; the message names the line.
        UsageError: if a folder holds no recording.
    """
    works: list[Work] = []
    for where, data in manifest_records(path):
        try:
            works.append(_work(data, path.parent))
        except RecordError as error:
            raise RecordError(f"{where}: {error}") from error
    refuse_same_names(works, where=str(path))
    return works


def refuse_same_names(works: Sequence[Work], *, where: str) -> None:
    """See that no two works have one name.

    Raises:
        RecordError: if two have.
    """
    names = [work.name for work in works]
    if doubled := [name for name in names if names.count(name) > 1]:
        raise RecordError(f"{where}: two works are named {doubled[0]!r}; give each its own name.")


def _work(data: Json, root: Path) -> Work:
    if not isinstance(data, Mapping):
        raise RecordError(f"expected a JSON object, got {type(data).__name__}.")
    check_fields(data, _FIELDS)
    language, speech = data.get("language"), data.get("speech", "human")
    if language not in (None, "en", "zh"):
        raise RecordError(f"the language is en or zh, got {language!r}.")
    if speech not in ("human", "synthetic"):
        raise RecordError(f'"speech" is human or synthetic, got {speech!r}.')
    texts = {}
    for name in ("work", "text", "story", "licence", "source"):
        value = data.get(name, "")
        if not isinstance(value, str):
            raise RecordError(f'"{name}" is text, got {value!r}.')
        texts[name] = value.strip()
    name, text = texts.pop("work"), texts.pop("text")
    if not text:
        raise RecordError('expected the path of the story under "text".')
    return Work(
        name,
        recordings=tuple(find_recordings(_paths(data.get("recordings"), "recordings", root))),
        text=root / text,
        transcripts=tuple(_paths(data.get("transcripts"), "transcripts", root)),
        language="zh" if language == "zh" else "en" if language == "en" else None,
        speech="synthetic" if speech == "synthetic" else "human",
        **texts,
    )


def _paths(value: Json, name: str, root: Path) -> list[Path]:
    listed = [value] if isinstance(value, str) else value or []
    if not isinstance(listed, Sequence) or not all(isinstance(one, str) and one for one in listed):
        raise RecordError(f'"{name}" is a path or a list of paths, got {value!r}.')
    return [root / str(one) for one in listed]
