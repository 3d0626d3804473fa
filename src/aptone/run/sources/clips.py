"""Recordings of any source, for verbs that need nothing else of a record."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aptone.errors import RecordError
from aptone.messages import labelled
from aptone.run.sources.columns import NAMES
from aptone.run.sources.records import Reading, SourceOptions, read_source
from aptone.types import AudioRef, Json, from_json


@dataclass(frozen=True, slots=True)
class ListedClip:
    """A recording, and what its source says of it.

    Args:
        told: identifier, identities such as the speaker, and ``meta.*``; empty for a recording that no list names.
    """

    audio: AudioRef
    told: Mapping[str, Json] = field(default_factory=dict)

    @property
    def is_part(self) -> bool:
        """Check that it is a part of its file."""
        return self.audio.start > 0 or self.audio.end is not None


def read_clips(path: Path, options: SourceOptions | None = None) -> tuple[list[ListedClip], Reading]:
    """The recordings of a source in their order, and how it was read.

    Raises:
        RecordError: if a record cannot be read, or has no recording; the message names its place.
        UsageError: if the source is of no known kind.
    """
    reading = read_source(path, NAMES, options)
    clips: list[ListedClip] = []
    for where, record in reading.rows:
        audio = record.get("audio")
        try:
            given = audio if isinstance(audio, Mapping) else {"path": audio, **_times(record)}
            clip = from_json(AudioRef, given)
        except (RecordError, ValueError) as error:
            raise RecordError(labelled(where, str(error))) from error
        ids = record.get("ids")
        told: dict[str, Json] = {"id": record["id"]} if "id" in record else {}
        clips.append(ListedClip(clip, {**told, **(ids if isinstance(ids, Mapping) else {})}))
    return clips, reading


def _times(record: Mapping[str, Json]) -> dict[str, Json]:
    return {name: record[name] for name in ("start", "end") if name in record}
