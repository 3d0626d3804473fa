"""A pitch contour, what is measured on it, and its intonation: flat, rising, curved or falling, with probabilities.

The measures (level, range, slope, voiced share) take F0 in Hz, one value every 10 ms, NaN where the voice does not
vibrate, and count in semitones: a listener hears ratios. None of them is good or bad in itself.

The four classes are those of CEAEval, after Zhang (2003), *Chinese broadcasting announcing*; the paper says that they
capture "overall pitch movement patterns" and prints no more. Readers' handbooks of that school describe them so:

- **flat** (平直调): level and even from beginning to end, without marked rises and falls: telling, thinking, mourning;
- **rising** (上扬调): from low to high, or lifted at the end: asking, being surprised, calling;
- **curved** (弯曲调): low-high-low or high-low-high, the line turns back on itself: irony, doubt, exaggeration;
- **falling** (下降调): from high to low, the last word low and short: stating firmly, ordering, grieving.

So they speak of the line, not of its syllables. Mandarin's lexical tones swing by ten semitones within a syllable
whatever the intonation is, so nothing here looks at a syllable. The slow line is a cubic, fitted robustly to the voiced
frames on a scale of semitones (`Shape`); what is measured on it:

- *movement*: the straight part of the line, last end minus first, in semitones;
- *turn*: how far the line goes back on itself: half of (path length - net movement). 0 for anything that only rises
  or only falls, the height of the arch for an arch;
- *ending*: the last 0.15 s of voice against the 0.3 s before, in semitones;
- *melody*: what is left around the slow line, 10th to 90th percentile, in semitones: accents and tones.

Pitch sinks in every plain statement (declination), in 't Hart's formula by 6 semitones within 2 s, and people do not
hear that as falling because accents ride on it. Hence a line falls only where it sinks below the ordinary line of its
language (`aptone.ear.measures.norms`, from neutral speech), and it rises only where it is higher at the end than at the
beginning; in between it is level. A glide that carries no accents is no declination: the allowance shrinks with the
melody, to nothing for a bare glide. Movements count in units of 3 semitones, below which differences play no part in
communication ('t Hart 1981), and in larger ones where the melody leaves the movement itself uncertain.

References: 't Hart, Collier & Cohen (1990), *A perceptual study of intonation*; 't Hart (1981), JASA 69, 811-821.
"""

import functools
import math
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from aptone.ear.measures import norms
from aptone.ear.measures.frames import STEP, Flags, Floats
from aptone.ear.measures.norms import Judgement, weigh
from aptone.messages import message
from aptone.stats.quantiles import median, percentiles
from aptone.types import Intonation, Score, Segment

REFERENCE = 100.0
"""Hz above which semitones are counted."""

MINIMUM_VOICED_FRAMES = 10
"""A tenth of a second of voice; less has no level, range or slope."""

SLOPE_POINTS = 100


@dataclass(frozen=True, slots=True, eq=False)
class Contour:
    """The pitch of a voice over time: value i stands at (i + 1/2) * `step` seconds.

    Args:
        step: seconds between two values.
        hz: F0; NaN where the voice does not vibrate.
        strength: periodicity of the sound, 0 to 1: the height of the normalised autocorrelation at the period, or at
            the likeliest one where the frame is unvoiced.

    Raises:
        ValueError: if the step is not positive, or there is not one strength for every F0.
    """

    step: float
    hz: Floats
    strength: Floats

    def __post_init__(self) -> None:
        if not self.step > 0:
            raise ValueError(f"the step of a contour is a positive number of seconds, got {self.step}.")
        if self.hz.ndim != 1 or self.hz.shape != self.strength.shape:
            raise ValueError(f"expected one strength for every F0, got {self.hz.shape} and {self.strength.shape}.")

    @property
    def times(self) -> Floats:
        """Seconds at which the values stand."""
        return np.arange(0.5, self.hz.size) * self.step

    @property
    def voiced(self) -> Flags:
        """Flags of the voiced frames."""
        return ~np.isnan(self.hz)


def semitones(hz: Floats) -> Floats:
    """Semitones above 100 Hz, ``12 log2(F0 / 100)``; NaN where unvoiced.

    >>> semitones(np.array([50.0, 100.0, 200.0])).tolist()
    [-12.0, 0.0, 12.0]
    """
    counted: Floats = 12.0 * np.log2(hz / REFERENCE)
    return counted


def pitch_level(hz: Floats) -> Score:
    """Return the pitch level: the median over voiced frames, in semitones above 100 Hz.

    Undefined (NaN) below ten voiced frames. Men speak around 2, women around 13, children above 17.

    >>> pitch_level(np.full(50, 200.0)).value  # one octave above 100 Hz
    12.0
    """
    voiced = hz[~np.isnan(hz)]
    if reason := _too_few(voiced):
        return Score(math.nan, unit="semitones above 100 Hz", reason=reason, higher_is_better=None)
    return Score(median(semitones(voiced)), unit="semitones above 100 Hz", higher_is_better=None)


def pitch_range(hz: Floats) -> Score:
    """Return the pitch range: from the 5th to the 95th percentile of voiced frames, in semitones, 0 or more.

    Percentiles rather than extremes, so that one mistaken octave does not count. Undefined below ten voiced frames.

    >>> pitch_range(np.array([100.0] * 50 + [200.0] * 50)).value  # 12 * log2(200 / 100)
    12.0
    """
    voiced = hz[~np.isnan(hz)]
    if reason := _too_few(voiced):
        return Score(math.nan, unit="semitones", reason=reason, higher_is_better=None)
    low, high = percentiles(semitones(voiced), 5.0, 95.0)
    return Score(high - low, unit="semitones", higher_is_better=None)


def pitch_slope(hz: Floats) -> Score:
    """Return the pitch slope over the whole clip, in semitones a second: the Theil-Sen estimate.

    The median of the slopes between all pairs of voiced frames (Sen 1968); of a hundred evenly chosen ones where there
    are more. A third of the frames can be wrong and hardly move it. Undefined below ten voiced frames.

    >>> round(pitch_slope(100.0 * 2.0 ** np.linspace(0.0, 1.0, 101)).value, 6)  # one octave in 100 frames, one second
    12.0
    """
    frames = np.flatnonzero(~np.isnan(hz))
    if reason := _too_few(frames):
        return Score(math.nan, unit="semitones/s", reason=reason, higher_is_better=None)
    chosen = frames[np.linspace(0, frames.size - 1, min(frames.size, SLOPE_POINTS)).round().astype(np.intp)]
    heights = semitones(hz[chosen])
    first, second = _pairs(chosen.size)
    slopes = (heights[second] - heights[first]) / ((chosen[second] - chosen[first]) * STEP)
    return Score(median(slopes), unit="semitones/s", higher_is_better=None)


def voiced_share(hz: Floats, *, speech: Flags) -> Score:
    """The share of the frames of speech in which the voice vibrates, 0 to 1; low in whispering.

    Undefined without speech.

    >>> voiced_share(np.array([100.0, np.nan, 120.0, 90.0]), speech=np.array([True, True, True, False])).value
    0.6666666666666666
    """
    if not speech.any():
        return Score(math.nan, range=(0.0, 1.0), reason=message("ear.no-speech"), higher_is_better=None)
    return Score(float(np.mean(~np.isnan(hz[speech]))), range=(0.0, 1.0), higher_is_better=None)


@functools.cache
def _pairs(count: int) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Return the index pairs i < j below a count of a hundred at most."""
    return np.triu_indices(count, k=1)


def _too_few(voiced: npt.NDArray[np.generic]) -> str:
    enough = voiced.size >= MINIMUM_VOICED_FRAMES
    return "" if enough else message("ear.too-few-voiced-frames", count=voiced.size, needed=MINIMUM_VOICED_FRAMES)


@dataclass(frozen=True, slots=True)
class Shape:
    """Shape of a contour's slow component, in semitones.

    Args:
        movement: rise from one end of its straight part to the other; above 0 it goes up.
        turn: how far it goes back on itself, 0 and more.
        ending: the last 0.15 s of voice against the 0.3 s before.
        melody: 10th to 90th percentile of what is left around it.
        voiced: seconds of voice it rests on.
    """

    movement: float
    turn: float
    ending: float
    melody: float
    voiced: float

    @property
    def uncertainty(self) -> float:
        """Standard error of the movement: ``sqrt(12 / n) * sigma`` for n syllables, evenly spread over the line."""
        sigma = self.melody / 2.563  # of a normal distribution, between its 10th and 90th percentiles
        return math.sqrt(12.0 / max(1.0, norms.SYLLABLES_PER_SECOND * self.voiced)) * sigma


def intonation(
    step: float, hz: npt.ArrayLike, *, strength: npt.ArrayLike | None = None, language: str | None = None
) -> Judgement[Intonation]:
    """Probabilities of the four intonations.

    Args:
        step: seconds between two values of the contour.
        hz: F0, NaN where the voice does not vibrate and where nobody speaks.
        strength: periodicity of the sound, 0 to 1, for each value: breathy and creaky ends are left out by it.
        language: a code such as ``zh`` or ``en-GB``, whose ordinary line is allowed for; unknown ones share one.

    Returns:
        The distribution, or the reason why there is none: less than 0.3 s of voice.

    >>> glide = 100.0 * 2.0 ** (np.arange(100) / 100.0)  # up by an octave within a second
    >>> intonation(0.01, glide).best.value
    'rising'
    """
    shapes = line_shapes(step, hz, strength=strength)
    if not shapes:
        frames = _voiced_frames(step, hz, strength)
        return Judgement(reason=message("ear.voice-too-short", count=frames.size * step, needed=norms.MINIMUM_VOICED))
    return Judgement(weigh(_terms(shapes, language), norms.INTONATION))


def while_speaking(step: float, hz: npt.ArrayLike, speech: Iterable[Segment]) -> Floats:
    """A contour with NaN wherever nobody speaks: rooms hum and machines sing.

    >>> while_speaking(0.5, [100.0, 110.0, 120.0], [Segment(0.5, 1.0)]).tolist()
    [nan, 110.0, nan]
    """
    contour = np.array(hz, dtype=np.float64)
    times = (np.arange(contour.size) + 0.5) * step
    inside = np.zeros(contour.size, dtype=np.bool_)
    for span in speech:
        first, last = np.searchsorted(times, (span.start, span.end))
        inside[first:last] = True
    contour[~inside] = np.nan
    return contour


def line_shapes(step: float, hz: npt.ArrayLike, *, strength: npt.ArrayLike | None = None) -> list[Shape]:
    """The shape of each line of a contour: one for a single line, none where there is too little voice."""
    frames = _voiced_frames(step, hz, strength)
    if frames.size * step < norms.MINIMUM_VOICED:
        return []
    heights = semitones(np.asarray(hz, dtype=np.float64)[frames])
    # pauses are shortened: what happens in them is unknown, and a long one would leave the line free to swing
    seconds = np.concatenate([[0.0], np.cumsum(np.minimum(np.diff(frames) * step, norms.LONGEST_GAP))])
    return [_shape(step, seconds[begin:end], heights[begin:end]) for begin, end in _lines(step, frames)]


def _voiced_frames(step: float, hz: npt.ArrayLike, strength: npt.ArrayLike | None) -> npt.NDArray[np.intp]:
    """Flag frames that are surely voiced: without weak frames, outliers, and stretches too short to be voice."""
    contour = np.asarray(hz, dtype=np.float64)
    strengths = np.ones_like(contour) if strength is None else np.asarray(strength, dtype=np.float64)
    if contour.ndim != 1 or strengths.shape != contour.shape or not 0 < step <= norms.LONGEST_STEP:
        raise ValueError(
            f"a contour is one row of F0 values, as many strengths and a step of at most {norms.LONGEST_STEP} s, "
            f"got shapes {contour.shape} and {strengths.shape} and a step of {step} s."
        )
    voiced = np.isfinite(contour) & (contour > 0) & (strengths >= norms.WEAKEST)
    if voiced.any():
        octaves = np.log2(contour, out=np.zeros_like(contour), where=voiced)
        voiced &= np.abs(octaves - median(octaves[voiced])) <= norms.FARTHEST / 12.0
    edges = np.flatnonzero(np.diff(np.concatenate([[False], voiced, [False]]).astype(np.int8)))
    begins, ends = edges[::2], edges[1::2]
    kept = ends - begins >= norms.SHORTEST_RUN / step - 1e-9
    return np.flatnonzero(_between(begins[kept], ends[kept], contour.size))


def _between(begins: npt.NDArray[np.intp], ends: npt.NDArray[np.intp], size: int) -> npt.NDArray[np.bool_]:
    marks = np.zeros(size + 1, dtype=np.int8)
    marks[begins] += 1
    marks[ends] -= 1
    return np.cumsum(marks)[:-1] > 0


def _lines(step: float, frames: npt.NDArray[np.intp]) -> list[tuple[int, int]]:
    """Cuts voiced frames at their longest gaps until no piece holds more than `norms.LONGEST_LINE` of voice."""
    gaps = np.diff(frames)
    shortest = math.ceil(norms.MINIMUM_VOICED / step)
    longest = norms.LONGEST_LINE / step
    waiting, lines = [(0, frames.size)], []
    while waiting:
        begin, end = waiting.pop()
        if end - begin <= longest:
            lines.append((begin, end))
            continue
        # of equal gaps, and where there is none, the one nearest to the middle
        inner = gaps[begin + shortest - 1 : end - shortest]
        widest = inner.max()
        middles = np.flatnonzero(inner == widest) - (inner.size - 1) / 2.0
        cut = begin + shortest + int(middles[np.argmin(np.abs(middles))] + (inner.size - 1) / 2.0)
        waiting += [(cut, end), (begin, cut)]
    return lines


def _shape(step: float, seconds: Floats, heights: Floats) -> Shape:
    place = 2.0 * (seconds - seconds[0]) / (seconds[-1] - seconds[0]) - 1.0
    basis = np.polynomial.legendre.legvander(place, 3)
    weights = np.ones_like(heights)
    for _ in range(8):  # Huber's weights, so that octave errors and creaky ends do not bend the line
        weighted = basis * weights[:, np.newaxis]
        coefficients = np.linalg.solve(weighted.T @ basis, weighted.T @ heights)
        rest = heights - basis @ coefficients
        scale = max(0.25, 1.4826 * median(np.abs(rest)))
        weights = 1.0 / np.maximum(1.0, np.abs(rest) / (1.5 * scale))
    line = np.polynomial.legendre.legval(np.linspace(-0.95, 0.95, 77), coefficients)
    path, net = float(np.abs(np.diff(line)).sum()), abs(float(line[-1] - line[0]))
    low, high = percentiles(rest, 10.0, 90.0)
    ending, before = round(norms.ENDING / step), round(norms.BEFORE_ENDING / step)
    last = median(heights[-ending:])
    return Shape(
        movement=2.0 * float(coefficients[1]),
        turn=(path - net) / 2.0,
        ending=last - median(heights[-ending - before : -ending]),
        melody=high - low,
        voiced=heights.size * step,
    )


def _terms(shapes: list[Shape], language: str | None) -> dict[str, float]:
    """The terms of a clip: the mean over its lines, by voiced time."""
    total = sum(shape.voiced for shape in shapes)
    rows = [(shape.voiced / total, _line_terms(shape, language)) for shape in shapes]
    return {name: sum(share * terms[name] for share, terms in rows) for name in rows[0][1]}


def _line_terms(shape: Shape, language: str | None) -> dict[str, float]:
    ordinary = norms.line_norm(language)
    allowance = min(1.0, shape.melody / ordinary.carried)
    unit = math.hypot(norms.CLEAR_MOVEMENT, shape.uncertainty)
    ending_unit = max(norms.CLEAR_MOVEMENT, ordinary.ending_spread)
    rise, fall = shape.movement, allowance * ordinary.movement - shape.movement
    lifted = shape.ending - max(0.0, allowance * ordinary.ending)
    dropped = min(0.0, allowance * ordinary.ending) - shape.ending
    turn = shape.turn - allowance * ordinary.turn
    return {
        "rise": _held(rise / unit),
        "fall": _held(fall / unit),
        "turn": _held(turn / unit),
        "lifted ending": _held(lifted / ending_unit),
        "dropped ending": _held(dropped / ending_unit),
        "melody": _held((shape.melody - ordinary.melody) / ordinary.melody_spread),
    }


def _held(value: float) -> float:
    """Between 0 and 4: what does not happen is no evidence, and more than four units are no more than four."""
    return max(0.0, min(4.0, value))
