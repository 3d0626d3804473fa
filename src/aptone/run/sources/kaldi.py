"""Kaldi's data folders: ``wav.scp`` with ``text``, ``utt2spk``, ``utt2lang`` and ``segments`` beside it.

A line of ``wav.scp`` may be a command whose output is the recording. Commands are never executed: a list from somebody
else could then do anything.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aptone.errors import RecordError
from aptone.messages import message
from aptone.run.sources.source import Cell, Fit, Row, text_lines

LIST = "wav.scp"


@dataclass(frozen=True, slots=True)
class KaldiFolder:
    """``wav.scp``, or the folder that holds it."""

    title: str = "Kaldi wav.scp"
    columns: Mapping[str, tuple[str, ...]] = field(
        default_factory=lambda: {"audio": ("wav",), "line": ("text",), "speaker": ("utt2spk",)}
    )

    def fits(self, path: Path) -> Fit:
        """By the name of the list."""
        is_one = (path / LIST).is_file() if path.is_dir() else path.suffix.lower() == ".scp" and path.is_file()
        return Fit.BY_CONTENT if is_one else Fit.NO

    def rows(self, path: Path) -> Iterator[Row]:
        """See `Source.rows`; with ``segments`` its utterances, else the recordings."""
        listed = path / LIST if path.is_dir() else path
        folder = listed.parent
        beside = {name: _table(folder / name) for name in ("text", "utt2spk", "utt2lang")}
        segments = folder / "segments"
        found = _segments(segments, listed) if segments.is_file() else _recordings(listed)
        for where, utterance, cells in found:
            told = {name: table[utterance] for name, table in beside.items() if utterance in table}
            language = {"language": told.pop("utt2lang")} if "utt2lang" in told else {}
            yield Row(where, {**cells, **told, **language}, id=utterance)

    def count(self, path: Path) -> int | None:
        """Not known without reading it."""
        return None


def _recordings(listed: Path) -> Iterator[tuple[str, str, dict[str, Cell]]]:
    for number, line in text_lines(listed):
        where = f"{listed}, line {number}"
        name, place = _two(line, where)
        if place.endswith("|") or place.startswith("|"):
            raise RecordError(message("sources.kaldi-command", where=where))
        file, colon, offset = place.rpartition(":")
        if place == "-" or place.endswith(".ark") or (colon and offset.isdecimal() and file.endswith(".ark")):
            raise RecordError(message("sources.kaldi-archive", where=where, what=place[:100]))
        yield where, name, {"wav": place}


def _segments(path: Path, listed: Path) -> Iterator[tuple[str, str, dict[str, Cell]]]:
    places = {name: cells["wav"] for _, name, cells in _recordings(listed)}
    for number, line in text_lines(path):
        where = f"{path}, line {number}"
        parts = line.split()
        try:
            utterance, recording = parts[0], parts[1]
            start, end = float(parts[2]), float(parts[3])
        except (IndexError, ValueError):
            raise RecordError(message("sources.kaldi-segment", where=where)) from None
        if recording not in places:
            raise RecordError(message("sources.kaldi-no-recording", where=where, what=recording[:100], name=listed))
        times: dict[str, Cell] = {"start": start} if end < 0 else {"start": start, "end": end}  # -1: to the end
        yield where, utterance, {"wav": places[recording], **times}


def _table(path: Path) -> dict[str, str]:
    """Second parts of the lines of a file by their first words; nothing where there is no such file."""
    if not path.is_file():
        return {}
    return dict(_two(line, f"{path}, line {number}", empty=True) for number, line in text_lines(path))


def _two(line: str, where: str, *, empty: bool = False) -> tuple[str, str]:
    name, *rest = line.strip().split(maxsplit=1)
    if not rest and not empty:
        raise RecordError(message("sources.kaldi-line", where=where))
    return name, rest[0].strip() if rest else ""


KALDI = KaldiFolder()
