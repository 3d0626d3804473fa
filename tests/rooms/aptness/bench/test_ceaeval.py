"""The benchmark with judges whose agreement with people is known by hand."""

import csv
import json
import math
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from aptone.errors import RunError, UsageError
from aptone.rooms.aptness.bench.ceaeval import bench_ceaeval, grid_cells, result_json
from aptone.rooms.aptness.bench.contestants import Condition, Contestant, Grid, contestant_of
from aptone.rooms.aptness.bench.results import BenchResult, CellResult
from aptone.rooms.aptness.rated_lines import RatedLine
from aptone.run import load_run, read_trust
from aptone.types import Plan
from tests.rooms.aptness.bench_judges import HUMAN, OpenPlanner, StoppingJudge, SwitchedJudge, TableJudge, samples, tone

ONE_SIZE = Grid(context_sizes=(5,))


@pytest.fixture
def clip(tmp_path: Path) -> Path:
    return tone(tmp_path)


def table(scores: dict[str, float], name: str = "table", **options: Any) -> Contestant:
    return contestant_of(TableJudge(scores, name=name), name=name, planner=OpenPlanner(), **options)


def only(result: BenchResult) -> CellResult:
    (cell,) = result.cells
    return cell


def test_lcc_and_acc_are_those_that_a_hand_computes(clip: Path, tmp_path: Path) -> None:
    # people 1 2 3 4, judge 1 3 2 5: deviations -1.5 -0.5 0.5 1.5 and -1.75 0.25 -0.75 2.25,
    # products 2.625 - 0.125 - 0.375 + 3.375 = 5.5; squares 5 and 8.75; r = 5.5 / sqrt(43.75) = 0.8315
    judge = table({"a": 1.0, "b": 3.0, "c": 2.0, "d": 5.0})
    cell = only(bench_ceaeval(samples(clip), [judge], folder=tmp_path / "bench", grid=ONE_SIZE))
    assert cell.lcc.value == pytest.approx(5.5 / math.sqrt(43.75))
    assert cell.lcc.method == "bootstrap-percentile"
    assert cell.acc.value == 1.0  # 0, 1, 1 and 1 point off: the tolerance is included
    assert (cell.scored, cell.lines, cell.unscored, cell.failed, cell.pending) == (4, 4, 0, 0, 0)


def test_a_line_without_a_score_is_counted_and_never_a_score(clip: Path, tmp_path: Path) -> None:
    # b has no score: people 1 3 4, judge 1 3 4 on the others, r = 1; within a point 3 of 3, and 3 of 4 if b is wrong
    cell = only(bench_ceaeval(samples(clip), [table({"a": 1.0, "c": 3.0, "d": 4.0})], folder=tmp_path, grid=ONE_SIZE))
    assert cell.lcc.value == pytest.approx(1.0)
    assert (cell.acc.value, cell.acc.count) == (1.0, 3)
    assert (cell.strict.value, cell.strict.count) == (0.75, 4)
    assert (cell.scored, cell.unscored) == (3, 1)
    assert dict(cell.card.unscored) == {"no score in the reply": 1}
    assert math.isnan(cell.scores["b"])


def test_a_judge_that_cannot_be_read_at_all_has_no_lcc_and_says_why(clip: Path, tmp_path: Path) -> None:
    cell = only(bench_ceaeval(samples(clip), [table({})], folder=tmp_path, grid=ONE_SIZE))
    assert math.isnan(cell.lcc.value)
    assert math.isnan(cell.acc.value)
    assert cell.lcc.reason == "none of the 4 items with a human score was scored."
    assert cell.strict.value == 0.0


def test_a_constant_judge_has_no_lcc_but_an_acc(clip: Path, tmp_path: Path) -> None:
    cell = only(bench_ceaeval(samples(clip), [table(dict.fromkeys(HUMAN, 3.0))], folder=tmp_path, grid=ONE_SIZE))
    assert math.isnan(cell.lcc.value)
    assert cell.lcc.reason == "no variance in predicted"
    assert cell.acc.value == 0.75  # 2, 1, 0 and 1 points off


def test_people_who_agree_on_everything_leave_no_lcc(clip: Path, tmp_path: Path) -> None:
    lines = samples(clip, dict.fromkeys(HUMAN, 3.0))
    cell = only(bench_ceaeval(lines, [table(HUMAN)], folder=tmp_path, grid=ONE_SIZE))
    assert cell.lcc.reason == "no variance in reference"


def test_ties_count_as_they_are(clip: Path, tmp_path: Path) -> None:
    # people 1 2 3 4, judge 2 2 3 3: deviations ±1.5 ±0.5 and ±0.5: (0.75 + 0.25 + 0.25 + 0.75) / sqrt(5 × 1) = 0.894
    cell = only(bench_ceaeval(samples(clip), [table({"a": 2, "b": 2, "c": 3, "d": 3})], folder=tmp_path, grid=ONE_SIZE))
    assert cell.lcc.value == pytest.approx(2 / math.sqrt(5))


def test_every_condition_shows_planner_and_judge_just_its_lines(clip: Path, tmp_path: Path) -> None:
    judge = TableJudge(HUMAN)
    lines = samples(clip, {"a": 1.0}, plan=Plan("by hand"))
    grid = Grid(context_sizes=(0, 5))
    bench_ceaeval(lines, [contestant_of(judge, name="x", planner=OpenPlanner())], folder=tmp_path, grid=grid)
    assert judge.seen == [("a", 0, "planned from 0 lines"), ("a", 5, "planned from 5 lines"), ("a", 12, "by hand")]


def test_a_judge_is_tried_only_under_what_it_can_do() -> None:
    plain = table(HUMAN)
    assert [cell.condition.slug for cell in grid_cells([plain], Grid(), with_plans=True)] == [
        *(f"plan-cts{size}" for size in (0, 5, 10, 15)),
        "given",
    ]
    switched = contestant_of(SwitchedJudge, name="switched", planner=OpenPlanner())
    # 2 guides × 4 sizes × with and without CoT × 2 languages; with given plans 2 × 2 more
    assert len(grid_cells([switched], Grid(), with_plans=False)) == 32
    assert len(grid_cells([switched], Grid(), with_plans=True)) == 36
    with pytest.raises(UsageError, match="judge 'table' can do nothing of this grid"):
        grid_cells([plain], Grid(guides=("story",)), with_plans=True)


@pytest.fixture(scope="module")
def switched(tmp_path_factory: pytest.TempPathFactory) -> tuple[BenchResult, Path]:
    folder = tmp_path_factory.mktemp("switched")
    lines = [RatedLine(replace(sample, ratings={"x": 1.0, "y": 2.0})) for sample in samples(tone(folder))]
    judges = [
        contestant_of(SwitchedJudge, name="switched", planner=OpenPlanner(), parameters=7_000_000_000),
        table({"a": 2.0, "b": 1.0, "c": 4.0, "d": 3.0}, parameters=3),
    ]
    return bench_ceaeval(
        lines, judges, folder=folder / "bench", grid=Grid(context_sizes=(0, 5)), resamples=100
    ), folder / "bench"


def test_the_better_prompt_language_is_chosen_for_all_conditions_of_a_judge(switched: tuple[BenchResult, Path]) -> None:
    result, _ = switched
    facts = {judge.name: judge for judge in result.judges}
    assert facts["switched"].prompt_language == "zh"
    # without CoT, English: 1 3 2 4, r = (2.25 - 0.25 - 0.25 + 2.25) / 5 = 0.8; with CoT d is missing: 1 3 2, r = 0.5
    assert facts["switched"].language_means == pytest.approx({"en": 0.65, "zh": 1.0})
    assert facts["table"].prompt_language is None
    chosen = {cell.condition.prompt_language for cell in result.chosen if cell.judge == "switched"}
    assert chosen == {"zh"}
    assert len(result.cells) == 2 * 2 * 2 * 2 + 2
    assert len(result.chosen) == 2 * 2 * 2 + 2


@pytest.mark.slow
def test_paired_tests_compare_what_a_reader_would(switched: tuple[BenchResult, Path]) -> None:
    result, _ = switched
    families = Counter(test.family for test in result.tests)
    # judges: the plain one with plans against the switched one with plans, with and without CoT;
    # story: CTS 5 with CTS 0 in 2 guides × 2, and for the plain judge; planner and reasoning: 2 each
    assert families == {"judges": 2, "story": 5, "planner": 2, "reasoning": 2}
    test = next(test for test in result.tests if test.family == "judges")
    assert (test.first[0], test.second[0]) == ("switched", "table")
    # table 2 1 4 3: (0.75 + 0.75 + 0.75 + 0.75) / 5 = 0.6, and 1 for the switched judge
    assert test.difference.value == pytest.approx(0.6 - 1.0)
    same = [test for test in result.tests if test.family == "story" and test.first[0] == "table"]
    assert same[0].difference.value == 0.0
    assert same[0].p_value == 1.0
    assert all(test.adjusted >= test.p_value for test in result.tests)


def test_a_judge_without_an_lcc_is_in_no_test(clip: Path, tmp_path: Path) -> None:
    judges = [table(HUMAN, "good"), table(dict.fromkeys(HUMAN, 3.0), "constant")]
    assert bench_ceaeval(samples(clip), judges, folder=tmp_path / "bench", grid=ONE_SIZE).tests == ()


def test_results_are_rows_a_table_and_json(switched: tuple[BenchResult, Path]) -> None:
    result, folder = switched
    rows = result.rows()
    assert rows[0]["judge"] == "switched"
    assert (rows[0]["guide"], rows[0]["context_size"], rows[0]["reasoning"]) == ("story", 0, False)
    assert rows[0]["parameters"] == 7_000_000_000
    with (folder / "results.csv").open(encoding="utf-8", newline="") as file:
        written = list(csv.DictReader(file))
    assert [row["lcc"] for row in written] == [str(row["lcc"]) for row in rows]
    kept = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    assert kept == json.loads(json.dumps(kept))
    assert [row["scored"] for row in kept["rows"]] == [row["scored"] for row in rows]
    assert kept["cells"][0]["scores"] == {}
    assert result_json(result)["proxy"] is False


def test_people_who_rate_give_a_ceiling(switched: tuple[BenchResult, Path]) -> None:
    result, _ = switched
    assert result.statistics.raters == 2
    # both raters are constant: no correlation between them, but they are never more than a point apart
    assert not result.ceiling["LCC"].is_defined
    assert result.ceiling["ACC"].value == 1.0


def test_every_cell_is_a_run_with_a_trust_card(switched: tuple[BenchResult, Path]) -> None:
    result, folder = switched
    for cell in result.cells:
        run = load_run(folder / cell.folder)
        assert run.config.settings["guide"] == cell.condition.guide
        assert read_trust(folder / cell.folder) == cell.card


def test_a_second_time_nothing_is_judged_again(clip: Path, tmp_path: Path) -> None:
    first, second = TableJudge(HUMAN), TableJudge(HUMAN)
    for judge in (first, second):
        contestant = contestant_of(judge, name="x", planner=OpenPlanner())
        bench_ceaeval(samples(clip), [contestant], folder=tmp_path / "bench", grid=ONE_SIZE)
    assert (len(first.seen), second.seen) == (4, [])


def test_another_judge_of_the_same_name_is_refused(clip: Path, tmp_path: Path) -> None:
    bench_ceaeval(samples(clip), [table(HUMAN)], folder=tmp_path / "bench", grid=ONE_SIZE)
    other = contestant_of(TableJudge(HUMAN, name="other"), name="table", planner=OpenPlanner())
    with pytest.raises(RunError, match='judge: "table" then, "other" now'):
        bench_ceaeval(samples(clip), [other], folder=tmp_path / "bench", grid=ONE_SIZE)


def test_lines_that_left_the_set_count_no_more(clip: Path, tmp_path: Path) -> None:
    bench_ceaeval(samples(clip), [table(HUMAN)], folder=tmp_path / "bench", grid=ONE_SIZE)
    cell = only(bench_ceaeval(samples(clip)[:3], [table(HUMAN)], folder=tmp_path / "bench", grid=ONE_SIZE))
    assert (cell.lines, cell.scored, cell.pending, cell.card.items) == (3, 3, 0, 3)


def test_lines_without_a_human_score_are_left_out_and_counted(clip: Path, tmp_path: Path) -> None:
    lines = samples(clip, {**HUMAN, "e": math.nan})
    result = bench_ceaeval(lines, [table(HUMAN)], folder=tmp_path / "bench", grid=ONE_SIZE)
    assert (only(result).lines, result.statistics.lines, result.statistics.rated) == (4, 5, 4)
    with pytest.raises(UsageError, match="no line has a human score"):
        bench_ceaeval(samples(clip, {"e": math.nan}), [table(HUMAN)], folder=tmp_path / "other")


def test_where_nobody_rated_judges_are_compared_with_the_proxy_and_the_result_says_so(
    clip: Path, tmp_path: Path
) -> None:
    lines = [replace(sample, human_score=math.nan, proxy_score=sample.human_score) for sample in samples(clip)]
    result = bench_ceaeval(lines, [table(HUMAN)], folder=tmp_path / "bench", grid=ONE_SIZE)
    assert result.proxy
    assert only(result).lcc.value == pytest.approx(1.0)
    assert only(result).card.agreement == {}  # the card of a run speaks of people, and there are none


def test_a_clip_that_cannot_be_heard_fails_alone(clip: Path, tmp_path: Path) -> None:
    lines = samples(clip)
    lines[0] = replace(lines[0], audio=samples(tmp_path / "nowhere.wav")[0].audio)
    cell = only(bench_ceaeval(lines, [table(HUMAN)], folder=tmp_path / "bench", grid=ONE_SIZE))
    assert (cell.scored, cell.failed, cell.strict.value) == (3, 1, 0.75)


KILLED = """
import sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from aptone.rooms.aptness.bench.ceaeval import bench_ceaeval
from aptone.rooms.aptness.bench.contestants import contestant_of
from tests.rooms.aptness.bench_judges import OpenPlanner, StoppingJudge, samples
folder = Path(sys.argv[2])
judge = contestant_of(StoppingJudge(folder / "log", stops_at=6), name="slow", planner=OpenPlanner())
bench_ceaeval(samples(folder / "tone.wav"), [judge], folder=folder / "bench")
"""


def test_a_grid_that_is_killed_goes_on_where_it_was(clip: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    root = Path(__file__).resolve().parents[4]
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(root), str(tmp_path)], stderr=subprocess.DEVNULL)
    patience = time.monotonic() + 300
    while not (log.exists() and len(log.read_text().splitlines()) >= 6):
        assert process.poll() is None
        assert time.monotonic() < patience
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait()
    before = log.read_text().splitlines()
    assert len(before) == 6
    judge = contestant_of(StoppingJudge(log), name="slow", planner=OpenPlanner())
    result = bench_ceaeval(samples(clip), [judge], folder=tmp_path / "bench")
    counts = Counter(log.read_text().splitlines())
    assert len(counts) == 4 * 4  # four context sizes and four lines
    assert counts.total() == 4 * 4 + 1  # what was under way when the kill came was begun again, and nothing else
    assert [cell.lcc.value for cell in result.cells] == pytest.approx([1.0] * 4)


def test_the_slug_of_every_condition_is_its_own() -> None:
    cells = grid_cells([contestant_of(SwitchedJudge, name="x", planner=OpenPlanner())], Grid(), with_plans=True)
    assert len({cell.folder for cell in cells}) == len(cells)
    assert Condition("given").slug == "given"


def test_judges_that_would_share_a_folder_are_refused() -> None:
    with pytest.raises(UsageError, match="'A B' and 'a-b' would share the folder 'a-b'"):
        grid_cells([table(HUMAN, "A B"), table(HUMAN, "a-b")], Grid(), with_plans=True)
    with pytest.raises(UsageError, match="two judges are called 'x'"):
        grid_cells([table(HUMAN, "x"), table(HUMAN, "x")], Grid(), with_plans=True)
    with pytest.raises(UsageError, match="which judges"):
        grid_cells([], Grid(), with_plans=True)
