"""Parts that hear against what a voice usually sounds like, and ``aptone.hear`` with a reference."""

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

import aptone
from aptone.ear import load_ear
from aptone.ear.reference import MOST, Clip, References, chosen_clips, hear_enough, make_references
from aptone.ear.referenced import Referenced, voice_in, with_reference
from aptone.errors import UsageError
from aptone.types import AudioRef, Perception, Trajectory, Vad

CLIPS = Path(__file__).resolve().parents[2] / "examples" / "lighthouse" / "clips"
CLIP = CLIPS / "keeper-apt.opus"
STEP = 0.5


@pytest.fixture(scope="module")
def references() -> References:
    return aptone.reference(CLIPS)


def angry_or_sad(share: float) -> Perception:
    emotion = {"angry": share, "sad": 1.0 - share}
    return Perception(2.0, speech_seconds=2.0, emotion=emotion, vad=Vad(0.0, 0.0, 0.0), signature="ear:fake")


def made_up() -> References:
    heard = [("anna", angry_or_sad(0.98 if number % 2 else 0.3)) for number in range(8)]
    heard += [("ben", angry_or_sad(0.02 if number % 2 else 0.7)) for number in range(8)]
    return make_references(heard, ear="ear:fake")


@dataclass(frozen=True, slots=True)
class Part(Referenced):
    ear: str = "full"
    references: References | None = None
    signature: str = "part"


def test_hear_gives_what_the_references_say(references: References) -> None:
    plain = aptone.hear(CLIP)
    heard = aptone.hear(CLIP, reference=references)
    assert heard == references.applied(plain)
    assert heard.emotion != plain.emotion
    assert aptone.hear(CLIP, reference=CLIPS).emotion == heard.emotion


def test_the_voice_chooses_the_reference() -> None:
    references = made_up()
    heard = angry_or_sad(0.5)
    of_anna, of_ben = (references.applied(heard, voice=voice).emotion for voice in ("anna", "ben"))
    assert of_anna["angry"] < 0.5 < of_ben["angry"]  # anna sounds angry anyway, ben sad


def test_a_voice_without_a_reference_is_refused() -> None:
    with pytest.raises(UsageError, match="the voice anna is looked up in a reference, but there is none"):
        aptone.hear(CLIP, voice="anna")


def test_a_trajectory_moves_by_as_much_as_the_clip(references: References) -> None:
    plain = load_ear().perceive(aptone.read_audio(CLIP, rate=16_000, channel="mix"), trajectory=STEP)
    heard = references.applied(plain)
    assert plain.trajectory is not None
    assert heard.trajectory is not None
    assert plain.vad is not None
    assert heard.vad is not None
    for name in ("valence", "arousal", "dominance"):
        shift = getattr(heard.vad, name) - getattr(plain.vad, name)
        assert shift != 0.0
        before, after = np.array(getattr(plain.trajectory, name)), np.array(getattr(heard.trajectory, name))
        np.testing.assert_allclose(after, np.clip(before + shift, -1.0, 1.0), atol=1e-12)


def test_points_stay_within_the_scale_and_silence_stays_open() -> None:
    plain = replace(angry_or_sad(0.5), trajectory=Trajectory(1.0, (0.99, math.nan), (0.99, math.nan), (0.0, math.nan)))
    heard = made_up().applied(plain, voice="ben")  # angrier: arousal rises
    assert heard.trajectory is not None
    assert heard.trajectory.arousal[0] == 1.0
    assert math.isnan(heard.trajectory.arousal[1])


def test_references_belong_to_signature_and_notes(references: References) -> None:
    plain = Part()
    part = plain.with_references(references)
    assert (plain.reference_signature, plain.reference_notes) == ({}, ())
    assert part.reference_signature == {"reference": references.signature}
    assert part.reference_notes == (references.note,)
    assert plain.references is None
    heard = aptone.hear(CLIP)
    assert plain.heard_against(heard) is heard
    assert part.heard_against(heard) == references.applied(heard)


def test_a_part_without_an_ear_of_ours_is_named(references: References) -> None:
    @dataclass
    class Chat:
        signature: str = "verifier:chat|model:x"

    chat = Chat()
    assert with_reference(chat, None) is chat
    with pytest.raises(UsageError, match=r"^verifier:chat does not hear by the built-in ear") as refused:
        with_reference(chat, references)
    assert getattr(refused.value.args[0], "id", "") == "ear.takes-no-reference"


def test_too_few_clips_are_no_reference(tmp_path: Path) -> None:
    clips = [Clip("", str(number), AudioRef(str(path))) for number, path in enumerate(sorted(CLIPS.iterdir())[:7])]
    with pytest.raises(UsageError, match="7 recordings are too few for a reference; it needs at least 8"):
        hear_enough(clips, ear=load_ear())
    for number in range(8):
        soundfile.write(tmp_path / f"{number}.wav", np.zeros(16_000), 16_000)
    with pytest.raises(UsageError, match="of 8 recordings fewer than 8 could be read and hold enough speech"):
        with_reference(Part(), tmp_path)


def test_a_recording_counts_once_for_a_voice_and_a_channel() -> None:
    one, other = AudioRef("a.wav"), AudioRef("b.wav")
    clips = [
        Clip("x", "1", one),
        Clip("x", "2", one),
        Clip("x", "3", one, 1),
        Clip("y", "4", one),
        Clip("x", "5", other),
    ]
    assert [clip.name for clip in chosen_clips(clips)] == ["1", "3", "5", "4"]
    many = [Clip("", str(number), AudioRef(f"{number}.wav")) for number in range(MOST + 5)]
    assert len(chosen_clips(many)) == MOST


def test_a_channel_is_heard_alone(tmp_path: Path) -> None:
    clips = []
    for number, path in enumerate(sorted(CLIPS.iterdir())):
        audio = aptone.read_audio(path, rate=16_000, channel="mix")
        both = np.stack([audio.samples, np.zeros_like(audio.samples)], axis=1)
        soundfile.write(tmp_path / f"{number}.wav", both, 16_000)
        clips.append(Clip("", str(number), AudioRef(str(tmp_path / f"{number}.wav")), 0))
    assert hear_enough(clips, ear=load_ear()).whole is not None
    with pytest.raises(UsageError, match="fewer than 8"):
        hear_enough([clip._replace(channel=1) for clip in clips], ear=load_ear())


def test_the_first_identifier_names_the_voice() -> None:
    ids = {"system": "mine", "voice": "anna"}
    assert (voice_in(ids), voice_in(ids, ("speaker",)), voice_in({})) == ("anna", "", "")
