"""Dialogues through a listener, a recogniser and a system to outcomes."""

import math
import shlex
import sys
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
import soundfile

from aptone.errors import RecordError, UsageError
from aptone.models.openai.endpoint import Endpoint
from aptone.models.openai.parts import OpenAiTranscriber
from aptone.rooms.dialogue.api import dialogue, turn_points
from aptone.rooms.dialogue.config import PAPER
from aptone.rooms.dialogue.data import make_items
from aptone.rooms.dialogue.hearing.labels import Labels, heard_label
from aptone.rooms.dialogue.hearing.turns import (
    GAIN,
    MEAN_TALK,
    EarListener,
    Heard,
    ServedRecogniser,
    hear_turn,
    to_paper_scale,
)
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.rooms.dialogue.report.explained import dialogue_notes
from aptone.rooms.dialogue.score import score_dialogue
from aptone.rooms.dialogue.step import DialogueStep, Sources, answered_by, main_score
from aptone.run import Call, RunConfig, run_items
from aptone.run.system import make_system
from aptone.types import Audio, AudioRef, Outcome, ScoreState, State, Trajectory, from_json
from tests.models.mock_server import Answer, MockServer
from tests.rooms.dialogue.voices import RATE, PitchListener, tone, trajectory

ANGRY, CALM = (-0.4, 0.5, 0.3), (0.2, 0.1, 0.4)
LISTENER = PitchListener()


def spoken(folder: Path, name: str, *turns: str) -> Dialogue:
    """A dialogue of recordings: ``high`` is heard as angry, ``low`` as calm, ``none`` is silence."""
    made = []
    for number, kind in enumerate(turns):
        path = folder / name / f"{number}.wav"
        if kind == "none":
            path.parent.mkdir(parents=True, exist_ok=True)
            soundfile.write(path, np.zeros(RATE), RATE)
        else:
            tone(path, hertz=400.0 if kind == "high" else 200.0, seconds=2.0)
        made.append(Turn(Role.AGENT if number % 2 else Role.USER, audio=AudioRef(str(path))))
    return Dialogue(name, tuple(made))


def outcome(step: DialogueStep, given: Dialogue) -> Outcome:
    (item,) = make_items([given])
    found = step(item, Call())
    assert isinstance(found, Outcome)
    return found


def test_a_dialogue_of_several_turns_has_all_ten_scores(tmp_path: Path) -> None:
    found = outcome(DialogueStep(LISTENER, main="CT-ERS"), spoken(tmp_path, "a", "high", "low", "high", "high"))
    across = ["CT-ECS", "CT-EBS", "CT-ESS", "CT-ERS"]
    assert list(found.scores) == ["ECS", "EBS", "ESS", "ERS", *across, "categorical", "reaction"]
    assert found.main_score == "CT-ERS"
    expected = score_dialogue([[ANGRY] * 2, [ANGRY] * 2], [[CALM] * 2, [ANGRY] * 2])
    assert found.scores["CT-ERS"].value == pytest.approx(expected.ers.value)
    assert found.scores["categorical"].value == pytest.approx((0.8 + 0.4) / 2)  # angry→neutral, angry→angry
    exchanges = found.evidence["exchanges"]
    assert isinstance(exchanges, list)
    assert exchanges[0]["extreme"] == ("valence", "arousal")
    assert from_json(Trajectory, exchanges[0]["user"]["trajectory"]).arousal == (0.5, 0.5)
    assert found.rationale.startswith(
        "Reaction doubtful (0.60; does not fit: turn 2, angry → angry). "
        "Anger meets anger (turn 2), which raises this score: high is no praise here. "
        "In 2 of 2 turns the user is extreme and needs balancing; the agent follows in 1. "
        "The weakest answer is that of turn"
    )


def test_one_turn_has_no_scores_across_turns_and_balancing_may_not_be_needed(tmp_path: Path) -> None:
    found = outcome(DialogueStep(LISTENER), spoken(tmp_path, "a", "low", "low"))
    assert list(found.scores) == ["ECS", "EBS", "ESS", "ERS", "categorical", "reaction"]
    assert found.scores["EBS"].state is ScoreState.NOT_NEEDED
    assert found.scores["ERS"].value == 1.0
    assert "balancing not needed" in found.rationale


def test_an_answer_without_speech_is_undefined_and_says_why(tmp_path: Path) -> None:
    found = outcome(DialogueStep(LISTENER), spoken(tmp_path, "a", "high", "none"))
    assert found.scores["ERS"].reason == "turn 1: the agent: no speech found"
    assert found.scores["categorical"].reason == "turn 1, agent: no speech found"
    assert all(math.isnan(score.value) for score in found.scores.values())


def test_shouting_back_may_have_the_best_ers_but_not_the_best_verdict_and_is_marked(tmp_path: Path) -> None:
    step = DialogueStep(LISTENER)
    calm, angry = (outcome(step, spoken(tmp_path, name, "high", name)) for name in ("low", "high"))
    assert angry.scores["ERS"].value > calm.scores["ERS"].value
    assert (calm.scores["reaction"].value, angry.scores["reaction"].value) == (0.8, 0.4)
    assert "Anger meets anger (turn 1), which raises this score" in angry.rationale
    assert "Anger meets anger" not in calm.rationale
    mandarin = step.judge(*step.listen(spoken(tmp_path, "zh", "high", "high")), language="zh")
    assert "以怒对怒（第 1 轮）" in mandarin.rationale


@dataclass(frozen=True)
class MixedListener(PitchListener):
    """Hears more of what the table does not know than of what it does."""

    angry: float = 0.45

    def hear(self, audio: Audio, /, *, labels: Collection[str], voice: str = "") -> Heard:
        label = heard_label({"angry": self.angry, "fear": 0.75 - self.angry, "disgust": 0.25}, labels)
        return replace(
            super().hear(audio, labels=labels), emotion=label.emotion, no_emotion=label.why, shares=label.shares
        )


def test_forced_labels_are_there_where_clear_ones_are_not_and_the_reason_is_true(tmp_path: Path) -> None:
    given = spoken(tmp_path, "a", "high", "low")
    clear, forced = (outcome(DialogueStep(MixedListener(), labels=kind), given) for kind in Labels)
    why = (
        "the ear hears angry (45 %), but emotions that the table does not know are likelier together (55 %: fear 30 %, "
        "disgust 25 %)"
    )
    assert clear.scores["categorical"].reason == f"turn 1, user: {why}"
    assert (clear.scores["reaction"].value, forced.scores["reaction"].value) == (0.4, 0.4)  # weighed, not labelled
    assert forced.scores["categorical"].value == 0.4  # angry → angry
    exchanges = forced.evidence["exchanges"]
    assert isinstance(exchanges, list)
    assert exchanges[0]["user"]["emotion_from"] == "forced"
    assert forced.signature != clear.signature
    assert dialogue_notes([clear]) == (
        "in 1 of 1 dialogues anger meets anger, and following it raises ECS and with it ERS: high is no praise there",
        "in 2 of 2 turns the ear mostly hears emotions that the table does not know; "
        "the reaction weighs those it knows",
    )
    assert dialogue_notes([forced])[-1].startswith("2 of 2 labels are forced")


def test_next_to_nothing_of_the_table_gives_no_verdict_unless_labels_are_forced(tmp_path: Path) -> None:
    given = spoken(tmp_path, "a", "high", "low")
    clear, forced = (outcome(DialogueStep(MixedListener(angry=0.05), labels=kind), given) for kind in Labels)
    why = "turn 1: the user: the ear hears fear (70 %), which the table does not know"
    assert clear.scores["reaction"].reason == why
    assert forced.scores["reaction"].value == 0.4


def test_what_was_given_is_not_said_to_be_heard(tmp_path: Path) -> None:
    turns = tuple(Turn(role, trajectory=trajectory(ANGRY, ANGRY)) for role in Role)
    given, heard = Dialogue("given", turns), spoken(tmp_path, "heard", "high", "low")
    step = DialogueStep(LISTENER, sources=Sources.of([given]))
    assert step.about.licence == ""
    assert step.about.notes == ("the trajectories of 2 of 2 turns were given with the data; no ear heard those",)
    assert "pitch-listener" not in outcome(step, given).signature
    assert step.settings()["listener"] == ""
    both = DialogueStep(LISTENER, sources=Sources.of([given, heard]))
    assert both.about.licence == "none"
    assert both.about.notes == ("the trajectories of 2 of 4 turns were given with the data; no ear heard those",)
    assert "pitch-listener" in outcome(both, heard).signature
    assert "pitch-listener" not in outcome(both, given).signature


def test_a_dialogue_without_answers_needs_a_system(tmp_path: Path) -> None:
    given = spoken(tmp_path, "a", "high")
    with pytest.raises(RecordError, match="name a system with --system"):
        DialogueStep(LISTENER).listen(given)


def test_a_system_answers_every_turn_of_the_user_and_its_answers_are_kept(tmp_path: Path) -> None:
    code = "import shutil, sys; shutil.copy(sys.argv[1], sys.argv[2])"
    system = make_system(f"{shlex.quote(sys.executable)} -c {shlex.quote(code)} {{input}} {{output}}")
    step = DialogueStep(LISTENER, systems={"echo": system}, answers=tmp_path / "answers", main="CT-ERS")
    recorded, asked = answered_by([spoken(tmp_path, "a", "high", "low", "low", "low")], ["echo"])
    assert (recorded.id, asked.id) == ("recorded/a", "echo/a")
    assert (len(recorded.turns), len(asked.turns)) == (4, 2)
    found = outcome(step, asked)
    assert found.scores["CT-ECS"].value == pytest.approx(1.0)  # it says what it hears
    assert len(list((tmp_path / "answers").iterdir())) == 2
    assert len(found.evidence["answers"]) == 2  # type: ignore[arg-type]
    assert outcome(step, recorded).scores["CT-ECS"].value < 1.0


def test_a_system_needs_a_folder_and_recordings_of_the_user(tmp_path: Path) -> None:
    system = make_system(str(tmp_path))
    with pytest.raises(UsageError, match="name one with -o"):
        DialogueStep(LISTENER, systems={"s": system})
    step = DialogueStep(LISTENER, systems={"s": system}, answers=tmp_path)
    silent = Dialogue("x", (Turn(Role.USER, trajectory=trajectory(CALM)),), ids={"system": "s"})
    with pytest.raises(RecordError, match="turn 1 of the user has no recording that a system could answer"):
        step.listen(silent)


def test_trajectories_and_labels_that_are_known_are_taken_as_they_are() -> None:
    given = Dialogue(
        "x",
        (
            Turn(Role.USER, trajectory=trajectory(ANGRY, ANGRY), emotion="anger"),
            Turn(Role.AGENT, trajectory=trajectory(CALM), emotion="fear"),
        ),
    )
    found = outcome(DialogueStep(LISTENER), given)
    assert found.scores["ERS"].is_defined
    assert found.scores["categorical"].reason.startswith("turn 1, agent: the table knows neutral")


def test_a_trajectory_of_another_step_is_refused() -> None:
    turn = Turn(Role.USER, trajectory=trajectory(CALM, step=0.25))
    with pytest.raises(RecordError, match=r"a point every 0\.25 s, but 1 s"):
        hear_turn(turn, None, LISTENER, table=PAPER.table)


def test_points_without_speech_are_not_compared() -> None:
    heard = Heard(Trajectory(1.0, (0.1, math.nan, 0.3), (0.1, math.nan, 0.3), (0.1, math.nan, 0.3)))
    assert heard.points.tolist() == [[0.1, 0.1, 0.1], [0.3, 0.3, 0.3]]
    assert Heard().points.shape == (0, 3)


def test_a_label_alone_gives_the_categorical_score_alone() -> None:
    given = Dialogue("x", (Turn(Role.USER, emotion="sad"), Turn(Role.AGENT, emotion="sad")))
    found = outcome(DialogueStep(LISTENER), given)
    assert found.scores["categorical"].value == 0.9
    assert found.scores["ECS"].reason == "turn 1: the user: there is neither a recording nor a trajectory"


def test_labels_come_from_a_served_recogniser_and_are_asked_for_once(tmp_path: Path, server: MockServer) -> None:
    server.answers(
        Answer({"text": "<|en|><|HAPPY|><|Speech|>hello"}),
        Answer({"text": "<|en|><|FEARFUL|><|Speech|>hello"}),
        Answer({"text": "<|en|><|HAPPY|><|Speech|>hello"}),
        Answer({"text": "<|en|><|EMO_UNKNOWN|>hm"}),
    )
    recogniser = ServedRecogniser(OpenAiTranscriber(Endpoint(server.base_url), model="sense", times="none"))
    step = DialogueStep(LISTENER, recogniser=recogniser)
    items = list(make_items([spoken(tmp_path, "a", "high", "low"), spoken(tmp_path, "b", "low", "high")]))
    ended = run_items(items, step, folder=tmp_path / "run", config=RunConfig("dialogue", "test"))
    reasons = [entry.outcome.scores["categorical"].reason for entry in ended.run.entries]
    assert reasons == [
        "turn 1, agent: the recogniser hears fear, which the table does not know",
        "turn 1, agent: the recogniser is not sure",
    ]


def test_a_transcript_without_tags_leaves_the_dialogue_unscored(tmp_path: Path, server: MockServer) -> None:
    server.answers(Answer({"text": "I am <|HAPPY|>"}))
    recogniser = ServedRecogniser(OpenAiTranscriber(Endpoint(server.base_url), model="sense", times="none"))
    items = list(make_items([spoken(tmp_path, "a", "high", "low")]))
    ended = run_items(
        items, DialogueStep(LISTENER, recogniser=recogniser), folder=tmp_path / "run", config=RunConfig("d", "t")
    )
    assert ended.run.entries[0].outcome.state is State.UNSCORED


def test_a_run_is_resumed_without_doing_anything_twice(tmp_path: Path) -> None:
    items = list(make_items([spoken(tmp_path, "a", "high", "low"), spoken(tmp_path, "b", "low", "low")]))
    step, config = DialogueStep(LISTENER), RunConfig("dialogue", "test")
    assert run_items(items[:1], step, folder=tmp_path / "run", config=config).worked == 1
    assert run_items(items, step, folder=tmp_path / "run", config=config).worked == 1


def test_runs_are_ranked_across_turns_only_where_every_dialogue_has_several() -> None:
    turn, answer = Turn(Role.USER, emotion="sad"), Turn(Role.AGENT, emotion="sad")
    one, two = Dialogue("1", (turn, answer)), Dialogue("2", (turn, answer) * 2)
    assert (main_score([two]), main_score([one, two]), main_score([])) == ("CT-ERS", "ERS", "ERS")
    asked = Dialogue("3", (turn, turn), ids={"system": "s"})
    assert (main_score([asked], systems=["s"]), main_score([asked])) == ("CT-ERS", "ERS")


def test_everything_that_changes_a_score_is_in_the_settings() -> None:
    step = DialogueStep(LISTENER)
    changed = replace(step, config=replace(PAPER, scale=4.0))
    assert step.settings() != changed.settings()
    assert step.signature != changed.signature
    assert EarListener("full").signature != EarListener("full", 0.5).signature != EarListener("permissive").signature


def test_the_ears_scale_is_brought_to_that_of_the_paper() -> None:
    scaled = to_paper_scale(Trajectory(1.0, (0.0, math.nan), (0.0, math.nan), (1.0, math.nan)))
    assert scaled.valence[0] == pytest.approx(MEAN_TALK.valence) == pytest.approx(0.141)
    assert scaled.dominance[0] == pytest.approx(0.308 + GAIN.dominance)
    assert math.isnan(scaled.arousal[1])


CLIP = Path(__file__).resolve().parents[3] / "examples" / "lighthouse" / "clips" / "keeper-apt.opus"


def test_the_python_call_scores_recordings_and_trajectories() -> None:
    same = dialogue([CLIP, CLIP])
    assert same.scores["ECS"].value == pytest.approx(1.0)
    calm = trajectory(CALM, CALM)
    assert dialogue([calm, calm, calm]).scores["ERS"].value == 1.0  # the third turn has no answer
    with pytest.raises(UsageError, match="got 1 turns"):
        dialogue([calm])


def test_the_python_call_takes_one_dialogue_by_its_path(tmp_path: Path) -> None:
    spoken(tmp_path, "a", "high", "low")
    found = dialogue(tmp_path / "a")
    assert set(found.scores) >= {"ECS", "EBS", "ESS", "ERS"}
    spoken(tmp_path, "b", "high", "low")
    with pytest.raises(UsageError, match="holds 2 dialogues"):
        dialogue(tmp_path)


def test_the_trajectory_of_every_turn_is_given_for_thresholds(tmp_path: Path) -> None:
    points = list(turn_points([spoken(tmp_path, "a", "high", "low")], LISTENER))
    assert [len(one) for one in points] == [2, 2]


def test_python_users_choose_labels_by_name_and_hear_of_unknown_ones() -> None:
    calm = trajectory(CALM)
    assert dialogue([calm, calm], labels="forced").signature.endswith("labels|kind:forced")
    with pytest.raises(UsageError, match="there are no labels 'soft'; choose one of clear, forced"):
        dialogue([calm, calm], labels="soft")  # type: ignore[arg-type]
