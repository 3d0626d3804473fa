import asyncio
import math
from pathlib import Path

import pytest

from aptone.errors import UnusableReplyError
from aptone.models import About
from aptone.rooms.aptness.build.weak_labels import CAPTION, HEARD, NO_CAPTION, WeakStep, annotation_of
from aptone.rooms.aptness.data import make_items
from aptone.run import Call
from aptone.types import (
    AgeBand,
    Annotation,
    Audio,
    AudioRef,
    Intonation,
    Item,
    Language,
    Line,
    Perception,
    Rhythm,
    Sample,
    Sex,
    SoundEvent,
    State,
    from_json,
)
from tests.rooms.aptness.spoken_books import CLIPS


def item(path: Path) -> Item:
    (made,) = make_items([Sample("a", AudioRef(str(path)), Line("Stay where you are."))])
    return made


class Mute:
    """A captioner whose replies are of no use."""

    signature = "captions:mute"
    about = About(sends_audio_to=("far.example",))

    async def caption(self, audio: Audio, *, language: Language, call: Call) -> "Mute":
        raise UnusableReplyError("the reply is no caption: there are no words", raw_reply="…")

    @property
    def text(self) -> str:
        raise AssertionError("nothing was said")


def test_what_an_ear_hears_fills_in_its_dimensions_and_leaves_the_others_open() -> None:
    heard = Perception(
        2.0,
        phrase={"en": "tense fear", "zh": "紧张的恐惧"},
        rhythm={Rhythm.TENSE: 0.7, Rhythm.BRISK: 0.3},
        intonation={Intonation.FLAT: 0.2, Intonation.RISING: 0.8},
        recording_condition={"normal": 0.1, "phone": 0.9},
        music=0.6,
        events=(SoundEvent("laughing", 0, 1, 0.9), SoundEvent("rain", 1, 2, 0.8), SoundEvent("laughing", 1, 2, 0.9)),
        sounds={"laughing": 0.9, "rain": 0.8},
        sex={Sex.FEMALE: 0.9, Sex.MALE: 0.1},
        age={AgeBand.ELDERLY: 1.0},
    )
    filled = annotation_of(heard, language="zh")
    assert (filled.emotion, filled.rhythm, filled.intonation) == ("紧张的恐惧", Rhythm.TENSE, Intonation.RISING)
    assert (filled.recording_condition, filled.background_music) == ("电话转录", True)
    assert (filled.gender, filled.age) == (Sex.FEMALE, AgeBand.ELDERLY)
    assert filled.vocalisations == "笑声"
    assert filled.unanswered == (
        "overall_score", "tts_difficulty", "refined_context", "refined_content", "boundaries", "role"
    )  # fmt: skip
    english = annotation_of(heard, language="en")
    assert (english.vocalisations, english.sound_events) == ("laughter", "rain")


def test_an_ear_that_could_judge_nothing_says_nothing() -> None:
    assert annotation_of(Perception(2.0), language="en").unanswered == Annotation().unanswered
    none = annotation_of(Perception(2.0, music=0.1, sounds={"laughing": 0.0}), language="en")
    assert (none.vocalisations, none.sound_events, none.background_music) == ("none", "none", False)


def test_a_line_is_heard_and_captioned_by_the_ear() -> None:
    step = WeakStep("permissive")
    outcome = asyncio.run(step(item(CLIPS / "keeper-apt.opus"), Call()))
    assert outcome.state is State.DONE
    assert isinstance(outcome.evidence[CAPTION], str)
    assert outcome.evidence[CAPTION]
    assert math.isnan(from_json(Annotation, outcome.evidence[HEARD]).overall_score)
    assert "permissive" in step.about.licence
    again = asyncio.run(step(item(CLIPS / "keeper-apt.opus"), Call()))
    assert again.evidence == outcome.evidence


def test_a_caption_that_is_none_leaves_the_line_with_what_was_heard() -> None:
    step = WeakStep("permissive", Mute())
    outcome = asyncio.run(step(item(CLIPS / "keeper-apt.opus"), Call()))
    assert outcome.state is State.DONE
    assert (outcome.evidence[CAPTION], outcome.evidence[NO_CAPTION]) == (
        "", "the reply is no caption: there are no words"
    )  # fmt: skip
    assert step.about.sends_audio_to == ("far.example",)


@pytest.mark.parametrize("content", [b"", b"RIFF....WAVE"])
def test_a_clip_that_cannot_be_read_is_not_described(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.wav").write_bytes(content)
    outcome = asyncio.run(WeakStep("permissive")(item(tmp_path / "a.wav"), Call()))
    assert outcome.state is State.UNSCORED
    assert "a.wav" in outcome.reason
