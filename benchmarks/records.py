"""Our strict codec of records beside msgspec: time to read and to write, import time, and which promises each keeps.

    python -m benchmarks.records

Records are those of a run: the shipped example is scored once, and its journal is read and written again (entries with
story, plan, perception and rationale), as are the plans, perceptions and samples in it, and tracks of pitch and
loudness of four seconds. msgspec reads into twins that are generated from our dataclasses, since it cannot read the
records themselves (``null`` for NaN, a tag, unknown fields refused). It is measured in two forms:

- *bare*: text to twin and twin to text, nothing checked that msgspec does not check by itself. No record is made: this
  is the most that it could gain.
- *kept*: the text is parsed as ours is, since msgspec takes a key that comes twice; msgspec checks what was parsed, and
  the twin becomes the record, with NaN for ``null``, and free JSON refused that could not be written again. It is kept
  in part only, in msgspec's favour: messages are its own, a clip without a tag is refused, and a number beyond all
  floats passes in a field that does not refuse it itself.

Both sides run in turns in this process; CPU time is compared, and the median of the ratios is kept, since it travels.
The promises are tried one by one: what a user reads must hold the words given here. It fails if one of ours does not.
The earlier result is of the codec before it left out the paths of values that fit, made with the sources of that time
in ``PYTHONPATH`` and ``--output``.
"""

import argparse
import base64
import dataclasses
import functools
import inspect
import json
import math
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import typing
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import msgspec
import numpy as np

import aptone.types
from aptone.errors import RecordError
from aptone.run import load_run
from aptone.types import Entry, Item, Line, Outcome, Perception, Plan, Sample, Score, Tracks, dumps, from_json, loads
from aptone.types.codec import dumps_record, encode, is_union, schema_name

EXAMPLE = Path(__file__).parent.parent / "examples" / "lighthouse" / "manifest.jsonl"
CODEC = Path(aptone.types.__file__).parent
RESULTS = Path(__file__).parent / "results" / "records.json"
TURNS, IMPORT_TURNS = 25, 9

Make = Callable[[Any], Any]
Records = Mapping[Any, Sequence[Any]]


def form(kind: Any) -> tuple[Any, Make | None]:
    """The type that msgspec reads in the place of ours, and what turns its value into ours where they differ."""
    origin, arguments = typing.get_origin(kind), typing.get_args(kind)
    if kind is object:
        return Any, checked
    if kind is float:
        return float | None, number
    if kind is int:
        return Annotated[int, msgspec.Meta(ge=-(2**63) + 1, le=2**63 - 1)], None
    if origin is np.ndarray:
        return str, lambda text: np.frombuffer(base64.b64decode(text, validate=True), dtype="<f4")
    if dataclasses.is_dataclass(kind):
        return twin(typing.cast(Any, kind))
    if is_union(kind):
        return union(arguments)
    if origin is tuple:
        return row(arguments)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        (key, _), (value, make) = form(arguments[0]), form(arguments[1])
        mapping: Any = dict[key, value]  # type: ignore[valid-type]
        return mapping, make and (lambda found: {name: make(one) for name, one in found.items()})
    return kind, None


def checked(value: object) -> object:
    """Free JSON, refused where it could not be written again."""
    encode(value, "value")
    return value


def number(value: float | None) -> float:
    """NaN for null."""
    return math.nan if value is None else value


def union(arguments: tuple[Any, ...]) -> tuple[Any, Make | None]:
    """A choice of types; msgspec tells twins apart by their tag."""
    forms = [form(argument) for argument in arguments]
    wire = functools.reduce(lambda left, right: left | right, (one for one, _ in forms))
    makes = {one: make for one, make in forms if make is not None and isinstance(one, type)}
    if not makes:
        return wire, None
    return wire, lambda value: makes[type(value)](value) if type(value) in makes else value


def row(arguments: tuple[Any, ...]) -> tuple[Any, Make | None]:
    """A tuple, of one kind or of a kind for each place."""
    if arguments[-1] is Ellipsis:
        wire, make = form(arguments[0])
        column: Any = tuple[wire, ...]  # type: ignore[valid-type]
        if make is number:  # long columns: looked through in C, and rebuilt only where there is a null
            return column, lambda values: tuple(map(number, values)) if None in values else values
        return column, make and (lambda values: tuple(map(make, values)))
    forms = [form(argument) for argument in arguments]
    places: Any = tuple[tuple(wire for wire, _ in forms)]  # type: ignore[misc]
    return places, lambda values: tuple(m(one) if m else one for (_, m), one in zip(forms, values, strict=True))


@functools.cache
def twin(kind: Any) -> tuple[Any, Make]:
    """A struct of msgspec with the fields of a record, and what makes the record of it."""
    hints = typing.get_type_hints(kind)
    entries: list[Any] = []
    makes: list[tuple[str, Make | None]] = []
    for field in dataclasses.fields(kind):
        wire, make = form(hints[field.name])
        required = field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING
        entries.append((field.name, wire) if required else (field.name, wire | msgspec.UnsetType, msgspec.UNSET))
        makes.append((field.name, make))
    struct = msgspec.defstruct(
        kind.__name__, entries, kw_only=True, forbid_unknown_fields=True, tag_field="schema", tag=schema_name(kind)
    )

    def made(value: Any) -> Any:
        given = {}
        for name, make in makes:
            one = getattr(value, name)
            if one is not msgspec.UNSET:
                given[name] = make(one) if make else one
        return kind(**given)

    return struct, made


def example_records() -> Records:
    """Return the records of a run of the shipped example."""
    with tempfile.TemporaryDirectory() as folder:
        run = Path(folder) / "run"
        command = [sys.executable, "-m", "aptone", "score", str(EXAMPLE), "-o", str(run), "--no-cache"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        entries = load_run(run).entries
    generator = np.random.default_rng(7)
    columns = np.where(generator.random((len(entries), 400)) < 0.4, math.nan, generator.normal(180, 30, (18, 400)))
    levels = generator.normal(-30, 8, (len(entries), 400))
    return {
        Entry: entries,
        Sample: [from_json(Sample, entry.item.payload) for entry in entries],
        Plan: [from_json(Plan, entry.outcome.evidence["plan"]) for entry in entries],
        Perception: [from_json(Perception, entry.outcome.evidence["perception"]) for entry in entries],
        Tracks: [
            Tracks(0.01, tuple(pitch.tolist()), tuple(loudness.tolist()))
            for pitch, loudness in zip(columns, levels, strict=True)
        ],
    }


def cpu_seconds(call: Make, values: Sequence[Any]) -> float:
    """CPU time of a call on every value, by the best of three."""
    found = []
    for _ in range(3):
        start = time.process_time()
        for value in values:
            call(value)
        found.append(time.process_time() - start)
    return min(found)


def ratio(ours: Make, rival: Make, values: Sequence[Any], rival_values: Sequence[Any]) -> float:
    """Return our time over the rival's: the median over turns."""
    return statistics.median(cpu_seconds(ours, values) / cpu_seconds(rival, rival_values) for _ in range(TURNS))


def read_kept(kind: Any, text: str | bytes) -> Any:
    """A record by msgspec with the promises that cost time; see above for those that are left out."""
    wire, make = twin(kind)
    return make(msgspec.convert(loads(text), wire))


def speed(records: Records) -> dict[str, dict[str, float]]:
    """Ratios for each kind of record, and what ours takes in microseconds as an order of size."""
    found = {}
    for kind, values in records.items():
        texts = [dumps_record(value).encode() for value in values]
        wire, _ = twin(kind)
        decode, write = msgspec.json.Decoder(wire).decode, msgspec.json.Encoder(order="sorted").encode
        twins = [decode(text) for text in texts]
        read: Make = functools.partial(lambda kind, text: from_json(kind, loads(text)), kind)
        kept = functools.partial(read_kept, kind)
        assert [dumps_record(kept(text)).encode() for text in texts] == texts
        found[kind.__name__] = {
            "bytes": round(statistics.mean(map(len, texts))),
            "read_microseconds": round(1e6 * cpu_seconds(read, texts) / len(texts), 1),
            "read_times_msgspec_bare": round(ratio(read, decode, texts, texts), 2),
            "read_times_msgspec_kept": round(ratio(read, kept, texts, texts), 2),
            "write_microseconds": round(1e6 * cpu_seconds(dumps_record, values) / len(texts), 1),
            "write_times_msgspec_bare": round(ratio(dumps_record, write, values, twins), 2),
            "share_of_texts_that_msgspec_writes_otherwise": round(
                statistics.mean(write(one) != text for one, text in zip(twins, texts, strict=True)), 2
            ),
        }
    return found


def import_seconds(module: str) -> float:
    """CPU time that an import adds to a Python that has numpy."""
    code = f"import numpy, time; start = time.process_time(); import {module}; print(time.process_time() - start)"
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True) for _ in range(IMPORT_TURNS)]
    return statistics.median(float(run.stdout) for run in runs)


def said(call: Callable[[], object]) -> str:
    """Return the visible result of a call: the error, or its value."""
    try:
        given = call()
    except (RecordError, msgspec.MsgspecError, TypeError, ValueError, RecursionError) as error:
        return f"refused: {str(error)[:160]}"
    return f"gives {given!s}"[:160]


READ: tuple[tuple[str, Any, str, str], ...] = (
    ("null is NaN, with its reason", Score, '{"value": null, "reason": "silence"}', "value=nan"),
    ("unknown field, and which was meant", Score, '{"value": 1, "sprad": 2}', "spread"),
    ("wrong value in a mapping: its path", Perception, '{"seconds": 1, "emotion": {"joy": "much"}}', "emotion.joy"),
    ("wrong value: what came", Line, '{"text": 17}', "17"),
    ("wrong choice: the right ones", Outcome, '{"state": "fine"}', "done, unscored, failed"),
    ("missing field", Line, "{}", "text"),
    ("number beyond all floats", Score, '{"value": 1e999}', "refused"),
    ("NaN as a literal", Score, '{"value": NaN}', "refused"),
    ("key that comes twice", Score, '{"value": 1, "value": 2}', "refused"),
    ("foreign tag, and which was expected", Line, '{"schema": "aptone.Line/2", "text": ""}', "aptone.Line/1"),
    ("clip told apart without a tag", Sample, '{"id": "", "audio": {"path": "a"}, "target": {"text": ""}}', "AudioRef"),
    (
        "whole number of more than 64 bits",
        Item,
        f'{{"id": "a", "payload": {{}}, "content_hash": "", "position": {2**70}}}',
        "refused",
    ),
    ("halves of characters", Line, r'{"text": "\ud800"}', "gives"),
)
"""Promises about reading: kind, text, and words that must be in what a user sees."""

WRITE: tuple[tuple[str, object, str], ...] = (
    ("NaN is null", {"a": math.nan}, "null"),
    ("infinity is refused with its path", {"a": [0.0, math.inf]}, "a[1]"),
    ("numpy's numbers", {"a": np.float32(0.5)}, "0.5"),
    ("bytes are no JSON", {"a": b"abc"}, "refused"),
    ("halves of characters", {"a": "\ud800"}, "gives"),
    ("text of small numbers, which hashes in journals are of", {"a": 2e-05}, "2e-05"),
)
"""Promises about writing: value, and words that must be in what a user sees."""


def made_bare(kind: Any, text: str) -> object:
    """A record by msgspec from the text on."""
    wire, make = twin(kind)
    return make(msgspec.json.decode(text, type=wire))


def promises() -> list[dict[str, str | bool]]:
    """Compare the visible results of both sides, promise by promise."""
    found: list[tuple[str, str, str, str]] = []
    for what, kind, text, words in READ:
        ours = said(functools.partial(lambda kind, text: from_json(kind, loads(text)), kind, text))
        found.append((what, words, ours, said(functools.partial(made_bare, kind, text))))
    for what, value, words in WRITE:
        ours = said(functools.partial(dumps, typing.cast(Any, value)))
        found.append((what, words, ours, said(functools.partial(msgspec.json.encode, value))))
    return [
        {
            "promise": what,
            "ours": ours,
            "ours_holds": words in ours,
            "msgspec": theirs,
            "msgspec_holds": words in theirs,
        }
        for what, words, ours, theirs in found
    ]


def lines() -> dict[str, int]:
    """Length of our codec, and of what msgspec needs before it says a word of what is wrong: the twins."""
    ours = {name: len((CODEC / name).read_text("utf-8").splitlines()) for name in ("codec.py", "decode.py")}
    twins = (form, checked, number, union, row, twin)
    return ours | {"twins": sum(len(inspect.getsource(part).splitlines()) for part in twins)}


def main() -> None:
    """Measure, print and write the results."""
    parser = argparse.ArgumentParser(description="Codec of records against msgspec.")
    parser.add_argument("--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    speeds = speed(example_records())
    imports = {name: import_seconds(name) for name in ("msgspec", "aptone.types")}
    result = {
        "what": "our codec of records beside msgspec, same process, in turns; CPU time",
        "versions": {"python": platform.python_version()} | {name: version(name) for name in ("aptone", "msgspec")},
        "lines": lines(),
        "import_of_msgspec_as_share_of_aptone_types": round(imports["msgspec"] / imports["aptone.types"], 2),
        "speed": speeds,
        "promises": (kept := promises()),
    }
    text = json.dumps(result, indent=2, ensure_ascii=False)
    print(text)
    options.output.write_text(text + "\n", encoding="utf-8")
    if broken := [str(one["promise"]) for one in kept if not one["ours_holds"]]:
        sys.exit(f"not kept by our codec: {', '.join(broken)}")


if __name__ == "__main__":
    main()
