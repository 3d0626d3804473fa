"""The miniature judge: a small speech-language model that hears the clip, reads the plan and writes its verdict.

It is what the training recipes of CEAEval make of fourteen million weights (`aptone.train.ablation.rows`, row 12), on
onnxruntime and numpy alone. It can be asked in two ways. *At once*: the score is the mean over all that it thinks
possible where it writes one. *Reasoning*: it writes what it hears first; the score is the mean over eight replies that
are drawn beside the likeliest one, whose words are the rationale.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from aptone.audio import find_speech, resample
from aptone.ear import ear_name
from aptone.errors import UnusableReplyError, UsageError
from aptone.judge.chat.conversation import Briefing, asks_for_nothing
from aptone.judge.chat.expected_score import expected_score, score_place
from aptone.judge.chat.verdict import Verdict, read_verdict
from aptone.models import About
from aptone.models.openai.served import check_kinds
from aptone.run import Call
from aptone.stats.logits import softmax
from aptone.types import Audio, Json, Outcome, Plan, Sample, State, signature, to_json
from recipes.miniature.engine_network import (
    LICENCE,
    PARAMETERS,
    SHIPPED,
    MiniatureNetwork,
    check_miniature,
    load_miniature,
)
from recipes.miniature.engine_writing import TOKENS_FOR_A_SCORE, TOKENS_FOR_REASONS, Reply, ask, sources, write
from recipes.miniature.frames import LONGEST_SECONDS, RATE, heard_frames, spoken
from recipes.miniature.plan import PROMPTS, taught_line, taught_plan

REVISION = 2
DRAWS = 8
"""Replies over which the score of a judge that reasons is averaged."""

NOTE = (
    "Miniature judge: it learnt grades that a formula gave to acted clips of a few dozen speakers, never listeners' "
    f"scores; it hears at most {LONGEST_SECONDS} s, knows seven feelings, and reads English: rank takes of a line with "
    "it, and trust a single number little."
)
NO_SPEECH = "nobody speaks in the clip"
_KINDS = {"reasoning": ((bool,), "true or false"), "model": ((str,), "the path of a folder")}


class MiniatureJudge:
    """A speech-language model of 14 million weights, by the plan.

    Args:
        reasoning: whether it thinks in words before it scores: slower, with a rationale.
        model: a folder that ``aptone train miniature export`` wrote; empty for the one that comes with Aptone.

    Raises:
        UsageError: if an option is not one, there is no such folder, or only permissive weights may be used.
    """

    def __init__(self, *, reasoning: bool = False, model: str = "") -> None:
        check_kinds("judge", {"reasoning": reasoning, "model": model}, _KINDS)
        if not model and ear_name() == "permissive":
            raise UsageError(
                f"the weights of the miniature judge stand under {LICENCE}, and the permissive ear is selected; take "
                "--engine built-in, or name weights of your own with --set judge.model=FOLDER."
            )
        self._folder = Path(model) if model else SHIPPED
        check_miniature(self._folder)
        self._reasoning = reasoning
        self._briefing = Briefing(reasoning=reasoning, prompt_language="en", prompts=str(PROMPTS))

    @property
    def about(self) -> About:
        """What it was never compared with, licence and size; its weights are only loaded where they are a user's."""
        if self._folder == SHIPPED:
            return About(notes=(NOTE,), licence=f"miniature judge ({LICENCE})", parameters=PARAMETERS)
        settings = self._network.settings
        return About(notes=(NOTE,), licence=f"miniature judge ({settings.licence})", parameters=settings.parameters)

    @cached_property
    def signature(self) -> str:
        """Weights, prompts, and how it is asked."""
        parts: dict[str, Json] = {
            "revision": REVISION,
            "weights": self._network.settings.revision,
            "prompts": self._briefing.texts.hash,
            "reasoning": self._reasoning,
        }
        return signature("judge:miniature", parts)

    @property
    def _network(self) -> MiniatureNetwork:
        return load_miniature(self._folder)

    def judge(self, audio: Audio, plan: Plan, sample: Sample, call: Call, /) -> Outcome:
        """The verdict on a clip.

        Raises:
            AudioError: if the clip is too short to hold a sound.
            UnusableReplyError: if no reply holds a verdict.
        """
        evidence: dict[str, Json] = {"plan": to_json(plan)}
        if asks_for_nothing(plan):
            return Outcome.unscored("the plan asks for nothing", evidence=evidence, signature=self.signature)
        told = taught_plan(plan)
        if isinstance(told, str):
            return Outcome.unscored(told, evidence=evidence, signature=self.signature)
        clip = resample(audio, rate=RATE)
        speech = find_speech(clip)
        if not speech:
            return Outcome.unscored(NO_SPEECH, evidence=evidence, signature=self.signature)
        cut = spoken(clip, speech)
        line = taught_line(sample.target, self._network.tokens)
        conversation = self._briefing.conversation(told, replace(sample, target=line))
        asked = ask(self._network, conversation, heard_frames(cut, self._network.scale))
        shown = self._briefing.shown(plan, sample)
        by = sources(asked, DRAWS if self._reasoning else 0)
        limit = TOKENS_FOR_REASONS if self._reasoning else TOKENS_FOR_A_SCORE
        replies = [Read.of(self._network, reply, shown) for reply in write(self._network, asked, by, max_tokens=limit)]
        verdict = reasoned_verdict(replies) if self._reasoning else verdict_at_once(self._network, replies[0])
        likeliest = replies[0]
        worded = next(one for one in replies if one.verdict is not None)
        evidence |= {
            "told": to_json(told),
            "heard_seconds": round(min(cut.seconds, float(LONGEST_SECONDS)), 3),
            "read_characters": len(line.text),
            "likeliest": None if likeliest.verdict is None else likeliest.verdict.value,
        }
        if self._reasoning:
            evidence["drawn"] = [None if one.verdict is None else one.verdict.value for one in replies[1:]]
        return Outcome(
            State.DONE,
            scores=verdict.scores(signature=self.signature),
            rationale=verdict.rationale,
            evidence=evidence,
            raw_reply=worded.text,
            signature=self.signature,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A reply and the verdict in it.

    Args:
        reply: as it was written.
        text: of it.
        verdict: that it holds; None where it holds none.
        reason: why not.
    """

    reply: Reply
    text: str
    verdict: Verdict | None
    reason: str = ""

    @classmethod
    def of(cls, network: MiniatureNetwork, reply: Reply, shown: Sequence[str]) -> "Read":
        """Read a reply as that of any judge is read."""
        text = network.tokens.decode(reply.ids)
        if not reply.is_whole:
            return cls(reply, text, None, f"the reply has no end after {len(reply.ids)} tokens")
        try:
            return cls(reply, text, read_verdict(text, shown=shown))
        except UnusableReplyError as error:
            return cls(reply, text, None, error.reason)


def verdict_at_once(network: MiniatureNetwork, read: Read) -> Verdict:
    """The verdict of a reply without reasoning: what the judge expects at the place of its score.

    Raises:
        UnusableReplyError: if it gives no score of one digit and one decimal.
    """
    if read.verdict is None:
        raise UnusableReplyError(read.reason, raw_reply=read.text)
    digits = [network.tokens.encode(str(digit))[0] for digit in range(10)]
    place = score_place(read.reply.ids, network.settings.score[0], digits)
    if place is None:
        raise UnusableReplyError("the score has not one digit and one decimal", raw_reply=read.text)
    first, decimal = (softmax(read.reply.digits[place + behind]) for behind in (0, 2))
    return replace(read.verdict, value=expected_score(first, decimal, digits.index(read.reply.ids[place])))


def reasoned_verdict(replies: Sequence[Read]) -> Verdict:
    """The mean score of the drawn replies, with the words of the likeliest one; those without a score do not count.

    Raises:
        UnusableReplyError: if no drawn reply has a score.
    """
    likeliest, *drawn = replies
    read = [one.verdict for one in drawn if one.verdict is not None]
    if not read:
        reason = f"none of {len(drawn)} replies holds a score; the first: {drawn[0].reason}"
        raise UnusableReplyError(reason, raw_reply=likeliest.text)
    worded = likeliest.verdict or read[0]
    return replace(worded, value=math.fsum(verdict.value for verdict in read) / len(read))
