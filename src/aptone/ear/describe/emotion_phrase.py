"""An emotion distribution in a few words that claim no more than it shows."""

import math
from collections.abc import Mapping

from aptone.ear.describe import english, mandarin
from aptone.ear.describe.attributes import Intensity
from aptone.errors import UsageError
from aptone.types import Emotion, Language

CONFIDENT = 0.5  # from this probability on, an emotion is stated; below, it is only likely
LIKELY = 0.35  # below this one, no emotion is clear
CLOSE = 0.15  # two that are nearer than this are named together
TRACE = 0.15  # a second emotion with less than this is not worth mentioning
STEPS = (1.0 / 3.0, 2.0 / 3.0)  # of intensity: slight, clear, strong


def intensity_step(intensity: float) -> Intensity | None:
    """The step of an intensity from 0 to 1; ``None`` when it was not judged.

    >>> [intensity_step(value) for value in (0.2, 0.5, 0.9)]
    [<Intensity.SLIGHT: 'slight'>, <Intensity.CLEAR: 'clear'>, <Intensity.STRONG: 'strong'>]
    """
    if math.isnan(intensity):
        return None
    return Intensity.SLIGHT if intensity < STEPS[0] else Intensity.CLEAR if intensity < STEPS[1] else Intensity.STRONG


def emotion_phrase(emotion: Mapping[str, float], *, intensity: float = math.nan, language: Language = "en") -> str:
    """The emotion in words, for `Perception.phrase`.

    One emotion with at least half of the probability is stated, with its intensity if that was judged, and with a
    trace of the second where that has 0.15 or more. Two that are within 0.15 of each other and hold half of the
    probability between them stand side by side. One that leads with less than half is "probably" that. Else no
    emotion is clear. A distribution is taken relative to its sum.

    Args:
        emotion: probability by name of emotion; a spelling of `Emotion`.
        intensity: 0 to 1; NaN when not judged.
        language: "en" or "zh".

    Raises:
        RecordError: if a name is not one of `Emotion`.
        UsageError: if the language is not known.

    >>> emotion_phrase({"angry": 0.7, "disgust": 0.2, "sad": 0.1}, intensity=0.5)
    'clearly angry, with a trace of disgust'
    >>> emotion_phrase({"angry": 0.7, "disgust": 0.2, "sad": 0.1}, intensity=0.5, language="zh")
    '明显愤怒，略带厌恶'
    >>> emotion_phrase({"sad": 0.45, "neutral": 0.4, "calm": 0.15})
    'between sad and neutral'
    """
    if language not in ("en", "zh"):
        raise UsageError(f"emotions are described in en or zh, got {language!r}.")
    shares = {Emotion.parse(name): share for name, share in emotion.items() if 0.0 < share < math.inf}
    total = sum(shares.values())
    if not total:
        return "emotion not judged" if language == "en" else "情绪未判断"
    ranked = sorted(shares, key=lambda name: (-shares[name], list(Emotion).index(name)))
    first, second = ranked[0], ranked[1] if len(ranked) > 1 else None
    leading, following = shares[first] / total, shares[second] / total if second else 0.0
    english_words = language == "en"
    if second and leading - following < CLOSE and leading + following >= CONFIDENT:
        pair = (_name(first, None, language), _name(second, None, language))
        return f"between {pair[0]} and {pair[1]}" if english_words else f"介于{pair[0]}与{pair[1]}之间"
    if leading < LIKELY:
        return "no clear emotion" if english_words else "没有明确的情绪"
    if leading < CONFIDENT:
        likely = _name(first, None, language)
        return f"probably {likely}" if english_words else f"可能{likely}"
    stated = _name(first, intensity_step(intensity), language)
    if not second or following < TRACE or second is Emotion.NEUTRAL:
        return stated
    if english_words:
        return f"{stated}, with a trace of {english.EMOTION_NOUNS[second][0]}"
    return f"{stated}，略带{_name(second, None, language)}"


def _name(emotion: Emotion, intensity: Intensity | None, language: Language) -> str:
    if language == "en":
        return english.emotion_adjectives(emotion, intensity)[0]
    return "中性" if emotion is Emotion.NEUTRAL else mandarin.emotion_adjectives(emotion, intensity)[0]
