"""Rated recordings: how they are read, and which of them are picked."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.errors import RecordError, UsageError
from aptone.rooms.caption.build.selection import (
    RatedClip,
    Rating,
    SelectionSettings,
    cell_of,
    read_msp_podcast,
    read_ratings,
    select,
    spread,
)
from tests.tables import for_each

CONSENSUS = {
    "b.wav": {"EmoClass": "A", "EmoVal": 2.5, "Gender": "Male", "SpkrID": "7", "Split_Set": "Test1"},
    "a.wav": {"EmoClass": "X", "EmoVal": 4.0, "Gender": "Unknown", "SpkrID": "8", "Split_Set": "Test1"},
    "c.wav": {"EmoClass": "H", "EmoVal": 6.0, "Gender": "Female", "SpkrID": "9", "Split_Set": "Train"},
}
DETAILED: dict[str, dict[str, dict[str, object]]] = {
    "a.wav": {"WORKER1": {"EmoVal": 4, "EmoAct": 4, "EmoDom": 4, "EmoClass_Major": "Neutral"}},
    "b.wav": {
        "WORKER1": {"EmoVal": 2, "EmoAct": 6, "EmoDom": 5},
        "WORKER2": {"EmoVal": "3.0", "EmoAct": 7, "EmoDom": 6},
    },
    "c.wav": {"WORKER1": {"EmoVal": 6, "EmoAct": 5, "EmoDom": 5}},
}


def podcast(folder: Path, *, csv: bool = False, detailed: object = None) -> Path:
    labels = folder / "Labels"
    labels.mkdir()
    (folder / "Audios").mkdir()
    given = DETAILED if detailed is None else detailed
    if csv:
        rows = [f"{name},{one['EmoClass']},{one['Gender']},{one['Split_Set']}" for name, one in CONSENSUS.items()]
        (labels / "labels_consensus.csv").write_text("FileName,EmoClass,Gender,Split_Set\n" + "\n".join(rows))
        rated = [
            f"{name},{worker},{one['EmoAct']},{one['EmoVal']},{one['EmoDom']}"
            for name, workers in DETAILED.items()
            for worker, one in workers.items()
        ]
        (labels / "labels_detailed.csv").write_text("FileName,Worker,EmoAct,EmoVal,EmoDom\n" + "\n".join(rated))
    else:
        (labels / "labels_consensus.json").write_text(json.dumps(CONSENSUS))
        (labels / "labels_detailed.json").write_text(json.dumps(given))
    return folder


@pytest.mark.parametrize("csv", [False, True])
def test_a_split_of_msp_podcast_is_read_with_every_raters_numbers(tmp_path: Path, csv: bool) -> None:
    first, second = read_msp_podcast(podcast(tmp_path, csv=csv))
    assert (first.id, second.id) == ("a.wav", "b.wav")
    assert second.path == (tmp_path / "Audios" / "b.wav").absolute()
    assert second.ratings == (Rating(2, 6, 5), Rating(3, 7, 6))
    assert (second.emotion, second.sex, second.spoken) == ("angry", "Male", "en")
    assert (first.emotion, first.sex) == ("", "")  # no agreement, and nobody knows
    (train,) = read_msp_podcast(tmp_path, split="Train")
    assert train.emotion == "happy"


def test_what_is_wrong_with_msp_podcast_is_said(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no labels_consensus\.json or \.csv"):
        read_msp_podcast(tmp_path)
    folder = podcast(tmp_path, detailed={"a.wav": DETAILED["a.wav"]})
    with pytest.raises(UsageError, match="belongs to 'Test9'; it has Test1, Train"):
        read_msp_podcast(folder, split="Test9")
    with pytest.raises(RecordError, match=r"no rating of 'b\.wav' \(1 such\)"):
        read_msp_podcast(folder)
    detailed = folder / "Labels" / "labels_detailed.json"
    detailed.write_text(json.dumps({**DETAILED, "a.wav": {"WORKER1": {"EmoVal": 9, "EmoAct": 4, "EmoDom": 4}}}))
    with pytest.raises(RecordError, match=r"a\.wav, WORKER1: a rating of 9 lies outside the scale from 1 to 7"):
        read_msp_podcast(folder)
    detailed.write_text(json.dumps({**DETAILED, "a.wav": {"WORKER1": 4}}))
    with pytest.raises(RecordError, match="WORKER1: expected an object"):
        read_msp_podcast(folder)
    detailed.write_text("[]")
    with pytest.raises(RecordError, match="a field for each file"):
        read_msp_podcast(folder)


def test_a_table_is_brought_to_the_scale_from_1_to_7(tmp_path: Path) -> None:
    table = tmp_path / "ratings.csv"
    table.write_text("file,rater,valence,arousal,dominance,sex\nx.wav,1,1,5,3,F\nx.wav,2,2,5,,\na.wav,1,3,3,3,\n")
    first, second = read_ratings(table, scale=(1, 5))
    # on a scale of 1 to 5, 2 is a quarter of the way: 1 + 6 / 4 = 2.5
    assert [one.valence for one in second.ratings] == [1.0, 2.5]
    assert [one.arousal for one in second.ratings] == [7.0, 7.0]
    assert (second.sex, first.id) == ("F", "a.wav")
    assert second.path == tmp_path / "x.wav"
    assert math.isnan(second.mean("dominance"))  # one rater gave none
    assert first.mean("dominance") == 4.0


@for_each(
    ("row", "problem"),
    [
        ('{"file": "a", "rater": "1", "valence": "much", "arousal": 1}', "\"valence\" is a number, got 'much'"),
        ('{"file": "a", "rater": "1", "valence": 1%s, "arousal": 1}' % ("0" * 400), '"valence" is a number'),
        ('{"file": "a", "rater": "1", "valence": 6, "arousal": 1}', "6 lies outside the scale from 1 to 5"),
        ('{"rater": "1", "valence": 1, "arousal": 1}', '"file" is the name of a recording'),
        ('{"file": "a", "valance": 1}', "did you mean valence"),
        ('{"file": "a", "rater": "0", "valence": 1, "arousal": 1}', "'0' rates 'a' a second time"),
        ('{"file": "a", "rater": "2", "valence": 1, "arousal": 1, "sex": "M"}', "the sex of 'a' is 'M' here and 'F'"),
        ("[1]", "expected an object"),
    ],
)
def test_a_wrong_row_is_refused_with_its_place(tmp_path: Path, row: str, problem: str) -> None:
    table = tmp_path / "ratings.jsonl"
    table.write_text(f'{{"file": "a", "rater": "0", "valence": 1, "arousal": 1, "sex": "F"}}\n{row}\n')
    with pytest.raises(RecordError, match=r"ratings\.jsonl, line 2") as raised:
        read_ratings(table, scale=(1, 5))
    assert problem in str(raised.value)


def test_a_file_outside_of_the_folder_and_a_scale_of_one_number_are_refused(tmp_path: Path) -> None:
    table = tmp_path / "ratings.jsonl"
    table.write_text('{"file": "../a.wav", "rater": "0", "valence": 1, "arousal": 1}\n')
    with pytest.raises(RecordError, match="is no file in"):
        read_ratings(table, scale=(1, 5))
    with pytest.raises(UsageError, match="lowest and a highest"):
        read_ratings(table, scale=(5, 5))


def test_one_rater_has_no_variance() -> None:
    assert math.isnan(RatedClip("a", Path("a"), (Rating(1, 1),)).variance("valence"))


def clip(name: str, *pairs: tuple[float, float]) -> RatedClip:
    return RatedClip(name, Path(name), tuple(Rating(*pair) for pair in pairs))


def test_each_step_counts_what_went_in_and_out_and_says_why() -> None:
    clips = [
        clip("short", (4, 4), (4, 4)),
        clip("long", (4, 4), (4, 4)),
        clip("broken", (4, 4), (4, 4)),
        clip("alone", (4, 4)),
        clip("quarrel", (2, 4), (5, 4)),  # deviation of valence: 3 / √2 = 2.12
        clip("excited", (4, 2), (4, 5)),
        clip("limit", (4, 2.5), (4, 5.5), (4, 4)),  # deviation of arousal: √(2 · 1.5² / 2) = 1.5, still in
        clip("edge", (7, 7), (7, 7)),
    ]
    seconds: dict[str, float | str] = dict.fromkeys([one.id for one in clips], 3.0)
    seconds |= {"short": 2.99, "long": 8.01, "broken": "not a recording", "edge": 8.0}
    found = select(clips, seconds, settings=SelectionSettings())
    assert [one.id for one in found.clips] == ["limit", "edge"]
    assert {name: (counts["in"], counts["out"]) for name, counts in found.yields.items()} == {
        "audio": (8, 7),
        "length": (7, 5),
        "agreement": (5, 2),
        "grid": (2, 2),
    }
    assert found.yields["grid"]["cells filled"] == 2
    reasons = {one.id: (one.step, one.reason) for one in found.rejects}
    assert reasons["broken"] == ("audio", "not a recording")
    assert reasons["short"] == ("length", "2.99 s is not between 3 and 8 s")
    assert reasons["alone"] == ("agreement", "one rater has no deviation")
    assert reasons["quarrel"] == ("agreement", "raters differ on valence: standard deviation 2.12 > 1.5")
    assert reasons["excited"][1].startswith("raters differ on arousal")


def test_a_cell_takes_those_with_the_lowest_variance_and_ties_go_by_name() -> None:
    agreed = [clip(name, (4, 4), (4, 4)) for name in ("d", "b", "c")]
    torn = clip("a", (3.9, 4), (4.1, 4))
    found = select([torn, *agreed], dict.fromkeys("abcd", 5.0), settings=SelectionSettings(most_in_cell=2))
    assert [one.id for one in found.clips] == ["b", "c"]
    assert [(one.id, one.step) for one in found.rejects] == [("d", "grid"), ("a", "grid")]
    # 4 is the middle of 1 to 7: the sixth of ten cells
    assert found.rejects[1].reason == "cell 6, 6 of valence and arousal is full: 4 of 4 by variance, 2 are picked"
    assert spread(torn) == pytest.approx(0.02)  # (0.1² + 0.1²) / 1


@given(st.floats(1, 7), st.integers(1, 30))
def test_every_mean_has_a_cell_that_holds_it(value: float, grid: int) -> None:
    cell = cell_of(value, grid=grid)
    assert 0 <= cell < grid
    width = 6 / grid
    assert 1 + cell * width - 1e-6 <= value <= 1 + (cell + 1) * width + 1e-6


@given(st.permutations(range(12)))
def test_the_order_of_the_corpus_does_not_matter(order: list[int]) -> None:
    clips = [clip(f"{place:02}", (4, 4), (4 + place % 4 / 10, 4)) for place in range(12)]
    seconds = dict.fromkeys([one.id for one in clips], 5.0)
    settings = SelectionSettings(most_in_cell=3)
    expected = select(clips, seconds, settings=settings)
    assert select([clips[place] for place in order], seconds, settings=settings).clips == expected.clips


@for_each("wrong", [{"shortest": 9.0}, {"largest_deviation": math.nan}, {"grid": 0}, {"most_in_cell": 0}])
def test_settings_that_pick_nothing_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(UsageError):
        SelectionSettings(**wrong)  # type: ignore[arg-type]
