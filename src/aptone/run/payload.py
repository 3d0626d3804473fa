"""Content of an item, whichever room made its payload: its line, its story, its other texts, its recordings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aptone.errors import RecordError
from aptone.types import AudioRef, Json, Line, from_json, schema_name

_TEXT_FIELDS = ("text", "line", "caption", "description", "question", "prompt", "transcript", "answer")


@dataclass(frozen=True, slots=True)
class Clip:
    """A recording that an item names in a field, such as ``turns 2 audio``; `ref` is ``None`` when damaged."""

    label: str
    ref: AudioRef | None
    problem: str = ""


def find_clips(payload: Mapping[str, Json]) -> tuple[Clip, ...]:
    """Every recording that a payload names, wherever it lies, labelled by the fields that lead to it."""
    tag = schema_name(AudioRef)

    def walk(value: Json, path: tuple[str, ...]) -> Iterator[Clip]:
        if isinstance(value, Mapping):
            if value.get("schema") == tag:
                label = " ".join(path).replace("_", " ")
                try:
                    yield Clip(label, from_json(AudioRef, value))
                except RecordError as error:
                    yield Clip(label, None, problem=str(error))
                return
            for key, inner in value.items():
                yield from walk(inner, (*path, key))
        elif isinstance(value, Sequence) and not isinstance(value, str):
            for index, inner in enumerate(value, start=1):
                yield from walk(inner, (*path, str(index)))

    return tuple(walk(payload, ()))


def lines_of(payload: Mapping[str, Json], name: str) -> tuple[Line, ...]:
    """The story lines that the field of that name holds, one or many; empty when it holds none."""
    value = payload.get(name)
    many = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    found = []
    for one in many:
        if isinstance(one, Mapping) and isinstance(text := one.get("text"), str):
            role = one.get("role")
            found.append(Line(text, role if isinstance(role, str) else ""))
    return tuple(found)


def line_of(payload: Mapping[str, Json]) -> str:
    """The text that stands for an item in a table: its target line, or else the first text field that it has."""
    if target := lines_of(payload, "target"):
        return target[0].text
    prompt = payload.get("prompt")
    if isinstance(prompt, Mapping) and isinstance(content := prompt.get("content"), str):
        return content  # a question that was asked
    return str(payload.get(line_field(payload), ""))


def line_field(payload: Mapping[str, Json]) -> str:
    """The field that `line_of` is taken from: ``line`` for a target line and for an item without any text."""
    if lines_of(payload, "target"):
        return "line"
    return next((name for name in _TEXT_FIELDS if isinstance(value := payload.get(name), str) and value), "line")


def texts_of(payload: Mapping[str, Json]) -> dict[str, str]:
    """The top-level text fields of an item without a target line, by name."""
    if lines_of(payload, "target"):
        return {}
    return {
        name: value
        for name, value in payload.items()
        if isinstance(value, str) and value and name not in ("schema", "id", "language", "spoken")
    }
