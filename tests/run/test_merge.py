"""Runs that are joined: nothing lost, nothing doubled, nothing mixed up."""

from dataclasses import replace
from pathlib import Path

import pytest

from aptone.cli.main import exit_code
from aptone.cli.merge import merge
from aptone.errors import RunError, UsageError
from aptone.run import Budget, load_run, run_items
from aptone.run.merge import merge_runs
from aptone.types import Item
from tests.run.run_steps import CONFIG, fail_on_odd, items, number_of, score_number


def test_shards_of_a_run_are_the_run(tmp_path: Path) -> None:
    whole = items(20)
    run_items(whole, score_number, folder=tmp_path / "whole", config=CONFIG)
    for shard in range(3):
        run_items(whole[shard::3], score_number, folder=tmp_path / f"s{shard}", config=CONFIG)
    made = merge_runs([tmp_path / f"s{shard}" for shard in (2, 0, 1)], tmp_path / "all")
    assert (made.runs, made.entries, made.doubled, made.failed) == (3, 20, 0, 0)
    merged, alone = load_run(tmp_path / "all"), load_run(tmp_path / "whole")
    assert [entry.item for entry in merged.entries] == [entry.item for entry in alone.entries]
    assert [entry.outcome for entry in merged.entries] == [entry.outcome for entry in alone.entries]
    assert merged.config.expected == 20
    again = run_items(whole, score_number, folder=tmp_path / "all", config=CONFIG)
    assert (again.worked, again.left_over) == (0, ()), "a merged run goes on like any other"


def test_an_item_of_several_runs_is_taken_once_and_a_score_goes_before_a_failure(tmp_path: Path) -> None:
    run_items(items(4), score_number, folder=tmp_path / "a", config=CONFIG)
    run_items(items(6), fail_on_odd, folder=tmp_path / "b", config=CONFIG)
    for order in (["a", "b"], ["b", "a"]):
        target = tmp_path / "".join(order)
        made = merge_runs([tmp_path / name for name in order], target)
        assert (made.entries, made.doubled, made.failed) == (6, 4, 1)  # number 5 failed in the only run that has it
        states = {number_of(entry.item): entry.outcome.state.value for entry in load_run(target).entries}
        assert states == {0: "done", 1: "done", 2: "done", 3: "done", 4: "done", 5: "failed"}
        assert (target / "journal.jsonl").read_bytes().count(b"\n") == 6


def test_what_does_not_belong_together_is_refused_and_nothing_is_written(tmp_path: Path) -> None:
    run_items(items(2), score_number, folder=tmp_path / "a", config=CONFIG)
    run_items(items(2), score_number, folder=tmp_path / "b", config=replace(CONFIG, settings={"judge": "j2"}))
    other = [Item.make("i0", {"number": 9}, position=0)]
    run_items(other, score_number, folder=tmp_path / "c", config=CONFIG)
    a, b, c, new = (tmp_path / name for name in ("a", "b", "c", "new"))
    with pytest.raises(RunError, match=r"different configurations .*judge"):
        merge_runs([a, b], new)
    with pytest.raises(RunError, match="item 'i0' is not the same in"):
        merge_runs([a, c], new)
    with pytest.raises(RunError, match="holds a run already"):
        merge_runs([a], c)
    with pytest.raises(UsageError, match="given twice"):
        merge_runs([a, a], new)
    with pytest.raises(RunError, match="not a run folder"):
        merge_runs([tmp_path], new)
    (a / "reference.json").write_text("{}")
    run_items(items(1), score_number, folder=tmp_path / "d", config=CONFIG, budget=Budget(max_items=1))
    with pytest.raises(RunError, match="different references"):
        merge_runs([a, tmp_path / "d"], new)
    assert not new.exists()


def test_a_torn_last_line_is_passed_over_and_the_last_entry_of_an_item_counts(tmp_path: Path) -> None:
    run_items(items(3), fail_on_odd, folder=tmp_path / "a", config=CONFIG)
    run_items(items(3), score_number, folder=tmp_path / "a", config=CONFIG)  # number 1 again
    with (tmp_path / "a" / "journal.jsonl").open("ab") as journal:
        journal.write(b'{"item": ')
    made = merge_runs([tmp_path / "a"], tmp_path / "all")
    assert (made.entries, made.doubled, made.failed) == (3, 0, 0)


def test_the_verb_says_what_it_joined(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run_items(items(2), score_number, folder=tmp_path / "a", config=CONFIG)
    run_items(items(4)[2:], score_number, folder=tmp_path / "b", config=CONFIG)
    typed = [str(tmp_path / "a"), str(tmp_path / "b"), "-o", str(tmp_path / "all")]
    assert exit_code(merge, typed, name="merge") == 0
    assert "2 runs joined" in capsys.readouterr().out
    assert exit_code(merge, typed, name="merge") == 2
    assert "holds a run already" in capsys.readouterr().err
