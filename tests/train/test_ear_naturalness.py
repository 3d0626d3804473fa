import json
import math
import sys
from collections import Counter
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import numpy.typing as npt
import pytest

from aptone.audio import read, telephone_band, write
from aptone.errors import RecordError, UsageError
from aptone.train import ear_naturalness
from aptone.train.ear_naturalness import (
    CODECS,
    DEGRADED,
    HUMAN,
    KINDS,
    MACHINES,
    PARTS,
    RATE,
    SENTENCES,
    SPEECH_SETS,
    SYNTHESISED,
    Item,
    NaturalnessHead,
    Part,
    across_a_room,
    ask_teacher,
    damaged,
    emodb_listeners,
    fit,
    load_teacher,
    main,
    make_clips,
    mel_bands,
    read_clips,
    read_head,
    rebuilt,
    report,
    spread,
    target,
)
from aptone.types import Audio


def tone(seconds: float = 0.5, hertz: float = 440.0, level: float = 0.5) -> Audio:
    times = np.arange(round(seconds * RATE)) / RATE
    return Audio((level * np.sin(2 * np.pi * hertz * times)).astype(np.float32), rate=RATE)


def item(name: str, kind: str = HUMAN, *, listeners: float = math.nan) -> Item:
    return Item(name, f"clips/{name}.ogg", "test", kind, "as it is", "emodb", listeners=listeners)


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The four sets, with one speaker and two emotions in each part; Mandarin has no dev part."""
    folder = tmp_path / "data"
    for name in SPEECH_SETS:
        (folder / name).mkdir(parents=True)
        lines = ["file,speaker,emotion,split"]
        for part in ("train", "test") if name == "csemotions" else PARTS:
            for number, emotion in enumerate(("angry", "sad")):
                file = f"{part}{number}.ogg"
                write(folder / name / file, tone(hertz=200.0 + 50 * number))
                lines.append(f"{file},{name}-{part},{emotion},{part}")
        (folder / name / "labels.csv").write_text("\n".join(lines), encoding="utf-8")
    table = "Nr.\tSatz\terkannt\tnatuerlich\n1\xa0\ttrain0.wav\t65,00\xa0\t35,00\xa0\n2\ttrain1.wav\t5,00\t80,00\n\n"
    (folder / "emodb" / "erkennung.txt").write_text(table, encoding="latin-1")
    return folder


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Small parts, rooms that take no seconds, and machines that hum, since they may not be installed."""
    parts = {name: Part(1, 1, 4, 1, 1, ("kal16",), ("",), plan.sentences) for name, plan in PARTS.items()}
    monkeypatch.setattr(ear_naturalness, "PARTS", parts)

    def hum(machine: str, number: int, plan: Part, *, generator: np.random.Generator) -> tuple[str, Audio]:
        return machine, tone(hertz=float(generator.uniform(100, 200)))

    monkeypatch.setattr(ear_naturalness, "spoken", hum)
    monkeypatch.setattr(ear_naturalness, "far_field", lambda audio, **_: telephone_band(audio))


def test_an_opinion_is_stretched_and_counts_for_half() -> None:
    # of a machine the other half is 0: (1 - 1) · 5/4 / 2, (3 - 1) · 5/4 / 2, (5 - 1) · 5/4 / 2
    machine = item("a", SYNTHESISED)
    assert [target(machine, opinion) for opinion in (1.0, 3.0, 5.0)] == [0.0, 1.25, 2.5]


def test_an_opinion_beyond_the_scale_counts_as_its_end() -> None:
    machine = item("a", SYNTHESISED)
    assert [target(machine, opinion) for opinion in (0.7, 5.2)] == [0.0, 2.5]


def test_what_people_said_counts_for_the_other_half() -> None:
    # the teacher's 4 is 3.75; half of the listeners are 2.5; (3.75 + 2.5) / 2
    assert target(item("a", listeners=0.5), 4.0) == pytest.approx(3.125)


def test_a_person_about_whom_nobody_was_asked_counts_as_an_average_actor_even_when_damaged() -> None:
    # (2.5 + 5 · 0.77) / 2
    assert target(item("a"), 3.0) == target(item("a", DEGRADED), 3.0) == pytest.approx(3.175)


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

    monkeypatch.setattr(ear_naturalness, "far_field", only_large)
    clean = tone(0.2)
    assert across_a_room(clean, generator=np.random.default_rng(4)) == clean
    assert len(set(refused)) == 3  # another room each time


def test_a_hundred_rooms_that_cannot_be_are_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(audio: Audio, **_: object) -> Audio:
        raise UsageError("too small")

    monkeypatch.setattr(ear_naturalness, "far_field", refuse)
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
            ear_naturalness.spoken(machine, 0, PARTS["train"], generator=np.random.default_rng(1))


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
        name, audio = ear_naturalness.spoken(machine, 0, PARTS["train"], generator=np.random.default_rng(1))
        assert name == voice
        assert 1.1 <= audio.seconds <= 2.2  # a second, and 0.05 to 0.6 s on either side
        hiss = audio.samples[: int(0.04 * RATE)]
        assert 0 < np.abs(hiss).max() < 0.05  # at least 35 dB below the tone


def test_a_damaged_list_of_clips_names_its_line(tmp_path: Path) -> None:
    (tmp_path / "clips.jsonl").write_text('{"id": "a"}\n', encoding="utf-8")
    with pytest.raises(RecordError, match="line 1"):
        read_clips(tmp_path)


def test_opinions_are_kept_by_id(tmp_path: Path) -> None:
    (tmp_path / "clips").mkdir()
    items = [item("a"), item("b")]
    for one, level in zip(items, (0.2, 0.4), strict=True):
        write(tmp_path / one.path, tone(1.0, level=level))
    opinions = ask_teacher(tmp_path, items, lambda audio: 10 * math.sqrt(np.mean(audio.samples**2)))
    # ten times the root mean square, level / sqrt(2); Opus changes it a little
    assert opinions["a"] == pytest.approx(2.0 / math.sqrt(2), rel=0.1)
    assert opinions["b"] == pytest.approx(4.0 / math.sqrt(2), rel=0.1)
    assert json.loads((tmp_path / "teacher.json").read_text(encoding="utf-8")) == opinions


def test_the_teacher_hears_the_samples_of_a_clip_as_one_row(monkeypatch: pytest.MonkeyPatch) -> None:
    # in the place of torch: a tensor is an array; in the place of the network: the longest row's length
    network = SimpleNamespace(eval=lambda: lambda rows: np.array(float(rows.shape[1]) / rows.shape[0]))
    package = SimpleNamespace(ConvTransformerSQAModel=lambda: network)
    framework = SimpleNamespace(tensor=np.array, no_grad=nullcontext)
    monkeypatch.setitem(sys.modules, "torch", framework)
    monkeypatch.setitem(sys.modules, "distillmos", package)
    assert load_teacher()(tone(0.5)) == 0.5 * RATE


def test_a_teacher_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ImportError(f"No module named {name!r}")

    monkeypatch.setattr("importlib.import_module", missing)
    with pytest.raises(UsageError, match="pip install distillmos"):
        load_teacher()


def test_without_shrinkage_a_line_is_found_again() -> None:
    hidden = np.random.default_rng(7).normal(3.0, 2.0, size=(50, 3))
    targets = hidden @ np.array([0.2, -0.1, 0.0]) + 2.0
    head = fit(hidden, targets, strength=1e-12)
    assert head.weights == pytest.approx([0.2, -0.1, 0.0], abs=1e-8)
    assert head.bias == pytest.approx(2.0)
    assert head.numbers == pytest.approx((0.2, -0.1, 0.0, 2.0), abs=1e-8)


def test_the_strength_shrinks_one_feature_as_the_formula_says() -> None:
    # x = ±2 has deviation 2, so z = ±1; y = ±1 around 3: the weight of z is 1 / (1 + strength) = 0.5, of x 0.25
    head = fit(np.array([[-2.0], [2.0]]), np.array([2.0, 4.0]), strength=1.0)
    assert head.weights == pytest.approx([0.25])
    assert head.bias == pytest.approx(3.0)


def test_a_feature_that_never_changes_has_no_weight() -> None:
    head = fit(np.array([[1.0, 7.0], [2.0, 7.0], [3.0, 7.0]]), np.array([1.0, 2.0, 3.0]), strength=1e-9)
    assert head.weights == pytest.approx([1.0, 0.0])


def test_a_prediction_stays_between_naught_and_five() -> None:
    head = NaturalnessHead(np.array([1.0]), 0.0)
    assert head.predict(np.array([[-3.0], [2.0], [9.0]])).tolist() == [0.0, 2.0, 5.0]
    assert math.isnan(head.predict(np.array([[math.nan]]))[0])


def test_what_does_not_go_together_is_refused() -> None:
    with pytest.raises(RecordError, match="for each clip"):
        fit(np.zeros((3, 2)), np.zeros(2), strength=1.0)
    with pytest.raises(RecordError, match="for each clip"):
        fit(np.zeros((0, 2)), np.zeros(0), strength=1.0)
    with pytest.raises(RecordError, match="not finite"):
        fit(np.array([[math.nan], [1.0]]), np.zeros(2), strength=1.0)


def test_a_report_says_how_often_a_person_sounds_more_natural_than_a_machine() -> None:
    items = [item("a"), item("b"), item("c", DEGRADED), item("d", SYNTHESISED), item("e", SYNTHESISED)]
    found = report(items, np.array([5.0, 4.0, 3.0, 2.0, 1.0]), np.array([4.0, 2.0, 3.0, 3.0, 2.0]))
    # 4 beats 3 and 2; 2 loses to 3 and ties with 2: (1 + 1 + 0 + 0.5) / 4
    assert found.area == pytest.approx(0.625)
    assert found.target_area == 1.0
    assert found.means == {HUMAN: 3.0, DEGRADED: 3.0, SYNTHESISED: 2.5}
    assert found.target_means == {HUMAN: 4.5, DEGRADED: 3.0, SYNTHESISED: 1.5}
    assert found.error == pytest.approx((1 + 2 + 0 + 1 + 1) / 5)
    # deviations of the targets 2, 1, 0, -1, -2 and of the answers 1.2, -0.8, 0.2, 0.2, -0.8:
    # (2.4 - 0.8 - 0.2 + 1.6) / sqrt(10 · 2.8)
    assert found.pearson.value == pytest.approx(3.0 / math.sqrt(28.0))
    assert not found.listeners.is_defined
    assert found.clips == 5


def test_a_report_correlates_with_the_listeners_of_the_clips_that_have_them() -> None:
    items = [item("a", listeners=0.2), item("b", listeners=0.4), item("c", listeners=0.9), item("d")]
    found = report(items, np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.5, 0.0]))
    assert found.listeners.value == pytest.approx(1.0)  # 5 · share, each time
    assert found.listeners.count == 3
    assert math.isnan(found.area)  # no machine among them


def test_a_clip_that_is_not_judged_counts_half_against_every_machine() -> None:
    items = [item("a"), item("b"), item("c", SYNTHESISED)]
    found = report(items, np.array([5.0, 4.0, 1.0]), np.array([3.0, math.nan, 1.0]))
    assert found.area == pytest.approx(0.75)  # (1 + 0.5) / 2
    assert found.unjudged == 1
    assert found.means == {HUMAN: 3.0, SYNTHESISED: 1.0}
    assert found.error == pytest.approx(1.0)  # (2 + 0) / 2


def test_a_report_on_an_ear_that_says_nothing_is_undefined_with_a_reason() -> None:
    found = report([item("a"), item("b", SYNTHESISED)], np.array([4.0, 1.0]), np.full(2, math.nan))
    assert found.unjudged == 2
    assert found.means == {}
    assert math.isnan(found.error)
    assert "left out" in found.pearson.reason
    assert found.area == 0.5


def fake_hidden(audio: Audio) -> npt.NDArray[np.floating]:
    level = float(np.sqrt(np.mean(audio.samples**2)))
    return np.array([level, float(np.abs(audio.samples).max()), audio.seconds])


@pytest.mark.usefixtures("small")
def test_from_data_to_head_and_back_from_its_file(data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # the teacher finds loud clips natural, the vector holds the level, and who speaks is left out of the targets: the
    # head must find the line
    monkeypatch.setattr(ear_naturalness, "load_teacher", lambda: lambda audio: 1 + 8 * fake_hidden(audio)[0])
    monkeypatch.setattr(ear_naturalness, "TAKEN_FOR_NATURAL", dict.fromkeys(KINDS, 0.6))
    (data / "emodb" / "erkennung.txt").write_text("Nr.\n", encoding="latin-1")
    folder = tmp_path / "made"
    fitted = main(data, folder, fake_hidden, strengths=(1e-6, 1e6))
    assert fitted.strength == 1e-6
    assert fitted.reports["test"].pearson.value > 0.99
    assert set(fitted.reports) == set(PARTS)
    assert set(fitted.reports["dev"].means) == set(KINDS)
    head = read_head(folder / "naturalness.json")
    assert head.numbers == fitted.head.numbers

    def never() -> None:
        raise AssertionError("asked twice")

    monkeypatch.setattr(ear_naturalness, "load_teacher", never)
    permissive = main(data, folder, fake_hidden, sets=("emodb", "csemotions"))
    assert permissive.head.numbers != fitted.head.numbers
    assert permissive.reports["test"].clips == fitted.reports["test"].clips
    (folder / "teacher.json").write_text("{}", encoding="utf-8")
    with pytest.raises(RecordError, match="asked again"):
        main(data, folder, fake_hidden)


def test_a_file_without_a_head_is_refused(tmp_path: Path) -> None:
    (tmp_path / "naturalness.json").write_text('{"weights": [1.0]}', encoding="utf-8")
    with pytest.raises(RecordError, match="fit it again"):
        read_head(tmp_path / "naturalness.json")
