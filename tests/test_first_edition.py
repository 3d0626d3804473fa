"""Runs that the first edition wrote: one of every room, as files in ``first_edition/``.

They were made from the clips of the shipped example, which lay in ``/lighthouse``; one recording was not there.
"""

import dataclasses
import importlib
import math
import pkgutil
import shutil
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import aptone.rooms
import aptone.types
from aptone import load_run
from aptone.cli.main import main
from aptone.errors import RecordError
from aptone.rooms.aptness.data import make_items
from aptone.run import read_trust
from aptone.types import AudioRef, Json, Perception, Plan, Sample, State, from_json, loads, schema_name, to_json

RUNS = Path(__file__).parent / "first_edition"
ROOMS = ("answer", "caption", "dialogue", "score", "style")
CLIPS = Path(__file__).parent.parent / "examples" / "lighthouse"

every_room = pytest.mark.parametrize("room", ROOMS)


def within(old: Json, new: Json) -> bool:
    """Whether everything in the old value is in the new one too, which may have fields of its own."""
    if isinstance(old, dict) and isinstance(new, dict):
        return all(key in new and within(value, new[key]) for key, value in old.items())
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(map(within, old, new))
    return type(old) is type(new) and old == new


def tagged(value: Json) -> Iterator[dict[str, Json]]:
    """Every record in a value, at any depth."""
    if isinstance(value, dict):
        if "schema" in value:
            yield value
        for inner in value.values():
            yield from tagged(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from tagged(inner)


def reads(kind: type[object], record: dict[str, Json]) -> bool:
    """Whether a kind reads a record without loss; two kinds may have one name."""
    try:
        return within(record, to_json(from_json(kind, record)))
    except RecordError:
        return False


@pytest.fixture(scope="module")
def kinds() -> dict[str, list[type[object]]]:
    """The records of the rooms and of the house, by their tag."""
    found: dict[str, list[type[object]]] = defaultdict(list)
    for package in (aptone.types, aptone.rooms, aptone.run):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            for thing in vars(importlib.import_module(module.name)).values():
                if isinstance(thing, type) and dataclasses.is_dataclass(thing) and thing.__module__ == module.name:
                    found[schema_name(thing)].append(thing)
    return found


@every_room
def test_a_run_loads_with_everything_that_it_held(room: str) -> None:
    run = load_run(RUNS / room)
    assert within(loads((RUNS / room / "config.json").read_bytes()), to_json(run.config))
    lines = [loads(line) for line in (RUNS / room / "journal.jsonl").read_bytes().splitlines()]
    entries = {(entry.item.id, entry.repeat): entry for entry in run.entries}
    assert len(entries) == len(lines)
    for line in lines:
        assert isinstance(line, dict)
        assert isinstance(line["item"], dict)
        entry = entries[str(line["item"]["id"]), 0]
        assert within(line, to_json(entry))
    card = read_trust(RUNS / room)
    assert card is not None
    assert within(loads((RUNS / room / "trust.json").read_bytes()), to_json(card))


@every_room
def test_every_record_inside_a_run_is_still_known(room: str, kinds: dict[str, list[type[object]]]) -> None:
    records = [
        record for line in (RUNS / room / "journal.jsonl").read_bytes().splitlines() for record in tagged(loads(line))
    ]
    assert records
    for record in records:
        assert any(reads(kind, record) for kind in kinds[str(record["schema"])]), record


@every_room
def test_the_report_of_a_run_can_be_made_anew(room: str, tmp_path: Path) -> None:
    shutil.copytree(RUNS / room, tmp_path / room)
    with pytest.raises(SystemExit) as ended:
        main(["report", str(tmp_path / room)])
    assert ended.value.code == 0
    before, after = read_trust(RUNS / room), read_trust(tmp_path / room)
    assert before is not None
    assert after is not None
    assert (after.items, after.done, after.failed) == (before.items, before.done, before.failed)
    assert (tmp_path / room / "report.html").stat().st_size > 10_000


def test_scores_plan_perception_and_reasons_are_read_as_they_were() -> None:
    entries = {entry.item.id: entry for entry in load_run(RUNS / "score").entries}
    heard, gone = entries["wall-apt"].outcome, entries["gone"].outcome
    assert heard.scores["aptness"].value == 2.1440949965702116
    plan = from_json(Plan, heard.evidence["plan"])
    assert plan.emotion == "fear"
    assert math.isnan(plan.vote_share)
    assert from_json(Perception, heard.evidence["perception"]).seconds == 2.2
    assert gone.state is State.FAILED
    assert gone.reason.startswith("/lighthouse/clips/gone.opus: no such file")


def test_a_run_that_is_resumed_knows_its_items_again() -> None:
    done = [entry.item for entry in load_run(RUNS / "score").entries if entry.outcome.state is State.DONE]
    samples = [from_json(Sample, item.payload) for item in done]
    here = []
    for sample in samples:
        assert isinstance(sample.audio, AudioRef)
        path = CLIPS / Path(sample.audio.path).relative_to("/lighthouse")
        here.append(dataclasses.replace(sample, audio=dataclasses.replace(sample.audio, path=str(path))))
    assert [item.content_hash for item in make_items(here)] == [item.content_hash for item in done]
