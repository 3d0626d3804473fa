import math
import shutil
import sys
from pathlib import Path

import pytest

from aptone.ear.measures.intonation import Shape
from aptone.ear.measures.norms import OTHER, BySex, LineNorm, Norm
from aptone.errors import RecordError, UsageError
from recipes.ear import norms as ear_norms
from recipes.ear.norms import (
    LOWEST_SPREADS,
    Measured,
    balanced,
    line_numbers,
    measure_norm,
    measure_sets,
    tables,
    weighted_norm,
    with_sex,
)

CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"


def clip(
    value: float,
    *,
    emotion: str = "neutral",
    sex: str = "male",
    language: str = "en",
    speaker: str = "a",
    name: str = "pitch level",
) -> Measured:
    values = dict.fromkeys(LOWEST_SPREADS, 1.0) | {"pause share": 0.2, "longest pause": 0.4, name: value}
    shape = Shape(movement=-4.0, turn=1.0, ending=-2.0, melody=3.0, voiced=2.0)
    return Measured(speaker, sex, language, emotion, values, (shape,))


def level(one: Measured) -> float:
    return one.values["pitch level"]


def test_a_norm_is_the_weighted_median_and_half_the_distance_of_the_16th_and_84th_percentiles() -> None:
    # ranks of 0 .. 100 are (i + 1/2) / 101: 0.16 lies at i = 15.66, 0.84 at 84.34
    found = weighted_norm([(float(value), 1.0) for value in range(101)], lowest_spread=0.1)
    assert found.centre == pytest.approx(50.0)
    assert found.spread == pytest.approx((84.34 - 15.66) / 2.0)


def test_weight_moves_the_median() -> None:
    # ranks are the middles of the shares: 0.005, 0.5 and 0.995
    assert weighted_norm([(0.0, 1.0), (10.0, 98.0), (20.0, 1.0)], lowest_spread=0.1).centre == pytest.approx(10.0)


def test_a_spread_is_never_narrower_than_it_may_be() -> None:
    assert weighted_norm([(3.0, 1.0), (3.0, 1.0)], lowest_spread=0.5) == Norm(3.0, 0.5)


def test_every_emotion_weighs_the_same_however_many_clips_it_has() -> None:
    clips = [clip(1.0), clip(1.0), clip(1.0), clip(9.0, emotion="angry")]
    pairs = balanced(clips, level, lambda one: one.emotion)
    # two emotions: 1/2 each, shared by three clips and by one
    assert [weight for _, weight in pairs] == pytest.approx([1 / 6, 1 / 6, 1 / 6, 1 / 2])


def test_levels_are_balanced_from_the_outside_in() -> None:
    clips = [clip(1.0), clip(2.0, emotion="sad"), clip(3.0, language="zh")]
    pairs = balanced(clips, level, lambda one: one.language, lambda one: one.emotion)
    # two languages: 1/2 each; the first holds two emotions of one clip each
    assert [weight for _, weight in pairs] == pytest.approx([1 / 4, 1 / 4, 1 / 2])


def test_the_norm_of_a_sex_leaves_the_other_out_and_other_takes_all_languages() -> None:
    clips = [clip(2.0), clip(12.0, sex="female"), clip(4.0, language="zh")]
    assert measure_norm(clips, "pitch level", sex="male", language="en").centre == 2.0
    assert measure_norm(clips, "pitch level", sex="female", language="en").centre == 12.0
    # men: 2 and 4 with equal weight
    assert measure_norm(clips, "pitch level", sex="male", language=OTHER).centre == pytest.approx(3.0)


def test_clips_without_a_pause_do_not_count_for_the_norm_of_pauses() -> None:
    clips = [clip(share, name="pause share") for share in (0.0, 0.0, 0.0, 0.3)]
    assert measure_norm(clips, "pause share", sex="", language=OTHER).centre == 0.3


def test_a_speaker_without_a_sex_gets_one_by_the_median_pitch_of_all_their_clips() -> None:
    # 12 semitones above 100 Hz are 200 Hz; one high clip does not make a low voice a woman's
    low = [clip(value, sex="", speaker="low") for value in (4.0, 5.0, 18.0)]
    high = [clip(16.0, sex="", speaker="high")]
    assert [one.sex for one in with_sex(low + high)] == ["male", "male", "male", "female"]


def test_a_speaker_without_a_sex_and_without_a_pitch_stays_unknown() -> None:
    silent = Measured("a", "", "en", "neutral", {}, ())
    assert with_sex([silent]) == [silent]


def test_the_ordinary_line_is_that_of_plain_statements() -> None:
    angry = Measured("a", "male", "en", "angry", {}, (Shape(9.0, 9.0, 9.0, 7.0, 2.0),))
    numbers = line_numbers([clip(1.0), angry], language="en")
    # movement, turn, ending, its spread (at least 1), melody of plain statements; then the melody of both: 3 and 7
    assert numbers[:5] == pytest.approx((-4.0, 1.0, -2.0, 1.0, 3.0))
    assert numbers[5] == pytest.approx(5.0)


def test_the_tables_are_python_that_gives_back_the_norms() -> None:
    clips = [
        clip(level_, sex=sex, language=language, emotion=emotion)
        for sex, level_ in (("male", 4.0), ("female", 14.0))
        for language in ("zh", "en")
        for emotion in ("neutral", "angry")
    ]
    scope: dict[str, object] = {"BySex": BySex, "Norm": Norm, "LineNorm": LineNorm}
    exec(tables(clips), scope)
    measures, lines = scope["MEASURES"], scope["LINES"]
    assert isinstance(measures, dict)
    assert isinstance(lines, dict)
    assert set(lines) == {"zh", "en", "other"}
    assert set(measures["pitch level"]) == {"zh", "en", "other"}
    assert set(measures["loudness"]) == {"other"}
    assert measures["pitch level"]["zh"].male == Norm(4.0, 1.5)
    assert measures["pitch level"]["zh"].unknown.centre == pytest.approx(9.0)
    assert lines["en"].movement == -4.0
    assert math.isfinite(lines["other"].melody)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A folder with one small set: two training clips and one that is for testing only."""
    folder = tmp_path / "ravdess"
    folder.mkdir()
    rows = ["file,speaker,sex,age,language,emotion,intensity,text,split"]
    for name, sex, split in (
        ("keeper-apt.opus", "male", "train"),
        ("anybody-apt.opus", "female", "train"),
        ("keeper-flat.opus", "male", "test"),
    ):
        shutil.copy(CLIPS / name, folder / name)
        rows.append(f"{name},{sex},{sex},,en,neutral,,,{split}")
    (folder / "labels.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    return tmp_path


def test_only_training_clips_are_measured(data: Path) -> None:
    found = list(measure_sets(data, ["ravdess"]))
    assert [one.sex for one in found] == ["male", "female"]
    for one in found:
        assert 1.0 < one.values["articulation rate"] < 10.0
        assert 0.3 < sum(shape.voiced for shape in one.shapes) < 20.0


def test_the_command_prints_the_tables(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(ear_norms, "measure_sets", lambda folder: measure_sets(folder, ["ravdess"]))
    monkeypatch.setattr(ear_norms, "ONLY_ABOVE_ZERO", frozenset())  # two clips need not hold a pause
    monkeypatch.setattr(sys, "argv", ["ear_norms", str(data)])
    ear_norms.main()
    printed = capsys.readouterr().out
    assert printed.startswith("MEASURES: dict[str, dict[str, BySex]] = {\n")
    assert '    "en": LineNorm(' in printed


def test_a_set_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="csemotions"):
        list(measure_sets(tmp_path))


def test_a_norm_of_nothing_is_an_error() -> None:
    with pytest.raises(RecordError, match="no training clip"):
        weighted_norm([], lowest_spread=1.0)
