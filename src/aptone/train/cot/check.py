"""Validation of reasonings for training: complete, in the right form and language, and silent about the final score.

A judge that is trained on reasonings which name the overall score copies it in the place of giving one. And the text of
a chat model or an annotator may hold anything. So every reasoning, the grammar's own included, passes `check_reasoning`
before it becomes a training example.
"""

import functools
import math
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from aptone.errors import UnusableReplyError
from aptone.judge.chat.verdict import ASPECTS, RANGE, forged_scores
from aptone.messages import message
from aptone.models.asking.guard import visible
from aptone.models.omni.checkpoint import FOCUS
from aptone.types import Language, language_of_text

LONGEST = 4000
"""Longest reasoning in characters."""
SHORTEST_SPAN = 2
"""Smallest number of letters in a span in which something is heard."""
FURTHEST = 1.0
"""Largest distance of the mean of the aspects from the score by people."""

ASPECT_NAMES: Mapping[Language, Mapping[str, str]] = {
    "en": {name: name.replace("_", " ") for name in ASPECTS},
    "zh": dict(zip(ASPECTS, ("情感", "节奏", "语调", "录音状态", "副语言", "自然度"), strict=True)),
}
"""Names of the aspects in the prompts of judges, and so in their training data."""
COLON = {"en": ": ", "zh": "："}

_NUMBER = r"[0-5](?:\.[0-9]{1,2})?"
_FOCUS_TAGS = re.compile("|".join(map(re.escape, FOCUS)))
_ANY_TAG = re.compile(r"[<>＜＞]")
_WHOLE = (
    r"overall|final(?:ly)?|total|altogether|in all|all in all|in sum(?:mary)?|conclusion|verdict|as a whole"
    r"|总分|总体|总评|综合|整体|全面|最终|最后|总的来|合计|结论"
)
_SCORES = (
    r"scores?|scored|rat(?:e|es|ed|ing)|marks?|points?|grades?|gives?|given|deserves?|worth|分|得分|评分|打分|给|评为"
)
_FIGURE = rf"(?<![\d.]){_NUMBER}(?![\d]|\.\d)"
_NEAR = r"[^\n.。！？!?]{0,60}?"
_FINAL = re.compile(rf"(?:{_WHOLE}){_NEAR}{_FIGURE}|{_FIGURE}{_NEAR}(?:{_WHOLE})", re.IGNORECASE)
_LOOSE = re.compile(
    rf"{_FIGURE}\s*(?:/\s*5|(?:out\s+)?of\s+(?:5|five)|stars?|分)|(?:{_SCORES}){_NEAR}{_FIGURE}", re.IGNORECASE
)
_WORDED = re.compile(
    r"\b(?:overall|final|total)\s+(?:score|rating|mark|grade)\s+(?:is|of|would|comes)\b"
    rf"|\b(?:{_WHOLE}){_NEAR}(?<!the )\b(?:zero|one|two|three|four|five)(?=\s*(?:[.,;!]|$))"
    rf"|(?:{_WHOLE})[^\n.。！？!?]{{0,6}}?[是为算给][零一二两三四五](?=[，。；！]|点|$)"
    r"|\b(?:zero|one|two|three|four|five)(?:\s+and\s+a\s+half|\s+point\s+\w+)?\s+(?:out\s+of\s+five|stars?|points?)\b"
    r"|\b(?:give|rate|score)s?\b[^.\n]{0,20}\b(?:zero|two|three|four|five)\b"
    r"|(?:总分|最终得分|最终评分|综合评分|综合得分|整体得分|整体评分)(?:为|是|应|给)"
    r"|[零一二两三四五](?:点[零一二三四五六七八九])?分(?![之钟别为外])"
    r"|[零一二两三四五]颗?星",
    re.IGNORECASE | re.MULTILINE,
)
"""The final score in words, without a figure."""
_ENGLISH = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_MANDARIN = "零一二三四五六七八九"


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A reasoning that passed the checks, without the tags around it; spans in which something is heard are marked."""

    text: str
    aspects: Mapping[str, float]
    language: Language


def aspect_figure(name: str, value: float, language: Language) -> str:
    """Return the score of an aspect in the form that judges are asked for.

    >>> aspect_figure("recording_condition", 4.0, "en"), aspect_figure("emotion", 3.25, "zh")
    ('recording condition: 4.0/5', '情感：3.2/5')
    """
    return f"{ASPECT_NAMES[language][name]}{COLON[language]}{value:.1f}/5"


def check_reasoning(
    text: str, *, score: float, language: Language, aspects: Sequence[str] = tuple(ASPECTS)
) -> Reasoning:
    """Return a reasoning that may be used to train a judge on this score.

    Args:
        text: reasoning without tags around it.
        score: score by people.
        aspects: aspects that it must score once each, and no others.

    Raises:
        UnusableReplyError: if it fails a check; the reason names it.
    """

    def refuse(reason: str) -> UnusableReplyError:
        return UnusableReplyError(reason, raw_reply=text)

    clean = "\n".join(" ".join(line.split()) for line in text.splitlines() if line.strip())
    if not clean or len(clean) > LONGEST:
        raise refuse(message("train.reasoning-length", limit=LONGEST, count=len(clean)))
    if any(visible(line) != line for line in clean.split("\n")):
        raise refuse(message("train.reasoning-invisible"))
    if forged_scores(clean):
        raise refuse(message("train.reasoning-score-tags"))
    if problem := _span_problem(clean):
        raise refuse(problem)
    bare = _FOCUS_TAGS.sub("", clean)
    if _ANY_TAG.search(bare):
        raise refuse(message("train.reasoning-other-tags"))
    found = _aspects(bare, language)
    for name in ASPECTS:
        if (times := len(found[name])) != (wanted := int(name in aspects)):
            wrong = "train.reasoning-aspect-once" if wanted else "train.reasoning-aspect-never"
            raise refuse(message(wrong, aspect=repr(ASPECT_NAMES[language][name]), times=times))
    values = {name: found[name][0] for name in aspects}
    if states_score(bare, score=score, language=language):
        raise refuse(message("train.reasoning-final-score"))
    if language_of_text(bare) != language:
        raise refuse(message("train.reasoning-other-language"))
    mean = math.fsum(values.values()) / len(values)
    if abs(mean - score) > FURTHEST and not min(values.values()) <= score <= max(values.values()):
        raise refuse(message("train.reasoning-contradicts"))
    return Reasoning(clean, values, language)


def states_score(text: str, *, score: float, language: Language) -> bool:
    r"""Return true if a reasoning states the final score, besides those of its aspects.

    A figure on the scale counts that stands with a word for the whole ("overall", 总分) or for scoring ("I give",
    得分), or out of five; and the very score, with its decimals, anywhere, in figures of any width or in words.

    >>> states_score("emotion: 3.5/5\nThe pitch rises by 3 semitones.", score=3.5, language="en")
    False
    >>> states_score("emotion: 4.0/5\nAll in all this is a 3.5.", score=3.5, language="en")
    True
    """
    rest = unicodedata.normalize("NFKC", _halves(_figures(language).sub(" ", text)))
    return any(pattern.search(rest) for pattern in (_FINAL, _LOOSE, _WORDED, _exact(f"{score:.1f}")))


def _halves(text: str) -> str:
    """Replace the sign for a half by decimals: 3½ is 3.5."""
    return re.sub(r"(\d) ?½", r"\1.5", text)


@functools.cache
def _exact(score: str) -> re.Pattern[str]:
    """Return a pattern of a score with its decimals, in figures or in words."""
    whole, tenths = (int(digit) for digit in score.split("."))
    written = [rf"(?<![\d.,]){whole}[.,]{tenths}0*(?!\d|[.,]\d)"]
    if tenths:
        written.append(rf"\b{_ENGLISH[whole]}[ -]point[ -]{_ENGLISH[tenths]}\b")
        written.append(f"{_MANDARIN[whole]}点{_MANDARIN[tenths]}")
    if tenths == 5:
        written.append(rf"\b(?:{_ENGLISH[whole]}[ -]and[ -]a[ -]half|{whole} 1/2)\b")
    return re.compile("|".join(written), re.IGNORECASE)


def _span_problem(text: str) -> str:
    """Return the problem of the spans in which something is heard; empty for none."""
    begun = -1
    count = 0
    for tag in _FOCUS_TAGS.finditer(text):
        if tag[0] == FOCUS[0]:
            if begun >= 0:
                return message("train.reasoning-nested-span", tag=FOCUS[0])
            begun = tag.end()
            continue
        if begun < 0:
            return message("train.reasoning-closes-span", tag=FOCUS[0])
        if sum(character.isalpha() for character in text[begun : tag.start()]) < SHORTEST_SPAN:
            return message("train.reasoning-empty-span", tag=FOCUS[0], end=FOCUS[1])
        begun = -1
        count += 1
    if begun >= 0:
        return f"it leaves {FOCUS[0]} open"
    return "" if count else f"it never says what is heard, between {FOCUS[0]} and {FOCUS[1]}"


def _figures(language: Language) -> re.Pattern[str]:
    names = "|".join(map(re.escape, ASPECT_NAMES[language].values()))
    colon = "[:：]" if language == "zh" else ":"
    return re.compile(rf"(?<![A-Za-z])({names}){colon} ?({_NUMBER})/5(?!\d)", re.IGNORECASE)


def _aspects(text: str, language: Language) -> dict[str, list[float]]:
    keys = {shown: name for name, shown in ASPECT_NAMES[language].items()}
    found: dict[str, list[float]] = {name: [] for name in ASPECTS}
    for match in _figures(language).finditer(text):
        value = float(match[2])
        if RANGE[0] <= value <= RANGE[1]:
            found[keys[match[1].lower()]].append(value)
    return found
