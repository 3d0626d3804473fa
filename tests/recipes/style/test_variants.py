"""Versions of a clip: what is said of each is what was done to it."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.audio.degrade.filtering import rms
from aptone.ear.describe import Music, Texture, VocalEvent, values_of
from aptone.rooms.style.embedding.built_in import CONDITIONS
from aptone.types import Audio
from recipes.style import variants as style_variants
from recipes.style.variants import (
    EVENTS,
    PLAIN,
    VARIANTS,
    Beside,
    conditioned,
    moved,
    plain,
    whispered,
    with_event,
)
from tests.tables import for_each

RATE = 16_000


def buzz(seconds: float = 0.6, *, hertz: float = 120.0) -> Audio:
    time = np.arange(round(seconds * RATE)) / RATE
    wave = sum(np.sin(2 * np.pi * hertz * k * time) / k for k in range(1, 20))
    return Audio((0.1 * np.asarray(wave)).astype(np.float32), rate=RATE, source="buzz")


def hiss(seconds: float) -> Audio:
    samples = np.random.default_rng(1).normal(size=round(seconds * RATE)) * 0.1
    return Audio(samples.astype(np.float32), rate=RATE, source="hiss")


BESIDE = Beside([hiss(2.0)], {VocalEvent.LAUGHTER: [hiss(4.0)], VocalEvent.COUGH: [hiss(0.3)], VocalEvent.BREATH: []})


@for_each("name", VARIANTS)
def test_the_same_draw_gives_the_same_version_and_what_is_known_has_values(name: str) -> None:
    for seed in range(3):
        first, known = VARIANTS[name](buzz(), np.random.default_rng(seed), BESIDE)
        again, same = VARIANTS[name](buzz(), np.random.default_rng(seed), BESIDE)
        assert (first, dict(known)) == (again, dict(same))
        for attribute, value in known.items():
            found = value if isinstance(value, tuple) else (value,)
            assert set(found) <= set(values_of(attribute))  # type: ignore[arg-type]


def test_plain_is_as_it_is() -> None:
    clip = buzz()
    assert plain(clip, np.random.default_rng(1), BESIDE) == (clip, PLAIN)


def test_moved_clips_differ_in_length_or_not_and_in_level_within_bounds() -> None:
    clip = buzz()
    lengths = Counter[str]()
    for seed in range(30):
        version, known = moved(clip, np.random.default_rng(seed), BESIDE)
        assert known == PLAIN
        # softer by 18 dB at most, louder by 12 dB at most; windows and resampling cost a little at the edges
        assert 10 ** (-18.5 / 20) <= rms(version.samples) / rms(clip.samples) <= 10 ** (12.5 / 20)
        # slower by exp(0.3) at most, played slower by 4 semitones at most
        share = version.samples.size / clip.samples.size
        assert 2 ** (-4 / 12) - 0.01 <= share <= np.exp(0.3) + 0.01
        lengths["same" if share == 1 else "other"] += 1
    assert min(lengths["same"], lengths["other"]) >= 5  # a third keeps its length: the shifted ones


@pytest.mark.slow
def test_every_recording_condition_and_music_occurs_and_changes_the_sound() -> None:
    clip = buzz()
    met = set()
    for seed in range(25):
        version, known = conditioned(clip, np.random.default_rng(seed), BESIDE)
        if known["music"] is Music.PRESENT:  # and nothing is said about the recording condition
            assert known == {"music": Music.PRESENT}
        met.add(str(known.get("recording_condition", known["music"])))
        assert not np.array_equal(version.samples[: clip.samples.size], clip.samples)
    assert met == {*CONDITIONS, "present"} - {"normal"}


def test_without_music_none_is_mixed_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(style_variants, "far_field", lambda audio, **_: audio)  # rooms take seconds
    known = [conditioned(buzz(0.1), np.random.default_rng(seed), Beside())[1] for seed in range(12)]
    assert all(one["music"] is Music.ABSENT for one in known)


def test_a_sound_stands_before_or_behind_the_words_with_a_pause_between() -> None:
    clip = buzz()
    places = set()
    for seed in range(12):
        version, known = with_event(clip, np.random.default_rng(seed), BESIDE)
        (event,) = known["events"]
        # the laugh is cut to three seconds; the pause lasts 150 ms
        sound = 3 * RATE if event is VocalEvent.LAUGHTER else round(0.3 * RATE)
        assert version.samples.size == clip.samples.size + round(0.15 * RATE) + sound
        if np.array_equal(version.samples[: clip.samples.size], clip.samples):
            heard, pause = version.samples[-sound:], version.samples[clip.samples.size : -sound]
            places.add((event, "behind"))
        else:
            assert np.array_equal(version.samples[-clip.samples.size :], clip.samples)
            heard, pause = version.samples[:sound], version.samples[sound : -clip.samples.size]
            places.add((event, "before"))
        assert not pause.any()
        # 3 dB below the voice to 9 dB above it
        assert 10 ** (-3.1 / 20) <= rms(heard) / rms(clip.samples) <= 10 ** (9.1 / 20)
    assert {place for _, place in places} == {"before", "behind"}
    assert {event for event, _ in places} == {VocalEvent.LAUGHTER, VocalEvent.COUGH}


def test_where_there_are_no_sounds_the_clip_stays_as_it_is() -> None:
    clip = buzz()
    assert with_event(clip, np.random.default_rng(1), Beside(events={VocalEvent.COUGH: []})) == (clip, PLAIN)


def test_a_whisper_has_the_length_of_the_voice_less_of_its_level_and_no_period() -> None:
    clip = buzz(1.0)
    version, known = whispered(clip, np.random.default_rng(1), BESIDE)
    assert known == {**PLAIN, "texture": Texture.WHISPERED}
    assert version.samples.size == clip.samples.size
    assert 10 ** (-14.1 / 20) <= rms(version.samples) / rms(clip.samples) <= 10 ** (-3.9 / 20)

    def repeats(audio: Audio) -> float:
        """Similarity of the clip to itself ten periods of 120 Hz later: 1,333 samples."""
        return float(np.corrcoef(audio.samples[:-1333], audio.samples[1333:])[0, 1])

    assert repeats(clip) > 0.9
    assert abs(repeats(version)) < 0.2


@settings(max_examples=15, deadline=None)
@given(
    size=st.integers(1, 3000),
    seed=st.integers(0, 5),
    name=st.sampled_from(["plain", "moved", "with-event", "whispered"]),
)
def test_short_clips_and_silence_become_finite_versions(size: int, seed: int, name: str) -> None:
    silence = Audio(np.zeros(size, dtype=np.float32), rate=RATE)
    version, _ = VARIANTS[name](silence, np.random.default_rng(seed), BESIDE)
    assert np.isfinite(version.samples).all()


def test_the_sounds_of_the_set_are_events_that_people_make() -> None:
    assert set(EVENTS.values()) <= set(VocalEvent)
