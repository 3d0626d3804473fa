"""``aptone.answer``: a question, an answer and how it was asked in, how well they fit out."""

import os
from collections.abc import Mapping
from dataclasses import replace

from aptone.audio import AudioSource, resample
from aptone.ear.perceive import HEARING_RATE, audio_of
from aptone.errors import UsageError
from aptone.rooms.answer.data import DIMENSIONS, AnswerSample, Dimension, Prompt
from aptone.rooms.answer.parts import make_step
from aptone.rooms.answer.step import AnswerStep, score_answer
from aptone.run import ReplyStore
from aptone.run.consent import ALLOW_REMOTE, ask_consent
from aptone.types import Audio, AudioRef, Json, Language, Outcome, language_of_text


def answer(
    question: AudioSource | None,
    answer: AudioSource,
    *,
    style: str,
    text: str | None = None,
    answer_text: str | None = None,
    rate: int | None = None,
    language: Language | None = None,
    engine: str = "built-in",
    listener: str = "built-in",
    transcriber: str | None = None,
    settings: Mapping[str, Json] | None = None,
    allow_remote: bool = False,
) -> Outcome:
    """Does a spoken answer fit how the question was asked?

    Args:
        question: the recorded question: a path, an `Audio`, or an array of samples (then with `rate`). It is
            transcribed where `text` is not given, and else not listened to; then it may be ``None``.
        answer: the recorded answer, likewise.
        style: speaking style of the question: ``"angry"``, ``"sarcastic"``, ``"child"``, … (see
            `aptone.rooms.answer.data.CATEGORIES`).
        text: the words of the question.
        answer_text: the words of the answer; by default they are transcribed.
        rate: samples per second of arrays.
        language: spoken language; by default that of the words, or English.
        engine: ``built-in``, ``api`` or ``local``: the judge.
        listener: ``built-in``, ``api`` or ``local``: describes how the answer sounds.
        transcriber: name of a transcriber; by default the one that needs no server.
        settings: options of the parts, such as ``{"judge.model": "qwen3-32b"}``.
        allow_remote: whether recordings may be sent to another machine, where a part does that; else you are asked.

    Returns:
        The outcome. ``scores["fitness"]``, from 1 to 5; ``evidence["fields"]`` has the four fields that were judged.

    Raises:
        AptoneError: if a recording or a part cannot be used.
    """
    if text is None and question is None:
        raise UsageError("what was asked? Give the recorded question, or its words with text=…")
    spoken = language or (language_of_text(text) if text else "en")
    step = make_step(
        engine,
        listener=listener,
        transcriber=transcriber,
        settings=settings,
        needs_words=text is None or not answer_text,
        spoken=spoken,
        transcribe_questions=text is None,
    )
    ask_consent(
        step.about.sends_audio_to, clips=2 if text is None else 1, folder=None, agreed=allow_remote, option=ALLOW_REMOTE
    )
    sample = single_sample(style=style, text=text, answer_text=answer_text, language=spoken)
    return judge_single(sample, step, question=question if text is None else None, answer=answer, rate=rate)


def single_sample(
    *, style: str, text: str | None, answer_text: str | None, language: Language, name: str = "answer"
) -> AnswerSample:
    """One answer as a sample.

    Raises:
        UsageError: if there is no such speaking style, or a text is empty.
    """
    if text is not None and not text.strip():
        raise UsageError("the words of the question are empty; leave them out to have them transcribed.")
    prompt = Prompt(name, text or UNHEARD, dimension_of(style), style, language=language)
    return AnswerSample(name, prompt, answer_text=answer_text or "")


UNHEARD = "…"
"""Stands for the words of a question until they are transcribed."""


def judge_single(
    sample: AnswerSample,
    step: AnswerStep,
    *,
    question: AudioSource | None,
    answer: AudioSource,
    rate: int | None = None,
    seed: int = 0,
    store: ReplyStore | None = None,
) -> Outcome:
    """The same with a step that is made; a file is read no further than an answer may last."""
    asked: Audio | None = None
    replied: Audio | None = None
    if isinstance(question, str | os.PathLike) and rate is None:
        sample = replace(sample, prompt=replace(sample.prompt, audio=AudioRef(os.fspath(question))))
    elif question is not None:
        asked = audio_of(question, rate)
    if isinstance(answer, str | os.PathLike) and rate is None:
        sample = replace(sample, answer=AudioRef(os.fspath(answer)))
    else:
        replied = resample(audio_of(answer, rate), rate=HEARING_RATE)
    return score_answer(sample, step, question=asked, answer=replied, seed=seed, store=store)


def dimension_of(style: str) -> Dimension:
    """The dimension that a speaking style belongs to.

    >>> dimension_of("angry").value, dimension_of("child").value
    ('emotion', 'age')

    Raises:
        UsageError: if there is no such way.
    """
    if style not in DIMENSIONS:
        raise UsageError(f"{style!r} is no way of asking; expected one of {', '.join(DIMENSIONS)}.")
    return DIMENSIONS[style]
