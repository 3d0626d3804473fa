import asyncio
import json
from collections.abc import Callable, Mapping, Sequence

import pytest

from aptone.errors import TransientError, UnusableReplyError, UsageError
from aptone.models import About
from aptone.models.chat import Message, Reply
from aptone.planner import ChatPlanner
from aptone.planner.chat.parts import ApiPlanner
from aptone.run import Call
from aptone.types import AudioRef, Json, Line, NoVote, Plan, Sample
from tests.tables import for_each


def reply(emotion: str) -> str:
    return json.dumps({"emotion": emotion, "rhythm": "tense", "intonation": "rising", "recording_condition": ""})


class ByWindow:
    """A chat model that answers by the number of lines it is shown; it counts how many calls are out at once."""

    about = About(notes=("It is a fake.",))
    signature = "fake:1"

    def __init__(self, answer: Callable[[int, int], str | Exception]) -> None:
        self.answer = answer
        self.asked: list[int] = []
        self.seeds: list[int | None] = []
        self.out, self.most_out = 0, 0

    async def complete(
        self,
        messages: Sequence[Message],
        *,
        max_tokens: int,
        temperature: float,
        json_schema: Mapping[str, Json] | None = None,
        seed: int | None = None,
    ) -> Reply:
        passage = messages[1].text.partition("<passage>\n")[2].partition("\n</passage>")[0]
        window = 0 if passage.startswith("(") else passage.count("\n") + 1
        attempt = self.asked.count(window)
        self.asked.append(window)
        self.seeds.append(seed)
        self.out += 1
        self.most_out = max(self.most_out, self.out)
        await asyncio.sleep(0)
        self.out -= 1
        said = self.answer(window, attempt)
        if isinstance(said, Exception):
            raise said
        return Reply(said, cost=0.5)


def sample(lines: int = 20, plan: Plan | None = None) -> Sample:
    story = tuple(Line(f"Line {number}.") for number in range(lines))
    return Sample("a", AudioRef("a.wav"), Line("Go."), context=story, following=(Line("After."),), plan=plan)


def made(planner: ChatPlanner, of: Sample, call: Call | None = None) -> Plan:
    return asyncio.run(planner.plan(of, call or Call()))


def test_fifteen_windows_are_asked_at_once_and_vote() -> None:
    chat = ByWindow(lambda window, _: reply("fear" if window > 6 else "calm"))
    call = Call()
    plan = made(ChatPlanner(chat), sample(), call)
    assert sorted(chat.asked) == list(range(1, 16))
    assert chat.most_out == 15
    assert (plan.emotion, plan.recording_condition) == ("fear", "normal")
    assert plan.vote_share == 9 / 15  # windows 7 to 15
    assert (plan.windows, len(plan.votes), plan.no_votes) == (15, 15, ())
    assert call.cost == 7.5  # 15 calls of 0.5


def test_a_thrifty_vote_asks_eight_windows_where_they_agree_and_has_the_same_winner() -> None:
    full, thrifty = (ByWindow(lambda window, _: reply("fear" if window > 6 else "calm")) for _ in range(2))
    everything, enough = made(ChatPlanner(full), sample()), made(ChatPlanner(thrifty, thrifty=True), sample())
    assert sorted(thrifty.asked) == list(range(8, 16))  # 8 votes of 15 cannot be outvoted
    assert enough.emotion == everything.emotion
    assert (enough.windows, len(enough.votes)) == (15, 8)


def test_a_thrifty_vote_has_the_signature_and_the_requests_of_a_full_one() -> None:
    chat = ByWindow(lambda window, _: reply("fear"))
    full, thrifty = ChatPlanner(chat), ChatPlanner(chat, thrifty=True)
    assert full.signature == thrifty.signature
    call = Call()
    made(full, sample(), call)
    made(thrifty, sample(), call)
    assert len(chat.asked) == 15  # the second vote found its replies in the call's memory


def test_the_signature_names_model_prompts_and_options() -> None:
    chat = ByWindow(lambda window, _: reply("fear"))
    assert "chat:fake:1" in ChatPlanner(chat).signature
    assert "prompts:" in ChatPlanner(chat).signature
    signatures = {ChatPlanner(chat, windows=size).signature for size in (5, 15)}
    assert len({*signatures, ChatPlanner(chat, temperature=0).signature}) == 3
    assert ChatPlanner(chat).about == chat.about


def test_a_reply_that_cannot_be_read_is_asked_for_again_with_another_seed() -> None:
    chat = ByWindow(lambda window, attempt: reply("fear") if attempt else "Well…")
    plan = made(ChatPlanner(chat, windows=1), sample(), Call(seed=7))
    assert plan.emotion == "fear"
    assert chat.seeds == [7, 8]


def test_a_window_whose_replies_cannot_be_read_has_no_vote_and_costs_no_call_more() -> None:
    chat = ByWindow(lambda window, _: "Well…" if window == 2 else reply("fear"))
    call = Call(replies_per_request=3)
    plan = made(ChatPlanner(chat, windows=4), sample(), call)
    assert plan.no_votes == (NoVote(2, "the reply holds no JSON object with a plan. (the reply begins “Well…”)"),)
    assert [vote.window for vote in plan.votes] == [1, 3, 4]
    assert len(chat.asked) == 3 + 3  # three windows once, the unreadable one three times
    assert call.parse_failures == 3


def test_without_a_readable_reply_there_is_no_plan_but_the_reason_and_the_reply() -> None:
    chat = ByWindow(lambda window, _: "I would rather not.")
    with pytest.raises(UnusableReplyError) as refused:
        made(ChatPlanner(chat), sample(lines=2))
    why = "the reply holds no JSON object with a plan. (the reply begins “I would rather not.”)"
    assert refused.value.reason == f"no window gave a plan: {why}"
    assert refused.value.raw_reply == "I would rather not."


def test_a_call_that_may_pass_is_left_to_the_runner_and_repeats_only_what_failed() -> None:
    chat = ByWindow(lambda window, attempt: TransientError("busy") if window == 3 and not attempt else reply("fear"))
    call = Call()
    planner = ChatPlanner(chat, windows=4)
    with pytest.raises(TransientError, match="busy"):
        made(planner, sample(), call)
    assert made(planner, sample(), call).emotion == "fear"
    assert sorted(chat.asked) == [1, 2, 3, 3, 4]


def test_a_line_without_a_story_is_planned_from_its_words() -> None:
    chat = ByWindow(lambda window, _: reply("fear"))
    plan = made(ChatPlanner(chat), sample(lines=0))
    assert (chat.asked, [vote.window for vote in plan.votes]) == ([0], [0])
    made(ChatPlanner(chat, windows=0), sample(lines=9))
    assert chat.asked == [0, 0]


def test_a_plan_that_the_sample_brings_is_taken_unless_told_otherwise() -> None:
    chat = ByWindow(lambda window, _: reply("fear"))
    given = Plan("calm")
    assert made(ChatPlanner(chat), sample(plan=given)) is given
    assert chat.asked == []
    assert made(ChatPlanner(chat, replan=True), sample(plan=given)).emotion == "fear"


@for_each(
    "options", [{"windows": -1}, {"thrifty": "yes"}, {"temperature": -1}, {"max_tokens": 0}, {"prompts": "nowhere"}]
)
def test_options_that_cannot_be_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(UsageError):
        ChatPlanner(ByWindow(lambda window, _: ""), **options)  # type: ignore[arg-type]


def test_the_planner_behind_a_server_must_know_which_server_and_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    monkeypatch.delenv("APTONE_PLANNER_MODEL", raising=False)
    with pytest.raises(UsageError, match="which model is the planner, and where"):
        ApiPlanner(model="qwen")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://localhost:8000/v1")
    monkeypatch.setenv("APTONE_PLANNER_MODEL", "qwen3-8b")
    assert "qwen3-8b" in ApiPlanner(thrifty=True).signature
