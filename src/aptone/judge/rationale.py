"""Rationale of a verdict, in the language of the story: plan, perception and score of each aspect.

The words for a score follow from the printed figure (`GRADES`), so that words and figures cannot contradict each other.
Short is the summary; medium puts a sentence on each judged aspect before it; long adds the measures, and the reasons
for aspects without a score.
"""

import math
from collections.abc import Mapping
from typing import Literal, get_args

from aptone.ear.describe import VocalEvent
from aptone.judge.parameters import AspectVerdict
from aptone.types import ClosedSet, Emotion, Intonation, Language, Perception, RecordingCondition, Rhythm

Length = Literal["short", "medium", "long"]
LENGTHS: tuple[Length, ...] = get_args(Length)

CLOSE = 0.45
"""Largest distance of two places in valence, or in arousal, that is called close."""

LONGEST_WORDS = 120
"""Largest number of characters quoted from a plan."""

GRADES: tuple[tuple[float, str], ...] = ((4.3, "full"), (3.5, "good"), (2.5, "half"), (1.5, "poor"), (0.0, "none"))
"""Lowest printed score of each grade, the best first."""

NAMES: Mapping[str, Mapping[str, str]] = {
    "emotion": {"en": "emotion", "zh": "情感"},
    "rhythm": {"en": "rhythm", "zh": "节奏"},
    "intonation": {"en": "intonation", "zh": "语调"},
    "recording_condition": {"en": "recording condition", "zh": "录音状态"},
    "paralinguistics": {"en": "sounds besides words", "zh": "非语言声音"},
    "naturalness": {"en": "naturalness", "zh": "自然度"},
}

ASKED: Mapping[str, Mapping[str, str]] = {
    "emotion": {
        "en": "The emotion should be “{planned}”; the voice sounds like this: {heard}.",
        "zh": "情感应为“{planned}”，实际听来{heard}。",
    },
    "rhythm": {
        "en": "The rhythm that suits the line is {planned}; the one heard is most likely {heard}.",
        "zh": "适合这句的节奏是{planned}，听到的最像{heard}。",
    },
    "intonation": {
        "en": "The intonation that suits it is {planned}; the one heard is most likely {heard}.",
        "zh": "适合的语调是{planned}，听到的最像{heard}。",
    },
    "recording_condition": {
        "en": "The recording condition should be {planned}; it sounds most like {heard}.",
        "zh": "录音状态应为{planned}，听来最像{heard}。",
    },
    "paralinguistics": {
        "en": "Besides the words, {planned} is asked for; the ear heard {heard}.",
        "zh": "除台词外要求有{planned}，听到的是{heard}。",
    },
}
UNASKED_CONDITION = {
    "en": "Nothing is said about the recording, so a normal one is fine; it sounds most like {heard}.",
    "zh": "计划没有提到录音状态，正常即可，听来最像{heard}。",
}
NATURALNESS = {
    "en": {
        "full": "The voice sounds natural throughout",
        "good": "The voice sounds natural on the whole",
        "half": "The voice sounds half natural, half made",
        "poor": "The voice sounds rather unnatural",
        "none": "The voice sounds unnatural",
    },
    "zh": {
        "full": "声音十分自然",
        "good": "声音大体自然",
        "half": "声音的自然程度一般",
        "poor": "声音不太自然",
        "none": "声音很不自然",
    },
}
VERDICTS = {
    "en": {
        "full": "That fits very well",
        "good": "That fits on the whole",
        "half": "That fits only in part",
        "poor": "That hardly fits",
        "none": "That does not fit",
    },
    "zh": {
        "full": "两者十分相符",
        "good": "两者大体相符",
        "half": "两者只是部分相符",
        "poor": "两者不太相符",
        "none": "两者不相符",
    },
}
HEARD_UNCLEARLY = {"en": ", as the ear is far from sure of what it heard", "zh": "，因为听觉模型对所听到的很没有把握"}
KIN = {"en": ", as the two are close to each other", "zh": "，因为两者相近"}
NEAR = {
    "en": ", as the two are close in valence ({0} and {1}) and arousal ({2} and {3})",
    "zh": "，因为两者的效价（{0}与{1}）和唤醒度（{2}与{3}）相近",
}
SCORE = {"en": "; {name}: {score} of 5.", "zh": "，{name}{score}分。"}
MEASURED = {"en": " Measured: {listed}.", "zh": "测得{listed}。"}
NUMBERS = {
    "asked": "要求的",
    "heard": "听到的",
    "first": "开头的",
    "last": "结尾的",
    "valence": "效价",
    "arousal": "唤醒度",
    "dominance": "支配度",
    "categories": "类别吻合度",
    "nearness": "接近度",
    "intensity": "强度吻合度",
    "fit": "吻合度",
    "naturalness": "自然度",
}
NOTHING_HEARD = {"en": "none", "zh": "没有"}
DELIVERY = {"en": "In numbers: {listed}.", "zh": "具体数值：{listed}。"}
MEASURES: Mapping[str, Mapping[str, str]] = {
    "articulation rate": {"en": "{value:.1f} syllables per second", "zh": "每秒{value:.1f}个音节"},
    "pitch range": {"en": "a pitch range of {value:.1f} semitones", "zh": "音高范围{value:.1f}个半音"},
    "pitch slope": {"en": "a pitch slope of {value:+.1f} semitones per second", "zh": "音高走势每秒{value:+.1f}个半音"},
    "loudness": {"en": "a loudness of {value:.0f} dB", "zh": "响度{value:.0f} dB"},
    "pause share": {"en": "{percent:.0f} % pauses", "zh": "停顿占{percent:.0f}%"},
}
SOUNDS_TOO = {"en": "The ear also heard {heard}, which nobody asked for.", "zh": "还听到了{heard}，这并非计划所要求。"}
NOT_JUDGED = {"en": "Not judged: {listed}.", "zh": "未评判：{listed}。"}
SUMMARY = {
    "en": {
        "full": "Overall the line is said as its place in the story asks",
        "good": "Overall the line suits its place in the story, with some things amiss",
        "half": "Overall the line does half of what its place in the story asks",
        "poor": "Overall the line hardly suits its place in the story",
        "none": "Overall the line is not said as its place in the story asks",
    },
    "zh": {
        "full": "总体来看，这句的表达正合语境",
        "good": "总体来看，这句的表达与语境大体相合，细处仍有不足",
        "half": "总体来看，这句的表达只做到了语境要求的一半",
        "poor": "总体来看，这句的表达不太合乎语境",
        "none": "总体来看，这句的表达不合语境",
    },
}
ENDS = {
    "en": {
        "two": "; of what was asked for, {best} fits best and {worst} least. Score: {score} of 5.",
        "one": ". Score: {score} of 5.",
    },
    "zh": {
        "two": "；所要求的各项中{best}最相符，{worst}最不相符。总分{score}分（满分5分）。",
        "one": "。总分{score}分（满分5分）。",
    },
}


def write_rationale(
    aspects: Mapping[str, AspectVerdict],
    overall: float,
    perception: Perception,
    *,
    language: Language,
    length: Length = "medium",
) -> str:
    """Write the rationale of a verdict.

    Args:
        aspects: verdicts on aspects; those without a score are left out, or listed in a long rationale.
    """
    judged = {name: verdict for name, verdict in aspects.items() if verdict.score.is_defined}
    sentences = []
    if length != "short":
        sentences += [_aspect(name, verdict, language, numbers=length == "long") for name, verdict in judged.items()]
        unasked = aspects.get("paralinguistics")
        if unasked is not None and not unasked.asked and unasked.heard:
            sentences.append(SOUNDS_TOO[language].format(heard=unasked.heard))
    if length == "long":
        sentences += _delivery(perception, language)
        sentences += _left_out(aspects, language)
    sentences.append(_summary(judged, overall, language))
    return ("" if language == "zh" else " ").join(sentences)


def grade(score: float) -> str:
    """Return the grade of a score as it is printed, to one decimal.

    >>> grade(4.26), grade(2.46), grade(0.0)
    ('full', 'half', 'none')
    """
    printed = float(_figure(score))
    return next(name for lowest, name in GRADES if printed >= lowest)


def _figure(score: float) -> str:
    return f"{score:.1f}"


def _aspect(name: str, verdict: AspectVerdict, language: Language, *, numbers: bool) -> str:
    value = verdict.score.value
    figure = SCORE[language].format(name=NAMES[name][language], score=_figure(value))
    measured = _measured(verdict.measured, language) if numbers else ""
    if name == "naturalness":
        return NATURALNESS[language][grade(value)] + figure + measured
    unasked = name == "recording_condition" and not verdict.asked
    template = UNASKED_CONDITION[language] if unasked else ASKED[name][language]
    said = template.format(planned=_quoted(verdict.planned), heard=_quoted(verdict.heard) or NOTHING_HEARD[language])
    apart = " " if language == "en" else ""
    return f"{said}{apart}{VERDICTS[language][grade(value)]}{_because(name, verdict, language)}{figure}{measured}"


def _because(name: str, verdict: AspectVerdict, language: Language) -> str:
    """Return the reason why a score is lower, or higher, than the two names alone suggest."""
    fits = grade(verdict.score.value) in ("full", "good")
    if verdict.agrees and not fits:
        return HEARD_UNCLEARLY[language]
    if verdict.agrees or not fits:
        return ""
    if name == "emotion":
        return _near(verdict.measured, language)
    return KIN[language] if name in ("rhythm", "intonation") else ""


def _near(measured: Mapping[str, float], language: Language) -> str:
    """Return a note with both places where they are close; empty where they are not."""
    numbers = []
    for axis in ("valence", "arousal"):
        pair = [measured.get(f"{whose} {axis}", math.nan) for whose in ("asked", "heard")]
        if not abs(pair[0] - pair[1]) <= CLOSE:
            return ""
        numbers += [f"{round(value, 1) + 0.0:+.1f}" for value in pair]
    return NEAR[language].format(*numbers)


def _quoted(text: str) -> str:
    """Return a user's text on one line, cut to `LONGEST_WORDS`."""
    words = " ".join(text.split())
    return words if len(words) <= LONGEST_WORDS else words[: LONGEST_WORDS - 1] + "…"


def _measured(numbers: Mapping[str, float], language: Language) -> str:
    listed = ("，" if language == "zh" else ", ").join(
        f"{_number(name, language)} {value:.2f}" for name, value in numbers.items()
    )
    return MEASURED[language].format(listed=listed) if listed else ""


def _number(name: str, language: Language) -> str:
    """Return the label of a measure: P(fear) is a probability, the rest is a word or two."""
    if language == "en":
        return name
    if name.startswith("P("):
        return f"P({_member(name[2:-1])})"
    return "".join(NUMBERS[word] for word in name.split())


def _member(name: str) -> str:
    closed: tuple[type[ClosedSet], ...] = (Emotion, Rhythm, Intonation, RecordingCondition, VocalEvent)
    return next((member.zh for members in closed for member in members if member == name), name)


def _delivery(perception: Perception, language: Language) -> list[str]:
    found = [
        words[language].format(value=score.value, percent=100.0 * score.value)
        for name, words in MEASURES.items()
        if (score := perception.measures.get(name)) is not None and score.is_defined
    ]
    listed = ("，" if language == "zh" else ", ").join(found)
    return [DELIVERY[language].format(listed=listed)] if listed else []


def _left_out(aspects: Mapping[str, AspectVerdict], language: Language) -> list[str]:
    mark, comma = ("：", "；") if language == "zh" else (", because ", "; ")
    found = [
        f"{NAMES[name][language]}{mark}{verdict.why}"
        for name, verdict in aspects.items()
        if not verdict.score.is_defined
    ]
    return [NOT_JUDGED[language].format(listed=comma.join(found))] if found else []


def _summary(judged: Mapping[str, AspectVerdict], overall: float, language: Language) -> str:
    asked = [name for name, verdict in judged.items() if verdict.asked]
    ranked = sorted(asked, key=lambda name: -judged[name].score.value)
    names = [NAMES[name][language] for name in ranked]
    figures = [_figure(judged[name].score.value) for name in ranked]
    score = _figure(overall)
    if len(set(figures)) > 1:
        end = ENDS[language]["two"].format(best=names[0], worst=names[-1], score=score)
    else:
        end = ENDS[language]["one"].format(score=score)
    return SUMMARY[language][grade(overall)] + end
