"""Pages, filters, orders and sums against the same worked out in Python."""

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.run.index import IndexedRow, JournalIndex, PairedIndexes, RowFilter, ScoreScale
from aptone.types import Entry, Outcome, Score, State
from tests.run.index.test_journal_index import entry, indexed
from tests.tables import for_each

COUNT = 200


def _entries() -> list[Entry]:
    rng = random.Random(0)
    made = []
    for number in range(COUNT):
        ids = {"chapter": str(number % 7), "speaker": rng.choice("abc")}
        outcome = None
        if number % 11 == 0:
            outcome = Outcome.failed("timed out")
        elif number % 13 == 0:
            outcome = Outcome(State.DONE, scores={"aptness": Score(math.nan, reason="too short")})
        value = round(5 * rng.random(), 1)  # with ties
        made.append(
            entry(number, value, line=rng.choice(["The wind.", "风停了。", "A DOOR"]), ids=ids, outcome=outcome)
        )
    rng.shuffle(made)  # a journal is in the order of finishing
    return made


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> JournalIndex:
    return indexed(tmp_path_factory.mktemp("runs") / "run", _entries())


FILTERS = [
    RowFilter(),
    RowFilter(text="WIND"),
    RowFilter(text="风停"),
    RowFilter(text="door item-1"),
    RowFilter(text="because of 17."),
    RowFilter(text="%"),
    RowFilter(states=("failed",)),
    RowFilter(states=("unscored", "failed")),
    RowFilter(labels={"chapter": "3"}),
    RowFilter(labels={"chapter": "3", "speaker": "b"}),
    RowFilter(labels={"chapter": "none such"}),
    RowFilter(score="aptness", low=2.0, high=3.5),
    RowFilter(score="aptness", low=4.0),
    RowFilter(score="emotion", high=1.0),
    RowFilter(text="wind", states=("done",), labels={"speaker": "a"}, score="aptness", low=1.0),
]


def _matches(one: Entry, wanted: RowFilter) -> bool:
    outcome = one.outcome
    scores = {name: score.value for name, score in outcome.scores.items() if score.is_defined}
    state = outcome.state.value if outcome.state is not State.DONE or scores else "unscored"
    why = outcome.reason or ("" if scores else "too short")
    payload: Any = one.item.payload
    labels, line = dict(payload["ids"]), str(payload["target"]["text"])
    text = " \n".join([one.item.id, line, why, outcome.rationale, *labels.values(), "en"]).casefold()
    value = scores.get(wanted.score, math.nan)
    return (
        (not wanted.states or state in wanted.states)
        and all(labels.get(key) == label for key, label in wanted.labels.items())
        and (not wanted.score or (not value < wanted.low and not value > wanted.high and not math.isnan(value)))
        and all(word in text for word in wanted.text.casefold().split())
    )


def _in_order(entries: list[Entry], sort: str, journal: list[str]) -> list[str]:
    """Ids in an order; of equal scores, in that of the journal (backwards where the highest come first)."""
    if not sort:
        return [one.item.id for one in sorted(entries, key=lambda one: one.item.position)]
    name, sign = sort.removeprefix("-"), -1 if sort.startswith("-") else 1
    numbered = [one for one in entries if name in one.outcome.scores and one.outcome.scores[name].is_defined]
    numbered.sort(key=lambda one: (sign * one.outcome.scores[name].value, sign * journal.index(one.item.id)))
    others = sorted((one for one in entries if one not in numbered), key=lambda one: one.item.position)
    return [one.item.id for one in [*numbered, *others]]


@for_each("wanted", FILTERS)
def test_filters_orders_and_pages_are_those_of_python(index: JournalIndex, wanted: RowFilter) -> None:
    journal = [one.item.id for one in _entries()]
    for sort in ("", "aptness", "-aptness", "emotion"):
        expected = _in_order([one for one in _entries() if _matches(one, wanted)], sort, journal)
        assert index.count(wanted) == len(expected)
        pages: list[IndexedRow] = []
        for offset in range(0, COUNT + 30, 30):
            pages += index.rows(wanted, sort=sort, offset=offset, limit=30)
        assert [row.id for row in pages] == expected
        assert [row.number for row in pages] == index.selection(wanted, sort=sort).tolist()


def test_sums_are_those_of_numpy(index: JournalIndex) -> None:
    wanted = RowFilter(labels={"speaker": "a"})
    values = [
        one.outcome.scores["aptness"].value
        for one in sorted(_entries(), key=lambda one: one.item.position)
        if _matches(one, wanted) and one.outcome.scores and one.outcome.scores["aptness"].is_defined
    ]
    found = index.summary("aptness", wanted)
    assert found.count == len(values)
    assert found.mean == pytest.approx(np.mean(values))
    assert found.deviation == pytest.approx(np.std(values, ddof=1))
    assert found.error == pytest.approx(np.std(values, ddof=1) / math.sqrt(len(values)))
    assert (found.lowest, found.highest) == (min(values), max(values))
    assert index.values("aptness", wanted).tolist() == values
    group = index.groups("speaker", "aptness")["a"]
    assert (group.count, group.lowest, group.highest) == (found.count, found.lowest, found.highest)
    assert (group.mean, group.deviation) == pytest.approx((found.mean, found.deviation))


def test_scores_are_named_with_their_scales_the_main_one_first(index: JournalIndex) -> None:
    assert index.score_names() == [ScoreScale("aptness", (0.0, 5.0), True), ScoreScale("emotion", None, True)]
    assert index.main_score() == "aptness"


def test_labels_are_listed_the_most_frequent_first_up_to_a_limit(index: JournalIndex) -> None:
    values = index.label_values(most=2)
    assert list(values) == ["chapter", "language", "speaker"]
    counts = list(values["chapter"].values())
    assert len(counts) == 2
    assert counts == sorted(counts, reverse=True)


@for_each("options", [{"sort": "no such"}, {"wanted": RowFilter(score="no such", low=1.0)}])
def test_an_unknown_score_is_refused_with_those_that_there_are(index: JournalIndex, options: dict[str, object]) -> None:
    with pytest.raises(UsageError, match="'no such'; there are aptness, emotion"):
        index.rows(**options)  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def paired(index: JournalIndex, tmp_path_factory: pytest.TempPathFactory) -> PairedIndexes:
    others = [entry(number, (number % 50) / 10, line="Said again.") for number in range(0, COUNT, 2)]
    return PairedIndexes(index, indexed(tmp_path_factory.mktemp("runs") / "other", others), "aptness")


def _scored() -> dict[str, float]:
    return {
        one.item.id: one.outcome.scores["aptness"].value
        for one in _entries()
        if one.outcome.scores and one.outcome.scores["aptness"].is_defined
    }


def test_two_runs_are_matched_by_id_over_what_both_have_scored(paired: PairedIndexes) -> None:
    first = _scored()
    shared = [name for name in (f"item-{number}" for number in range(0, COUNT, 2)) if name in first]
    one, two = paired.values()
    assert one.tolist() == [first[name] for name in shared]
    assert two.tolist() == [(int(name.removeprefix("item-")) % 50) / 10 for name in shared]
    assert paired.count() == len(shared)


@for_each("sort", ["change", "gain", "loss", "input"])
def test_paired_rows_come_in_their_order(paired: PairedIndexes, sort: str) -> None:
    rows = paired.rows(sort=sort, limit=30) + paired.rows(sort=sort, offset=30, limit=COUNT)
    assert len(rows) == paired.count()
    keys = {
        "change": [-abs(row.difference) for row in rows],
        "gain": [-row.difference for row in rows],
        "loss": [row.difference for row in rows],
        "input": [float(row.id.removeprefix("item-")) for row in rows],
    }
    assert keys[sort] == sorted(keys[sort])
    first, second = paired.first, paired.second
    assert isinstance(first, JournalIndex)
    assert isinstance(second, JournalIndex)
    assert first.entry(rows[0].numbers[0]).item.id == second.entry(rows[0].numbers[1]).item.id == rows[0].id
    with pytest.raises(UsageError, match="change, gain, loss, input"):
        paired.rows(sort="id; DROP TABLE entries")


def test_items_of_one_run_alone_are_counted_and_named(paired: PairedIndexes) -> None:
    alone = [name for name in _scored() if int(name.removeprefix("item-")) % 2]
    count, some = paired.only_first(limit=5)
    assert count == len(alone)
    assert some == sorted(alone, key=lambda name: int(name.removeprefix("item-")))[:5]
    unscored = [name for name in (f"item-{number}" for number in range(0, COUNT, 2)) if name not in _scored()]
    assert paired.swapped().only_first()[0] == len(unscored)


def test_a_run_is_compared_with_itself(index: JournalIndex) -> None:
    one, two = PairedIndexes(index, index, "aptness").values()
    assert one.size == len(_scored())
    assert np.array_equal(one, two)


def test_a_score_that_one_run_lacks_pairs_nothing(paired: PairedIndexes) -> None:
    one, two = PairedIndexes(paired.first, paired.second, "no such").values()
    assert (one.size, two.size) == (0, 0)


def test_recordings_of_one_line_share_a_key_whatever_their_ids_and_files_are(tmp_path: Path) -> None:
    takes = [
        entry(0, 1.0, line="Run!", ids={"system": "a"}),
        entry(1, 2.0, line="Run!", ids={"system": "b", "take": "1"}),
        entry(2, 4.0, line="Run!", ids={"system": "b", "take": "2"}),
        entry(3, 5.0, line="Stay.", ids={"system": "a"}),
    ]
    index = indexed(tmp_path / "run", takes)
    keys, means = index.line_means("aptness")
    assert len(set(keys.tolist())) == 2
    assert sorted(means.tolist()) == [pytest.approx(7 / 3), 5.0]
    shared, of_b = index.line_means("aptness", RowFilter(labels={"system": "b"}))
    assert of_b.tolist() == [3.0]
    assert set(shared.tolist()) < set(keys.tolist())
