"""Manifests: one JSON object a line, or one JSON array, with the place of each for messages."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from aptone.errors import RecordError
from aptone.types import Json, loads


def manifest_records(path: Path) -> Iterator[tuple[str, Json]]:
    """The records of a ``.jsonl`` or ``.json`` file, each behind the words that say where it stands.

    Raises:
        RecordError: if the file cannot be read, is not UTF-8 or JSON, or holds no record.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); expected a manifest.") from error
    except UnicodeDecodeError as error:
        raise RecordError(f"{path}: not UTF-8 text ({error.reason}); save the manifest as UTF-8.") from error
    if not text.strip():
        raise RecordError(f"{path}: the manifest is empty; expected one JSON object a line.")
    yield from json_records(text, path)


def json_records(text: str, path: Path) -> Iterator[tuple[str, Json]]:
    """The records of a file, one a line or in one array, each with the place that an error names.

    Raises:
        RecordError: if it is not JSON.
    """
    if text.lstrip().startswith("["):
        whole = loads(text, what=str(path))
        assert isinstance(whole, Sequence)
        for number, data in enumerate(whole, start=1):
            yield f"{path}, record {number}", data
        return
    if path.suffix.lower() == ".json":
        yield f"{path}", loads(text, what=str(path))
        return
    for number, line in enumerate(text.split("\n"), start=1):
        if line.strip():
            where = f"{path}, line {number}"
            yield where, loads(line, what=where)
