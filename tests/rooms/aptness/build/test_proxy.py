"""The proxy benchmark: what is drawn, how it is graded, and what is written."""

import json
import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.audio import read, write
from aptone.ear.labelled_clips import COLUMNS, LabelledClip, read_labels
from aptone.errors import RecordError, UsageError
from aptone.planner.labelled_dialogues import Dialogue, LabelledLine, read_cped, read_meld
from aptone.rooms.aptness.build.proxy import DEGRADED, build_proxy, sample_items
from aptone.rooms.aptness.build.proxy_grade import NARRATION, Fit, ProxySettings, distance, grade, load_settings
from aptone.rooms.aptness.data import read_manifest
from aptone.types import Audio, Emotion, Line, RecordingCondition
from tests.tables import for_each

ACTED = ("neutral", "happy", "sad", "angry", "fear", "surprise")
LABELS = ("neutral", "joy", "sadness", "anger", "fear", "surprise")


def dialogue(*labels: str, language: str = "en", of_set: str = "meld") -> Dialogue:
    lines = tuple(
        LabelledLine(Line(f"Line {number} is {label}.", f"Role {number % 2}"), {label: 1.0})
        for number, label in enumerate(labels)
    )
    return Dialogue(of_set, "test", language, lines)  # type: ignore[arg-type]


def clip(emotion: str, intensity: str = "", *, folder: Path = Path("clips"), speaker: str = "one") -> LabelledClip:
    name = f"{speaker}-{emotion}-{intensity or 'plain'}.wav"
    return LabelledClip(folder / name, speaker, "female", "", "en", emotion, intensity, "", "test")


def clips() -> list[LabelledClip]:
    return [clip(emotion, intensity) for emotion in ACTED for intensity in ("normal", "strong")]


@pytest.fixture
def recorded(tmp_path: Path) -> list[LabelledClip]:
    """Clips of a second of a buzz, which stand in for voices."""
    folder = tmp_path / "voices"
    folder.mkdir()
    samples = 0.3 * np.sign(np.sin(2 * np.pi * 150 * np.arange(16_000) / 16_000))
    made = [clip(emotion, folder=folder) for emotion in ACTED]
    for one in made:
        write(one.path, Audio(samples.astype(np.float32), rate=16_000, source="buzz"))
    return made


def test_the_same_emotion_without_an_intensity_has_the_whole_grade() -> None:
    assert all(grade(emotion, emotion, settings=ProxySettings()) == 5.0 for emotion in Emotion)


def test_a_grade_is_what_the_formula_gives() -> None:
    # Sad (-0.63, -0.27, -0.33) acted strongly is 1.2 times that: 0.2 · |sad| = 0.2 · 0.7607 = 0.1521 from the line,
    # so 5 · (1 - 0.1521 / 1.5) = 4.493; the wrong recording condition leaves 0.6 of it, 2.696.
    settings = ProxySettings()
    assert grade(Emotion.SAD, Emotion.SAD, intensity="strong", settings=settings) == pytest.approx(4.4929, abs=1e-3)
    wrong = grade(Emotion.SAD, Emotion.SAD, intensity="strong", same_condition=False, settings=settings)
    assert wrong == pytest.approx(2.6957, abs=1e-3)


def test_what_lies_beyond_the_reach_has_the_grade_0() -> None:
    # Happy to sad, acted strongly: |(0.81 + 0.756, 0.51 + 0.324, 0.46 + 0.396)| = 1.970 > 1.5.
    assert distance(Emotion.HAPPY, Emotion.SAD, intensity="strong", settings=ProxySettings()) == pytest.approx(
        1.970, abs=1e-3
    )
    assert grade(Emotion.HAPPY, Emotion.SAD, intensity="strong", settings=ProxySettings()) == 0.0


@given(
    st.sampled_from(list(Emotion)),
    st.sampled_from(list(Emotion)),
    st.sampled_from(["", "normal", "strong"]),
    st.booleans(),
)
def test_grades_stay_on_the_scale_and_a_wrong_condition_never_raises_one(
    line: Emotion, acted: Emotion, intensity: str, same: bool
) -> None:
    settings = ProxySettings()
    value = grade(line, acted, intensity=intensity, same_condition=same, settings=settings)
    assert 0.0 <= value <= grade(line, acted, intensity=intensity, settings=settings) <= 5.0


def test_a_draw_has_the_classes_that_the_settings_ask_for() -> None:
    settings = ProxySettings(items=300, asked=0.0, unasked=0.0)
    drawn = sample_items([dialogue(*LABELS)] * 10, clips(), settings=settings)
    assert Counter(item.fit for item in drawn) == {Fit.FITS: 100, Fit.HALF: 100, Fit.CONTRADICTS: 100}


def test_classes_say_how_near_the_clip_is() -> None:
    settings = ProxySettings(items=600, asked=0.0, unasked=0.0)
    for item in sample_items([dialogue(*LABELS)] * 10, clips(), settings=settings):
        acted = Emotion.parse(item.clip.emotion)
        far = distance(item.scene.emotion, acted, intensity=item.clip.intensity, settings=settings)
        match item.fit:
            case Fit.FITS:
                assert acted is item.scene.emotion
            case Fit.HALF:
                assert acted is not item.scene.emotion
                assert far <= 0.8
            case Fit.CONTRADICTS:
                assert far >= 0.9


def test_a_clip_that_fits_but_for_its_recording_condition_only_half_fits() -> None:
    settings = ProxySettings(items=400, asked=1.0, answered=0.0, shares={"fits": 1, "half fits": 0, "contradicts": 0})
    drawn = sample_items([dialogue(*LABELS)], clips(), settings=settings)
    assert {item.fit for item in drawn} == {Fit.HALF}
    assert {item.asked for item in drawn} == {RecordingCondition.parse(name) for name in settings.conditions}
    assert {item.heard for item in drawn} == {RecordingCondition.NORMAL}


def test_the_same_seed_draws_the_same_and_another_seed_something_else() -> None:
    def drawn(seed: int) -> Sequence[object]:
        return sample_items([dialogue(*LABELS)] * 3, clips(), settings=ProxySettings(seed=seed, items=60))

    assert drawn(1) == drawn(1)
    assert drawn(1) != drawn(2)


def test_emotions_are_drawn_as_they_occur_or_equally_often() -> None:
    scenes = [dialogue(*["neutral"] * 8, "joy", "anger")] * 6
    as_they_occur = sample_items(scenes, clips(), settings=ProxySettings(items=60))
    equal = sample_items(scenes, clips(), settings=ProxySettings(items=60, emotions="equal"))
    assert Counter(item.scene.emotion for item in as_they_occur)[Emotion.NEUTRAL] == 48
    assert set(Counter(item.scene.emotion for item in equal).values()) == {20}


def test_a_line_is_shown_with_at_most_fifteen_lines_before_it() -> None:
    drawn = sample_items([dialogue(*["neutral"] * 30)], clips(), settings=ProxySettings(items=30))
    assert max(len(item.scene.context) for item in drawn) == 15
    last = next(item for item in drawn if item.scene.line.text.startswith("Line 29 "))
    assert last.scene.context[-1].text.startswith("Line 28 ")


def test_labels_that_are_none_of_our_emotions_are_not_drawn() -> None:
    scenes = [dialogue("negative-other", "happy", language="zh", of_set="cped")]
    assert {item.scene.line.text for item in sample_items(scenes, clips(), settings=ProxySettings(items=5))} == {
        "Line 1 is happy."
    }


def test_what_cannot_be_drawn_from_is_said() -> None:
    with pytest.raises(UsageError, match="none of the clips has an emotion"):
        sample_items([dialogue("joy")], [clip("thunder")], settings=ProxySettings(items=1))
    with pytest.raises(UsageError, match="no line of the dialogues has an emotion that a clip has"):
        sample_items([dialogue("joy")], [clip("sad")], settings=ProxySettings(items=1))


@pytest.mark.slow
def test_a_benchmark_is_written_as_a_manifest_that_can_be_read(tmp_path: Path, recorded: list[LabelledClip]) -> None:
    settings = ProxySettings(items=40, asked=0.5)
    built = build_proxy([dialogue(*LABELS)] * 3, recorded, out=tmp_path / "proxy", settings=settings)
    samples = read_manifest(built.manifest)
    assert len(samples) == built.items == 40
    assert all(math.isnan(sample.human_score) for sample in samples)  # nobody was asked
    for sample in samples:
        assert sample.plan is not None
        same = sample.ids["asked"] == sample.ids["heard"]
        line, acted = Emotion.parse(sample.plan.emotion), Emotion.parse(sample.ids["acted"])
        assert sample.proxy_score == pytest.approx(grade(line, acted, same_condition=same, settings=settings), abs=1e-4)
        narrated = [entry.text for entry in sample.context if not entry.role]
        if sample.ids["asked"] == "normal":
            assert not narrated
        else:
            assert narrated[0] in NARRATION[sample.ids["asked"]]["en"]
            assert sample.context[-1].text == narrated[0]


@pytest.mark.slow
def test_a_degraded_clip_differs_from_the_recording_and_a_plain_one_does_not(
    tmp_path: Path, recorded: list[LabelledClip]
) -> None:
    settings = ProxySettings(items=60, asked=0.5)
    build_proxy([dialogue(*LABELS)] * 3, recorded, out=tmp_path / "proxy", settings=settings)
    made = {path.name for path in (tmp_path / "proxy" / "clips").iterdir()}
    assert any(name.endswith("_phone.flac") for name in made)
    original = recorded[0].path
    for name in made:
        if not name.startswith(original.stem):
            continue
        path = tmp_path / "proxy" / "clips" / name
        if name == original.name:
            assert path.read_bytes() == original.read_bytes()
        else:
            worse, plain = read(path, rate=16_000).samples, read(original, rate=16_000).samples
            assert worse.size == plain.size
            assert float(np.abs(worse - plain).max()) > 0.01


def test_settings_and_counts_stand_beside_the_manifest(tmp_path: Path, recorded: list[LabelledClip]) -> None:
    settings = ProxySettings(items=10, seed=7, conditions=("phone",))
    out = tmp_path / "proxy"
    build_proxy([dialogue(*LABELS)], recorded, out=out, settings=settings)
    about = json.loads((out / "proxy.json").read_text(encoding="utf-8"))
    assert "not agreement with people" in about["about"]
    assert sum(about["counts"]["fit"].values()) == 10
    assert load_settings(out / "proxy.json") == settings
    with pytest.raises(UsageError, match="is there already; name a new folder"):
        build_proxy([dialogue(*LABELS)], recorded, out=out, settings=settings)


@for_each(
    ("given_settings", "says"),
    [
        ({"items": 0}, "one item or more"),
        ({"emotions": "some"}, "as they occur, or equal"),
        ({"shares": {"fits": 1.0}}, "sum to 1"),
        ({"conditions": ["underwater"]}, "condition 'underwater'"),
        ({"asked": 1.5}, "between 0 and 1"),
        ({"reach": 0}, "reach is positive"),
        ({"colour": "red"}, "colour"),
        ([], "expected a JSON object"),
    ],
)
def test_settings_that_cannot_be_are_refused_with_the_reason(tmp_path: Path, given_settings: object, says: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(json.dumps(given_settings), encoding="utf-8")
    with pytest.raises(RecordError, match=says):
        load_settings(path)


def test_every_condition_that_clips_can_be_given_has_narration_in_both_languages() -> None:
    assert set(NARRATION) == set(DEGRADED)
    assert all(len(sentences[language]) >= 4 for sentences in NARRATION.values() for language in ("en", "zh"))


def write_labels(folder: Path, *rows: str, columns: Sequence[str] = COLUMNS) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "labels.csv").write_text("\n".join([",".join(columns), *rows]) + "\n", encoding="utf-8")
    return folder


def test_labels_are_read_with_the_place_of_their_recording(tmp_path: Path) -> None:
    folder = write_labels(tmp_path, "a/one.ogg,ann,female,,en,happy,strong,Hello.,test")
    (one,) = read_labels(folder)
    assert (one.path, one.speaker, one.emotion, one.intensity) == (tmp_path / "a/one.ogg", "ann", "happy", "strong")


def test_labels_of_a_file_outside_of_the_folder_are_refused(tmp_path: Path) -> None:
    folder = write_labels(tmp_path, "../one.ogg,ann,,,en,happy,,,test")
    with pytest.raises(RecordError, match=r"labels.csv, line 2: '../one.ogg' is no file in this folder"):
        read_labels(folder)


def test_labels_without_a_column_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="split missing"):
        read_labels(write_labels(tmp_path, columns=COLUMNS[:-1]))


MELD_HEADER = "Sr No.,Utterance,Speaker,Emotion,Sentiment,Dialogue_ID,Utterance_ID"


def test_dialogues_are_read_under_the_names_that_they_are_published_under(tmp_path: Path) -> None:
    (tmp_path / "meld").mkdir()
    rows = "2,Why?,Bo,surprise,negative,0,1\n1,Go.,Ann,anger,negative,0,0\n"
    (tmp_path / "meld" / "test_sent_emo.csv").write_text(f"{MELD_HEADER}\n{rows}", encoding="utf-8")
    (found,) = read_meld(tmp_path, parts=("test",))
    assert [labelled.line.text for labelled in found.lines] == ["Go.", "Why?"]


def test_a_table_of_dialogues_without_a_column_is_refused(tmp_path: Path) -> None:
    (tmp_path / "meld").mkdir()
    (tmp_path / "meld" / "test.csv").write_text("Utterance,Speaker\nGo.,Ann\n", encoding="utf-8")
    with pytest.raises(RecordError, match="Dialogue_ID, Utterance_ID, Emotion missing"):
        read_meld(tmp_path, parts=("test",))


def test_only_the_file_that_holds_a_part_is_needed(tmp_path: Path) -> None:
    (tmp_path / "cped").mkdir()
    row = "28,28_000,28_000_000,林,neutral,走吧\n99,99_000,99_000_000,林,neutral,别的\n"
    (tmp_path / "cped" / "test.csv").write_text(
        f"TV_ID,Dialogue_ID,Utterance_ID,Speaker,Emotion,Utterance\n{row}", encoding="utf-8"
    )
    (found,) = read_cped(tmp_path, parts=("test",))  # series 99 is in no part
    assert found.lines[0].line.text == "走吧"
