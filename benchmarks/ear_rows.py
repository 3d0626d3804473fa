"""The rows of the ear's table, each from answers about clips.

- Emotion of a set: unweighted recall on its test part, the decision being the largest score among the set's own labels.
- Leave one corpus out: the same on the whole of a set that was not trained on, for the clips of the six emotions that
  the sets share (neutral, happy, sad, angry, fear, surprise), decided among all six; EmoDB has no surprise, so that it
  is always wrong there. A second row decides among EmoDB's own five.
- Leave speakers out: the same on the whole of a set, every clip heard by a network that never heard its speaker.
- Sex: unweighted recall on RAVDESS's test part.
- Arousal: area under the curve on RAVDESS's test part, angry, happy, fear and surprise against sad, calm and neutral;
  disgust is left out, being neither.
- Intensity: over the pairs of a strong and a normal clip of RAVDESS's test part with the same actor, emotion, sentence
  and repetition (112 pairs), the share in which the strong one scores higher.
- Listeners: correlation over EmoDB's clips of the probability of the acted emotion among the set's labels (every clip
  heard by a network that never heard its speaker) with the share of 20 listeners who recognised it.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from aptone.stats import pearson, spearman
from benchmarks.ear_data import EMOTIONS, HIGH_AROUSAL, LOW_AROUSAL, SHARED, Answers, Clip, Floats, labels_of
from benchmarks.ear_scores import (
    NO_ANSWER,
    Integers,
    Measured,
    Statistic,
    area_under_curve,
    measured,
    unweighted_recall,
    won,
)


@dataclass(frozen=True, slots=True)
class Seeds:
    """The same figure from networks that differ in their seed alone: each one's, and their mean with its intervals."""

    each: tuple[float, ...]
    mean: Measured

    @property
    def spread(self) -> tuple[float, float]:
        """Lowest and highest."""
        return min(self.each), max(self.each)


def emotion(runs: Sequence[Answers], clips: Sequence[Clip], *, labels: Sequence[str] | None = None) -> Seeds:
    """Unweighted recall of the emotions of clips, by one or several networks.

    Args:
        runs: what each network says about the clips, and perhaps about others.
        clips: which clips.
        labels: among which the decision falls; those that occur in the clips unless given.
    """
    names = tuple(labels_of(clips) if labels is None else labels)
    truth = np.array([names.index(clip.emotion) for clip in clips], dtype=np.int64)
    decided = np.stack([decisions(run.of(clips), names) for run in runs], axis=1)
    return seeds(unweighted_recall, truth, decided, speakers=[clip.speaker for clip in clips])


def left_out(runs: Sequence[Answers], clips: Sequence[Clip], *, own: bool = False) -> Seeds:
    """Unweighted recall over the shared emotions of a set that was not trained on.

    Args:
        runs: what each network says.
        clips: of the set.
        own: whether the decision falls among those of the shared emotions that the set has, rather than among all.
    """
    shared = [clip for clip in clips if clip.emotion in SHARED]
    return emotion(runs, shared, labels=None if own else SHARED)


def shares_known(answers: Answers, clips: Sequence[Clip]) -> Answers:
    """The same answers, as if it were known how often each of the shared emotions occurs in a set, and nothing else.

    Every emotion gets a factor, the same for all clips, so that on average it is as likely as it is frequent. What that
    gains is what an offset of the whole set costs (Saerens et al. 2002).
    """
    shared = [clip for clip in clips if clip.emotion in SHARED]
    known = answers.of(shared)
    likely = probabilities(known, SHARED)
    frequent = np.array([np.mean([clip.emotion == name for clip in shared]) for name in SHARED])
    factor = np.where(frequent > 0, 1.0, 0.0)
    for _ in range(100):
        given = likely * factor
        mean = (given / given.sum(axis=1, keepdims=True)).mean(axis=0)
        factor = factor * np.sqrt(frequent / np.maximum(mean, 1e-12))
    moved = known.emotion.copy()
    moved[:, [EMOTIONS.index(name) for name in SHARED]] = np.log(np.maximum(likely * factor, 1e-30))
    return replace(known, emotion=moved)


def sex(runs: Sequence[Answers], clips: Sequence[Clip]) -> Seeds:
    """Unweighted recall of the sex of the voice."""
    known = [clip for clip in clips if clip.sex in {"female", "male"}]
    truth = np.array([clip.sex == "female" for clip in known], dtype=np.int64)
    scores = np.stack([run.of(known).female for run in runs], axis=1)
    decided = np.where(np.isnan(scores), NO_ANSWER, (scores > 0).astype(np.int64))
    return seeds(unweighted_recall, truth, decided, speakers=[clip.speaker for clip in known])


def arousal(runs: Sequence[Answers], clips: Sequence[Clip]) -> Seeds:
    """Area under the curve of the arousal, high against low."""
    clear = [clip for clip in clips if clip.emotion in (*HIGH_AROUSAL, *LOW_AROUSAL)]
    high = np.array([clip.emotion in HIGH_AROUSAL for clip in clear])
    scores = np.stack([run.of(clear).arousal for run in runs], axis=1)
    return seeds(
        lambda positive, score: area_under_curve(score, positive),
        high,
        scores,
        speakers=[clip.speaker for clip in clear],
    )


def intensity(runs: Sequence[Answers], clips: Sequence[Clip]) -> Seeds:
    """Share of the pairs of a strong and a normal clip in which the strong one scores higher."""
    pairs = intensity_pairs(clips)
    strong, normal = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    wins = np.stack([won(run.of(strong).intensity, run.of(normal).intensity) for run in runs], axis=1)
    return seeds(
        lambda _, win: float(np.mean(win)), np.zeros(len(pairs)), wins, speakers=[clip.speaker for clip in strong]
    )


def intensity_pairs(clips: Sequence[Clip]) -> list[tuple[Clip, Clip]]:
    """Pairs of a strong and a normal clip, alike in actor, emotion, sentence and repetition.

    RAVDESS's file names hold seven numbers: medium, channel, emotion, intensity, sentence, repetition, actor.
    """
    normal = {_apart_from_intensity(clip): clip for clip in clips if clip.intensity == "normal"}
    return [
        (clip, normal[_apart_from_intensity(clip)])
        for clip in clips
        if clip.intensity == "strong" and _apart_from_intensity(clip) in normal
    ]


def _apart_from_intensity(clip: Clip) -> tuple[str, ...]:
    numbers = clip.path.stem.split("-")
    return (*numbers[:3], *numbers[4:])


def listeners(
    runs: Sequence[Answers], clips: Sequence[Clip], recognised: Mapping[str, float], *, by_rank: bool = False
) -> Seeds:
    """Correlation of the probability of the acted emotion with the share of listeners who recognised it."""
    names = labels_of(clips)
    acted = np.array([names.index(clip.emotion) for clip in clips])
    confidence = np.stack([probabilities(run.of(clips), names)[np.arange(len(clips)), acted] for run in runs], axis=1)
    shares = np.array([recognised[clip.name] for clip in clips])
    coefficient = spearman if by_rank else pearson
    return seeds(
        lambda share, sure: coefficient(sure, share).value,
        shares,
        confidence,
        speakers=[clip.speaker for clip in clips],
    )


def seeds(
    statistic: Statistic, truth: npt.NDArray[np.generic], answers: npt.NDArray[np.generic], *, speakers: Sequence[str]
) -> Seeds:
    """A statistic of the truth and each column of answers, and the mean over the columns with its intervals.

    In every resample all networks hear the same clips, so that the interval of the mean is about clips, not seeds.
    """

    def mean(known: npt.NDArray[np.generic], given: npt.NDArray[np.generic]) -> float:
        return float(np.mean([statistic(known, given[:, column]) for column in range(given.shape[1])]))

    each = tuple(float(statistic(truth, answers[:, column])) for column in range(answers.shape[1]))
    return Seeds(each, measured(mean, truth, answers, speakers=speakers))


def decisions(answers: Answers, labels: Sequence[str]) -> Integers:
    """The label with the largest score, as its place among the labels; `NO_ANSWER` where none has a score."""
    scores = answers.emotion[:, [EMOTIONS.index(label) for label in labels]]
    silent = np.isnan(scores).all(axis=1)
    return np.where(silent, NO_ANSWER, np.where(np.isnan(scores), -np.inf, scores).argmax(axis=1))


def probabilities(answers: Answers, labels: Sequence[str]) -> Floats:
    """Softmax of the scores of the labels alone, [clips, labels]; rows of NaN where none has a score."""
    scores = answers.emotion[:, [EMOTIONS.index(label) for label in labels]]
    silent = np.isnan(scores).all(axis=1)
    known = np.where(np.isnan(scores), -np.inf, scores)
    known[silent] = 0.0
    raised = np.exp(known - known.max(axis=1, keepdims=True))
    shares: Floats = raised / raised.sum(axis=1, keepdims=True)
    shares[silent] = math.nan
    return shares
