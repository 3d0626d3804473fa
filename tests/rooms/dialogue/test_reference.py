"""Turns heard against what the two parties usually sound like."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import aptone
from aptone.ear import load_ear
from aptone.ear.reference import References
from aptone.errors import UsageError
from aptone.rooms.dialogue.config import TABLE
from aptone.rooms.dialogue.hearing import cser
from aptone.rooms.dialogue.hearing.cser import CserListener, EarFrontEnd, Floats
from aptone.rooms.dialogue.hearing.labels import heard_label
from aptone.rooms.dialogue.hearing.turns import EarListener, to_paper_scale
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.rooms.dialogue.step import DialogueStep, turn_voice, voice_clips
from aptone.run.system import CommandSystem, FolderSystem, make_system
from aptone.types import AudioRef, Trajectory
from tests.rooms.dialogue.voices import tone

CLIPS = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips"
USER, AGENT = CLIPS / "keeper-apt.opus", CLIPS / "sleep-flat.opus"
LABELS = tuple(TABLE)


@pytest.fixture(scope="module")
def references() -> References:
    """Of the whole, and of an agent whose voice is known by other clips."""
    whole = aptone.reference(CLIPS)
    own = aptone.reference(sorted(CLIPS.glob("*-apt.opus")) + sorted(CLIPS.glob("*-wrong.opus")))
    assert own.whole is not None
    return References(whole.ear, whole.whole, {"agent": own.whole})


def test_label_and_trajectory_are_those_that_the_references_give(references: References) -> None:
    listener = EarListener("full")
    against = listener.with_references(references)
    audio = aptone.read_audio(USER, rate=16_000, channel="mix")
    heard, plain = against.hear(audio, labels=LABELS), listener.hear(audio, labels=LABELS)
    expected = references.applied(load_ear("full").perceive(audio, trajectory=1.0))
    assert expected.trajectory is not None
    assert heard.trajectory == to_paper_scale(expected.trajectory)
    assert (heard.emotion, heard.no_emotion, heard.shares) == heard_label(expected.emotion, LABELS)
    assert not np.array_equal(heard.points, plain.points)
    assert against.signature != listener.signature
    assert f"reference:{references.signature}" in against.signature
    assert references.note in against.about.notes


def test_with_a_model_of_emotion_over_time_labels_move_and_its_numbers_do_not(
    references: References, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Model:
        signature = "model"
        config = SimpleNamespace(step=1.0)

        def trajectories(self, vectors: Sequence[Floats]) -> list[Floats]:
            return [np.full((len(one), 3), 0.25, dtype=np.float32) for one in vectors]

    monkeypatch.setattr(cser, "_model", lambda folder: (Model(), EarFrontEnd()))
    plain = CserListener(Path("model"), "full")
    listener = plain.with_references(references)
    audio = aptone.read_audio(CLIPS / "wall-apt.opus", rate=16_000, channel="mix")
    before, after = plain.hear(audio, labels=LABELS), listener.hear(audio, labels=LABELS)
    np.testing.assert_array_equal(before.points, after.points)
    expected = EarListener("full", 1.0, references).hear(audio, labels=LABELS)
    assert (after.emotion, after.no_emotion) == (expected.emotion, expected.no_emotion)
    assert before.no_emotion != after.no_emotion  # fear, which the table does not know, is heard more clearly
    assert listener.signature != plain.signature
    assert references.note in listener.about.notes


def test_the_agent_is_heard_against_its_own_voice(references: References) -> None:
    listener = EarListener("full").with_references(references)
    audio = aptone.read_audio(AGENT, rate=16_000, channel="mix")
    dialogue = Dialogue("d", (Turn(Role.USER, AudioRef(str(AGENT))), Turn(Role.AGENT, AudioRef(str(AGENT)))))
    (user,), (agent,) = DialogueStep(listener).listen(dialogue)
    assert user.heard == listener.hear(audio, labels=LABELS, voice="user")
    assert agent.heard == listener.hear(audio, labels=LABELS, voice="agent")
    assert user.heard != agent.heard


def test_from_python_every_form_of_a_turn_is_heard_against_the_reference(references: References) -> None:
    paths = aptone.dialogue([USER, AGENT], reference=references)
    read = [aptone.read_audio(path, rate=16_000, channel="mix") for path in (USER, AGENT)]
    assert aptone.dialogue(read, reference=references).evidence == paths.evidence
    assert paths.evidence != aptone.dialogue([USER, AGENT]).evidence
    given = Trajectory(1.0, (0.2,), (0.1,), (0.3,))
    assert aptone.dialogue([given, given], reference=references).scores["ERS"].value == 1.0
    with pytest.raises(UsageError, match="no such folder"):
        aptone.dialogue([USER, AGENT], reference="nowhere")


def test_the_user_is_one_voice_and_every_system_is_one() -> None:
    assert [turn_voice(Role.USER, "a"), turn_voice(Role.AGENT, "a"), turn_voice(Role.AGENT)] == ["user", "a", "agent"]


def test_turns_with_recordings_are_the_collection(tmp_path: Path) -> None:
    stereo = AudioRef("call.wav", 0.0, 1.0)
    turns = (
        Turn(Role.USER, stereo, channel=0),
        Turn(Role.AGENT, stereo, channel=1),
        Turn(Role.USER, trajectory=Trajectory(1.0, (0.0,), (0.0,), (0.0,))),
    )
    clips = voice_clips([Dialogue("d", turns, ids={"system": "s"})], {})
    assert [(clip.voice, clip.name, clip.channel) for clip in clips] == [("user", "d 1", 0), ("s", "d 2", 1)]


def test_answers_in_a_folder_belong_to_the_collection(tmp_path: Path) -> None:
    tone(tmp_path / "answers" / "d" / "1.wav")
    answers = make_system(str(tmp_path / "answers"))
    command = make_system("python answer.py {input} {output}")
    assert isinstance(answers, FolderSystem)
    assert isinstance(command, CommandSystem)
    user = Turn(Role.USER, AudioRef("u.wav"))
    asked = [Dialogue(f"{name}/d", (user, user), ids={"system": name, "dialogue": "d"}) for name in ("old", "new")]
    clips = voice_clips(asked, {"old": answers, "new": command})
    assert [clip.voice for clip in clips] == ["user", "user", "old", "user", "user"]  # the second answer is missing
