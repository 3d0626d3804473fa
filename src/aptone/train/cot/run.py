"""Reasonings for a judge to learn from, written from what is known: score, plan and what annotators heard.

CEAEval (appendix E) lets a chat model write them; here a chat model or the built-in grammar does
(`aptone.train.cot.writers`), each in English and in Mandarin rather than translated. Whatever is written is checked
(`aptone.train.cot.check`): what states the final score, lacks an aspect, leaves a span open or is in the wrong language
is asked for again and at last refused, with its reason.

Rated lines → plan → reasonings (a run with a journal, which can be killed and goes on) → shards of examples that
``aptone train sft`` and ``aptone train grpo`` read: for each line and language one with reasons,
``<think>…</think><score>3.5</score>``, and one with the score only. What was refused is listed beside them.
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
from aptone.ear import load_ear
from aptone.ear.describe import style_of
from aptone.ear.licences import ear_and_licence
from aptone.errors import RecordError, UnusableReplyError, UsageError
from aptone.judge.chat.conversation import Briefing, asks_for_nothing
from aptone.messages import joined, message
from aptone.models import About
from aptone.planner import Planner
from aptone.rooms.aptness.rated_lines import RatedSet
from aptone.rooms.aptness.step import JUDGED_RATE, LONGEST_LINE
from aptone.run import Call, Run, write_whole
from aptone.run.sources.shards import shard_keys
from aptone.train.cot.case import Case
from aptone.train.cot.writers import Reasoner
from aptone.train.judge.dataset import Format, write_examples
from aptone.train.judge.example import Example
from aptone.train.judge.rated_examples import judge_example
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
"""What an annotator answers who heard no sound besides words."""
BY_EAR = "What annotators left open was filled in by the built-in ear, which may be mistaken"


@dataclass(frozen=True, slots=True)
class ReasonStep:
    """A rated line → its plan → a reasoning in each language.

    Args:
        planner: says how the line should sound, where the record does not.
        reasoner: writes.
        languages: to write in.
        ear: name of the ear that says what annotators left open; empty for none.

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
        """The outcome of one line: what was written, and what was refused."""
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
                reasons.append(error.reason)
                refused[language] = {"reason": error.reason, "reply": error.raw_reply}
        evidence |= {"reasonings": written, "refused": refused}
        if not written:
            why = joined(dict.fromkeys(reasons))
            return Outcome.unscored(why, evidence=evidence, signature=self.signature)
        count = Score(float(len(written)), unit="reasonings", higher_is_better=None)
        return Outcome(State.DONE, {"reasonings": count}, evidence=evidence, signature=self.signature)

    @property
    def signature(self) -> str:
        """Planner, writer and ear."""
        heard = f" + {load_ear(self.ear).signature}" if self.ear else ""
        return f"{self.planner.signature} + {self.reasoner.signature}{heard}"

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        heard = About(notes=(BY_EAR,), licence=ear_and_licence(self.ear)) if self.ear else About()
        return self.planner.about + self.reasoner.about + heard

    def described(self) -> dict[str, Json]:
        """Everything that the reasonings depend on, for the configuration of a run."""
        return {
            "planner": self.planner.signature,
            "writer": self.reasoner.signature,
            "languages": list(self.languages),
            "ear": load_ear(self.ear).signature if self.ear else "",
        }


def filled_by_ear(annotation: Annotation, audio: Audio, *, ear: str, language: Language) -> Annotation:
    """An annotation with what the ear is sure of, where annotators left something open.

    Args:
        annotation: as far as it was answered.
        audio: the clip.
        ear: its name.
        language: that is spoken.
    """
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
    """Rated lines as items of a `ReasonStep`; where they lie on the disk does not change what is written.

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
        hashed = dumps({**payload, "sample": to_json(placeless)})
        content = hashlib.sha256(hashed.encode()).hexdigest()
        items.append(Item(id=sample.id, payload=payload, content_hash=content, position=position))
    if not items:
        raise RecordError(f"{rated.source}: no line has a score, so there is nothing to give reasons for.")
    return items


@dataclass(frozen=True, slots=True)
class Lessons:
    """What was made of a run.

    Args:
        shards: folder of the examples.
        clips: how many are in it.
        reasoned: examples with reasons.
        scored: examples with the score only.
        refused: reasons why something was left out, and how often.
    """

    shards: Path
    clips: int
    reasoned: int
    scored: int
    refused: Mapping[str, int]


def collect_lessons(
    run: Run,
    *,
    folder: Path,
    shards: Path,
    languages: Sequence[Language],
    prompts: str | None = None,
    per_shard: int = 500,
    format: Format = "flac",
) -> Lessons:
    """Write the examples of a run into shards, and what was refused into a list.

    A line whose reasonings were refused still teaches its score; one that could not be read or planned does not.

    Args:
        run: of a `ReasonStep`.
        folder: for the list.
        shards: folder for the shards; a call that was killed is made again.
        languages: of the examples.
        prompts: a folder with other prompts than those that judges have.
        per_shard: clips in a shard.
        format: of the clips.

    Raises:
        AudioError: if a recording cannot be read any more.
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
    return Lessons(shards, len(shard_keys(shards)), counts["reasoned"], counts["score"], dict(refused.most_common()))


def _counted(examples: Iterable[Example], counts: Counter[str]) -> Iterator[Example]:
    for example in examples:
        counts[example.kind] += 1
        yield example


def _examples(run: Run, briefings: Sequence[Briefing]) -> Iterator[Example]:
    """The examples of all lines, those of one clip next to each other."""
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
    """The clip; one that cannot be heard teaches nothing."""
    if not isinstance(sample.audio, AudioRef):
        raise RecordError(f"{sample.id}: a line to learn from names a recording.")
    return read_ref(sample.audio, rate=JUDGED_RATE, channel="mix", max_seconds=LONGEST_LINE)
