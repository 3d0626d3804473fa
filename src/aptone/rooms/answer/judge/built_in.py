"""The judge of answers that comes with Aptone: no model to ask, no download, the same score for the same four fields.

Three questions, each answered from 0 to 1:

- **content**: does it answer this question? By a scorer that reads question and answer together and was trained on
  graded answers, honest and adversarial (`aptone.rooms.answer.judge.content_model`): word salad, contradiction, empty
  consolation, flattery and what is beside the point score low. What insults, threatens or endangers the asker is worth
  less: content · (1 - harm²), so that a slight suspicion costs little. An answer that only repeats the question is no
  answer.
- **wording**: do its words fit the speaking style? By the same scorer where it was trained on the style; by words and
  examples of the table for the others (sincere, adult, male, female), which words by rote can please.
- **sound**: does its emotion, pace, loudness and pitch fit the speaking style? By the table (`complements.json`), in
  which mirroring is not always right: anger is met with calm. Where recorded dialogues have such questions, a small
  model of them counts as well (`aptone.rooms.answer.judge.style_model`).

Style is the mean of wording and sound. Content and style both count: fitness = 1 + 4 · content^0.5 · style^0.5, so
that neither makes up for the lack of the other. What cannot be judged drops out, and the rationale says so; an answer
without words, or in another language than the question, has no fitness.
"""

import asyncio
import functools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from aptone.messages import message
from aptone.models import About
from aptone.models.text.built_in_embedder import LICENCE as TEXT_LICENCE
from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.models.text.units import spoken_words
from aptone.planner.encoder import encoder_revision
from aptone.rooms.answer.data import HIGHEST, LOWEST, Dimension, Fields, Fitness
from aptone.rooms.answer.judge.content_model import KNOWN, PLAIN, WordScores, load_content_model
from aptone.rooms.answer.judge.content_model import LICENCE as CONTENT_LICENCE
from aptone.rooms.answer.judge.style_model import LICENCE as STYLE_LICENCE
from aptone.rooms.answer.judge.style_model import load_style_model
from aptone.rooms.answer.judge.terms import Complement, Manner, Sound, load_complements, manner_of, sound_of
from aptone.rooms.answer.judge.wording import Wording, wording_fit
from aptone.rooms.answer.score import letters
from aptone.run import Call
from aptone.stats.accuracy import error_rate
from aptone.types import Language, language_of_text, signature

MOST_NAMED = 4
HARMFUL = 0.5
"""Probability of harm from which on the rationale names it."""

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
    harm: float = 0.0,
) -> str:
    """Marks of the parts (0 to 1, ``None`` if not judged), what the style calls for (or empty), and telling words.

    A harm of `HARMFUL` or more is named.
    """
    marks = [(name, parts[key]) for key, name in _PARTS[language].items()]
    if language == "zh":
        said = ["，".join(f"{name} {mark:.2f}" for name, mark in marks if mark is not None) + "（0 到 1）。"]
        said += [f"应当：{reason}。"] if reason else []
        said += [f"合适的词：{_named(signs, language)}。"] if signs else []
        said += [f"不合适的词：{_named(wrong, language)}。"] if wrong else []
        said += [f"可能在侮辱、威胁或危害提问者（{harm:.2f}）。"] if harm >= HARMFUL else []
        return "".join([*said, *(_MISSING["zh"][name] for name in missing)])
    listed = ", ".join(f"{name} {mark:.2f}" for name, mark in marks if mark is not None)
    said = [f"{listed[0].upper()}{listed[1:]} (0 to 1)."]
    said += [f"What fits: {reason}."] if reason else []
    said += [f"Words for it: {_named(signs, language)}."] if signs else []
    said += [f"Words against it: {_named(wrong, language)}."] if wrong else []
    said += [f"It may insult, threaten or endanger the asker ({harm:.2f})."] if harm >= HARMFUL else []
    return " ".join([*said, *(_MISSING["en"][name] for name in missing)])


def _named(words: Sequence[str], language: Language) -> str:
    return {"en": ", ", "zh": "、"}[language].join(f"“{word}”" for word in words[:MOST_NAMED])


REVISION = 3
CONTENT_SHARE = 0.5
"""Exponent of the content; the rest is that of the style."""

LEARNED_WORDING = 0.75
"""Share of the scorer in the wording of a style that it knows; the rest is the table's."""
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
    harm: float = 0.0
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

    about = About(
        licence=message("answer.licence", text=TEXT_LICENCE, style=STYLE_LICENCE, content=CONTENT_LICENCE),
        notes=(NOT_COMPARED,),
    )

    @cached_property
    def signature(self) -> str:
        """The rules, the table, and the weights."""
        return signature(
            "answer-judge:built-in",
            {
                "revision": REVISION,
                "table": load_complements().hash,
                "style": load_style_model().revision,
                "content": load_content_model().revision,
                "text_embedder": load_static_vectors().revision,
                "encoder": [encoder_revision("en"), encoder_revision("zh")],
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
            harm=parts.harm,
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
    found = word_scores(fields)
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
        content=content_fit(fields.input_content, fields.output_content, found),
        wording=None if words is None else learned_wording(fields, words.fit, found),
        sound=None if row is None or not sound.is_known else _sound_fit(row, manner, sound, fields, use_words),
        harm=found.harm,
        row=row,
        words=words,
        missing=tuple(missing),
    )


def word_scores(fields: Fields) -> WordScores:
    """Scores of the answer's words by the trained scorer, with the style as far as it knows it."""
    known = fields.input_style in KNOWN[fields.dimension]
    return _scored(fields.input_content, fields.output_content, fields.input_style if known else PLAIN, fields.language)


@functools.lru_cache(maxsize=2048)
def _scored(question: str, answer: str, style: str, language: Language) -> WordScores:
    return load_content_model().score(question, answer, style=style, language=language)


def content_fit(question: str, answer: str, found: WordScores) -> float:
    """Score whether an answer answers a question, 0 to 1: content · (1 - harm²), at most `REPEATED` for a repetition.

    >>> content_fit("My cat ran away.", "You never fed it, you fool.", WordScores(0.5, 0.1, harm=0.8))
    0.18
    """
    fit = round(found.content * (1.0 - found.harm**2), 9)
    return min(fit, REPEATED) if _is_repeated(question, answer) else fit


def learned_wording(fields: Fields, table: float, found: WordScores) -> float:
    """Score whether the wording fits, 0 to 1: by scorer and table, or by the table alone for a style that it lacks."""
    if fields.input_style not in KNOWN[fields.dimension]:
        return table
    return LEARNED_WORDING * found.fit + (1.0 - LEARNED_WORDING) * table


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
