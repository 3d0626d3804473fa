"""From a clip to a Perception: speech, what is not speech, and what is hardly a sound."""

import math
import tracemalloc
from dataclasses import astuple, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import from_array, read
from aptone.ear import Ear, ear_name, load_ear
from aptone.ear.network.inference import EARS
from aptone.ear.perceive import ABOUT_SPEECH, SETTING, naturalness
from aptone.errors import AptoneError, AudioError, UsageError
from aptone.types import Audio, Perception, Score, Sex, dumps, from_json, loads, to_json
from tests.tables import for_each

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips"
NAMES = sorted(path.stem for path in CLIPS.glob("*.opus"))
RATE = 16_000
Floats = npt.NDArray[np.float32]
DISTRIBUTIONS = ("emotion", "rhythm", "intonation", "recording_condition", "sex", "age")
NUMBERS = ("intensity", "music", "naturalness")


@pytest.fixture(scope="module")
def ear() -> Ear:
    return load_ear("full")


def clip(name: str) -> Floats:
    return read(CLIPS / f"{name}.opus", rate=RATE).samples


def audio(samples: npt.NDArray[np.floating], rate: int = RATE) -> Audio:
    return Audio(samples.astype(np.float32), rate=rate)


def noise(seconds: float, *, level: float = 0.1) -> npt.NDArray[np.float64]:
    return np.random.default_rng(0).normal(0.0, level, round(seconds * RATE))


def sine(seconds: float, *, hertz: float = 440.0) -> npt.NDArray[np.float64]:
    return 0.5 * np.sin(2.0 * np.pi * hertz * np.arange(round(seconds * RATE)) / RATE)


def check(heard: Perception) -> None:
    """What holds for every Perception: distributions, ranges, and a reason for whatever is missing."""
    for name in DISTRIBUTIONS:
        distribution = getattr(heard, name)
        if not distribution:
            assert heard.unjudged[name], name
            continue
        assert sum(distribution.values()) == pytest.approx(1.0, abs=1e-5), name
        assert min(distribution.values()) >= 0.0, name
    for name in NUMBERS:
        assert not math.isnan(getattr(heard, name)) or heard.unjudged[name], name
    assert math.isnan(heard.intensity) or 0.0 <= heard.intensity <= 1.0
    assert math.isnan(heard.music) or 0.0 <= heard.music <= 1.0
    assert math.isnan(heard.naturalness) or 0.0 <= heard.naturalness <= 5.0
    if heard.vad is None:
        assert heard.unjudged["vad"]
        assert not heard.phrase
    else:
        assert max(abs(value) for value in (heard.vad.valence, heard.vad.arousal, heard.vad.dominance)) <= 1.0
        assert set(heard.phrase) == {"en", "zh"}
    assert heard.measures or heard.unjudged["measures"]
    assert all(score.is_defined or score.reason for score in heard.measures.values())
    assert 0.0 <= heard.speech_seconds <= heard.seconds
    starts = [event.start for event in heard.events]
    assert starts == sorted(starts)
    for event in heard.events:
        assert 0.0 <= event.start < event.end <= heard.seconds
        assert 0.0 <= event.confidence <= 1.0
    again = from_json(Perception, loads(dumps(to_json(heard))))
    assert dumps(to_json(again)) == dumps(to_json(heard))
    assert heard.signature
    assert heard.licence


@pytest.mark.slow
@for_each("name", NAMES)
def test_a_spoken_line_is_judged_in_every_respect(ear: Ear, name: str) -> None:
    heard = ear.perceive(audio(clip(name)), language="zh" if "-zh-" in name else "en")
    check(heard)
    assert heard.speech_coverage > 0.5
    assert set(heard.unjudged) <= {"age", "naturalness"}
    assert set(heard.emotion) == set(ear.meaning.emotions)
    assert set(heard.recording_condition) == set(ear.meaning.conditions)
    assert set(heard.sex) == {Sex.FEMALE, Sex.MALE}
    assert heard.phrase["en"].isascii()
    assert any("\u4e00" <= letter <= "\u9fff" for letter in heard.phrase["zh"])
    assert heard.measures["articulation rate"].is_defined
    assert heard.measures["pitch level"].is_defined
    assert heard.trajectory is None
    assert heard.tracks is None


def test_a_trajectory_has_a_point_for_every_step_and_none_where_nobody_speaks(ear: Ear) -> None:
    # a second of silence, 3.52 s of a clip, two seconds of silence: 6.52 s in steps of 0.5 s are 14
    spoken = clip("keeper-apt")
    assert spoken.size / RATE == pytest.approx(3.52, abs=0.01)
    heard = ear.perceive(audio(np.concatenate([np.zeros(RATE), spoken, np.zeros(2 * RATE)])), trajectory=0.5)
    check(heard)
    assert heard.trajectory is not None
    assert heard.trajectory.step == 0.5
    assert len(heard.trajectory) == 14
    columns = np.array([heard.trajectory.valence, heard.trajectory.arousal, heard.trajectory.dominance])
    assert np.isnan(columns[:, 0]).all()  # 0 to 0.5 s
    assert np.isnan(columns[:, 10:]).all()  # 5 s and later: speech ends before 4.52 s
    assert np.isfinite(columns[:, 3:8]).all()  # 1.5 to 4 s
    assert float(np.nanmax(np.abs(columns))) <= 1.0
    assert (np.isnan(columns[0]) == np.isnan(columns[1])).all()


@for_each("step", [0.02, 0.1, 0.25, 1.0, 1000.0])
def test_steps_of_any_length_cover_the_clip(ear: Ear, step: float) -> None:
    sound = audio(clip("wall-apt"))
    heard = ear.perceive(sound, trajectory=step)
    assert heard.trajectory is not None
    assert (len(heard.trajectory) - 1) * step < sound.seconds <= len(heard.trajectory) * step
    assert np.isfinite(heard.trajectory.valence).any()


@for_each("step", [0.0, -1.0, 0.019, math.nan, math.inf])
def test_a_step_that_is_no_step_is_refused(ear: Ear, step: float) -> None:
    with pytest.raises(UsageError, match=r"the step of a trajectory is at least 0\.02 s, got"):
        ear.perceive(audio(sine(1.0)), trajectory=step)


def test_tracks_have_a_value_every_ten_milliseconds(ear: Ear) -> None:
    sound = audio(clip("wall-apt"))
    tracks = ear.perceive(sound, tracks=True).tracks
    assert tracks is not None
    assert tracks.step == 0.01
    assert len(tracks.pitch) == len(tracks.loudness) == sound.samples.size // 160
    pitch, loudness = np.array(tracks.pitch), np.array(tracks.loudness)
    assert np.isfinite(loudness).all()
    assert 50.0 <= np.nanmin(pitch) < np.nanmax(pitch) <= 800.0
    assert np.isnan(pitch).any()


def test_the_pitch_and_level_of_a_tone_are_tracked_though_nobody_speaks(ear: Ear) -> None:
    heard = ear.perceive(audio(sine(2.0)), tracks=True)
    check(heard)
    assert heard.unjudged["emotion"] == "no speech found"
    assert heard.tracks is not None
    assert heard.tracks.pitch[100] == pytest.approx(440.0, rel=0.005)
    assert heard.tracks.loudness[100] == pytest.approx(-9.03, abs=0.1)  # 20 log10(0.5 / √2)


@for_each(
    ("sound", "reason"),
    [
        pytest.param(np.zeros(RATE), "the clip is silent", id="silence"),
        pytest.param(np.full(RATE, 0.5), "the clip is silent", id="constant"),
        pytest.param(np.full(RATE, -5e-4), "the clip is silent", id="small constant"),
        pytest.param(sine(1.0) * 1e-4, "the clip is silent", id="86 dB below full scale"),
        pytest.param(sine(0.1), "0.10 s of sound, need 0.2 s", id="0.1 s"),
        pytest.param(np.array([0.5]), "0.00 s of sound, need 0.2 s", id="one sample"),
        pytest.param(np.zeros(1600), "0.10 s of sound, need 0.2 s", id="0.1 s of silence"),
    ],
)
def test_what_is_hardly_a_sound_is_not_judged(ear: Ear, sound: npt.NDArray[np.float64], reason: str) -> None:
    heard = ear.perceive(audio(sound), trajectory=0.1, tracks=True)
    check(heard)
    assert heard.seconds == sound.size / RATE
    assert heard.speech_seconds == 0.0
    assert heard.unjudged == dict.fromkeys(
        (*ABOUT_SPEECH, "recording_condition", "music", "events", "measures"), reason
    )


@for_each(
    "sound",
    [
        pytest.param(noise(0.2), id="0.2 s of noise"),
        pytest.param(noise(2.0), id="noise"),
        pytest.param(noise(2.0, level=0.001), id="faint noise"),
        pytest.param(sine(2.0), id="sine"),
        pytest.param(sine(2.0) + 0.4, id="sine with an offset"),
        pytest.param(np.sign(sine(2.0, hertz=110.0)), id="square wave"),
        pytest.param(np.tile([1.0, -1.0], RATE), id="highest frequency"),
        pytest.param(np.eye(1, RATE, 8_000)[0], id="one click"),
        pytest.param(np.where(np.arange(RATE) == 8_000, 1e12, 0.01 * noise(1.0)), id="one enormous click"),
    ],
)
def test_sound_without_speech_is_judged_where_speech_is_not_needed(ear: Ear, sound: npt.NDArray[np.float64]) -> None:
    heard = ear.perceive(audio(sound), trajectory=0.1, tracks=True)
    check(heard)
    assert heard.speech_seconds == 0.0
    assert {heard.unjudged[topic] for topic in ABOUT_SPEECH} == {"no speech found"}
    assert heard.recording_condition
    assert 0.0 <= heard.music <= 1.0
    assert heard.trajectory is None
    assert heard.tracks is not None


def test_too_little_speech_says_how_much_there_was(ear: Ear) -> None:
    # 0.3 s of speech between silences: the detector finds it in chunks of 32 ms and pads it by 30 ms on both sides
    silence = np.zeros(RATE)
    spoken = clip("wall-apt")[17_600:22_400]
    heard = ear.perceive(audio(np.concatenate([silence, spoken, silence])))
    check(heard)
    assert 0.2 < heard.speech_seconds < 0.4
    assert {heard.unjudged[topic] for topic in ABOUT_SPEECH} == {f"{heard.speech_seconds:.2f} s of speech, need 0.4 s"}
    assert heard.recording_condition


def test_three_tenths_of_a_second_cut_out_of_speech_are_a_perception_all_the_same(ear: Ear) -> None:
    for start in range(0, 40_000, 4_800):
        check(ear.perceive(audio(clip("keeper-apt")[start : start + 4_800]), tracks=True, trajectory=0.1))


def test_clipped_speech_is_still_speech(ear: Ear) -> None:
    heard = ear.perceive(audio(np.clip(4.0 * clip("wall-apt"), -1.0, 1.0)))
    check(heard)
    assert heard.speech_seconds > 1.0
    assert heard.emotion


def test_an_offset_is_not_heard(ear: Ear) -> None:
    plain, shifted = ear.perceive(audio(clip("keeper-apt"))), ear.perceive(audio(clip("keeper-apt") + 0.5))
    check(shifted)
    assert shifted.speech_seconds == pytest.approx(plain.speech_seconds, abs=0.05)
    # with the offset, the level would be 10 log10(0.5²) = -6 dB or more
    assert shifted.measures["loudness"].value == pytest.approx(plain.measures["loudness"].value, abs=0.1)
    for emotion, probability in plain.emotion.items():
        assert shifted.emotion[emotion] == pytest.approx(probability, abs=0.02)


@for_each("gain", [0.1, 0.003, 1e3, 1e6, 1e11])
def test_the_level_of_a_recording_changes_its_loudness_only(ear: Ear, gain: float) -> None:
    plain, other = (ear.perceive(audio(clip("keeper-apt") * factor)) for factor in (1.0, gain))
    check(other)
    assert other.speech_seconds == plain.speech_seconds
    difference = other.measures["loudness"].value - plain.measures["loudness"].value
    assert difference == pytest.approx(20.0 * math.log10(gain), abs=0.05)
    assert other.measures["pitch level"].value == pytest.approx(plain.measures["pitch level"].value, abs=1e-3)
    assert other.intonation == pytest.approx(plain.intonation, abs=1e-3)
    # The network's first part rounds to 256 steps: another last digit of a sample can be another step.
    for name in ("emotion", "recording_condition", "sex"):
        assert getattr(other, name) == pytest.approx(getattr(plain, name), abs=0.02), name
    assert plain.vad is not None
    assert other.vad is not None
    assert astuple(other.vad) == pytest.approx(astuple(plain.vad), abs=0.02)


@pytest.mark.parametrize("peak", [1e13, 3e38])
def test_samples_that_are_no_sound_are_refused(ear: Ear, peak: float) -> None:
    with pytest.raises(AudioError, match=r"^array: some samples are NaN, infinite or absurdly large"):
        ear.perceive(audio(sine(1.0) * 2.0 * peak, 48_000))


@for_each("rate", [8_000, 44_100, 192_000])
def test_other_rates_are_heard_as_sixteen_thousand(ear: Ear, rate: int) -> None:
    sound = read(CLIPS / "wall-apt.opus", rate=rate)
    heard, usual = ear.perceive(sound, tracks=True), ear.perceive(audio(clip("wall-apt")))
    check(heard)
    assert heard.seconds == pytest.approx(usual.seconds, abs=1e-3)
    assert heard.measures["pitch level"].value == pytest.approx(usual.measures["pitch level"].value, abs=0.5)
    if rate > RATE:  # half of the bands are empty at 8 kHz
        assert heard.vad is not None
        assert usual.vad is not None
        assert heard.vad.arousal == pytest.approx(usual.vad.arousal, abs=0.05)


@for_each("rate", [1, 100, 1_000, 768_000])
def test_odd_rates_are_a_perception_or_a_clear_error(ear: Ear, rate: int) -> None:
    check(ear.perceive(audio(np.random.default_rng(0).normal(0.0, 0.1, 2 * rate), rate)))  # two seconds
    with pytest.raises(AptoneError, match="leave none at 16000 Hz"):
        ear.perceive(audio(np.array([0.5]), 768_000))


def test_stereo_is_heard_as_its_mean(ear: Ear) -> None:
    left, right = clip("wall-apt"), np.zeros(clip("wall-apt").size, dtype=np.float32)
    mixed = from_array(np.stack([left, right], axis=1), rate=RATE, channel="mix")
    assert to_json(ear.perceive(mixed)) == to_json(ear.perceive(audio(left / 2.0)))


def test_the_language_moves_rhythm_and_intonation_only(ear: Ear) -> None:
    sound = audio(clip("wall-zh-apt"))
    unsaid, mandarin, english = (ear.perceive(sound, language=language) for language in (None, "zh", "en"))
    unknown = ear.perceive(sound, language="tlh")
    assert to_json(unknown) == to_json(unsaid)
    assert mandarin.rhythm != english.rhythm
    assert mandarin.emotion == english.emotion == unsaid.emotion
    assert mandarin.measures == english.measures
    assert mandarin.phrase == english.phrase


@pytest.mark.slow
def test_clips_are_heard_the_same_in_any_order_and_company(ear: Ear) -> None:
    sounds = {name: audio(clip(name)) for name in NAMES[::3]}
    sounds |= {"noise": audio(noise(1.5)), "silence": audio(np.zeros(RATE)), "short": audio(sine(0.2))}

    def heard(names: list[str]) -> dict[str, str]:
        return {name: dumps(to_json(ear.perceive(sounds[name], trajectory=0.25, tracks=True))) for name in names}

    in_order = heard(list(sounds))
    shuffled = [list(sounds)[place] for place in np.random.default_rng(3).permutation(len(sounds))]
    assert heard(shuffled) == in_order
    assert heard(["noise", "noise"]) == {"noise": in_order["noise"]}


def test_a_perception_survives_json(ear: Ear) -> None:
    silence = np.zeros(RATE // 2)
    heard = ear.perceive(audio(np.concatenate([silence, clip("keeper-apt")])), trajectory=0.25, tracks=True)
    again = from_json(Perception, to_json(heard))
    assert again.emotion == heard.emotion
    assert again.sex == heard.sex
    assert again.rhythm == heard.rhythm
    assert again.vad == heard.vad
    assert again.trajectory is not None
    assert heard.trajectory is not None
    assert math.isnan(again.trajectory.valence[0])
    assert again.trajectory.valence[3:] == pytest.approx(heard.trajectory.valence[3:], nan_ok=True)
    assert to_json(again) == to_json(heard)


def test_listening_alone_agrees_with_the_perception(ear: Ear) -> None:
    sound = audio(clip("keeper-apt"))
    alone, heard = ear.listen(sound), ear.perceive(sound)
    assert dict(zip(ear.meaning.emotions, alone.emotion.tolist(), strict=True)) == heard.emotion
    assert alone.music == heard.music


def test_both_ears_name_their_licence_and_answer_differently() -> None:
    full, permissive = (load_ear(name) for name in EARS)
    assert (full.name, permissive.name) == EARS
    assert "NC" in full.licence
    assert "NC" not in permissive.licence
    assert full.signature.startswith("ear:full|")
    assert permissive.signature.startswith("ear:permissive|")
    one, other = (each.perceive(audio(clip("keeper-apt"))) for each in (full, permissive))
    check(other)
    assert (one.licence, one.signature) == (full.licence, full.signature)
    assert (other.licence, other.signature) == (permissive.licence, permissive.signature)
    assert one.emotion != other.emotion
    assert one.measures == other.measures
    if not permissive.meaning.events:
        assert other.unjudged["events"] == "this ear was not taught any sounds"
        assert other.unjudged["intensity"] == "this ear was not trained for intensity"
        assert math.isnan(other.intensity)


def test_the_environment_chooses_the_ear_where_nobody_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(SETTING, raising=False)
    assert ear_name() == "full"
    assert load_ear().network is load_ear("full").network
    monkeypatch.setenv(SETTING, "permissive")
    assert ear_name() == "permissive"
    assert ear_name("full") == "full"
    assert load_ear().name == "permissive"
    monkeypatch.setenv(SETTING, "")
    assert ear_name() == "full"


def test_an_unknown_ear_is_refused_and_it_is_said_who_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match=r"^there is no ear 'big'; choose one of full, permissive\b"):
        load_ear("big")
    monkeypatch.setenv(SETTING, "big")
    with pytest.raises(UsageError, match=r"no ear 'big' \(from the environment variable APTONE_EAR\); choose"):
        ear_name()


@pytest.mark.slow
def test_ten_minutes_take_less_than_four_hundred_megabytes(ear: Ear) -> None:
    sound = audio(np.resize(np.concatenate([clip(name) for name in NAMES]), 600 * RATE))
    tracemalloc.start()
    heard = ear.perceive(sound, trajectory=0.5, tracks=True)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert most < 400e6
    check(heard)
    assert heard.speech_seconds > 300.0
    assert heard.trajectory is not None
    assert len(heard.trajectory) == 1_200


def test_naturalness_is_what_the_network_says_moved_by_measures_and_kept_between_naught_and_five() -> None:
    weights = {"pause share": (0.2, -5.0), "HNR": (12.0, 0.1), "jitter": (0.01, 100.0)}
    measures = {"pause share": Score(0.4), "HNR": Score(math.nan, reason="unvoiced")}  # jitter is not there
    assert naturalness(3.0, measures, weights) == pytest.approx(3.0 - 5.0 * 0.2)
    assert naturalness(0.5, measures, weights) == 0.0
    assert naturalness(7.5, measures, weights) == 5.0
    assert naturalness(3.0, measures, {}) == 3.0
    assert math.isnan(naturalness(math.nan, measures, weights))


@for_each(("adult", "female"), [(1.0, 0.9), (0.5, 0.7), (0.0, 0.5)])
def test_the_sex_of_a_childs_voice_is_left_open(
    ear: Ear, monkeypatch: pytest.MonkeyPatch, adult: float, female: float
) -> None:
    # 0.5 + (0.9 - 0.5) * adult
    heard = replace(ear.listen(audio(clip("wall-apt"))), female=0.9, adult=adult)
    monkeypatch.setattr(type(ear.network), "listen", lambda *_: heard)
    sex = ear.perceive(audio(clip("wall-apt"))).sex
    assert sex == pytest.approx({Sex.FEMALE: female, Sex.MALE: 1.0 - female})
