"""Reasonings as training data of judges, written from score, plan and annotation.

In CEAEval (appendix E) a chat model writes them; here a chat model or the built-in grammar does
(`aptone.train.cot.writers`), in English and in Mandarin, without translation. Every reasoning is checked
(`aptone.train.cot.check`): one that states the final score, lacks an aspect, leaves a span open or is in the wrong
language is requested again and finally refused, with its reason.

Rated lines → plan → reasonings (a journalled run, which resumes) → shards of examples that ``aptone train sft`` and
``aptone train grpo`` read: for each line and language one with reasons, ``<think>…</think><score>3.5</score>``, and one
with the score only. Refused reasonings are listed in a file.
"""

import asyncio
import hashlib
import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from aptone.audio import read_ref
from aptone.ear import ear_and_licence, load_ear
from aptone.ear.describe import style_of
from aptone.errors import RecordError, UnusableReplyError, UsageError
from aptone.judge.chat.conversation import Briefing, asks_for_nothing
from aptone.messages import joined, message
from aptone.models import About
from aptone.models.asking.chat import plain_reason
from aptone.planner import Planner
from aptone.rooms.aptness.rated_lines import RatedSet
from aptone.rooms.aptness.step import JUDGED_RATE, LONGEST_LINE
from aptone.run import Call, Run, write_whole
from aptone.run.sources.shards import shard_keys
from aptone.train.cot.case import Case
from aptone.train.cot.writers import Reasoner
from aptone.train.judge.dataset import Format, write_examples
from aptone.train.judge.example import Example, judge_example
from aptone.types import (
    Annotation,
    Audio,
    AudioRef,
    Item,
    Json,
    Language,
    Outcome,
    Plan,
    Sample,
    Score,
    State,
    dumps,
    from_json,
    to_json,
)

WRITTEN = "written"
"""Folder of the run within that of the corpus."""
REJECTS = "rejects.jsonl"
NO_PLAN = message("judge.plan-asks-nothing")
NOTHING = "none"
"""Annotation of a clip without sounds besides words."""
BY_EAR = "What annotators left open was filled in by the built-in ear, which may be mistaken"


@dataclass(frozen=True, slots=True)
class ReasonStep:
    """Step from a rated line to its plan and a reasoning in each language.

    Args:
        ear: name of the ear that fills in what annotators left open; empty for none.

    Raises:
        UsageError: if there is no language.
    """

    planner: Planner
    reasoner: Reasoner
    languages: tuple[Language, ...] = ("en", "zh")
    ear: str = ""

    def __post_init__(self) -> None:
        if not self.languages:
            raise UsageError("in which language are reasonings to be written? Give en, zh or both.")

    async def __call__(self, item: Item, call: Call, /) -> Outcome:
        """Return the outcome of one line: reasonings, and refused ones."""
        sample = from_json(Sample, item.payload["sample"])
        audio = await asyncio.to_thread(_read_clip, sample)
        made = self.planner.plan(sample, call)
        plan = await made if inspect.isawaitable(made) else made
        evidence: dict[str, Json] = {"plan": to_json(plan), "seconds": audio.seconds}
        if asks_for_nothing(plan):
            return Outcome.unscored(NO_PLAN, evidence=evidence, signature=self.signature)
        heard = from_json(Annotation, item.payload["annotation"])
        if self.ear:
            heard = await asyncio.to_thread(filled_by_ear, heard, audio, ear=self.ear, language=sample.language)
            evidence["heard"] = to_json(heard)
        case = Case(sample.target.text, plan, heard, float(str(item.payload["score"])))
        written: dict[str, Json] = {}
        refused: dict[str, Json] = {}
        reasons: list[str] = []
        for language in self.languages:
            try:
                reasoning = await self.reasoner.write(case, language=language, name=item.id, call=call)
                written[language] = reasoning.text
            except UnusableReplyError as error:
                reason = plain_reason(error)  # the whole reply stands beside it, and reasons are counted
                reasons.append(reason)
                refused[language] = {"reason": reason, "reply": error.raw_reply}
        evidence |= {"reasonings": written, "refused": refused}
        if not written:
            why = joined(dict.fromkeys(reasons))
            return Outcome.unscored(why, evidence=evidence, signature=self.signature)
        count = Score(float(len(written)), unit="reasonings", higher_is_better=None)
        return Outcome(State.DONE, {"reasonings": count}, evidence=evidence, signature=self.signature)

    @property
    def signature(self) -> str:
        """Signatures of planner, writer and ear."""
        heard = f" + {load_ear(self.ear).signature}" if self.ear else ""
        return f"{self.planner.signature} + {self.reasoner.signature}{heard}"

    @property
    def about(self) -> About:
        """Requirements and notes of planner, writer and ear."""
        heard = About(notes=(BY_EAR,), licence=ear_and_licence(self.ear)) if self.ear else About()
        return self.planner.about + self.reasoner.about + heard

    def described(self) -> dict[str, Json]:
        """Return everything that the reasonings depend on, for the configuration of a run."""
        return {
            "planner": self.planner.signature,
            "writer": self.reasoner.signature,
            "languages": list(self.languages),
            "ear": load_ear(self.ear).signature if self.ear else "",
        }


def filled_by_ear(annotation: Annotation, audio: Audio, *, ear: str, language: Language) -> Annotation:
    """Fill the open fields of an annotation with what the ear is sure of."""
    open_ones = {"emotion", "rhythm", "intonation", "recording_condition", "vocalisations"} & {*annotation.unanswered}
    if not open_ones:
        return annotation
    perception = load_ear(ear).perceive(audio, language=language)
    style = style_of(perception, language=language)
    silence = "" if "events" in perception.unjudged else NOTHING
    found: dict[str, Any] = {
        "emotion": style.emotion.value if style.emotion else "",
        "rhythm": style.rhythm,
        "intonation": style.intonation,
        "recording_condition": style.recording_condition.value if style.recording_condition else "",
        "vocalisations": ", ".join(event.value for event in style.events) or silence,
    }
    return replace(annotation, **{name: found[name] for name in open_ones})


def rated_items(rated: RatedSet) -> list[Item]:
    """Return rated lines as items of a `ReasonStep`; the location of recordings does not change their hash.

    Raises:
        RecordError: if no line has a score.
    """
    items = []
    for position, line in enumerate(rated.rated_lines):
        sample = line.sample
        payload: dict[str, Json] = {
            "sample": to_json(sample),
            "annotation": to_json(line.annotation),
            "score": line.score(proxy=rated.is_proxy),
        }
        placeless = sample
        if isinstance(sample.audio, AudioRef):
            placeless = replace(sample, audio=replace(sample.audio, path="-"))
        content = hashlib.sha256(dumps({**payload, "sample": to_json(placeless)}).encode()).hexdigest()
        items.append(Item(id=sample.id, payload=payload, content_hash=content, position=position))
    if not items:
        raise RecordError(f"{rated.source}: no line has a score, so there is nothing to give reasons for.")
    return items


@dataclass(frozen=True, slots=True)
class ReasoningCorpus:
    """Training data written from a run, with numbers of examples with reasons and with the score only."""

    shards: Path
    clips: int
    reasoned: int
    scored: int
    refused: Mapping[str, int]


def write_reasoning_shards(
    run: Run,
    *,
    folder: Path,
    shards: Path,
    languages: Sequence[Language],
    prompts: str | None = None,
    per_shard: int = 500,
    format: Format = "flac",
) -> ReasoningCorpus:
    """Write the examples of a run into shards, and refused reasonings into a list.

    A line whose reasonings were refused still gives an example with its score; one that could not be read or planned
    does not.

    Args:
        shards: folder for the shards; a call that was killed can be repeated.
        prompts: folder with other prompts than those of judges.

    Raises:
        AudioError: if a recording can no longer be read.
        RecordError: if two lines have one id.
        RunError: if the folder cannot be written.
        UsageError: if the prompts cannot be used.
    """
    briefings = [
        Briefing(reasoning=reasoning, prompt_language=language, prompts=prompts)
        for language in languages
        for reasoning in (True, False)
    ]
    rejects = list(_rejects(run))
    write_whole(folder / REJECTS, "".join(f"{dumps(reject)}\n" for reject in rejects))
    counts: Counter[str] = Counter()
    write_examples(shards, _counted(_examples(run, briefings), counts), per_shard=per_shard, format=format)
    refused = Counter(str(reject["reason"]) for reject in rejects)
    clips = len(shard_keys(shards))
    return ReasoningCorpus(shards, clips, counts["reasoned"], counts["score"], dict(refused.most_common()))


def _counted(examples: Iterable[Example], counts: Counter[str]) -> Iterator[Example]:
    for example in examples:
        counts[example.kind] += 1
        yield example


def _examples(run: Run, briefings: Sequence[Briefing]) -> Iterator[Example]:
    """Yield the examples of all lines, those of one clip next to each other."""
    for entry in run.entries:
        evidence: Mapping[str, Any] = entry.outcome.evidence
        if entry.repeat or "reasonings" not in evidence:
            continue
        sample = from_json(Sample, entry.item.payload["sample"])
        plan = from_json(Plan, evidence["plan"])
        score = float(str(entry.item.payload["score"]))
        for briefing in briefings:
            text = evidence["reasonings"].get(briefing.prompt_language, "")
            if text or not briefing.reasoning:
                yield judge_example(sample, plan, score=score, briefing=briefing, reasoning=text)


def _rejects(run: Run) -> Iterator[dict[str, Json]]:
    for entry in run.entries:
        outcome = entry.outcome
        refused: Any = outcome.evidence.get("refused") or {}
        for language, one in refused.items():
            yield {"id": entry.item.id, "language": language, **one}
        if outcome.state is not State.DONE and not refused:
            yield {"id": entry.item.id, "language": "", "reason": outcome.reason, "reply": outcome.raw_reply}


def _read_clip(sample: Sample) -> Audio:
    """Read the clip of a sample."""
    if not isinstance(sample.audio, AudioRef):
        raise RecordError(f"{sample.id}: a line to learn from names a recording.")
    return read_ref(sample.audio, rate=JUDGED_RATE, channel="mix", max_seconds=LONGEST_LINE)
