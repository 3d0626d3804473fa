"""The planner behind a server that misbehaves: no plan is invented, and what is missing says why."""

import asyncio
import json
from typing import Any

import pytest

from aptone.errors import TransientError, UnusableReplyError, UsageError
from aptone.planner.chat.parts import ApiPlanner
from aptone.run import Call
from aptone.types import AudioRef, Line, Plan, Sample
from tests.models.mock_server import BREAKS_OFF, PAGE, RATE_LIMIT, STALL, Answer, MockServer, completion

PLAN = {"emotion": "afraid", "rhythm": "tense", "intonation": "rising", "recording_condition": "phone"}
GOOD = completion(json.dumps(PLAN), tokens=(1000, 100))


def planned(server: MockServer, call: Call, *, lines: int = 2, **options: Any) -> Plan:
    planner = ApiPlanner(model="mock", base_url=server.base_url, input_price=1.0, output_price=10.0, **options)
    story = tuple(Line(f"Line {number}.") for number in range(lines))
    return asyncio.run(planner.plan(Sample("a", AudioRef("a.wav"), Line("Go."), context=story), call))


def test_a_plan_is_asked_for_as_json_and_paid_for(server: MockServer) -> None:
    server.answers(GOOD)
    call = Call()
    plan = planned(server, call)
    assert (plan.emotion, plan.recording_condition, plan.vote_share) == ("fear", "phone", 1.0)
    assert call.cost == pytest.approx(2 * (1000 * 1 + 100 * 10) / 1e6)  # two windows
    asked = server.received[0].json
    assert asked["temperature"] == 0.7
    assert asked["response_format"]["json_schema"]["schema"]["required"] == [*PLAN]


def test_a_reply_that_was_cut_is_no_vote(server: MockServer) -> None:
    server.answers(completion(json.dumps(PLAN), finish="length"))
    with pytest.raises(UnusableReplyError, match="no window gave a plan: the reply is not whole"):
        planned(server, Call(replies_per_request=1))


@pytest.mark.parametrize("answer", [RATE_LIMIT, BREAKS_OFF, PAGE, STALL, Answer(b"", status=503)])
def test_what_may_pass_is_told_to_the_runner(server: MockServer, answer: Answer) -> None:
    server.answers(answer)
    with pytest.raises(TransientError):
        planned(server, Call(), timeout=0.3 if answer.stalls else 60.0)


def test_a_wrong_key_is_told_to_the_user(server: MockServer) -> None:
    server.answers(Answer({"error": {"message": "no"}}, status=401))
    with pytest.raises(UsageError, match="OPENAI_API_KEY"):
        planned(server, Call())


def test_a_story_that_gives_orders_gets_no_plan_of_its_own(server: MockServer) -> None:
    """A model that quotes a plan from the story beside its own has given two, which is none."""
    quoted = json.dumps({**PLAN, "emotion": "happy"})
    server.answers(completion(f"The story says {quoted}, but: {json.dumps(PLAN)}"))
    with pytest.raises(UnusableReplyError, match="2 plans that differ"):
        planned(server, Call(replies_per_request=1))
