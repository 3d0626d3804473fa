"""Fitting the limits of claims."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import cut, read, write
from aptone.ear.claims.limits import SHIPPED, load_limits
from aptone.ear.describe import Pitch, PitchVariation
from aptone.errors import UsageError
from aptone.types import TYPICAL_VAD, ClosedSet, Emotion, Segment
from recipes.claims import fit as claim_fit
from recipes.claims.answers import (
    Answer,
    fit_emotion,
    fit_intensity,
    fit_sex,
    logistic,
    mean_quantile,
    read_blocks,
)
from recipes.claims.clips import PLACES
from recipes.claims.fit import NARROWEST, apart, fit_changes, fit_scale, fit_sounds
from recipes.ear.data import SPEECH_SETS
from tests.recipes.claims.made_world import Floats, MadeWorld

CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
HEADER = "file,speaker,sex,age,language,emotion,intensity,text,split"


class Echo(MadeWorld):
    """A vocoder that gives back the speech that it heard, cut or repeated to the length that is asked for."""

    def cheaptrick(self, samples: Floats, f0: Floats, times: Floats, rate: int) -> Floats:
        self.samples = samples
        return np.zeros((f0.size, 3))

    def synthesize(self, f0: Floats, envelope: Floats, aperiodicity: Floats, rate: int, frame_period: float) -> Floats:
        count = round(f0.size * rate * frame_period / 1000.0)
        return np.resize(self.samples, count)


def answer(truth: Emotion, *, share: float = 0.9, female: float = 0.9, sex: str = "female") -> Answer:
    """A network that gives the truth this much, the rest to the next emotion."""
    names = list(Emotion)
    shares = np.zeros(len(names), dtype=np.float32)
    shares[names.index(truth)] = share
    shares[names.index(truth) - 1] = 1.0 - share
    place = TYPICAL_VAD[truth]
    return Answer(truth, sex, shares, (place.valence, place.arousal), female)


def test_the_quantile_is_the_mean_over_the_groups_however_large_they_are() -> None:
    # just above 2, three tenths of 0 .. 9 lie below and none of the thousand tens: 0.15 on average
    assert mean_quantile([np.arange(10.0), np.full(1000, 10.0)], 0.15) == pytest.approx(2.0)


def test_a_regression_finds_the_odds_of_a_coin() -> None:
    # three of four are true: log(3); a thousand rows make the ridge of 10 small
    rows, truth = np.ones((4000, 1)), np.tile([1.0, 1.0, 1.0, 0.0], 1000)
    assert logistic(rows, truth, np.ones(4000))[0] == pytest.approx(math.log(3.0), abs=0.03)


def test_a_likelier_emotion_counts_for_a_claim_and_distance_against_it() -> None:
    block = [answer(emotion, share=share) for emotion in Emotion for share in (0.5, 0.7, 0.9)] * 5
    fitted = fit_emotion({"one": block, "two": block})
    assert fitted["weights"]["margin"] > 0.0
    assert fitted["weights"]["valence"] < 0.0
    assert fitted["weights"]["arousal"] < 0.0
    yes, no = fitted["limits"]
    assert no <= yes


def test_emotions_are_fitted_to_unseen_speakers_and_not_to_sets_that_no_network_heard() -> None:
    block = [answer(emotion, share=share) for emotion in Emotion for share in (0.5, 0.7, 0.9)] * 5
    wrong = [answer(emotion, share=0.01) for emotion in Emotion] * 5
    assert fit_emotion({"one": block, "without-one": wrong}) == fit_emotion({"one": block})


def test_intensities_are_refused_in_three_of_twenty_true_claims_and_follow_the_steps_without_labels() -> None:
    def block(strength: str, values: list[float]) -> list[Answer]:
        return [answer(Emotion.SAD)._replace(intensity=value, strength=strength) for value in values]

    tenths = [number / 100.0 for number in range(101)]
    fitted = fit_intensity({"one": block("strong", tenths) + block("normal", tenths)})
    assert fitted["strong"][0][0] == pytest.approx(0.15, abs=0.011)
    assert fitted["clear"][0][0] == pytest.approx(0.85, abs=0.011)
    assert fit_intensity({"one": block("", tenths)})["strong"] == [[0.617, 0.333]]


def test_opposites_whose_limits_cross_meet_half_way_and_others_stay() -> None:
    crossing = {"slow": [[0.2, 0.6]], "moderate": [[-1.0, -2.0], [1.0, 2.0]], "fast": [[-0.4, -0.8]]}
    met = apart(crossing)  # half-way between 0.2 and -0.4 is -0.1
    assert met == {**crossing, "slow": [[-0.11, 0.6]], "fast": [[-0.09, -0.8]]}
    fine = {"slow": [[-0.5, 0.0]], "moderate": [[-1.0, -2.0], [1.0, 2.0]], "fast": [[0.5, 0.0]]}
    assert apart(fine) == fine


def test_a_change_is_true_where_few_clips_without_one_would_pass() -> None:
    steady = np.linspace(0.0, 1.0, 1001)
    fitted = fit_changes(np.array([2.0]), steady, {"pitch": steady})
    assert fitted["emotion"] == pytest.approx([0.98, 0.85], abs=0.01)
    assert fitted["pitch"] == pytest.approx([0.96, 0.7], abs=0.01)  # of -1 to 1


def test_a_sex_is_denied_where_one_true_voice_in_a_hundred_would_be_and_never_true_below_half() -> None:
    block = [answer(Emotion.SAD, female=female) for female in np.linspace(0.2, 1.0, 101)]
    assert fit_sex({"one": block}) == [0.5, pytest.approx(0.21, abs=0.01)]
    sure = [answer(Emotion.SAD, female=0.99), answer(Emotion.SAD, female=0.01, sex="male")]
    assert fit_sex({"one": sure, "without a sex": [answer(Emotion.SAD, sex="")]}) == [0.99, 0.4]


def test_limits_of_a_scale_hold_the_true_clips_and_never_cut_into_the_steps() -> None:
    exact: dict[ClosedSet, list[Floats]] = {
        value: [np.full(20, place)] for value, place in zip(Pitch, (-2.0, -1.0, 0.0, 1.0, 2.0), strict=True)
    }
    limits = fit_scale("pitch", exact)
    assert limits["very low"] == [[-1.5, -1.5 + NARROWEST]]
    assert limits["medium"] == [[-0.5, -0.5 - NARROWEST], [0.5, 0.5 + NARROWEST]]
    assert limits["high"] == [[0.5, 0.5 - NARROWEST]]
    wide: dict[ClosedSet, list[Floats]] = {value: [np.linspace(-3.0, 3.0, 601)] for value in PitchVariation}
    ((yes, no),) = fit_scale("pitch_variation", wide)["monotone"]
    # 10 % and 2 % of 6 from the top would be 2.4 and 2.88; lively would begin at -2.4, so that both meet at 0
    assert [yes, no] == pytest.approx([-0.01, 2.88], abs=0.02)


def test_a_value_that_no_clip_could_be_given_is_an_error() -> None:
    with pytest.raises(UsageError, match="no clip could be made monotone"):
        fit_scale("pitch_variation", {value: [np.empty(0)] for value in PitchVariation})


def test_limits_of_a_sound_are_shares_of_those_that_hold_it() -> None:
    peaks = np.linspace(0.0, 1.0, 1001)
    yes, no = fit_sounds({"laughing": [peaks, peaks]}, {"laughing": [peaks]})["laughing"]
    assert [yes, no] == pytest.approx([0.1, 0.03], abs=0.002)


def test_where_speech_without_a_sound_is_far_below_the_limit_goes_down_to_it() -> None:
    present, absent = np.linspace(0.5, 1.0, 1001), np.linspace(0.0, 0.1, 1001)
    yes, no = fit_sounds({"laughing": [present]}, {"laughing": [absent]})["laughing"]
    assert [yes, no] == pytest.approx([0.09, 0.0675], abs=0.001)  # nine tenths of 0.1, and three quarters of that


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Every set with a clip to train with and one for dev, and three sounds."""
    folder = tmp_path / "data"
    speech = cut(read(CLIPS / "keeper-apt.opus", rate=16_000), Segment(0.2, 1.4))
    for name in (*SPEECH_SETS, "esc50"):
        (folder / name).mkdir(parents=True)
        lines = [HEADER]
        for split in ("train", "dev"):
            labels = ("laughing", "rain") if name == "esc50" else ("angry",)
            for label in labels:
                file = f"{label}-{split}.wav"
                write(folder / name / file, speech)
                sex = "" if name in ("csemotions", "esc50") else "male"
                speaker = {"emodb": "emodb03", "csemotions": "csemotions003"}.get(name, name)
                lines.append(f"{file},{speaker},{sex},,en,{label},,We are here.,{split}")
        (folder / name / "labels.csv").write_text("\n".join(lines), encoding="utf-8")
    return folder


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """Answers of every recipe that is asked for, about both clips of a set."""
    folder = tmp_path / "runs"
    folder.mkdir()
    recipes = {"train-only": ("ravdess", "nemo"), "emodb-fold0": ("emodb",), "csemotions-fold1": ("csemotions",)}
    for recipe, sets in {**recipes, **{f"without-{name}": (name,) for name in SPEECH_SETS}}.items():
        names = [f"{name}/angry-{split}.wav" for name in sets for split in ("train", "dev")]
        logits = np.zeros((len(names), len(Emotion)))
        logits[:, list(Emotion).index(Emotion.ANGRY)] = 3.0
        place = TYPICAL_VAD[Emotion.ANGRY]
        np.savez(
            folder / f"{recipe}-seed1.npz",
            name=names,
            emotion_logits=logits,
            valence=np.full(len(names), place.valence),
            arousal=np.full(len(names), place.arousal),
            sex_logit=np.full(len(names), -3.0),
            intensity=np.zeros(len(names)),
        )
    return folder


def test_only_answers_by_networks_that_never_heard_the_speaker_count(data: Path, runs: Path) -> None:
    blocks = read_blocks(data, runs)
    counts = {name: len(block) for name, block in blocks.items()}
    # of those taught with the training part only the dev clip, of the others both
    assert counts == {
        "ravdess": 1,
        "nemo": 1,
        "emodb": 2,
        "csemotions": 2,
        **{f"without-{name}": 2 for name in SPEECH_SETS},
    }
    with np.load(runs / "emodb-fold0-seed1.npz") as of_fold:
        np.savez(runs / "style-fold1-seed1.npz", **of_fold)  # that network left out other speakers
        np.savez(runs / "style-fold0-seed1.npz", **of_fold)  # emodb03 is one that this one never heard
    assert {name: len(block) for name, block in read_blocks(data, runs).items()} == {**counts, "emodb": 4}
    (runs / "without-nemo-seed1.npz").unlink()
    with pytest.raises(UsageError, match="no answers for without-nemo"):
        read_blocks(data, runs)


def test_scales_that_are_kept_are_taken_as_they_are_shipped(
    data: Path, runs: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(claim_fit, "load_world", Echo)
    monkeypatch.setattr(
        sys,
        "argv",
        ["claim_fit", str(data), "--answers", str(runs), "--clips", "0", "--keep", *PLACES, "--cache", str(runs)],
    )
    claim_fit.main()
    shipped = json.loads(SHIPPED.read_text(encoding="utf-8"))
    assert json.loads(capsys.readouterr().out)["scales"] == shipped["scales"]


@pytest.mark.slow
def test_the_whole_fit_prints_a_file_of_limits(
    data: Path, runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(claim_fit, "load_world", Echo)
    monkeypatch.setattr(claim_fit, "EACH", 5)
    monkeypatch.setattr(
        sys, "argv", ["claim_fit", str(data), "--answers", str(runs), "--clips", "1", "--cache", str(runs)]
    )
    claim_fit.main()
    printed = json.loads(capsys.readouterr().out)
    assert set(printed) == {"about", "scales", "intensity", "emotion", "sex", "sounds", "changes"}
    assert set(printed["scales"]["pitch"]) == set(Pitch)
    file = tmp_path / "limits.json"
    file.write_text(json.dumps(printed), encoding="utf-8")
    assert load_limits(file).sex.no == 0.4  # every answer is sure of it
