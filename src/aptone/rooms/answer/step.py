"""Step of the room: system under test, transcriber, listener and judge turn a question into scores.

For every answer the four fields of ParaS2SBench are put together: the words of the question (from the benchmark, or
transcribed as the paper has it), the way in which it was asked (from the benchmark, never guessed), the words of the
answer, and how the answer sounds. A judge gives 1 to 5 for them. Where the same sentence is asked in another way as
well, the answer is judged once more as if it had been asked that way: what is gained or lost by it is what the measure
over contrast pairs rests on.

An answer without speech, without words, in another language or far too long is no answer to judge: it is unscored, and
says why.
"""

import asyncio
import hashlib
import math
from collections import defaultdict
from collections.abc import Awaitable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from aptone.audio import probe, read_ref, speech_seconds
from aptone.ear.perceive import HEARING_RATE, SHORTEST_SPEECH, speech_at_any_level
from aptone.errors import RecordError, UnusableReplyError, UsageError
from aptone.messages import message
from aptone.models import About, Transcriber
from aptone.models.asking.chat import ask_transcriber
from aptone.rooms.answer.data import HIGHEST, LOWEST, AnswerSample, Fields, Fitness, Prompt, make_items
from aptone.rooms.answer.judge import AnswerJudge
from aptone.rooms.answer.listening import StyleListener, language_spoken
from aptone.run import Call, ReplyStore
from aptone.run.attempts import perform_once
from aptone.run.system import RECORDED, Asked, FolderSystem, System, kept_answer, ready_answer_hash
from aptone.types import Audio, AudioRef, Item, Json, Language, Outcome, Score, State, from_json, to_json

FITNESS = "fitness"
"""Name of the score that answers are ranked by."""
SWAPPED = "swapped"
"""Name of the fitness that the same answer has if the question had been asked in the other style of its pair."""
FIELDS, ANSWERS = "fields", "answers"
"""Names under which the evidence holds the four fields, and the path of a system's answer."""
CONTRAST = "contrast"
"""Under this key of the ids stand the two speaking styles of a pair."""

LONGEST_ANSWER = 120.0
"""Seconds beyond which a recording is not the answer to one question."""
LONGEST_QUESTION = 120.0
_BETWEEN = " / "

NO_WORDS = message("answer.no-words-heard-answer")
NO_ANSWER = "there is no answer to this question; record one, or name a system with --system."


@dataclass(frozen=True, slots=True)
class AnswerStep:
    """Question → answer of the system, where it is to be asked → four fields → fitness.

    Args:
        transcriber: transcriber; ``None`` where every answer comes with its words.
        systems: systems by name, which answer the questions of samples that name them; others have recorded answers.
        transcribe_questions: whether the words of questions are taken from their recordings, as the paper has it.
        swap: whether an answer is also judged as if the question had been asked in the other style of its pair.
        language: language of the rationales; ``None`` for that of each question.

    Raises:
        UsageError: if a system is given without a folder for its answers, or questions are to be transcribed
            without a transcriber.
    """

    judge: AnswerJudge
    listener: StyleListener
    transcriber: Transcriber | None = None
    systems: Mapping[str, System] = field(default_factory=dict)
    answers: Path | None = None
    transcribe_questions: bool = False
    swap: bool = True
    language: Language | None = None

    def __post_init__(self) -> None:
        if self.systems and self.answers is None:
            raise UsageError("the answers of a system are kept in a run folder; name one with -o.")
        if self.transcribe_questions and self.transcriber is None:
            raise UsageError("to transcribe questions, name a transcriber with --transcriber.")

    def __call__(self, item: Item, call: Call, /) -> Awaitable[Outcome]:
        """The outcome of one item whose payload is an `AnswerSample`."""
        return self.on_sample(from_json(AnswerSample, item.payload), call)

    async def on_sample(
        self, sample: AnswerSample, call: Call, *, question: Audio | None = None, answer: Audio | None = None
    ) -> Outcome:
        """The outcome of one sample; recordings that were read already are not read again.

        Raises:
            AptoneError: if a recording, the system or a model cannot be used.
        """
        evidence: dict[str, Json] = {}
        try:
            fields = await self._fields(sample, call, evidence, question, answer)
            return await self._judge(fields, twin_of(sample), call, evidence)
        except UnusableReplyError as error:  # caught here, so that what is known of the answer is kept
            call.cost += error.cost
            return Outcome.unscored(
                error.reason, raw_reply=error.raw_reply, evidence=evidence, signature=self.signature
            )

    async def _fields(
        self, sample: AnswerSample, call: Call, evidence: dict[str, Json], question: Audio | None, answer: Audio | None
    ) -> Fields:
        """The four fields; what is found out on the way is put into the evidence, however it ends.

        Raises:
            UnusableReplyError: if the answer is none that could be judged.
        """
        prompt = sample.prompt
        system = self.systems.get(sample.ids.get("system", ""))
        if question is None and (system is not None or self.transcribe_questions):
            question = await asyncio.to_thread(_question, prompt)
        if answer is None:
            ref = await asyncio.to_thread(self._answer, sample, system, question)
            if system is not None:
                evidence[ANSWERS] = [to_json(ref)]
            answer = await asyncio.to_thread(_read_answer, ref)
        _refuse_long(answer.seconds)
        await asyncio.to_thread(_refuse_silence, answer)
        content = prompt.content
        if self.transcribe_questions and question is not None:
            content = await self._words(question, prompt.language, call)
        words = (sample.answer_text if system is None else "") or await self._words(answer, prompt.language, call)
        spoken = language_spoken(words)
        evidence |= {"answer_text": words, "answer_language": spoken}
        for heard, nothing in ((content, message("answer.no-words-heard-question")), (words, NO_WORDS)):
            if not heard.strip():
                raise UnusableReplyError(nothing, raw_reply="")
        if spoken and spoken != prompt.language:
            raise UnusableReplyError(
                message("answer.other-language", spoken=spoken, asked=prompt.language), raw_reply=""
            )
        style = await self.listener.listen(answer, call, language=prompt.language)
        return Fields(content, prompt.dimension, prompt.category, words, style, prompt.language, spoken)

    async def _judge(self, fields: Fields, twin: str, call: Call, evidence: dict[str, Json]) -> Outcome:
        language = self.language or fields.language
        evidence[FIELDS] = to_json(fields)
        fitness = await self.judge.judge(fields, call, language=language)
        if math.isnan(fitness.value):
            raise UnusableReplyError(fitness.reason, raw_reply=fitness.raw_reply)
        scores = self._scores(fitness)
        if twin and self.swap:
            otherwise = await self._swapped_fitness(replace(fields, input_style=twin), call, language)
            scores[SWAPPED] = self._score(otherwise.value, otherwise.reason, higher_is_better=None)
            evidence[SWAPPED] = {"style": twin, "rationale": otherwise.rationale}
        return Outcome(
            State.DONE,
            scores,
            main_score=FITNESS,
            rationale=fitness.rationale,
            evidence=evidence,
            raw_reply=fitness.raw_reply,
            signature=self.signature,
        )

    async def _swapped_fitness(self, fields: Fields, call: Call, language: Language) -> Fitness:
        """The fitness to another speaking style; where it cannot be read, the answer keeps the one that it has."""
        try:
            return await self.judge.judge(fields, call, language=language)
        except UnusableReplyError as error:
            call.cost += error.cost
            return Fitness(math.nan, reason=error.reason, raw_reply=error.raw_reply)

    def _scores(self, fitness: Fitness) -> dict[str, Score]:
        parts = {name: value for name, value in fitness.parts.items() if name != FITNESS and not math.isnan(value)}
        return {FITNESS: self._score(fitness.value), **{name: self._score(value) for name, value in parts.items()}}

    def _score(self, value: float, reason: str = "", *, higher_is_better: bool | None = True) -> Score:
        return Score(
            value, range=(LOWEST, HIGHEST), reason=reason, signature=self.signature, higher_is_better=higher_is_better
        )

    def _answer(self, sample: AnswerSample, system: System | None, question: Audio | None) -> AudioRef:
        if system is None:
            if sample.answer is None:
                raise RecordError(NO_ANSWER)
            return sample.answer
        assert question is not None
        assert self.answers is not None
        folder = self.answers / Asked(sample.ids["system"]).name
        return kept_answer(system, question, asked_as(sample.prompt, system), folder=folder)

    async def _words(self, audio: Audio, language: Language, call: Call) -> str:
        if self.transcriber is None:
            raise UsageError("the words of this answer are not known; name a transcriber with --transcriber.")
        ask = ask_transcriber(self.transcriber, audio, language=language)
        return (await call.ask_one(ask)).text

    @property
    def signature(self) -> str:
        """Everything that the score of a given answer depends on."""
        heard = (self.transcriber.signature,) if self.transcriber is not None else ()
        return " + ".join((self.judge.signature, self.listener.signature, *heard))

    def settings(self) -> dict[str, Json]:
        """Settings that a score depends on, for the configuration of a run."""
        return {
            "judge": self.judge.signature,
            "listener": self.listener.signature,
            "transcriber": self.transcriber.signature if self.transcriber is not None else "",
            "transcribe_questions": self.transcribe_questions,
            "swap": self.swap,
            "systems": {name: system.signature for name, system in self.systems.items()},
        }

    @property
    def about(self) -> About:
        """Requirements and notices to show before a run."""
        known = self.judge.about + self.listener.about
        if self.transcriber is not None:
            known = known + self.transcriber.about
        for system in self.systems.values():
            known = known + About(sends_audio_to=system.sends_audio_to)
        return known


def asked_as(prompt: Prompt, system: System | None = None) -> Asked:
    """Name of a question as a system sees it, in ``{dialogue}`` and in the header: a hash that tells nothing.

    An id may name the style that a system is to hear, such as ``work-001-fear``. Ready answers in a folder, which
    nobody is asked for, are found by the id itself.

    >>> from aptone.rooms.answer.data import Dimension
    >>> asked_as(Prompt("work-001-fear", "Where is it?", Dimension.EMOTION, "fear")).dialogue
    'q-6ff4b49c4608d917'
    """
    if isinstance(system, FolderSystem):
        return Asked(prompt.id)
    digest = hashlib.sha256(f"aptone answer {prompt.id}".encode("utf-8", "surrogatepass"))
    return Asked(f"q-{digest.hexdigest()[:16]}")


def assign_systems(samples: Sequence[AnswerSample], systems: Collection[str]) -> list[AnswerSample]:
    """Every question once for each system, behind the answers that are there already.

    Question by question, so that a run that ends early has asked all systems alike. Without systems, only what is
    recorded is judged. All samples name their system, dimension, category, topic and source among their ids, and the
    contrast where the benchmark has the same sentence in another way.

    Raises:
        UsageError: if a recorded answer names a system that is to answer as well.
    """
    contrasts = contrasts_of(sample.prompt for sample in samples)
    recorded = [sample for sample in samples if sample.answer is not None or not systems]
    if taken := {sample.ids.get("system", RECORDED) for sample in recorded} & set(systems):
        raise UsageError(f"--system: the manifest holds answers of {sorted(taken)[0]!r} already; choose another name.")
    questions = {sample.prompt.id: sample.prompt for sample in samples}
    asked = [
        AnswerSample(f"{name}/{prompt.id}", prompt, ids={"system": name})
        for prompt in questions.values()
        for name in systems
    ]
    if systems:
        recorded = [replace(one, id=f"{one.ids.get('system', RECORDED)}/{one.id}") for one in recorded]
    return [_named(sample, contrasts.get(sample.prompt.id, "")) for sample in (*recorded, *asked)]


def contrasts_of(prompts: Iterable[Prompt]) -> dict[str, str]:
    """Id of a question to the two styles in which its sentence is asked, for those that have a twin."""
    pairs: defaultdict[str, dict[str, Prompt]] = defaultdict(dict)
    for prompt in prompts:
        if prompt.pair:
            pairs[prompt.pair][prompt.id] = prompt
    whole = [list(members.values()) for members in pairs.values()]
    return {
        prompt.id: _BETWEEN.join(sorted(other.category for other in members))
        for members in whole
        if len(members) == 2 and members[0].category != members[1].category
        for prompt in members
    }


def answer_items(samples: Iterable[AnswerSample], systems: Mapping[str, System] | None = None) -> Iterator[Item]:
    """Samples of `assign_systems` as items, which depend on the contrast, too, and on the files of ready answers."""
    named = list(samples)
    for sample, item in zip(named, make_items(named), strict=True):
        name = sample.ids.get("system", "")
        system = (systems or {}).get(name)
        ready = ready_answer_hash(system, asked_as(sample.prompt, system))
        depends = "\n".join((item.content_hash, name, sample.ids.get(CONTRAST, ""), *filter(None, [ready])))
        yield replace(item, content_hash=hashlib.sha256(depends.encode()).hexdigest())


def score_answer(
    sample: AnswerSample,
    step: AnswerStep,
    *,
    question: Audio | None = None,
    answer: Audio | None = None,
    seed: int = 0,
    store: ReplyStore | None = None,
) -> Outcome:
    """Judge one answer with the runner's care for retries and unreadable replies, but without a run folder.

    Raises:
        AptoneError: if it failed; an answer or a reply that cannot be used is an unscored outcome instead.
    """

    def once(call: Call) -> Awaitable[Outcome]:
        return step.on_sample(sample, call, question=question, answer=answer)

    return perform_once(once, id=sample.id, seed=seed, store=store).outcome


def _named(sample: AnswerSample, contrast: str) -> AnswerSample:
    prompt = sample.prompt
    said = {name: value for name, value in sample.ids.items() if name != CONTRAST}  # a manifest may say anything
    known = {
        "system": sample.ids.get("system", RECORDED),
        "dimension": prompt.dimension.value,
        "category": prompt.category,
        "source": prompt.source.value,
        "topic": prompt.topic,
        CONTRAST: contrast,
    }
    return replace(sample, ids={**said, **{name: value for name, value in known.items() if value}})


def twin_of(sample: AnswerSample) -> str:
    """Return the other style of the contrast pair that a sample belongs to; empty where it belongs to none."""
    ways = sample.ids.get(CONTRAST, "").split(_BETWEEN)
    return next((way for way in ways if way and way != sample.prompt.category), "")


def _question(prompt: Prompt) -> Audio:
    if prompt.audio is None:
        if prompt.source.is_real:
            raise RecordError(message("answer.name-release", option=f"--{prompt.source.value}"))
        raise RecordError(message("answer.record-question"))
    return read_ref(prompt.audio, rate=None, channel="mix", max_seconds=LONGEST_QUESTION)


def _read_answer(ref: AudioRef) -> Audio:
    _refuse_long((probe(ref.path).seconds if ref.end is None else ref.end) - ref.start)  # before it is decoded
    return read_ref(ref, rate=HEARING_RATE, channel="mix")


def _refuse_long(seconds: float) -> None:
    if seconds > LONGEST_ANSWER:
        why = message("answer.answer-too-long", count=seconds, longest=LONGEST_ANSWER)
        raise UnusableReplyError(why, raw_reply="")


def _refuse_silence(audio: Audio) -> None:
    spoken = speech_seconds(speech_at_any_level(audio))
    if not spoken:
        raise UnusableReplyError(message("answer.no-speech-heard-answer"), raw_reply="")
    if spoken < SHORTEST_SPEECH:
        raise UnusableReplyError(message("answer.speech-too-short", count=spoken, needed=SHORTEST_SPEECH), raw_reply="")
