"""The judge of answers that comes with Aptone: no model to ask, no download, the same score for the same four fields.

Three questions, each answered from 0 to 1:

- **content**: is the answer about the question? By the cosine of their words, on a curve that was fitted to answers of
  recorded dialogues and to answers of other dialogues; an answer that only repeats the question is none.
- **wording**: do its words show that the speaking style was understood?
- **sound**: does its emotion, pace, loudness and pitch fit the speaking style? By the table (`complements.json`), in
  which mirroring is not always right: anger is met with calm. Where recorded dialogues have such questions, a small
  model of them counts as well (`aptone.rooms.answer.judge.style_model`).

Style is the mean of wording and sound. Content and style both count: fitness = 1 + 4 · content^0.4 · style^0.6, so
that neither makes up for the lack of the other. What cannot be judged drops out, and the rationale says so; an answer
without words, or in another language than the question, has no fitness.
"""

import asyncio
import functools
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from aptone.messages import message
from aptone.models import About
from aptone.models.text.built_in_embedder import LICENCE as TEXT_LICENCE
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.models.text.units import is_han, runs, spoken_words
from aptone.planner.encoder import encoder_revision
from aptone.rooms.answer.data import HIGHEST, LOWEST, Dimension, Fields, Fitness
from aptone.rooms.answer.judge.style_model import LICENCE as STYLE_LICENCE
from aptone.rooms.answer.judge.style_model import load_style_model
from aptone.rooms.answer.judge.terms import Complement, Manner, Sound, load_complements, manner_of, sound_of
from aptone.rooms.answer.score import letters
from aptone.run import Call
from aptone.stats.accuracy import error_rate
from aptone.types import Language, language_of_text, signature

MOST_NAMED = 4

_PARTS: Mapping[Language, Mapping[str, str]] = {
    "en": {"content": "content", "wording": "wording", "sound": "sound"},
    "zh": {"content": "内容", "wording": "措辞", "sound": "声音"},
}
_MISSING: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "sound": "How it sounds is not known, so it was judged by its words.",
        "way of asking": "This way of asking is not known to the table, so only the content was judged.",
    },
    "zh": {"sound": "不知道它听起来如何，因此只看文字。", "way of asking": "表中没有这种提问方式，因此只评判了内容。"},
}


def rationale(
    parts: Mapping[str, float | None],
    *,
    language: Language,
    reason: str,
    signs: Sequence[str],
    wrong: Sequence[str],
    missing: Sequence[str],
) -> str:
    """Marks of the parts (0 to 1, ``None`` if not judged), what the style calls for (or empty), and telling words."""
    marks = [(name, parts[key]) for key, name in _PARTS[language].items()]
    if language == "zh":
        said = ["，".join(f"{name} {mark:.2f}" for name, mark in marks if mark is not None) + "（0 到 1）。"]
        said += [f"应当：{reason}。"] if reason else []
        said += [f"合适的词：{_named(signs, language)}。"] if signs else []
        said += [f"不合适的词：{_named(wrong, language)}。"] if wrong else []
        return "".join([*said, *(_MISSING["zh"][name] for name in missing)])
    listed = ", ".join(f"{name} {mark:.2f}" for name, mark in marks if mark is not None)
    said = [f"{listed[0].upper()}{listed[1:]} (0 to 1)."]
    said += [f"What fits: {reason}."] if reason else []
    said += [f"Words for it: {_named(signs, language)}."] if signs else []
    said += [f"Words against it: {_named(wrong, language)}."] if wrong else []
    return " ".join([*said, *(_MISSING["en"][name] for name in missing)])


def _named(words: Sequence[str], language: Language) -> str:
    return {"en": ", ", "zh": "、"}[language].join(f"“{word}”" for word in words[:MOST_NAMED])


SIGN = 0.8
"""Weight of one sign, for or against; at most `MOST_SIGNS` of either kind count."""
MOST_SIGNS = 3
NEARNESS = 5.0
"""Weight of a cosine's lead over the other speaking styles."""
SIMPLICITY = 1.5
BREVITY = 0.5
START = -0.3
"""Bias of the fit: without evidence it lies a little below the middle."""

BRIEF, LONG = 14, 40
"""Words up to which an answer is brief, and from which on it is long; Han characters count half."""

Vector = npt.NDArray[np.float32]
_SENTENCE_END = re.compile(r"[.!?。！？;；]+")


@dataclass(frozen=True, slots=True)
class Wording:
    """Evidence in the words of an answer; its fit is from 0 to 1."""

    fit: float
    signs: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


def wording_fit(
    category: str, rows: Mapping[str, Complement], question: str, answer: str, *, language: Language
) -> Wording:
    """Score how well the words of an answer, at least one, fit a speaking style."""
    row = rows[category]
    signs = _found(row.signs[language], question, answer)
    opposite = dict.fromkeys(
        sign for other in row.opposes for sign in rows[other].signs[language] if sign not in row.signs[language]
    )
    wrong = _found(tuple(opposite), question, answer)
    evidence = START + SIGN * (min(len(signs), MOST_SIGNS) - min(len(wrong), MOST_SIGNS))
    evidence += NEARNESS * _lead(category, language, rows, answer)
    if row.simple:
        evidence += SIMPLICITY * (row.simple if row.simple > 0 else row.simple / 2) * (2.0 * simplicity(answer) - 1.0)
    if row.brief:
        length = _length(answer)
        evidence += BREVITY * ((length <= BRIEF) - (length >= LONG))
    return Wording(1.0 / (1.0 + math.exp(-evidence)), signs, wrong)


def simplicity(text: str) -> float:
    """Simplicity of a text, 0 to 1, by the length of its words and of its sentences.

    In English 3.5 letters a word and 6 words a sentence are as simple as can be, 6 and 20 not simple at all; in
    Mandarin 6 and 24 characters a sentence.

    >>> simplicity("The cat is big.") > simplicity("Particularly sophisticated considerations predominate.")
    True
    """
    words = [run for run in runs(text) if run[0].isalnum()]
    sentences = max(1, sum(bool(part.strip()) for part in _SENTENCE_END.split(text)))
    if not words:
        return 0.0
    if sum(map(is_han, words)) * 2 >= len(words):
        return _between(sum(len(word) for word in words) / sentences, best=6.0, worst=24.0)
    letters = sum(len(word) for word in words) / len(words)
    return (_between(letters, best=3.5, worst=6.0) + _between(len(words) / sentences, best=6.0, worst=20.0)) / 2.0


def _between(value: float, *, best: float, worst: float) -> float:
    return min(1.0, max(0.0, (worst - value) / (worst - best)))


def _length(text: str) -> float:
    return sum(len(run) / 2 if is_han(run) else 1.0 for run in runs(text) if run[0].isalnum())


def _found(signs: tuple[str, ...], question: str, answer: str) -> tuple[str, ...]:
    """Signs that the answer has and the question has not; one that is a part of another counts with it."""
    said, asked = _spaced(answer), _spaced(question)
    found = [sign for sign in signs if (plain := _spaced(sign)) in said and plain not in asked]
    return tuple(sign for sign in found if not any(_spaced(sign) in _spaced(other) for other in found if other != sign))


@functools.lru_cache(maxsize=2048)
def _spaced(text: str) -> str:
    """Words with a space on either side, Mandarin without: in both, a phrase is found as a part of the whole.

    >>> _spaced("I'm so sorry!"), " sorry " in _spaced("So sorry.")
    (" i ' m so sorry ", True)
    """
    words = [run for run in runs(text) if run[0].isalnum() or run == "'"]
    return "\n".join(words) if words and all(map(is_han, words)) else f" {' '.join(words)} "


def _lead(category: str, language: Language, rows: Mapping[str, Complement], answer: str) -> float:
    """Lead of an answer's similarity to the examples of a category over the mean of the others."""
    vector = load_static_vectors().embed([answer])[0]
    near = {
        name: max(float(np.dot(vector, example)) for example in _examples(row.examples[language]))
        for name, row in rows.items()
    }
    others = [value for name, value in near.items() if name != category]
    return near[category] - sum(others) / len(others)


@functools.cache
def _examples(texts: tuple[str, ...]) -> tuple[Vector, ...]:
    return tuple(load_static_vectors().embed(texts))


REVISION = 2
CONTENT_SHARE = 0.4
"""Exponent of the content; the rest is that of the style."""

LEAST_CONTENT = 0.25
"""Content of an answer that shares nothing with the question: it may still be kind, and words can be shared unseen."""
ACKNOWLEDGED = 0.7
"""Least content of an answer whose words show that the speaking style was understood."""
REPEATED = 0.1
"""Content of an answer that only repeats the question."""
MISHEARD = 0.34
"""Share of the question's words that may differ in an answer that repeats it: transcripts are rarely exact."""
SHORT = 4
"""Words below which a question is repeated only by the same letters."""

NO_WORDS = message("answer.answer-no-words-judged")
NOT_COMPARED = message("answer.note-built-in-judge")


@dataclass(frozen=True, slots=True)
class Parts:
    """Parts of a fitness, each from 0 to 1; ``None`` where one could not be judged."""

    content: float
    wording: float | None = None
    sound: float | None = None
    row: Complement | None = None
    words: Wording | None = None
    missing: tuple[str, ...] = field(default=())

    @property
    def style(self) -> float | None:
        """Mean of wording and sound, as far as they are known."""
        known = [part for part in (self.wording, self.sound) if part is not None]
        return sum(known) / len(known) if known else None

    @property
    def fitness(self) -> float:
        """1 to 5."""
        fit = self.content if self.style is None else self.content**CONTENT_SHARE * self.style ** (1 - CONTENT_SHARE)
        return on_scale(fit)


class BuiltInAnswerJudge:
    """Scores answers from 1 to 5 without a model to ask and without a network."""

    about = About(licence=message("answer.licence", text=TEXT_LICENCE, style=STYLE_LICENCE), notes=(NOT_COMPARED,))

    @cached_property
    def signature(self) -> str:
        """The rules, the table, and the weights."""
        return signature(
            "answer-judge:built-in",
            {
                "revision": REVISION,
                "table": load_complements().hash,
                "style": load_style_model().revision,
                "text_embedder": load_static_vectors().revision,
                "encoder": encoder_revision("en"),
            },
        )

    async def judge(self, fields: Fields, call: Call, /, *, language: Language) -> Fitness:
        """Score an answer; see `aptone.rooms.answer.judge.AnswerJudge`."""
        return await asyncio.to_thread(judge_fields, fields, language=language)


def judge_fields(fields: Fields, *, language: Language) -> Fitness:
    """Score how well an answer fits the style of its question.

    >>> from aptone.rooms.answer.data import AnswerStyle
    >>> def asked(style):
    ...     kind = AnswerStyle(emotion={"calm": 1.0}, rate="slow", volume="quiet")
    ...     words = "I am so sorry. I am here for you."
    ...     return judge_fields(Fields("My cat ran away.", Dimension.EMOTION, style, words, kind), language="en").value
    >>> asked("sad") > asked("happy")
    True
    """
    if reason := unjudgeable(fields):
        return Fitness(math.nan, reason=reason)
    parts = judge_parts(fields)
    shown = {"content": parts.content, "wording": parts.wording, "sound": parts.sound, "style": parts.style}
    return Fitness(
        parts.fitness,
        rationale=rationale(
            shown,
            language=language,
            reason=parts.row.reason[language] if parts.row else "",
            signs=parts.words.signs if parts.words else (),
            wrong=parts.words.wrong if parts.words else (),
            missing=parts.missing,
        ),
        parts={name: on_scale(part) for name, part in shown.items() if part is not None},
    )


def unjudgeable(fields: Fields) -> str:
    """Return why an answer cannot be judged at all; empty where it can."""
    if not has_words(fields.output_content):
        return NO_WORDS
    if not has_words(fields.input_content):
        return "the question has no words that an answer could be about"
    spoken = fields.answer_language or language_of_text(fields.output_content)
    if spoken.partition("-")[0].casefold() != fields.language:
        return f"the answer is in another language ({spoken}) than the question ({fields.language})"
    return ""


def judge_parts(fields: Fields, *, use_words: bool = True) -> Parts:
    """The parts of a fitness; without `use_words`, for measuring only, the words say nothing about which sound fits."""
    missing = []
    sound = sound_of(fields.output_style)
    if not sound.is_known:
        missing.append("sound")
    rows = load_complements().categories[fields.dimension]
    row = rows.get(fields.input_style)
    manner = manner_of(fields.input_style) if row is None else None
    words: Wording | None = None
    if row is not None:
        words = wording_fit(
            fields.input_style, rows, fields.input_content, fields.output_content, language=fields.language
        )
    elif manner is not None and fields.dimension is Dimension.EMOTION:
        row = load_complements().manners[manner.feeling]
    else:
        missing.append("way of asking")
    return Parts(
        content=content_fit(
            fields.input_content, fields.output_content, is_acknowledged=words is not None and bool(words.signs)
        ),
        wording=None if words is None else words.fit,
        sound=None if row is None or not sound.is_known else _sound_fit(row, manner, sound, fields, use_words),
        row=row,
        words=words,
        missing=tuple(missing),
    )


def content_fit(question: str, answer: str, *, is_acknowledged: bool = False) -> float:
    """Score whether an answer is about a question, or its words acknowledge how it was asked, 0 to 1."""
    if _is_repeated(question, answer):
        return REPEATED
    fit = LEAST_CONTENT + (1.0 - LEAST_CONTENT) * load_style_model().related(question, answer)
    return max(fit, ACKNOWLEDGED) if is_acknowledged else fit


def _is_repeated(question: str, answer: str) -> bool:
    if letters(question) == letters(answer):
        return True
    language = language_of_text(question)
    asked, said = (spoken_words(text, language=language) for text in (question, answer))
    return len(asked) >= SHORT and error_rate(asked, said) <= MISHEARD


def on_scale(fit: float) -> float:
    """A share from 0 to 1 as a score from 1 to 5.

    >>> on_scale(0.5)
    3.0
    """
    return LOWEST + (HIGHEST - LOWEST) * min(1.0, max(0.0, fit))


def has_words(text: str) -> bool:
    """Return whether a text holds a letter or a digit."""
    return any(character.isalnum() for character in text)


def _sound_fit(row: Complement, manner: Manner | None, sound: Sound, fields: Fields, use_words: bool) -> float:
    table = row.sound_fit(sound)
    if not row.learned or not sound.emotion or fields.language != "en":
        return table
    asked = manner or Manner(row.asked)
    learned = load_style_model().fit(asked, sound, fields.input_content, fields.output_content if use_words else "")
    return row.learned * learned + (1.0 - row.learned) * table
