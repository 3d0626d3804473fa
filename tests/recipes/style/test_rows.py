"""From labelled clips to rows: what is true of each version, and that it can be written and read again."""

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import soundfile
from hypothesis import given
from hypothesis import strategies as st

from aptone.audio import telephone_band, write
from aptone.ear.describe import (
    ATTRIBUTES,
    Intensity,
    Music,
    Pitch,
    Rate,
    Style,
    Texture,
    VocalEvent,
    Volume,
    values_of,
)
from aptone.ear.labelled_clips import COLUMNS, LabelledClip, read_labels
from aptone.errors import UsageError
from aptone.rooms.style.embedding.built_in import NAMES
from aptone.types import AgeBand, Audio, Emotion, Perception, RecordingCondition, Sex
from recipes.ear.data import SPEECH_SETS
from recipes.style import rows as style_rows
from recipes.style import variants as style_variants
from recipes.style.examples import read_rows
from recipes.style.rows import NOT_KNOWN, Made, beside_in, decode, encode, make_versions, write_rows
from recipes.style.variants import Beside
from tests.recipes.ear.natural_clips import tone
from tests.recipes.style.tiny_styles import write_table
from tests.tables import for_each

CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
HEARD = Style(
    emotion=Emotion.HAPPY,
    sex=Sex.FEMALE,
    pitch=Pitch.LOW,
    rate=Rate.SLOW,
    volume=Volume.SOFT,
    texture=Texture.CLEAR,
)
"""Perception of every clip below."""


class Deaf:
    """An ear that hears the same in everything that is loud enough."""

    def perceive(self, audio: Audio) -> Perception:
        return Perception(audio.seconds, emotion={"happy": 1.0} if np.abs(audio.samples).max() > 1e-3 else {})


@pytest.fixture(autouse=True)
def hears(monkeypatch: pytest.MonkeyPatch) -> None:
    """And rooms take no seconds."""
    monkeypatch.setattr(style_rows, "style_of", lambda perception: HEARD)
    monkeypatch.setattr(style_variants, "far_field", lambda audio, **_: telephone_band(audio))


def clip(folder: Path, **labels: str) -> LabelledClip:
    path = folder / "clip.wav"
    write(path, tone(0.2, level=float(labels.pop("level", "0.5"))))
    given = {"speaker": "s", "sex": "male", "age": "25", "emotion": "sad", "split": "train", **labels}
    return LabelledClip(path, **{name: given.get(name, "") for name in COLUMNS if name != "file"})


def versions(folder: Path, *, names: int = 30, **labels: str) -> list[Made]:
    beside = Beside([tone(0.5)], {VocalEvent.SNEEZE: [tone(0.1)]})
    ear: Any = Deaf()
    each = clip(folder, **labels)
    return [made for number in range(names) for made in make_versions(each, f"nemo/{number}", ear, beside)]


def styles() -> st.SearchStrategy[Style]:
    values: dict[str, st.SearchStrategy[Any]] = {
        name: st.none() | st.sampled_from(values_of(name)) for name in ATTRIBUTES if name not in ("events", "intensity")
    }
    events = st.lists(st.sampled_from(VocalEvent), max_size=3).map(tuple)
    return st.fixed_dictionaries({**values, "events": events}).map(lambda held: Style(**held))


@given(styles(), st.sampled_from(Intensity))
def test_a_style_comes_back_as_it_was_encoded(style: Style, intensity: Intensity) -> None:
    assert decode(encode(style)) == style
    strong = Style(emotion=Emotion.ANGRY, intensity=intensity, sex=style.sex)
    assert decode(encode(strong)) == strong


def test_nothing_known_is_encoded_as_such() -> None:
    # all attributes but the events, which are bits
    assert encode(Style()) == [NOT_KNOWN] * (len(ATTRIBUTES) - 1) + [0]


@pytest.mark.slow
def test_a_plain_version_has_its_labels_and_for_the_rest_what_was_measured(tmp_path: Path) -> None:
    made = versions(tmp_path, names=60, intensity="strong")
    shares = {name: sum(one.variant == name for one in made) / 60 for name in {one.variant for one in made}}
    assert (shares.pop("plain"), shares.pop("moved")) == (1.0, 2.0)
    # 60 %, 30 % and 12 % of the clips have such a version
    assert shares == pytest.approx({"conditioned": 0.6, "with-event": 0.3, "whispered": 0.12}, abs=0.15)
    first = made[0]
    assert (first.name, first.split, first.speaker, first.numbers.shape) == ("nemo/0", "train", "s", (len(NAMES),))
    assert first.style == Style(
        emotion=Emotion.SAD,
        intensity=Intensity.STRONG,
        sex=Sex.MALE,
        age=AgeBand.YOUNG_ADULT,
        pitch=Pitch.LOW,
        rate=Rate.SLOW,
        volume=Volume.SOFT,
        texture=Texture.CLEAR,
        recording_condition=RecordingCondition.NORMAL,
        music=Music.ABSENT,
    )


def test_what_was_done_to_a_clip_is_known_and_spoils_some_measures(tmp_path: Path) -> None:
    made = versions(tmp_path)
    for one in made:
        if one.variant == "whispered":
            assert one.style.texture is Texture.WHISPERED
            assert (one.style.pitch, one.style.rate, one.style.volume) == (None, None, Volume.SOFT)
        elif one.variant == "conditioned":
            assert one.style.texture is None
            assert one.style.music is Music.PRESENT or one.style.recording_condition is not RecordingCondition.NORMAL
        elif one.variant == "with-event":
            assert one.style.events == (VocalEvent.SNEEZE,)
        else:
            assert one.style.texture is Texture.CLEAR
    assert {"whispered", "conditioned", "with-event"} <= {one.variant for one in made}


@for_each(
    ("labels", "expected"),
    [
        ({"emotion": "neutral", "intensity": "normal"}, (Emotion.NEUTRAL, None, Sex.MALE, AgeBand.YOUNG_ADULT)),
        ({"intensity": "normal"}, (Emotion.SAD, Intensity.CLEAR, Sex.MALE, AgeBand.YOUNG_ADULT)),
        ({"age": "61"}, (Emotion.SAD, None, Sex.MALE, None)),
        ({"age": "", "sex": ""}, (Emotion.SAD, None, None, AgeBand.YOUNG_ADULT)),
    ],
)
def test_labels_say_what_they_can(labels: dict[str, str], expected: tuple[object, ...], tmp_path: Path) -> None:
    style = versions(tmp_path, names=1, **labels)[0].style
    assert (style.emotion, style.intensity, style.sex, style.age) == expected


def test_the_same_clip_under_the_same_name_has_the_same_versions(tmp_path: Path) -> None:
    first, again = versions(tmp_path, names=4), versions(tmp_path, names=4)
    assert [one.variant for one in first] == [one.variant for one in again]
    assert all(np.array_equal(one.numbers, other.numbers) for one, other in zip(first, again, strict=True))


def test_where_nothing_is_heard_there_is_no_row(tmp_path: Path) -> None:
    assert not [one for one in versions(tmp_path, names=4, level="1e-4") if one.variant != "with-event"]


def test_rows_are_read_as_they_were_written(tmp_path: Path) -> None:
    made = versions(tmp_path, names=3)
    write_rows(made, tmp_path / "rows.npz")
    rows = read_rows(tmp_path / "rows.npz")
    assert len(rows) == len(made)
    assert rows.set.tolist() == ["nemo"] * len(made)
    assert rows.variant.tolist() == [one.variant for one in made]
    assert [decode(style) for style in rows.style.tolist()] == [one.style for one in made]
    assert np.array_equal(rows.numbers, np.stack([one.numbers for one in made]))
    last = rows.take(np.array([len(made) - 1]))
    assert last.name.tolist() == ["nemo/2"]
    np.savez(
        tmp_path / "old.npz", **{name: getattr(rows, name) for name in rows.__slots__} | {"numbers": np.ones((1, 3))}
    )
    with pytest.raises(UsageError, match=rf"old\.npz: rows of 3 numbers, expected {len(NAMES)}; make them again"):
        read_rows(tmp_path / "old.npz")


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """A clip in each set, one of them damaged, and two sounds after half a second of silence."""
    folder = tmp_path / "data"
    for number, name in enumerate(SPEECH_SETS):
        write_table(folder / name, [{"file": "a.opus", "speaker": name, "emotion": "angry", "split": "train"}])
        shutil.copy(CLIPS / "anybody-apt.opus", folder / name / "a.opus")
        if number == 0:
            (folder / name / "a.opus").write_bytes(b"no sound")
    sounds = [("coughing", "train"), ("coughing", "test"), ("rain", "train")]
    write_table(
        folder / "esc50", [{"file": f"{kind}-{split}.wav", "emotion": kind, "split": split} for kind, split in sounds]
    )
    for kind, split in sounds:
        sound = np.concatenate([np.zeros(8000), 0.3 * np.random.default_rng(1).normal(size=8000).clip(-2, 2)])
        soundfile.write(folder / "esc50" / f"{kind}-{split}.wav", sound, 16_000)
    (tmp_path / "music").mkdir()
    soundfile.write(tmp_path / "music" / "a.wav", np.full(32_000, 0.1), 16_000)
    (tmp_path / "music" / "notes.txt").write_text("no music", encoding="utf-8")
    return folder


def test_sounds_that_people_make_are_taken_from_the_train_split_without_the_silence_before(data: Path) -> None:
    beside = beside_in(data, data.parent / "music")
    assert {event: len(clips) for event, clips in beside.events.items()} == {VocalEvent.COUGH: 1}
    # 8,000 samples of sound, and a twentieth of a second before it: 800 samples, give or take where it gets loud
    assert beside.events[VocalEvent.COUGH][0].samples.size == pytest.approx(8800, abs=20)
    assert [piece.samples.size for piece in beside.music] == [32_000]
    assert beside_in(data, None).music == []


def test_silence_among_the_sounds_is_kept_as_it_is() -> None:
    silence = Audio(np.zeros(100, dtype=np.float32), rate=16_000)
    assert style_rows._trimmed(silence).samples.size == 100


def test_a_clip_that_cannot_be_read_is_named_and_left_out(
    data: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    style_rows._begin(data, None)
    monkeypatch.setattr(style_rows, "_EAR", Deaf())

    def work(name: str) -> list[Made]:
        (only,) = read_labels(data / name)
        return style_rows._work((only, f"{name}/a.opus"))

    assert work("ravdess") == []
    assert "ravdess/a.opus: left out: " in capsys.readouterr().err
    assert work("nemo")[0].variant == "plain"
