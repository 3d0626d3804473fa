"""Norms of ordinary speech by sex and language, and every threshold and weight of the rules in one place.

A rule turns a few named terms into evidence for a class, a sum: ``bias + sum(weight * term)``. Probabilities are the
softmax of the evidence, so every one can be traced back to the terms that made it.

`MEASURES` and `LINES` were measured by ``python -m recipes.ear.norms`` on the training speakers of four acted
sets: CSEMOTIONS (zh), RAVDESS (en), EmoDB (de), nEMO (pl). ``other`` is the four together, each with equal weight, and
stands for every language that is not named. A norm is "ordinary speech": all emotions of a set count equally. The
ordinary line is that of plain statements: neutral and calm clips only.

What to know before trusting them: they rest on few speakers (zh 4, de 7, pl 6, en 18), all of them actors who read
single sentences in a studio. CSEMOTIONS does not say who is a woman and who is a man: its speakers were told apart by
their median pitch. Loudness and pauses have one norm for all languages, since there the sets differ by how they were
made: levels depend on the recording, and only CSEMOTIONS has more than one phrase in a clip. The norm of pauses is that
of clips which pause at all.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, NamedTuple, TypeVar

import numpy as np

from aptone.stats.logits import softmax
from aptone.types import ClosedSet, Intonation, Rhythm, Sex

Class = TypeVar("Class", bound=ClosedSet)


@dataclass(frozen=True, slots=True)
class Rule:
    """Evidence for a class and against it.

    Args:
        bias: evidence before anything was heard: how ordinary the class is.
        weights: evidence for each unit of a term; terms that are not named do not matter to the class.
    """

    bias: float
    weights: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Judgement(Generic[Class]):
    """Probabilities that sum to 1, or none and the reason why."""

    distribution: Mapping[Class, float] = field(default_factory=dict)
    reason: str = ""

    def __post_init__(self) -> None:
        if bool(self.distribution) == bool(self.reason):
            raise ValueError("a judgement holds either a distribution or the reason why there is none.")

    @property
    def best(self) -> Class | None:
        """The most probable class; ``None`` when there is no distribution."""
        return max(self.distribution, key=self.distribution.__getitem__) if self.distribution else None


def weigh(terms: Mapping[str, float], rules: Mapping[Class, Rule]) -> dict[Class, float]:
    """Probability of each class: softmax of ``bias + sum(weight * term)``.

    A term that was not measured is left out of `terms`, which says that it is ordinary: it adds nothing to any class.
    """
    evidence = [
        rule.bias + sum(weight * terms[name] for name, weight in rule.weights.items() if name in terms)
        for rule in rules.values()
    ]
    return dict(zip(rules, softmax(np.array(evidence)).tolist(), strict=True))


Sexes = Mapping[Sex, float] | Sex | None
"""The sex of a voice: one, the probability of each, or not known."""


class Norm(NamedTuple):
    """Median of ordinary speech, and half the distance between its 16th and 84th percentiles."""

    centre: float
    spread: float


@dataclass(frozen=True, slots=True)
class BySex:
    """The norms of women's voices, of men's, and of both together."""

    female: Norm
    male: Norm
    unknown: Norm


@dataclass(frozen=True, slots=True)
class LineNorm:
    """The ordinary line of a language, in semitones (see `aptone.ear.measures.intonation.Shape`).

    Args:
        movement: of plain statements; below 0, since pitch sinks.
        turn: of plain statements.
        ending: of plain statements.
        ending_spread: of plain statements: where the tone of the last syllable is the word's, endings say less.
        carried: melody of plain statements, which makes their sinking pass unnoticed.
        melody: of all speech.
        melody_spread: of all speech.
    """

    movement: float
    turn: float
    ending: float
    ending_spread: float
    carried: float
    melody: float
    melody_spread: float


OTHER = "other"
ALIASES = {"cmn": "zh", "zho": "zh", "chi": "zh", "eng": "en", "deu": "de", "ger": "de", "pol": "pl"}

# -- measured: begin ---------------------------------------------------------------------------------------------------
MEASURES: dict[str, dict[str, BySex]] = {
    "pitch level": {
        "zh": BySex(Norm(16.74, 2.67), Norm(9.88, 5.20), Norm(14.10, 6.77)),
        "en": BySex(Norm(15.13, 4.50), Norm(5.53, 6.31), Norm(12.22, 7.44)),
        "de": BySex(Norm(12.90, 4.87), Norm(5.84, 5.62), Norm(9.09, 6.64)),
        "pl": BySex(Norm(12.34, 2.17), Norm(2.78, 3.49), Norm(9.45, 5.85)),
        "other": BySex(Norm(14.43, 4.08), Norm(5.17, 5.51), Norm(11.36, 7.07)),
    },
    "pitch range": {
        "zh": BySex(Norm(11.49, 2.21), Norm(15.05, 3.43), Norm(13.01, 3.14)),
        "en": BySex(Norm(9.52, 4.10), Norm(9.38, 3.95), Norm(9.44, 3.98)),
        "de": BySex(Norm(11.92, 5.00), Norm(10.24, 5.37), Norm(11.37, 5.14)),
        "pl": BySex(Norm(9.35, 4.50), Norm(8.68, 4.41), Norm(8.98, 4.46)),
        "other": BySex(Norm(10.81, 3.94), Norm(10.83, 4.78), Norm(10.82, 4.40)),
    },
    "articulation rate": {
        "zh": BySex(Norm(4.20, 0.50), Norm(4.17, 0.50), Norm(4.18, 0.50)),
        "en": BySex(Norm(4.30, 0.63), Norm(4.39, 0.75), Norm(4.32, 0.65)),
        "de": BySex(Norm(4.70, 0.91), Norm(4.78, 0.95), Norm(4.71, 0.90)),
        "pl": BySex(Norm(4.65, 0.76), Norm(4.49, 0.88), Norm(4.59, 0.81)),
        "other": BySex(Norm(4.41, 0.73), Norm(4.40, 0.81), Norm(4.40, 0.77)),
    },
    "spectral tilt": {
        "zh": BySex(Norm(-3.74, 3.08), Norm(-6.22, 2.06), Norm(-5.77, 2.83)),
        "en": BySex(Norm(-3.83, 3.26), Norm(-4.99, 1.61), Norm(-4.59, 2.32)),
        "de": BySex(Norm(-5.82, 3.35), Norm(-5.47, 1.90), Norm(-5.57, 2.70)),
        "pl": BySex(Norm(-7.25, 2.00), Norm(-6.49, 1.16), Norm(-6.70, 1.65)),
        "other": BySex(Norm(-5.44, 3.30), Norm(-5.82, 1.75), Norm(-5.63, 2.44)),
    },
    "loudness": {"other": BySex(Norm(-19.28, 11.03), Norm(-20.30, 11.66), Norm(-19.79, 11.17))},
    "pause share": {"other": BySex(Norm(0.14, 0.08), Norm(0.13, 0.08), Norm(0.13, 0.08))},
    "longest pause": {"other": BySex(Norm(0.38, 0.20), Norm(0.42, 0.22), Norm(0.39, 0.20))},
    "jitter": {"other": BySex(Norm(1.95, 0.40), Norm(2.61, 0.53), Norm(2.22, 0.62))},
    "shimmer": {"other": BySex(Norm(8.71, 1.63), Norm(11.29, 2.13), Norm(9.84, 2.32))},
    "HNR": {"other": BySex(Norm(13.25, 2.24), Norm(10.43, 2.49), Norm(11.84, 2.75))},
    "voiced share": {"other": BySex(Norm(0.74, 0.09), Norm(0.68, 0.10), Norm(0.72, 0.10))},
}
LINES: dict[str, LineNorm] = {
    "zh": LineNorm(-2.18, 1.46, 1.94, 4.60, 8.49, 9.25, 2.42),
    "en": LineNorm(-6.52, 0.14, -1.44, 1.52, 2.72, 3.71, 2.11),
    "de": LineNorm(-6.49, 1.45, -2.42, 1.95, 3.45, 4.64, 2.23),
    "pl": LineNorm(-3.09, 1.31, -1.07, 1.70, 4.02, 4.18, 2.35),
    "other": LineNorm(-5.04, 1.06, -1.39, 2.30, 3.87, 5.22, 3.33),
}
# -- measured: end -----------------------------------------------------------------------------------------------------

LONGEST_STEP = 0.05
"""Seconds between two values of a contour; what is coarser cannot show an ending."""

MINIMUM_VOICED = 0.3
"""Seconds of voice below which there is no line to speak of: two syllables."""

LONGEST_LINE = 6.0
"""Seconds of voice; what is longer holds several lines and is cut at its longest gaps."""

WEAKEST = 0.6
"""Strength below which a frame of the tracker is breath or creak rather than voice."""

FARTHEST = 14.0
"""Semitones from the median of a clip beyond which F0 is a tracking error, or the hum of a room, rather than speech."""

SHORTEST_RUN = 0.04
"""Seconds; voiced stretches shorter than that are tracking errors more often than voice."""

LONGEST_GAP = 0.15
"""Seconds; of a longer gap between two stretches of voice, so much is kept."""

ENDING, BEFORE_ENDING = 0.15, 0.3
"""Seconds of voice that make the ending, and that it is compared with."""

SYLLABLES_PER_SECOND = 5.0
"""Of voice: how many independent values of the melody the slow line is fitted to."""

CLEAR_MOVEMENT = 3.0
"""Semitones: smaller differences play no part in communication ('t Hart 1981, JASA 69, 811-821)."""

INTONATION = {
    Intonation.FLAT: Rule(
        1.75, {"rise": -1.0, "fall": -1.0, "turn": -1.0, "lifted ending": -0.5, "dropped ending": -0.25, "melody": -0.4}
    ),
    Intonation.RISING: Rule(
        -0.5, {"rise": 2.0, "fall": -1.0, "turn": -0.5, "lifted ending": 1.25, "dropped ending": -0.5}
    ),
    Intonation.CURVED: Rule(-0.5, {"rise": -0.25, "fall": -0.25, "turn": 2.0, "melody": 0.4}),
    Intonation.FALLING: Rule(
        -1.0, {"rise": -1.0, "fall": 2.0, "turn": -0.5, "lifted ending": -0.5, "dropped ending": 0.5}
    ),
}
"""Terms are in clear movements. A bare line rises rather than being flat from (1.75 + 0.5) / 3 of one on, which is 2.25
semitones, and falls from (1.75 + 1) / 3 on, 2.75 semitones: of neutral clips, two in three are flat then."""

LOUDNESS_SHARE = 0.3
"""Share of the loudness that is added to the force of a voice, where the two agree."""

LIMITS = {"tempo": 3.0, "pauses": 3.0, "force": 3.0, "pitch": 3.0, "melody": 2.0}
"""Spreads beyond which a term counts no more. Melody ends earlier: an octave error is enough to widen a pitch range."""

PROTOTYPES: dict[Rhythm, dict[str, float]] = {
    Rhythm.BRISK: {"tempo": 1.2, "pauses": -0.4, "force": -0.4, "pitch": 0.6, "melody": 0.6},
    Rhythm.HEAVY: {"tempo": -0.9, "pauses": 0.6, "force": 0.8, "pitch": -0.6, "melody": -0.3},
    Rhythm.LOW_PACED: {"tempo": -0.8, "pauses": 0.3, "force": -0.8, "pitch": -1.2, "melody": -0.7},
    Rhythm.HIGH_ENERGY: {"tempo": 0.3, "pauses": -0.3, "force": 1.0, "pitch": 1.2, "melody": 0.6},
    Rhythm.RELAXED: {"tempo": -0.8, "pauses": 0.1, "force": -0.6},
    Rhythm.TENSE: {"tempo": 1.0, "pauses": -0.5, "force": 0.8, "pitch": 0.2, "melody": -0.4},
}
"""In spreads from the norm, read off the descriptions in `aptone.ear.measures.rhythm`."""

RHYTHM = {
    name: Rule(-sum(place * place for place in prototype.values()) / 2.0, prototype)
    for name, prototype in PROTOTYPES.items()
}


def known_language(language: str | None) -> str:
    """The language whose norms are used: the one that a code names where it has norms, else ``other``.

    >>> known_language("zh-Hans-CN"), known_language("fr"), known_language(None)
    ('zh', 'other', 'other')
    """
    primary = (language or "").replace("_", "-").partition("-")[0].strip().casefold()
    primary = ALIASES.get(primary, primary)
    return primary if primary in LINES else OTHER


def line_norm(language: str | None) -> LineNorm:
    """The ordinary line of a language."""
    return LINES[known_language(language)]


def norm(measure: str, *, sex: Sex | None, language: str | None) -> Norm:
    """The norm of a measure: of a sex, or of both together where it is unclear.

    Raises:
        KeyError: if there is no norm of that name.
    """
    by_language = MEASURES[measure]
    by_sex = by_language.get(known_language(language), by_language[OTHER])
    if sex is Sex.FEMALE:
        return by_sex.female
    return by_sex.male if sex is Sex.MALE else by_sex.unknown


def spreads_from_norm(measure: str, value: float, *, sex: Sexes, language: str | None) -> float:
    """Return the distance of a value from its norm, in spreads; where the sex is a distribution, the mean over it.

    Raises:
        KeyError: if there is no norm of that name.
    """
    shares: dict[Sex | None, float] = {None: 1.0}
    if isinstance(sex, Sex):
        shares = {sex: 1.0}
    elif sex and 0 < sum(sex.values()) < math.inf:
        shares = {name: max(0.0, share) for name, share in sex.items()}
    total = sum(shares.values())
    found = 0.0
    for name, share in shares.items():
        centre, spread = norm(measure, sex=name, language=language)
        found += share / total * (value - centre) / spread
    return found
