import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read, write
from aptone.ear.labelled_clips import COLUMNS, LabelledClip
from aptone.ear.measures.voice import measure
from aptone.ear.reference import BIAS, by_prosody, departures_from, habits_of
from aptone.errors import UsageError
from aptone.types import Score
from recipes.ear import prosody as ear_prosody
from recipes.ear.labels import EMOTION_ORDER
from recipes.ear.prosody import MEASURES, Measured, fit_prosody, measure_clip, measured_clips
from tests.recipes.ear.natural_clips import tone

CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
NAMES = [emotion.value for emotion in EMOTION_ORDER]
SHIFTS = {"angry": 2.0, "sad": -2.0, "neutral": 0.0}


def clips_of(of_set: str, emotions: Mapping[str, float], *, count: int = 12, seed: int = 1) -> list[Measured]:
    """Clips of two speakers with habits of their own; an emotion moves the loudness, and nothing else."""
    generator = np.random.default_rng(seed)
    made = []
    for speaker, usual in (("a", 55.0), ("b", 75.0)):
        for number in range(count):
            for emotion, shift in emotions.items():
                values = {name: float(generator.normal()) for name in MEASURES}
                values["loudness"] = usual + 3.0 * shift + float(generator.normal(scale=0.5))
                about = LabelledClip(Path(f"{number}.ogg"), of_set + speaker, "", "", "", emotion, "", "", "train")
                made.append(Measured(of_set, about, {name: Score(value) for name, value in values.items()}))
    return made


def heard(clips: list[Measured], weights: Mapping[str, tuple[float, ...]]) -> list[str]:
    """What the prosody says about clips, each against the habits of its speaker."""
    said = []
    for one in clips:
        own = [other.measures for other in clips if other.clip.speaker == one.clip.speaker]
        found = by_prosody(departures_from(habits_of(own), one.measures, weights), weights)
        said.append(max(found, key=lambda name: found[name]))
    return said


def test_a_planted_effect_is_found_whatever_the_usual_loudness_of_a_speaker() -> None:
    weights = fit_prosody(clips_of("made", SHIFTS), strength=1.0)
    assert set(weights) == {*MEASURES, BIAS}
    assert all(len(row) == 1 + len(NAMES) for row in weights.values())
    loudness = dict(zip(NAMES, weights["loudness"][1:], strict=True))
    assert loudness["angry"] > 0.5 > -0.5 > loudness["sad"]
    others = [abs(value) for name in MEASURES if name != "loudness" for value in weights[name][1:]]
    assert max(others) < 0.5 * loudness["angry"]
    fresh = clips_of("made", SHIFTS, seed=2)
    right = [said == one.clip.emotion for said, one in zip(heard(fresh, weights), fresh, strict=True)]
    assert np.mean(right) > 0.9


def test_the_scale_is_the_spread_over_all_clips_and_the_bias_has_none() -> None:
    clips = clips_of("made", SHIFTS)
    weights = fit_prosody(clips)
    assert weights["loudness"][0] == pytest.approx(np.std([one.measures["loudness"].value for one in clips]), abs=1e-5)
    assert weights[BIAS][0] == 0.0


def test_an_emotion_that_a_set_does_not_have_is_neither_right_nor_wrong() -> None:
    # One set knows joy and neutral, the other anger and sadness; each moves in its own way with the loudness. If joy
    # were wrong in the second set, its bias there would be low, and that of fear, which nobody has, too.
    first = clips_of("one", {"happy": 1.0, "neutral": -1.0})
    second = clips_of("two", {"angry": 1.0, "sad": -1.0}, seed=3)
    together, alone = fit_prosody([*first, *second]), fit_prosody(first)
    bias = dict(zip(NAMES, together[BIAS][1:], strict=True))
    assert bias["fear"] == pytest.approx(0.0, abs=1e-3)
    assert bias["happy"] + bias["neutral"] == pytest.approx(0.0, abs=1e-3)
    for name in MEASURES:
        row = dict(zip(NAMES, together[name][1:], strict=True))
        assert row["fear"] == pytest.approx(0.0, abs=1e-3)
        assert row["happy"] + row["neutral"] == pytest.approx(0.0, abs=1e-3)
    own = dict(zip(NAMES, alone["loudness"][1:], strict=True))
    assert own["angry"] == pytest.approx(0.0, abs=1e-3)
    assert own["happy"] > 0.1


def test_a_rare_emotion_weighs_as_much_as_a_frequent_one() -> None:
    clips = clips_of("made", {"angry": 0.0, "sad": 0.0}, count=20)
    rare = [one for place, one in enumerate(clips) if one.clip.emotion == "sad" or place % 8 == 0]
    bias = dict(zip(NAMES, fit_prosody(rare)[BIAS][1:], strict=True))
    assert bias["angry"] == pytest.approx(bias["sad"], abs=0.35)  # the logarithm of 4 to 1 would be 1.4


def test_a_measure_that_is_not_defined_counts_as_usual() -> None:
    clips = clips_of("made", SHIFTS)
    missing = [
        one._replace(measures={**one.measures, "jitter": Score(math.nan, reason="unvoiced")}) if place % 3 == 0 else one
        for place, one in enumerate(clips)
    ]
    weights = fit_prosody(missing)
    assert all(math.isfinite(value) for row in weights.values() for value in row)


def write_set(data: Path, *, files: tuple[str, ...] = ("a.ogg", "b.ogg")) -> None:
    (data / "emodb").mkdir(parents=True)
    lines = [",".join(COLUMNS)]
    for number, file in enumerate(files):
        write(data / "emodb" / file, read(CLIPS / f"{('keeper', 'wall')[number % 2]}-apt.opus", rate=16_000))
        lines.append(f"{file},emodb03,,,de,{('angry', 'sad')[number % 2]},,,train")
    (data / "emodb" / "labels.csv").write_text("\n".join(lines), encoding="utf-8")


def test_clips_are_measured_once_and_undefined_measures_stay_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_set(tmp_path / "data")
    lines: list[str] = []
    found = measured_clips(tmp_path / "data", tmp_path / "cache", sets=("emodb",), log=lines.append)
    assert lines == ["measuring 2 clips of emodb"]
    assert [one.clip.emotion for one in found] == ["angry", "sad"]
    kept = json.loads((tmp_path / "cache" / "emodb.json").read_text(encoding="utf-8"))
    alone = measure_clip(tmp_path / "data" / "emodb" / "a.ogg")
    for name in MEASURES:
        value = found[0].measures[name].value
        assert value == pytest.approx(alone[name].value, nan_ok=True)
        assert (kept["a.ogg"][name] is None) == math.isnan(value)
    assert math.isfinite(found[0].measures["pitch level"].value)

    def never(path: Path) -> dict[str, Score]:
        raise AssertionError(f"{path.name} was measured again")

    monkeypatch.setattr(ear_prosody, "measure_clip", never)
    again = measured_clips(tmp_path / "data", tmp_path / "cache", sets=("emodb",), log=lines.append)
    for one, other in zip(again, found, strict=True):
        assert [one.measures[name].value for name in MEASURES] == pytest.approx(
            [other.measures[name].value for name in MEASURES], nan_ok=True
        )
    assert len(lines) == 1


def test_a_set_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"labels\.csv: no such file"):
        measured_clips(tmp_path, tmp_path / "cache", sets=("emodb",))


def test_the_measures_are_some_that_the_ear_takes() -> None:
    from aptone.ear.measures.pitch import track_pitch

    samples = tone(1.0).samples
    assert set(MEASURES) <= set(measure(samples, track_pitch(samples), ()))
