"""Relocation of recordings: a run that was moved or copied finds those that came with it.

A journal names recordings by absolute paths, since nobody knows in which folder the next command is typed, and by the
hash of their bytes. When a run and its recordings are moved together, the paths lead nowhere, or to recordings of
the same name that have changed since; but the end of each path still holds, below one of the folders around the run.
There it is looked for, and the hash tells whether it is the one.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from aptone.errors import RecordError
from aptone.files import file_hash
from aptone.types import AudioRef, Entry, Json, from_json, schema_name, to_json


class Whereabouts:
    """Finds the recordings that a run names. Each file is hashed once.

    Args:
        folder: folder of the run.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._hashes: dict[Path, str] = {}

    def locate(self, ref: AudioRef) -> AudioRef:
        """The same recording, by the place where it lies now.

        It is the one that the journal names if that is there and has not changed. Else it is one with the same bytes
        that lies by the run as the other did: below the folder of the run or one around it, the nearest first, at an
        end of the old path, the longest first. Without a hash nothing tells two recordings of one name apart; then only
        the folder of the run itself is searched, where all belongs to the run.

        A recording that is nowhere keeps the place that the journal names.
        """
        if self._is_it(ref, Path(ref.path)):
            return ref
        for place in self._places(ref):
            if self._is_it(ref, place):
                return replace(ref, path=str(place))
        return ref

    def locate_all(self, entry: Entry) -> Entry:
        """An entry whose item and evidence name recordings by where they lie now."""
        item = replace(entry.item, payload={name: self._within(value) for name, value in entry.item.payload.items()})
        evidence = {name: self._within(value) for name, value in entry.outcome.evidence.items()}
        return replace(entry, item=item, outcome=replace(entry.outcome, evidence=evidence))

    def _within(self, value: Json) -> Json:
        if isinstance(value, Mapping):
            if value.get("schema") == schema_name(AudioRef):
                return self._relocated(value)
            return {name: self._within(inner) for name, inner in value.items()}
        if isinstance(value, Sequence) and not isinstance(value, str):
            return [self._within(inner) for inner in value]
        return value

    def _relocated(self, value: Mapping[str, Json]) -> Json:
        try:
            return to_json(self.locate(from_json(AudioRef, value)))
        except RecordError:  # whoever reads it says what is wrong with it
            return value

    def _places(self, ref: AudioRef) -> Iterator[Path]:
        old = Path(os.path.normpath(ref.path))
        names = [name for name in old.parts if name not in (old.anchor, os.pardir)]
        for root in (self._folder, *(self._folder.parents if ref.sha256 else ())):
            for first in range(len(names)):
                yield root.joinpath(*names[first:])

    def _is_it(self, ref: AudioRef, place: Path) -> bool:
        digest = self._hashes.get(place) or file_hash(place)
        if not digest:
            return False
        self._hashes[place] = digest
        return digest == (ref.sha256.lower() or digest)
