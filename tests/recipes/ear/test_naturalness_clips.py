import math
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from aptone.audio import read, write
from aptone.errors import RecordError, UsageError
from aptone.types import Audio
from recipes.ear import naturalness_clips as ear_naturalness_clips
from recipes.ear.naturalness_clips import (
    CODECS,
    DEGRADED,
    HUMAN,
    MACHINES,
    PARTS,
    RATE,
    SENTENCES,
    SYNTHESISED,
    across_a_room,
    damaged,
    emodb_listeners,
    make_clips,
    mel_bands,
    read_clips,
    rebuilt,
    spread,
)
from tests.recipes.ear.natural_clips import tone

pytestmark = pytest.mark.slow


def test_a_table_of_listeners_is_read_with_commas_and_hard_spaces(data: Path) -> None:
    assert emodb_listeners(data) == {"train0.ogg": 0.35, "train1.ogg": 0.8}


def test_a_broken_table_of_listeners_names_its_line(data: Path) -> None:
    (data / "emodb" / "erkennung.txt").write_text("Nr.\tSatz\n1\ta.wav\tmany\tfew\n", encoding="latin-1")
    with pytest.raises(RecordError, match="two percentages"):
        emodb_listeners(data)


def test_chosen_clips_are_spread_over_speakers_and_emotions() -> None:
    rows = [{"speaker": f"s{i % 3}", "emotion": f"e{i % 4}"} for i in range(120)]
    chosen = spread(rows, 12, generator=np.random.default_rng(1))
    assert Counter(row["speaker"] for row in chosen) == {"s0": 4, "s1": 4, "s2": 4}  # 12 / 3
    assert Counter(row["emotion"] for row in chosen) == {"e0": 3, "e1": 3, "e2": 3, "e3": 3}  # 12 / 4


def test_more_clips_than_there_are_is_all_of_them() -> None:
    rows = [{"speaker": "s", "emotion": "e"}] * 3
    assert len(spread(rows, 5, generator=np.random.default_rng(1))) == 3


def test_the_parts_share_no_voice_and_no_sentence() -> None:
    for one, other in (("train", "dev"), ("train", "test"), ("dev", "test")):
        first, second = PARTS[one], PARTS[other]
        assert not set(first.flite) & set(second.flite)
        assert not set(first.variants) & set(second.variants)
        assert not set(range(*first.sentences)) & set(range(*second.sentences))


def test_every_language_has_every_sentence_once() -> None:
    for text in SENTENCES.values():
        lines = [line.strip() for line in text.split("\n")[1:]]
        assert len(set(lines)) == len(lines) == max(plan.sentences[1] for plan in PARTS.values())


def test_the_codecs_of_the_test_of_conditions_are_left_to_it() -> None:
    assert not {"gsm", "amr"} & set(CODECS)


def test_five_ways_of_damage_in_turn_keep_the_length_and_change_the_sound() -> None:
    clean = tone(0.6)
    generator = np.random.default_rng(5)
    found = [damaged(clean, way=way, generator=generator) for way in range(5)]
    assert [how.split()[0] for how, _ in found] == ["codec", "room", "drop-outs", found[3][0].split()[0], "clipping"]
    assert found[3][0].endswith("noise")
    for _, audio in found:
        assert audio.samples.size == clean.samples.size
        assert not np.array_equal(audio.samples, clean.samples)


def test_overdrive_cuts_between_three_and_thirty_hundredths_of_the_peak() -> None:
    _, audio = damaged(tone(level=0.5), way=4, generator=np.random.default_rng(2))
    assert 0.03 * 0.5 <= np.abs(audio.samples).max() <= 0.3 * 0.5


def test_a_room_is_drawn_again_until_it_can_be(monkeypatch: pytest.MonkeyPatch) -> None:
    refused: list[tuple[float, ...]] = []

    def only_large(audio: Audio, *, rt60: float, distance: float, seed: object, room: tuple[float, ...]) -> Audio:
        if len(refused) < 3:
            refused.append(room)
            raise UsageError("too small")
        return audio

    monkeypatch.setattr(ear_naturalness_clips, "far_field", only_large)
    clean = tone(0.2)
    assert across_a_room(clean, generator=np.random.default_rng(4)) == clean
    assert len(set(refused)) == 3  # another room each time


def test_a_hundred_rooms_that_cannot_be_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(audio: Audio, **_: object) -> Audio:
        raise UsageError("too small")

    monkeypatch.setattr(ear_naturalness_clips, "far_field", refuse)
    with pytest.raises(UsageError, match="hundred draws"):
        across_a_room(tone(0.2), generator=np.random.default_rng(4))


def test_mel_bands_are_triangles_that_add_up_to_one_between_the_outer_peaks() -> None:
    bands = mel_bands(10, size=512)
    assert bands.shape == (10, 257)
    peaks = bands.argmax(axis=1)
    inner = bands[:, peaks[0] + 1 : peaks[-1]].sum(axis=0)
    assert inner == pytest.approx(np.ones(inner.size))  # what one triangle loses, its neighbour gains


def test_a_rebuilt_tone_keeps_its_pitch_and_level_and_loses_its_phase() -> None:
    clean = tone(1.0, hertz=1000.0)
    heard = rebuilt(clean, generator=np.random.default_rng(3))
    assert heard.samples.size == clean.samples.size
    spectrum = np.abs(np.fft.rfft(heard.samples))  # one bin a hertz: the clip is a second long
    assert abs(int(spectrum.argmax()) - 1000) < 100  # a mel band at 1 kHz is about 100 Hz wide
    ratio = np.sqrt(np.mean(heard.samples**2) / np.mean(clean.samples**2))
    assert 0.5 < ratio < 1.5
    assert abs(np.corrcoef(heard.samples, clean.samples)[0, 1]) < 0.9


def test_rebuilding_silence_gives_silence() -> None:
    silent = Audio(np.zeros(3200, np.float32), rate=RATE)
    assert not rebuilt(silent, generator=np.random.default_rng(3)).samples.any()


@pytest.mark.usefixtures("small")
def test_made_clips_hold_all_kinds_of_all_parts(data: Path, tmp_path: Path) -> None:
    items = make_clips(data, tmp_path / "made")
    # train and test: 1 person of each of 4 sets, damaged once, rebuilt once, 2 machines with 4 clips each, and EmoDB's
    # other clip; dev lacks Mandarin
    expected = {HUMAN: 4 + 1, DEGRADED: 4, SYNTHESISED: 4 + 2 * 4}
    assert Counter(one.kind for one in items if one.part == "train") == expected
    assert Counter(one.kind for one in items if one.part == "test") == expected
    assert Counter(one.kind for one in items if one.part == "dev") == {HUMAN: 3 + 1, DEGRADED: 3, SYNTHESISED: 3 + 8}
    emodb = [one.emodb_file for one in items if one.part == "test" and one.emodb_file]
    assert sorted(emodb) == ["test0.ogg", "test1.ogg"]  # each once
    assert all(read(tmp_path / "made" / one.path, rate=RATE).seconds > 0 for one in items)
    # NaN is not equal to itself, so that the shares are compared apart
    again = read_clips(tmp_path / "made")
    assert [(one.id, one.path, one.kind, one.how, one.set) for one in again] == [
        (one.id, one.path, one.kind, one.how, one.set) for one in items
    ]
    assert {one.emodb_file: one.listeners for one in again if not math.isnan(one.listeners)} == {
        "train0.ogg": 0.35,
        "train1.ogg": 0.8,
    }


@pytest.mark.usefixtures("small")
def test_the_same_seed_makes_the_same_clips_and_another_does_not(data: Path, tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b", "c")]
    made = [make_clips(data, folder, seed=seed) for folder, seed in zip(folders, (1, 1, 2), strict=True)]
    sounds = [
        [read(folder / one.path, rate=RATE).hash for one in items] for folder, items in zip(folders, made, strict=True)
    ]
    assert sounds[0] == sounds[1]
    assert sounds[0] != sounds[2]


@pytest.mark.usefixtures("small")
def test_a_missing_set_is_named(data: Path, tmp_path: Path) -> None:
    (data / "nemo" / "labels.csv").unlink()
    with pytest.raises(UsageError, match="nemo"):
        make_clips(data, tmp_path / "made")


def test_a_machine_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    for machine in MACHINES:
        with pytest.raises(UsageError, match=f"{machine} with the voice .* install it"):
            ear_naturalness_clips.spoken(machine, 0, PARTS["train"], generator=np.random.default_rng(1))


def test_what_a_machine_says_gets_silence_and_hiss_around_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a machine that says one second of tone, whatever it is asked, into the file after -o or -w
    write(tmp_path / "said.wav", tone(1.0))
    for machine, option in zip(MACHINES, ("-o", "-w"), strict=True):
        script = tmp_path / machine
        script.write_text(
            f'#!/bin/sh\nwhile [ "$1" != "{option}" ]; do shift; done\n/bin/cp "{tmp_path}/said.wav" "$2"\n'
        )
        script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    for machine, voice in zip(MACHINES, ("kal16", "en-us"), strict=True):
        name, audio = ear_naturalness_clips.spoken(machine, 0, PARTS["train"], generator=np.random.default_rng(1))
        assert name == voice
        assert 1.1 <= audio.seconds <= 2.2  # a second, and 0.05 to 0.6 s on either side
        hiss = audio.samples[: int(0.04 * RATE)]
        assert 0 < np.abs(hiss).max() < 0.05  # at least 35 dB below the tone


def test_a_damaged_list_of_clips_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "clips.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    with pytest.raises(RecordError, match="line 1"):
        read_clips(tmp_path)
