from collections.abc import Callable
from pathlib import Path

import pytest
from markupsafe import Markup

from aptone.report.room_report import Figure
from aptone.report.run_report import finish_run
from aptone.report.trust import trust_rows
from aptone.run import RunConfig, RunFolder, load_run, read_trust
from aptone.types import Entry, Probe, ProbeState

MakeEntry = Callable[..., Entry]


@pytest.fixture
def folder(tmp_path: Path, make_entry: MakeEntry) -> Path:
    config = RunConfig(
        "score", "built-in", {"prompt:judge": "abc", "judge": "x"}, notes=("mind the gap",), version="1.2"
    )
    with RunFolder(tmp_path / "run", config) as opened:
        opened.journal.append([make_entry("a", 4.0), make_entry("b", failed="timed out")])
    return tmp_path / "run"


def test_the_card_and_the_report_stand_beside_the_journal(folder: Path) -> None:
    finished = finish_run(load_run(folder))
    assert finished.card == read_trust(folder)
    assert finished.report == folder / "report.html"
    page = finished.report.read_text(encoding="utf-8")
    assert "mind the gap" in page
    assert "score · run" in page


def test_pictures_of_the_room_go_into_the_report(folder: Path) -> None:
    finished = finish_run(load_run(folder), figures=[Figure("Mood", Markup('<svg class="mood"></svg>'))])
    assert '<svg class="mood"></svg>' in finished.report.read_text(encoding="utf-8")


def test_the_card_is_filled_from_the_journal_and_the_configuration(folder: Path) -> None:
    card = finish_run(load_run(folder), stopped="--max-items 2 reached").card
    assert (card.items, card.done, card.failed) == (2, 1, {"timed out": 1})
    assert (card.version, card.notes, card.prompt_hashes) == ("1.2", ("mind the gap",), {"judge": "abc"})
    assert card.stopped == "--max-items 2 reached"


def test_a_later_report_keeps_the_probes_and_the_stop_of_the_run(folder: Path) -> None:
    batch = Probe(ProbeState.PASSED, 0.0, 8, "sizes 1 and 8")
    order = Probe(ProbeState.NOT_APPLICABLE, detail="one clip at a time")
    finish_run(load_run(folder), stopped="interrupted", batch=batch, order=order)
    again = finish_run(load_run(folder)).card
    assert (again.batch, again.order, again.stopped) == (batch, order, "interrupted")


def test_a_session_that_ends_well_clears_the_stop_of_the_one_before(folder: Path) -> None:
    finish_run(load_run(folder), stopped="interrupted")
    assert finish_run(load_run(folder), stopped="").card.stopped == ""


def test_a_first_report_has_no_probes(folder: Path) -> None:
    card = finish_run(load_run(folder)).card
    assert card.batch.state is card.order.state is ProbeState.NOT_RUN


def test_a_run_that_was_cut_off_does_not_look_complete(tmp_path: Path, make_entry: MakeEntry) -> None:
    with RunFolder(tmp_path / "run", RunConfig("score", "built-in", expected=5)) as opened:
        opened.journal.append([make_entry("a", 4.0), make_entry("a", 4.0, repeat=1), make_entry("b", 3.0)])
    finished = finish_run(load_run(tmp_path / "run"))
    assert (finished.card.done, finished.card.items, finished.card.pending) == (2, 2, 3)
    scored = trust_rows(finished.card, language="en")[0]
    assert (scored.value, scored.tone) == ("2 / 5 (40 %), 3 not reached yet", "bad")
    assert "3 not reached yet" in finished.report.read_text(encoding="utf-8")
