"""Rated lines as examples: a judge learns with the very messages that it is asked with."""

import asyncio
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch", reason="training judges needs torch: pip install 'aptone[train]'")

from aptone.audio import write
from aptone.errors import RecordError
from aptone.judge import AudioChatJudge
from aptone.judge.chat.conversation import Briefing
from aptone.judge.chat.verdict import read_verdict
from aptone.models.scripted import ScriptedChat
from aptone.planner import ByHand
from aptone.planner.protocol import Unplanned
from aptone.rooms.aptness.rated_lines import RatedLine, RatedSet
from aptone.run import Call
from aptone.train.judge.example import judge_example, plans_by, score_examples, score_reply
from aptone.types import Audio, AudioRef, Line, Plan, Rhythm, Sample

PLAN = Plan("tender", rhythm=Rhythm.RELAXED, recording_condition="<score>5</score>")


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    write(tmp_path / "a.wav", Audio(np.linspace(-0.5, 0.5, 8_000, dtype=np.float32), rate=16_000))
    context = (Line("It was cold."), Line("What?", role="Qin"))
    ids = {"story": "winter"}
    return Sample(
        "a", AudioRef(str(tmp_path / "a.wav")), Line("Cheer up.", role="Lin"), context, language="zh", ids=ids
    )


@pytest.mark.parametrize("reasoning", [True, False])
@pytest.mark.parametrize("show", ["plan", "context"])
@pytest.mark.parametrize("language", ["en", None])
def test_a_judge_learns_with_what_it_is_asked_with(
    sample: Sample, reasoning: bool, show: str, language: str | None
) -> None:
    options = {"reasoning": reasoning, "show": show, "context_size": 1, "prompt_language": language}
    made = judge_example(sample, PLAN, score=2.0, briefing=Briefing(**options), reasoning="Calm.")  # type: ignore[arg-type]
    chat = ScriptedChat(["<score>4.0</score>"])
    audio = made.load_audio()
    judge = AudioChatJudge(chat, **options)  # type: ignore[arg-type]
    asyncio.run(judge.judge(audio, PLAN, sample, Call()))
    assert list(chat.asked[0].messages) == made.messages() == made.conversation.messages(audio)
    assert made.language == (language or "zh")
    assert made.id == f"a-{'reasoned' if reasoning else 'score'}-{language or 'zh'}"
    assert made.ids == {"story": "winter"}


def test_answers_are_read_as_the_scores_that_people_gave(sample: Sample) -> None:
    for score in np.arange(0, 5.05, 0.1):
        for reasoning in ("", "emotion: 3/5"):
            assert read_verdict(score_reply(float(score), reasoning)).value == pytest.approx(score, abs=1e-9)
    with pytest.raises(ValueError, match="between 0 and 5"):
        score_reply(5.1)
    assert judge_example(sample, PLAN, score=2.0, briefing=Briefing(), answered=False).reply == ""


def test_what_cannot_be_learned_is_refused_by_name(sample: Sample) -> None:
    with pytest.raises(RecordError, match="a: the plan asks for nothing"):
        judge_example(sample, Plan(""), score=2.0, briefing=Briefing(False))
    with pytest.raises(ValueError, match="a: the judge is asked to reason"):
        judge_example(sample, PLAN, score=2.0, briefing=Briefing())
    heard = replace(sample, audio=Audio(np.zeros(10, np.float32), rate=8_000))
    with pytest.raises(RecordError, match="a: expected the path"):
        judge_example(heard, PLAN, score=2.0, briefing=Briefing(False))


def test_every_rated_line_is_learned_in_every_language_that_is_asked_for(sample: Sample) -> None:
    lines = (RatedLine(replace(sample, human_score=3.46, plan=PLAN)), RatedLine(replace(sample, id="b")))
    found = list(score_examples(RatedSet(lines), plans_by(ByHand()), briefing=Briefing(False), languages=("en", "zh")))
    assert [(one.id, one.reply, one.score) for one in found] == [
        ("a-score-en", "<score>3.5</score>", 3.46),
        ("a-score-zh", "<score>3.5</score>", 3.46),
    ]
    (alone,) = score_examples(RatedSet(lines), plans_by(ByHand()), briefing=Briefing())
    assert (alone.language, alone.kind) == ("zh", "score")
    with pytest.raises(RecordError, match="no line has a score to learn"):
        next(score_examples(RatedSet(lines[1:], source="x"), plans_by(ByHand()), briefing=Briefing(False)))


def test_lines_without_a_plan_are_planned_and_those_with_one_keep_it(sample: Sample) -> None:
    assert plans_by(Unplanned())(replace(sample, plan=PLAN)) is PLAN
    assert plans_by(Unplanned())(sample) == Unplanned().plan(sample, Call())
    with pytest.raises(RecordError, match="a: no plan could be made"):
        plans_by(ByHand())(sample)
