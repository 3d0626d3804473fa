"""Whatever a record that is not done holds besides, nothing in a report counts its scores."""

import dataclasses
import io
import math
import re
from collections.abc import Callable

import pytest
from rich.console import Console

from aptone.report.groups import counted_score, counted_scores, group_by
from aptone.report.run_report import render_html
from aptone.report.terminal import verdict_table
from aptone.report.trust import main_score_name, repeat_spread, trust_card
from aptone.types import Entry, Item, Outcome, Score

MakeEntry = Callable[..., Entry]


@pytest.fixture
def stray() -> Entry:
    """A failed entry with a score in it, as a journal of another version may hold: past the checks of the record."""
    outcome = Outcome.failed("timed out")
    object.__setattr__(outcome, "scores", {"stray": Score(0.0), "aptness": Score(0.0, range=(0.0, 5.0))})
    object.__setattr__(outcome, "main_score", "stray")
    return Entry(Item("f", {"human_score": 1.0, "ids": {"system": "x"}}, "", position=-1), outcome)


def test_an_entry_that_is_not_done_has_no_score_that_counts(make_entry: MakeEntry, stray: Entry) -> None:
    assert counted_scores(stray) == {}
    assert counted_score(stray, "aptness") is None
    assert counted_score(make_entry("a", 3.0), "aptness") == Score(3.0, range=(0.0, 5.0))
    assert counted_score(make_entry("a", 3.0), "other") is None


def test_the_trust_card_leaves_it_out_of_counts_agreement_and_names(make_entry: MakeEntry, stray: Entry) -> None:
    people = [make_entry(name, value, payload={"human_score": value}) for name, value in (("a", 3.0), ("b", 4.0))]
    card = trust_card([stray, *people], version="1")
    assert main_score_name([stray, *people]) == card.score == "aptness"
    assert (card.done, card.failed) == (2, {"timed out": 1})
    assert card.agreement["ACC"].count == 2


def test_repeats_count_it_as_missing(make_entry: MakeEntry, stray: Entry) -> None:
    spread = repeat_spread([make_entry("f", 5.0), dataclasses.replace(stray, repeat=1)], score="aptness")
    assert (spread.compared, spread.mixed) == (0, 1)
    assert math.isnan(spread.deviation)


def test_groups_and_the_terminal_leave_it_out(make_entry: MakeEntry, stray: Entry) -> None:
    (group,) = group_by([stray], "system", score="aptness").groups
    assert (group.items, group.mean.count) == (1, 0)
    file = io.StringIO()
    Console(file=file, width=120).print(verdict_table([make_entry("a", 3.0), stray]))
    row = next(line for line in file.getvalue().splitlines() if "timed out" in line)
    assert "0 / 5" not in row
    assert "failed" in row


def test_the_page_ranks_draws_and_averages_without_it(make_entry: MakeEntry, stray: Entry) -> None:
    entries = [make_entry("a", 3.0), make_entry("b", 4.0), stray]
    page = render_html(entries, trust_card(entries, version="1"), {}, title="x")
    assert re.findall(r"<h3><bdi>(\w+)</bdi></h3>", page) == ["a", "b"]
    assert "<dd>3.5<small> / 5</small></dd>" in page  # the mean of 3 and 4
    assert 'data-score="stray"' not in page
    assert "1 undefined, not drawn" in page
