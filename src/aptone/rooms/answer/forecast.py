"""Forecast of what judging answers will take; nothing is sent."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import replace

from aptone.audio import read_ref
from aptone.ear.perceive import HEARING_RATE
from aptone.errors import AptoneError
from aptone.models.asking.chat import ask_transcriber
from aptone.rooms.answer.data import AnswerSample, AnswerStyle, Fields
from aptone.rooms.answer.step import LONGEST_ANSWER, AnswerStep, twin_of
from aptone.run.forecast import RunForecast, forecast_run
from aptone.run.rehearsal import Rehearsal
from aptone.types import Audio, AudioRef

STYLE = AnswerStyle(description="A woman speaks slowly and at a normal volume in a low, clear voice.")
"""Stands for how an answer sounds, until it was heard."""


def forecast_answers(step: AnswerStep, samples: Sequence[AnswerSample], *, repeats: int = 1) -> RunForecast:
    """Return what judging these takes; an answer that a system is yet to give is taken to be like its question."""

    async def rehearse(sample: AnswerSample, call: Rehearsal) -> None:
        prompt, heard = sample.prompt, next(_heard(step, sample), None)
        words = sample.answer_text if _system(step, sample) is None else ""
        if step.transcriber is not None and step.transcriber.about.asks_server:
            asked = [prompt.audio] if step.transcribe_questions and prompt.audio else []
            for ref in [*asked, *([heard] if heard and not words else [])]:
                with contextlib.suppress(AptoneError):
                    await call.ask_one(ask_transcriber(step.transcriber, _read(ref), language=prompt.language))
        if heard is not None and step.listener.about.asks_server:
            with contextlib.suppress(AptoneError):
                await step.listener.listen(_read(heard), call, language=prompt.language)
        if step.judge.about.asks_server:
            language = step.language or prompt.language
            fields = Fields(
                prompt.content, prompt.dimension, prompt.category, words or prompt.content, STYLE, prompt.language
            )
            twin = twin_of(sample) if step.swap else ""
            for asked_as in [prompt.category, *([twin] if twin else [])]:
                with contextlib.suppress(AptoneError):
                    await step.judge.judge(replace(fields, input_style=asked_as), call, language=language)

    return forecast_run(
        samples, lambda one: _heard(step, one), rehearse, has_prices=not step.about.unpriced, repeats=repeats
    )


def _system(step: AnswerStep, sample: AnswerSample) -> object | None:
    return step.systems.get(sample.ids.get("system", ""))


def _heard(step: AnswerStep, sample: AnswerSample) -> Iterator[AudioRef]:
    ref = sample.answer if _system(step, sample) is None else sample.prompt.audio
    if ref is not None:
        yield ref


def _read(ref: AudioRef) -> Audio:
    return read_ref(ref, rate=HEARING_RATE, channel="mix", max_seconds=LONGEST_ANSWER)
