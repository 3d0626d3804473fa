"""Captions checked against what a voice usually sounds like."""

import asyncio
from pathlib import Path

import pytest

import aptone
from aptone.ear.claims.verification import check_all
from aptone.ear.reference import References
from aptone.errors import UsageError
from aptone.models.scripted import ScriptedChat
from aptone.rooms.caption.data import CaptionSample
from aptone.rooms.caption.step import heard
from aptone.rooms.caption.verify import BuiltInVerifier, ChatVerifier, voice_clips
from aptone.run import Call
from aptone.types import AudioRef
from tests.rooms.caption.caption_parts import unit

CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
CLIP = CLIPS / "keeper-apt.opus"
PLAYFUL = unit("emotion", "playful")


@pytest.fixture(scope="module")
def references() -> References:
    return aptone.reference(CLIPS)


def test_claims_are_checked_against_the_emotion_that_the_references_give(references: References) -> None:
    audio = heard(AudioRef(str(CLIP)))
    plain = BuiltInVerifier()
    verifier = plain.with_references(references)
    sample = CaptionSample("a", audio, "A playful voice.")
    (before,) = asyncio.run(plain.verify([PLAYFUL], audio, sample, Call(), language="en"))
    (after,) = asyncio.run(verifier.verify([PLAYFUL], audio, sample, Call(), language="en"))
    assert PLAYFUL.claim is not None
    (expected,) = check_all([PLAYFUL.claim], references.applied(aptone.hear(audio)))
    assert (after.support, after.measured) == (expected.support, expected.evidence["en"])
    assert after.support != before.support
    assert verifier.signature != plain.signature
    assert f"reference:{references.signature}" in verifier.signature
    assert verifier.about.notes == (references.note,)


def test_from_python_a_folder_will_do_and_a_chat_refuses(references: References) -> None:
    outcome = aptone.caption(CLIP, "A playful voice.", voice_reference=CLIPS)
    assert outcome.signature == aptone.caption(CLIP, "A playful voice.", voice_reference=references).signature
    assert outcome.signature != aptone.caption(CLIP, "A playful voice.").signature
    settings = {"verifier.model": "m", "verifier.base_url": "http://localhost:1"}
    with pytest.raises(UsageError, match="verifier:chat does not hear by the built-in ear"):
        aptone.caption(CLIP, "A playful voice.", verifier="api", settings=settings, voice_reference=references)
    assert ChatVerifier(ScriptedChat([])).signature.startswith("verifier:chat|")


def test_the_system_is_whose_caption_it_is_not_whose_voice() -> None:
    named = [{"system": "m"}, {"system": "m", "speaker": "s"}]
    samples = [CaptionSample(str(place), AudioRef("a.wav"), "x", ids=ids) for place, ids in enumerate(named)]
    assert [clip.voice for clip in voice_clips(samples)] == ["", "s"]
