"""Clips that have a value because it was put there."""

from pathlib import Path

import numpy as np
import pytest

from aptone.audio import write
from aptone.ear.describe import Pitch, PitchVariation, Rate, Volume
from aptone.ear.labelled_clips import LabelledClip
from aptone.ear.measures.norms import norm
from aptone.types import Audio, Sex
from recipes.claims.clips import (
    LOWEST,
    Speakers,
    active_level,
    at_level,
    know_speakers,
    known_clips,
    sentence_of,
    spoken_seconds,
    spread_over,
)
from tests.recipes.claims.made_world import MadeWorld

RATE = 16_000


def clip(
    path: Path, *, speaker: str = "a", sex: str = "male", emotion: str = "sad", split: str = "train"
) -> LabelledClip:
    return LabelledClip(path, speaker, sex, "", "en", emotion, "", "We are here.", split)


def hum(seconds: float, *, level: float = 0.1) -> Audio:
    """A hum with a quarter of a second of silence around it."""
    wave = level * np.sign(np.sin(2.0 * np.pi * 100.0 * np.arange(int(seconds * RATE)) / RATE))
    silence = np.zeros(RATE // 4)
    return Audio(np.concatenate([silence, wave, silence]).astype(np.float32), RATE)


@pytest.fixture
def recorded(tmp_path: Path) -> LabelledClip:
    write(tmp_path / "one.wav", hum(1.0))
    return clip(tmp_path / "one.wav")


def test_active_frames_leave_the_silence_around_the_words_out() -> None:
    assert spoken_seconds(hum(1.0)) == pytest.approx(1.0, abs=0.05)
    assert active_level(hum(1.0)) == pytest.approx(-20.0, abs=0.3)  # a square wave of 0.1


def test_a_gain_brings_the_words_to_a_level_and_full_scale_cuts_off() -> None:
    assert active_level(at_level(hum(1.0), -42.0)) == pytest.approx(-42.0, abs=0.1)
    assert np.abs(at_level(hum(1.0), 6.0).samples).max() == 1.0


def test_a_sentence_is_its_text_or_the_name_of_its_file_without_the_speaker() -> None:
    assert sentence_of(clip(Path("x.wav"))) == "We are here."
    nameless = LabelledClip(Path("Speaker003_Angry_0.ogg"), "a", "", "", "zh", "angry", "", "", "train")
    assert sentence_of(nameless) == "Angry_0"


def test_clips_are_taken_from_each_speaker_and_emotion_in_turn() -> None:
    clips = [clip(Path(f"{n}.wav"), speaker="a") for n in range(8)] + [
        clip(Path("z.wav"), speaker="b", emotion="happy")
    ]
    assert {one.speaker for one in spread_over(clips, count=2, seed=1)} == {"a", "b"}
    assert len(spread_over(clips, count=100, seed=1)) == 9


def test_sentences_are_timed_on_training_clips_and_unknown_sexes_told_by_pitch(tmp_path: Path) -> None:
    for name, seconds in (("one.wav", 1.0), ("two.wav", 2.0), ("test.wav", 9.0)):
        write(tmp_path / name, hum(seconds))
    clips = [
        clip(tmp_path / "one.wav"),
        clip(tmp_path / "two.wav", speaker="b", sex=""),
        clip(tmp_path / "test.wav", speaker="c", sex="female", split="test"),
    ]
    low, high = (know_speakers(MadeWorld(hertz=hertz), clips) for hertz in (120.0, 240.0))  # around 200 Hz
    assert low.sexes == {"a": Sex.MALE, "b": Sex.MALE, "c": Sex.FEMALE}
    assert high.sexes["b"] is Sex.FEMALE
    assert low.seconds == {"We are here.": pytest.approx(1.5, abs=0.05)}  # the median of one and two


def test_pitch_is_moved_to_so_many_spreads_from_the_norm_of_the_sex(recorded: LabelledClip) -> None:
    world = MadeWorld(hertz=200.0)
    speakers = Speakers({"a": Sex.FEMALE}, {})
    (known,) = known_clips(world, recorded, speakers, [("pitch", Pitch.HIGH)])
    centre, spread = norm("pitch level", sex=Sex.FEMALE, language="en")
    given = world.given[-1]
    assert 12.0 * np.log2(np.median(given[given > 0]) / 100.0) == pytest.approx(centre + spread)
    assert (known.attribute, known.value, known.clip) == ("pitch", Pitch.HIGH, recorded)


def test_no_voice_is_moved_below_what_a_voice_can_be(recorded: LabelledClip) -> None:
    world = MadeWorld()
    list(known_clips(world, recorded, Speakers({"a": Sex.MALE}, {}), [("pitch", Pitch.VERY_LOW)]))
    given = world.given[-1]
    assert 12.0 * np.log2(np.median(given[given > 0]) / 100.0) == pytest.approx(LOWEST)  # 5.53 - 2 * 6.31 = -7.1


def test_a_melody_is_widened_to_so_many_spreads_from_the_norm(recorded: LabelledClip) -> None:
    world = MadeWorld()
    list(known_clips(world, recorded, Speakers({"a": Sex.MALE}, {}), [("pitch_variation", PitchVariation.LIVELY)]))
    centre, spread = norm("pitch range", sex=Sex.MALE, language="en")
    heights = 12.0 * np.log2(world.given[-1][1:])
    assert np.ptp(heights) == pytest.approx(centre + 1.5 * spread)


def test_pace_is_that_of_the_same_sentence_by_the_training_speakers(recorded: LabelledClip) -> None:
    usual = Speakers({"a": Sex.MALE}, {"We are here.": 2.0})
    (slow,) = known_clips(MadeWorld(), recorded, usual, [("rate", Rate.SLOW)])
    # the sentence takes 2 s as a rule, 2.5 s at 0.8 of the pace: the clip's 1 s, and its silence, times 2.5
    assert slow.audio.seconds == pytest.approx(1.5 * 2.5, rel=0.05)
    assert not list(known_clips(MadeWorld(), recorded, Speakers({"a": Sex.MALE}, {}), [("rate", Rate.SLOW)]))


def test_volume_needs_no_vocoder(recorded: LabelledClip) -> None:
    world = MadeWorld()
    (soft,) = known_clips(world, recorded, Speakers({"a": Sex.MALE}, {}), [("volume", Volume.SOFT)])
    assert active_level(soft.audio) == pytest.approx(-31.0, abs=0.1)
    assert not world.given


def test_a_clip_without_a_voice_is_left_out(recorded: LabelledClip) -> None:
    silent = MadeWorld(hertz=0.0)
    assert not list(known_clips(silent, recorded, Speakers({"a": Sex.MALE}, {}), [("pitch", Pitch.LOW)]))
