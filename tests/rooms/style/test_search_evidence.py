"""Search by the built-in model: clips are ordered by evidence, and a denial finds what is ruled out."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from aptone.errors import UsageError
from aptone.rooms.style.embedding.built_in import BuiltInStyleEmbedder
from aptone.rooms.style.report import evidence_line
from aptone.rooms.style.search import StyleIndex
from aptone.types import Audio, Perception, Sex, Vad
from tests.rooms.style.voices import ToneEmbedder, write_tone

FEELINGS = {100.0: ("angry", (-0.5, 0.6)), 400.0: ("calm", (0.2, -0.4)), 1600.0: ("happy", (0.7, 0.4))}


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two angry, a calm and a happy clip: tones, which an ear of ours takes for feelings by their pitch."""
    for name, hertz in (("rage", 100.0), ("fury", 100.0), ("still", 400.0), ("glee", 1600.0)):
        write_tone(tmp_path / "clips" / f"{name}.wav", hertz, seconds=0.5 if name != "fury" else 0.6)

    def hear(self: BuiltInStyleEmbedder, clips: Sequence[Audio], *, voices: Sequence[str] = ()) -> list[Perception]:
        return [feeling(clip) for clip in clips]

    monkeypatch.setattr(BuiltInStyleEmbedder, "hear", hear)
    return tmp_path / "clips"


def feeling(clip: Audio) -> Perception:
    pitch = float(np.argmax(np.abs(np.fft.rfft(clip.samples)))) / clip.seconds
    name, vad = FEELINGS[min(FEELINGS, key=lambda hertz: abs(hertz - pitch))]
    emotion = {name: 0.9, "neutral": 0.1}
    return Perception(clip.seconds, clip.seconds, emotion, vad=Vad(*vad, 0.0), sex={Sex.MALE: 0.99, Sex.FEMALE: 0.01})


def found(folder: Path, description: str, *, top: int = 4) -> list[str]:
    index = StyleIndex(folder, BuiltInStyleEmbedder())
    index.update()
    return [one.path for one in index.search(description, top=top)]


def test_a_denied_emotion_finds_other_clips_in_both_languages(folder: Path) -> None:
    # found before: 毫不生气的男人 found five angry clips
    assert set(found(folder, "an angry man", top=2)) == {"rage.wav", "fury.wav"}
    assert set(found(folder, "a man who is not angry at all", top=2)) == {"still.wav", "glee.wav"}
    assert set(found(folder, "毫不生气的男人", top=2)) == {"still.wav", "glee.wav"}


def test_a_contrast_finds_what_holds_of_both(folder: Path) -> None:
    assert found(folder, "not angry but happy", top=1) == ["glee.wav"]
    assert found(folder, "与其说愤怒不如说平静", top=1) == ["still.wav"]


def test_what_is_found_has_its_fit_and_its_evidence(folder: Path) -> None:
    index = StyleIndex(folder, BuiltInStyleEmbedder())
    index.update()
    best, *_, worst = index.search("a nasal, angry man")
    assert [(one.words, one.verdict) for one in best.evidence] == [
        ("nasal", "undecided"),
        ("angry", "true"),
        ("man", "true"),
    ]
    assert best.fit.value > 4.0
    assert worst.evidence[1].verdict == "false"
    assert best.fit.value > worst.fit.value


def test_what_nobody_can_judge_is_ordered_by_the_cosine_without_a_fit(folder: Path) -> None:
    index = StyleIndex(folder, BuiltInStyleEmbedder())
    index.update()
    listed = index.search("a sinister voice")
    assert [one.cosine for one in listed] == sorted((one.cosine for one in listed), reverse=True)
    assert not listed[0].fit.is_defined
    assert listed[0].fit.reason == "no word of the description names something that the ear judges"


def test_a_description_that_says_nothing_is_refused_before_the_clips(folder: Path) -> None:
    with pytest.raises(UsageError, match="none of the words"):
        StyleIndex(folder, BuiltInStyleEmbedder()).understand("zzzzqx")


def test_evidence_of_clips_lies_in_the_index_and_other_models_have_none(folder: Path) -> None:
    index = StyleIndex(folder, BuiltInStyleEmbedder())
    assert index.update().embedded == 4
    assert StyleIndex(folder, BuiltInStyleEmbedder()).update().embedded == 0
    tones = StyleIndex(folder, ToneEmbedder())
    tones.update()
    assert tones.reading("not low") is None
    assert tones.search("low")[0].evidence == ()


def test_a_word_that_states_two_things_is_shown_by_both(folder: Path) -> None:
    index = StyleIndex(folder, BuiltInStyleEmbedder())
    index.update()
    best, *_ = index.search("an elderly man, not calm")
    assert evidence_line(best, language="en") == "✓ sex: male, ? age: elderly, ✓ not calm"
    assert evidence_line(best, language="zh") == "✓ 性别：男，? 年龄：老年，✓ 不是calm"
