"""Speech rate, pauses and rhythm: six classes, with a probability for each.

Syllables are counted without knowing the words: each has a nucleus, a vowel as a rule, which is louder than what
surrounds it and voiced (de Jong & Wempe 2009, "Praat script to detect syllable nuclei and measure speech rate
automatically", Behavior Research Methods 41). A fast slur counts too few, a trembling voice too many: on sentences
of acted speech the count lies a sixth below that of the text, and goes with it at r = 0.86 to 0.89
(`benchmarks/measures.py`).

The rhythms are those of CEAEval, after Zhang (2003), *Chinese broadcasting announcing*; the paper says that they
reflect "differences in speech tempo, energy, and stress distribution" and prints no more. Handbooks of that school
describe them by the drift of the voice (up or down), its weight (light or heavy), its flow (pauses) and its pace:

- **brisk** (轻快): more up than down, more light than heavy, dense, few pauses -> fast, high, melodious, soft, flowing;
- **heavy** (凝重): more down than up, more heavy than light, steady, many pauses -> slow, pausing, strong, low, even;
- **low-paced** (低沉): dark, weighed down, sinking, slow -> low, soft, slow, even;
- **high-energy** (高亢): bright and high, wave upon wave, rather quick -> high, strong, melodious, a little fast;
- **relaxed** (舒缓): light and clear, a little high but without force, unhurried -> slow and soft, not low;
- **tense** (紧张): more heavy than light, short of breath, dense, brief pauses -> fast, strong, flowing, rather even.

Five terms carry that, each in spreads from the norm of the speaker's sex and language (`aptone.ear.measures.norms`):

- *tempo*: articulation rate, so that pauses do not count twice;
- *pauses*: the mean of pause share and longest pause, above the norm only: a short line has no room for pauses, so
  their absence says nothing;
- *force*: how hard the voice works. The level of a recording says little about it, since people turn knobs; the
  balance of the voice's own spectrum stays with the voice. So force is the spectral tilt, and loudness is added only
  where it points the same way;
- *pitch*: pitch level;
- *melody*: pitch range.

Each rhythm has a prototype, a point in these five dimensions, and its evidence is that of a normal distribution with
unit variance around it: ``p · t - |p|² / 2``, a sum over the terms. No set with rhythm labels is free to use, so the
prototypes are written from the descriptions and were never fitted to listeners; what was checked is that manipulated
speech moves as it should (``benchmarks/ear_rules.py``).
"""

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from aptone.ear.measures import norms
from aptone.ear.measures.frames import Flags, Floats
from aptone.ear.measures.norms import Judgement, Sexes, weigh
from aptone.messages import known_name, message
from aptone.stats.quantiles import percentiles
from aptone.types import Rhythm, Score, Segment

DIP = 2.0
"""dB by which the level falls between two syllables."""

QUIETEST = 25.0
"""dB below the loud syllables (the 99th percentile of speech) where no nucleus is looked for."""

MINIMUM_PAUSE = 0.2
"""Seconds; a shorter gap is a consonant or a breath between words."""

NO_SPEECH = message("ear.no-speech")


def syllable_nuclei(levels: Floats, *, voiced: Flags, speech: Flags) -> npt.NDArray[np.intp]:
    """The frames in which syllables have their nucleus, in order.

    Peaks of the level in voiced frames of speech, no more than 25 dB below the loudest, such that the level falls by
    2 dB or more between any two; of peaks with shallower valleys between them, the highest.

    Args:
        levels: dBFS of each frame (`aptone.ear.measures.frames.loudness_track`).

    >>> levels = np.array([-60, -20, -21, -19, -40, -25, -60.0])  # a valley of one decibel is none
    >>> everywhere = np.ones(7, dtype=bool)
    >>> syllable_nuclei(levels, voiced=everywhere, speech=everywhere).tolist()
    [3, 5]
    """
    if not speech.any():
        return np.empty(0, dtype=np.intp)
    faintest = percentiles(levels[speech], 99.0)[0] - QUIETEST
    inner = levels[1:-1]
    peaks = np.flatnonzero((inner > levels[:-2]) & (inner >= levels[2:]) & (inner >= faintest)) + 1
    peaks = peaks[voiced[peaks] & speech[peaks]]
    if not peaks.size:
        return peaks
    heights, valleys = levels[peaks].tolist(), np.minimum.reduceat(levels, peaks).tolist()
    chosen: list[int] = []
    highest: int | None = None  # of the peaks since the last valley that was deep enough
    lowest = -math.inf
    for number, (height, valley) in enumerate(zip(heights, valleys, strict=True)):
        if height >= (lowest + DIP if highest is None else heights[highest]):
            highest = number
        if highest is None:
            lowest = min(lowest, valley)
        elif heights[highest] - valley >= DIP:
            chosen.append(highest)
            highest, lowest = None, valley
    if highest is not None:
        chosen.append(highest)
    return peaks[chosen]


def speech_rate(nuclei: int, *, speech: Sequence[Segment]) -> Score:
    """Syllables a second from the first word to the last, pauses included.

    Undefined without speech, and where speech has no syllable, as in whispering: that is not the rate 0.

    >>> speech_rate(12, speech=[Segment(1.0, 2.0), Segment(3.0, 4.0)]).value
    4.0
    """
    return _rate(nuclei, _from_first_to_last(speech))


def articulation_rate(nuclei: int, *, speech: Sequence[Segment]) -> Score:
    """Syllables a second of speech, pauses left out. Undefined as `speech_rate`.

    >>> articulation_rate(12, speech=[Segment(1.0, 2.0), Segment(3.0, 4.0)]).value
    6.0
    """
    return _rate(nuclei, sum(segment.seconds for segment in speech))


def pauses(speech: Sequence[Segment]) -> tuple[float, ...]:
    """The seconds of each pause between two stretches of speech; gaps below 0.2 s are none.

    >>> pauses([Segment(0.0, 1.0), Segment(1.5, 2.0), Segment(2.125, 3.0)])
    (0.5,)
    """
    gaps = (later.start - earlier.end for earlier, later in itertools.pairwise(speech))
    return tuple(gap for gap in gaps if gap >= MINIMUM_PAUSE)


def pause_share(speech: Sequence[Segment]) -> Score:
    """The share of the time from the first word to the last that is pause, 0 to 1. Undefined without speech.

    >>> pause_share([Segment(1.0, 2.0), Segment(3.0, 5.0)]).value
    0.25
    """
    seconds = _from_first_to_last(speech)
    if not seconds > 0.0:
        return Score(math.nan, range=(0.0, 1.0), reason=NO_SPEECH, higher_is_better=None)
    return Score(min(1.0, sum(pauses(speech)) / seconds), range=(0.0, 1.0), higher_is_better=None)


def pauses_per_minute(speech: Sequence[Segment]) -> Score:
    """Return the pauses in a minute from the first word to the last. Undefined without speech.

    >>> pauses_per_minute([Segment(1.0, 2.0), Segment(3.0, 5.0)]).value  # one in four seconds
    15.0
    """
    seconds = _from_first_to_last(speech)
    if not seconds > 0.0:
        return Score(math.nan, unit="pauses/min", reason=NO_SPEECH, higher_is_better=None)
    return Score(60.0 * len(pauses(speech)) / seconds, unit="pauses/min", higher_is_better=None)


def longest_pause(speech: Sequence[Segment]) -> Score:
    """The longest pause in seconds; 0 where there is none, undefined without speech.

    >>> longest_pause([Segment(0.0, 1.0), Segment(1.5, 2.0), Segment(3.0, 3.5)]).value
    1.0
    """
    if not speech:
        return Score(math.nan, unit="s", reason=NO_SPEECH, higher_is_better=None)
    return Score(max(pauses(speech), default=0.0), unit="s", higher_is_better=None)


def _rate(nuclei: int, seconds: float) -> Score:
    if not seconds > 0.0:
        return Score(math.nan, unit="syllables/s", reason=NO_SPEECH, higher_is_better=None)
    if not nuclei:
        return Score(math.nan, unit="syllables/s", reason=message("ear.no-voiced-syllable"), higher_is_better=None)
    return Score(nuclei / seconds, unit="syllables/s", higher_is_better=None)


def _from_first_to_last(speech: Sequence[Segment]) -> float:
    return speech[-1].end - speech[0].start if speech else 0.0


REQUIRED = ("articulation rate", "pitch level")
"""Measures without which nothing is said; each other one that is undefined counts as ordinary."""


def rhythm(measures: Mapping[str, Score], *, sex: Sexes = None, language: str | None = None) -> Judgement[Rhythm]:
    """Probabilities of the six rhythms.

    Args:
        measures: measures by name, as `aptone.ear.measures.voice.measure` gives them.
        sex: sex of the voice: one, or the probability of each, which weighs their norms; ``None`` when it is not known.
        language: a code such as ``zh`` or ``en-GB``; unknown ones share a norm.

    Returns:
        The distribution, or the reason why there is none: tempo or pitch could not be measured.
    """
    reason = _reason(measures)
    if reason:
        return Judgement(reason=reason)
    return Judgement(weigh(rhythm_terms(measures, sex=sex, language=language), norms.RHYTHM))


def rhythm_terms(measures: Mapping[str, Score], *, sex: Sexes = None, language: str | None = None) -> dict[str, float]:
    """The five terms, in spreads from the norm and within `norms.LIMITS`; one that was not measured is left out."""
    spreads = {
        name: norms.spreads_from_norm(name, score.value, sex=sex, language=language)
        for name, score in measures.items()
        if name in norms.MEASURES and score.is_defined
    }
    terms: dict[str, float] = {}
    for term, name in (("tempo", "articulation rate"), ("pitch", "pitch level"), ("melody", "pitch range")):
        if name in spreads:
            terms[term] = spreads[name]
    stops = [spreads[name] for name in ("pause share", "longest pause") if name in spreads]
    if stops:
        terms["pauses"] = max(0.0, sum(stops) / len(stops))
    if "spectral tilt" in spreads:
        force, loudness = spreads["spectral tilt"], spreads.get("loudness", 0.0)
        terms["force"] = force + (norms.LOUDNESS_SHARE * loudness if force * loudness > 0 else 0.0)
    return {name: max(-norms.LIMITS[name], min(norms.LIMITS[name], value)) for name, value in terms.items()}


def _reason(measures: Mapping[str, Score]) -> str:
    for name in REQUIRED:
        if name not in measures:
            return message("ear.measure-undefined", measure=known_name(name), why=message("ear.not-measured"))
        if not measures[name].is_defined:
            return message("ear.measure-undefined", measure=known_name(name), why=measures[name].reason)
    return ""
