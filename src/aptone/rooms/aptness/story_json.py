"""Lines of a story in JSON: a text, or ``{"role": …, "text": …}``, on rows of their own or in an array."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from aptone.errors import RecordError
from aptone.types import Json, Language, Line, from_json, loads


def lines_from_json(path: Path, text: str) -> tuple[tuple[Line, ...], Language | None]:
    """Return the lines in the text of a JSON file, and the language that it states.

    Raises:
        RecordError: if it cannot be understood; the message names the line.
    """
    if path.suffix.lower() == ".jsonl" and not text.lstrip().startswith("["):
        rows = [(number, line) for number, line in enumerate(text.split("\n"), start=1) if line.strip()]
        entries = [(f"{path}, line {number}", loads(row, what=f"{path}, line {number}")) for number, row in rows]
        return tuple(_line(data, where) for where, data in entries), None
    whole = loads(text, what=str(path)) if text.strip() else []
    language: Language | None = None
    if isinstance(whole, Mapping):
        stated = whole.get("language")
        if stated not in (None, "en", "zh"):
            raise RecordError(f"{path}: the language is en or zh, got {stated!r}.")
        language = "zh" if stated == "zh" else "en" if stated == "en" else None
        if unknown := sorted(set(whole) - {"language", "lines"}):
            raise RecordError(f"{path}: unknown field {unknown[0]!r}; a story has language and lines.")
        whole = whole.get("lines")
    if not isinstance(whole, Sequence) or isinstance(whole, str):
        raise RecordError(f'{path}: expected an array of lines, or an object with them under "lines".')
    return tuple(_line(data, f"{path}, line {number}") for number, data in enumerate(whole, start=1)), language


def _line(data: Json, where: str) -> Line:
    if isinstance(data, str):
        return Line(data.strip())
    try:
        line = from_json(Line, data)
    except RecordError as error:
        raise RecordError(
            f'{where}: {error} A line of a story is a text, or {{"role": …, "text": …}}; records with recordings are '
            "read as a manifest."
        ) from error
    return Line(line.text.strip(), line.role.strip(), line.speech, direction=line.direction.strip())
