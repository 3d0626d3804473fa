import json
from pathlib import Path

import pytest

from aptone.errors import RecordError, UsageError
from aptone.rooms.aptness.calibration.fit import rated_items, read_ratings
from aptone.run import Run, RunConfig
from aptone.types import Entry, Item, Json, Outcome, Rating, Score, State
from aptone.types.codec import dumps_record
from tests.tables import for_each


def run_of(*lines: tuple[str, float | None, dict[str, Json]]) -> Run:
    entries = []
    for position, (name, value, fields) in enumerate(lines):
        item = Item.make(name, fields, position=position)
        scores = {"aptness": Score(value or 0.0), "emotion": Score(2.0)}
        outcome = Outcome(State.DONE, scores=scores) if value is not None else Outcome.unscored("silence")
        entries.append(Entry(item, outcome))
    return Run(Path("run"), RunConfig("score", "built-in"), tuple(entries))


def test_a_table_gives_the_mean_of_several_raters(tmp_path: Path) -> None:
    file = tmp_path / "r.csv"
    file.write_text("id,rater,rating\na,x,2\na,y,3\nb,x,5\n")
    assert read_ratings(file) == {"a": 2.5, "b": 5.0}
    file.write_text("id\tscore\na\t1.5\n")
    assert read_ratings(file) == {"a": 1.5}


def test_a_table_of_a_spreadsheet_may_part_its_cells_by_semicolons(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_text("\ufeffid;rating\na;3\nb;4.5\n", encoding="utf-8")
    assert read_ratings(table) == {"a": 3.0, "b": 4.5}


def test_a_manifest_gives_its_human_scores(tmp_path: Path) -> None:
    file = tmp_path / "m.jsonl"
    records = [{"id": "a", "line": "x", "ratings": {"p": 1, "q": 2}}, {"id": "b", "line": "y"}]
    file.write_text("\n".join(map(json.dumps, records)))
    assert read_ratings(file) == {"a": 1.5}


@for_each(
    ("text", "message"),
    [
        ("name,stars\na,1\n", 'columns "id" and "rating"'),
        ("id,rating\na,7\n", "line 2: a rating is a number from 0 to 5"),
        ("id,rating\na,good\n", "got 'good'"),
        ("", 'expected a heading with the columns "id" and "rating", got an empty file'),
        ("id,rating\na\n", "got ''"),
    ],
)
def test_what_is_no_table_of_ratings_is_told_with_its_line(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "r.csv").write_text(text)
    with pytest.raises(RecordError, match=message):
        read_ratings(tmp_path / "r.csv")


def test_ratings_of_the_studio_give_the_mean_of_their_overall_scores(tmp_path: Path) -> None:
    path = tmp_path / "ratings.jsonl"
    given = [("a", "swift", 3.0), ("a", "robin", 4.0), ("b", "swift", 1.5)]
    ratings = [
        Rating("ceaeval-d", item, who, {"overall_score": score, "tts_difficulty": 1}) for item, who, score in given
    ]
    path.write_text("".join(f"{dumps_record(one)}\n" for one in ratings), encoding="utf-8")
    assert read_ratings(path) == {"a": 3.5, "b": 1.5}
    path.write_text(dumps_record(Rating("ceaeval-d", "a", "swift", {"overall_score": 9})), encoding="utf-8")
    with pytest.raises(RecordError, match="a rating is a number from 0 to 5"):
        read_ratings(path)


def test_only_items_with_a_score_and_a_rating_count() -> None:
    run = run_of(("a", 3.0, {}), ("b", None, {}), ("c", 1.0, {}))
    (only,) = rated_items(run, {"a": 4.0, "b": 1.0, "z": 2.0})
    assert (only.id, only.score, only.rating, only.aspects) == ("a", 3.0, 4.0, {"emotion": 2.0})


def test_the_run_may_bring_its_own_ratings() -> None:
    assert [item.rating for item in rated_items(run_of(("a", 3.0, {"human_score": 2.0}), ("b", 1.0, {})), None)] == [
        2.0
    ]


def test_a_run_without_ratings_asks_for_them() -> None:
    with pytest.raises(UsageError, match=r"there are no ratings; .*--ratings"):
        rated_items(run_of(("a", 3.0, {})), None)


def test_ratings_of_other_items_are_refused() -> None:
    with pytest.raises(UsageError, match=r"none of the 1 ratings \(such as 'z'\) belongs to an item"):
        rated_items(run_of(("a", 3.0, {})), {"z": 1.0})


def test_groups_are_taken_from_the_ids_where_there_are_enough() -> None:
    lines: list[tuple[str, float | None, dict[str, Json]]] = [
        (str(n), 1.0, {"ids": {"story": "one", "speaker": f"s{n % 4}", "take": str(n)}}) for n in range(8)
    ]
    ratings = {str(n): 1.0 for n in range(8)}
    assert {item.group for item in rated_items(run_of(*lines), ratings)} == {"s0", "s1", "s2", "s3"}  # one story only
    assert {item.group for item in rated_items(run_of(*lines), ratings, group_by="none")} == {""}
    assert len({item.group for item in rated_items(run_of(*lines), ratings, group_by="take")}) == 8
    with pytest.raises(UsageError, match="no item of the run names it"):
        rated_items(run_of(*lines), ratings, group_by="moon")
