"""Fusion of explicit cues, encoder and word counts into one calibrated distribution.

For emotion k, and "the story does not say" as one outcome more,

    z_k = (1 - e·o)·a · log p_reader(k) + (1 - f·o)·d · log p_words(k) + b·t · log p_tags(k) + Σ_g w_g · s_g(k) + c_k

and p = softmax(z).

p_reader and p_tags are two heads of the encoder, p_words comes from word counts; t is 1 where the line's own tag says
more than "said", else 0; s_g(k) in [-1, 1] is the support of the explicit cues of a region g for k. The weights were
fitted on scenes and lines of books that the encoder was not trained on (``weights/fusion.json``).

Word counts are hashed TF-IDF with logistic regression, in and around the line. They ignore word order and persons, but
are right often enough where the encoder is wrong that both together are better than either.

Dialogue without a story has turns of speakers and no narration. In a transcript most lines are neutral, and those that
are not say so in their words. The story's distribution is therefore recalibrated: z = A · log p_story + B · log p_head
+ c, where p_head is the output of the encoder's head for single comments (English) or TV dialogue (Mandarin) on the
line in its dialogue, and p = softmax(z). Two matrices and an offset for each outcome were fitted on labelled lines of
dialogues (``weights/talk.json``). A line whose own text names the emotion, by a direction such as "(sobbing)", is not
recalibrated.
"""

import functools
import io
import itertools
import json
import math
import re
import zlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.planner.encoder import Answers, load_encoder
from aptone.planner.labelled_dialogues import emotion_shares
from aptone.planner.passage import Passage, passage_around
from aptone.planner.reading.cues import FeelingCue
from aptone.stats.logits import log_softmax, softmax
from aptone.types import TYPICAL_VAD, Emotion, Language, Line, Sample, Vad

PLACES = 1 << 15
"""Hash buckets for the n-grams of a view."""
VIEWS = 3
"""Number of views: the line, the line with its surroundings, and its immediate surroundings."""
REACH: dict[Language, tuple[int, int, int]] = {"en": (500, 160, 90), "zh": (200, 70, 40)}
"""Characters before and after the line in the second view, and on both sides in the third."""
_WORD = re.compile(r"[\w']+|[!?.…]+")
_SAME = str.maketrans("’‘“”", "''\"\"")

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WordCounts:
    """Reader by word counts: inverse document frequencies, a row a view; weights of each view, bucket and outcome."""

    rarity: npt.NDArray[np.float32]
    weights: npt.NDArray[np.float32]
    offsets: npt.NDArray[np.float32]
    language: Language

    def log_shares(self, passage: Passage) -> Floats:
        """Return the log probability of every outcome."""
        scores = self.offsets.astype(np.float64)
        for view, counted in enumerate(counts(passage, self.language)):
            places = np.fromiter(counted.keys(), dtype=np.int64, count=len(counted))
            times = np.fromiter(counted.values(), dtype=np.float64, count=len(counted))
            values = (1.0 + np.log(times)) * self.rarity[view, places]
            if len(places):
                scores += (values / math.sqrt(float(values @ values))) @ self.weights[view, places]
        return log_softmax(scores)


def counts(passage: Passage, language: Language) -> list[Counter[int]]:
    """Count the n-grams of each view in each bucket."""
    text, start, end = passage.text, passage.start, passage.end
    before, after, beside = REACH[language]
    views = (
        text[start:end],
        text[max(0, start - before) : end + after],
        text[max(0, start - beside) : start] + " " + text[end : end + beside],
    )
    return [Counter(map(_place, _grams(view, language))) for view in views]


@functools.lru_cache(maxsize=1 << 15)
def _place(gram: str) -> int:
    """Return the bucket of an n-gram; those of the last texts are remembered, which the next line shares."""
    return zlib.crc32(gram.encode()) % PLACES


def _grams(text: str, language: Language) -> Iterator[str]:
    """Yield words and pairs of words; of Mandarin one to three characters."""
    plain = text.lower().translate(_SAME)
    if language == "zh":
        plain = " ".join(plain.split())
        for size in (1, 2, 3):
            yield from (plain[place : place + size] for place in range(len(plain) - size + 1))
    else:
        words = _WORD.findall(plain)
        yield from words
        yield from map(" ".join, itertools.pairwise(words))


@functools.cache
def load_word_counts(language: Language) -> WordCounts:
    """Load the built-in reader of a language."""
    data = (files("aptone.planner") / "weights" / f"words.{language}.npz").read_bytes()
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:
        return WordCounts(
            rarity=stored["rarity"].astype(np.float32),
            weights=stored["weights"].astype(np.float32) * stored["scales"].astype(np.float32),
            offsets=stored["offsets"].astype(np.float32),
            language=language,
        )


EMOTIONS: tuple[Emotion, ...] = (
    Emotion.NEUTRAL,
    Emotion.CALM,
    Emotion.HAPPY,
    Emotion.SAD,
    Emotion.ANGRY,
    Emotion.FEAR,
    Emotion.DISGUST,
    Emotion.SURPRISE,
    Emotion.BOREDOM,
    Emotion.PLAYFUL,
)
"""Outcomes in the order of the encoder's reader head; the last is "the story does not say"."""
UNSAID = len(EMOTIONS)
GROUPS = ("tag", "direction", "same", "before", "after", "denied")
"""Regions of explicit cues; denied cues of any region are a group of their own."""
_OF_TAGS = (0, 1, 2, 3, 4, 5, 6, 7, 0, 2)
"""Output of the tag head for each emotion: tags know no boredom (as neutral) and no play (as happy)."""
_STRENGTH = {1: 0.7, 2: 1.0, 3: 1.2}
_ANOTHER_LINE = 0.4
"""Weight of the tag of another line of the same speaker."""


@dataclass(frozen=True, slots=True)
class Fusion:
    """Fusion weights of a language.

    Args:
        reader, tags: weights of the encoder's two heads.
        told: reduction of reader and words where the line's own tag or direction names the feeling.
        groups: weights of the explicit cues, by region.
        explicit: penalty of explicit cues on "the story does not say".
        offsets: offsets of the outcomes, the last one for "the story does not say".
        least: probability below which the likeliest emotion is not named.
    """

    reader: float
    tags: float
    words: float
    told: tuple[float, float]
    groups: Mapping[str, float]
    explicit: float
    offsets: tuple[float, ...]
    least: float

    def probabilities(self, features: "Features") -> Floats:
        """Return the probability of every outcome."""
        reader, words = (1.0 - share * features.told for share in self.told)
        scores = reader * self.reader * features.reader + words * self.words * features.words
        scores = scores + self.tags * features.tags + np.array(self.offsets)
        for name, weight in self.groups.items():
            scores = scores + weight * features.groups[name]
        scores[UNSAID] += self.explicit * features.explicit
        return softmax(scores)


@dataclass(frozen=True, slots=True)
class Features:
    """Features from the readers: one number for each emotion and one for "the story does not say".

    Args:
        reader, tags, words: log probabilities; those of tags are 0 where the tag names no feeling.
        groups: support of the explicit cues, by region; 0 without cues.
        explicit: strength of the explicit cues, 0 to 1.
        told: the same for the line's own tag and direction alone.
    """

    reader: Floats
    tags: Floats
    words: Floats
    groups: Mapping[str, Floats]
    explicit: float
    told: float


def features_of(cues: Sequence[FeelingCue], answers: Answers, words: Floats) -> Features:
    """Return the features of a target; `words` are the log probabilities of `WordCounts`."""
    reader = log_softmax(answers.logits["reader"].astype(np.float64))
    tags = log_softmax(answers.logits["tags"].astype(np.float64))
    spread = np.zeros(UNSAID + 1)
    spread[:UNSAID] = tags[list(_OF_TAGS)]
    spread[UNSAID] = spread[:UNSAID].mean()
    if not any(cue.region == "tag" and (cue.meaning.emotions or cue.meaning.voice) for cue in cues):
        spread[:] = 0.0
    sums = {name: np.zeros(UNSAID + 1) for name in GROUPS}
    for cue in cues:
        weight = cue_weight(cue)
        group = "denied" if cue.denied else cue.region
        for emotion, share in cue.meaning.emotions.items():
            sums[group][EMOTIONS.index(emotion)] += weight * share
    explicit = sum(float(sums[name].sum()) for name in ("tag", "direction", "same"))
    groups = {name: np.tanh(values) for name, values in sums.items()}
    told = sum(float(sums[name].sum()) for name in ("tag", "direction"))
    return Features(reader, spread, words, groups, math.tanh(explicit), math.tanh(told))


def cue_weight(cue: FeelingCue) -> float:
    """Return the weight of an explicit cue within its region."""
    weight = _STRENGTH[cue.meaning.strength] * cue.sure / max(1, cue.distance)
    if cue.region in ("before", "after") and cue.meaning.kind in ("verb", "manner"):
        weight *= _ANOTHER_LINE
    return weight


@functools.cache
def load_fusion(language: Language) -> Fusion:
    """Load the built-in weights of a language."""
    return fusion_of(
        json.loads((files("aptone.planner") / "weights" / "fusion.json").read_text(encoding="utf-8"))[language]
    )


def fusion_of(data: Mapping[str, Any]) -> Fusion:
    """Return the weights from the fields of their file."""
    return Fusion(
        reader=data["reader"],
        tags=data["tags"],
        words=data["words"],
        told=(data["told"][0], data["told"][1]),
        groups=data["groups"],
        explicit=data["explicit"],
        offsets=tuple(data["offsets"]),
        least=data["least"],
    )


KEPT_LINES = 4096
HEAD_OF: dict[Language, str] = {"en": "goemotions", "zh": "cped"}
"""Head of the encoder for single lines, by language."""


@functools.lru_cache(maxsize=KEPT_LINES)
def line_emotions(text: str, language: Language) -> dict[Emotion, float]:
    """Return probabilities of emotions that sum to 1, from the words of a line alone."""
    return head_emotions(load_encoder(language).read(passage_around((), Line(text), ())), language)


def head_emotions(answers: Answers, language: Language) -> dict[Emotion, float]:
    """Return the output of that head as probabilities of our emotions."""
    head = HEAD_OF[language]
    shares = softmax(answers.logits[head].astype(np.float64))
    return emotion_shares(dict(zip(load_encoder(language).labels[head], shares.tolist(), strict=True)))


def expected_vad(emotions: dict[Emotion, float]) -> Vad:
    """Return the mean of the emotions' typical places, weighted by probability."""
    points = [(share, TYPICAL_VAD[emotion]) for emotion, share in emotions.items()]
    return Vad(
        sum(share * point.valence for share, point in points),
        sum(share * point.arousal for share, point in points),
        sum(share * point.dominance for share, point in points),
    )


NEAREST = 8
"""Lines before the target that talk is detected from."""
MOSTLY = 0.6
"""Least share of them that must be turns of named speakers."""
FAINTEST = 0.002


@dataclass(frozen=True, slots=True)
class Talk:
    """Recalibration weights of a language.

    Args:
        story: matrix from outcomes of the story's reading (rows) to outcomes (columns).
        head: the same for the head for talk.
    """

    story: Floats
    head: Floats
    offsets: Floats

    def probabilities(self, story: Floats, head: Floats) -> Floats:
        """Return the probability of every outcome, from two distributions."""
        return softmax(np.log(np.maximum(story, 1e-6)) @ self.story + np.log(head) @ self.head + self.offsets)


def is_talk(sample: Sample) -> bool:
    """Return true for a line among turns that were given with their speakers, or alone; scripts are stories."""
    target = sample.target
    if target.direction or target.speech or target.continues:
        return False
    if any(line.continues for line in sample.following[:1]):
        return False
    turns = [bool(line.role) and not line.speech and not line.direction for line in sample.context[-NEAREST:]]
    return sum(turns) >= MOSTLY * len(turns)


def talk_shares(answers: Answers, language: Language) -> Floats:
    """Return the output of the head for talk over our outcomes; unknown ones have a small probability."""
    known = head_emotions(answers, language)
    shares = np.full(UNSAID + 1, FAINTEST)
    for number, emotion in enumerate(EMOTIONS):
        shares[number] = max(FAINTEST, known.get(emotion, 0.0))
    found: Floats = shares / shares.sum()
    return found


@functools.cache
def load_talk(language: Language) -> Talk:
    """Load the built-in weights of a language."""
    text = (files("aptone.planner") / "weights" / "talk.json").read_text(encoding="utf-8")
    return talk_of(json.loads(text)[language])


def talk_of(data: Mapping[str, Any]) -> Talk:
    """Return the weights from the fields of their file."""
    return Talk(*(np.array(data[name], dtype=np.float64) for name in ("story", "head", "offsets")))
