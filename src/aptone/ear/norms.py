"""What ordinary speech measures, by sex and language, and every threshold and weight of the rules in one place.

`MEASURES` and `LINES` were measured by ``python -m aptone.train.ear_norms`` on the training speakers of four acted
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
from dataclasses import dataclass
from typing import NamedTuple

from aptone.ear.evidence import Rule
from aptone.types import Intonation, Rhythm, Sex

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
    """The ordinary line of a language, in semitones (see `aptone.ear.intonation.Shape`).

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
        "zh": BySex(Norm(16.70, 2.71), Norm(9.96, 5.20), Norm(14.14, 6.76)),
        "en": BySex(Norm(15.11, 4.54), Norm(5.55, 6.24), Norm(12.22, 7.29)),
        "de": BySex(Norm(12.91, 4.85), Norm(5.76, 5.51), Norm(9.07, 6.59)),
        "pl": BySex(Norm(12.34, 2.16), Norm(2.78, 3.46), Norm(9.45, 5.86)),
        "other": BySex(Norm(14.41, 4.07), Norm(5.18, 5.49), Norm(11.32, 7.02)),
    },
    "pitch range": {
        "zh": BySex(Norm(11.69, 2.22), Norm(15.50, 3.74), Norm(13.33, 3.50)),
        "en": BySex(Norm(9.81, 4.25), Norm(9.82, 4.45), Norm(9.81, 4.34)),
        "de": BySex(Norm(12.94, 6.71), Norm(11.63, 5.86), Norm(12.23, 5.90)),
        "pl": BySex(Norm(9.43, 4.60), Norm(9.03, 4.33), Norm(9.20, 4.47)),
        "other": BySex(Norm(11.08, 4.02), Norm(11.63, 5.22), Norm(11.23, 4.65)),
    },
    "articulation rate": {
        "zh": BySex(Norm(4.20, 0.50), Norm(4.23, 0.50), Norm(4.21, 0.50)),
        "en": BySex(Norm(4.32, 0.62), Norm(4.48, 0.71), Norm(4.39, 0.69)),
        "de": BySex(Norm(4.77, 0.83), Norm(4.86, 0.93), Norm(4.82, 0.88)),
        "pl": BySex(Norm(4.71, 0.76), Norm(4.64, 0.85), Norm(4.68, 0.80)),
        "other": BySex(Norm(4.47, 0.72), Norm(4.46, 0.78), Norm(4.47, 0.76)),
    },
    "spectral tilt": {
        "zh": BySex(Norm(-3.72, 3.06), Norm(-6.18, 2.01), Norm(-5.75, 2.79)),
        "en": BySex(Norm(-3.80, 3.22), Norm(-4.98, 1.61), Norm(-4.58, 2.32)),
        "de": BySex(Norm(-5.78, 3.29), Norm(-5.45, 1.90), Norm(-5.51, 2.68)),
        "pl": BySex(Norm(-7.18, 1.93), Norm(-6.43, 1.13), Norm(-6.65, 1.59)),
        "other": BySex(Norm(-5.43, 3.24), Norm(-5.78, 1.72), Norm(-5.60, 2.39)),
    },
    "loudness": {
        "other": BySex(Norm(-19.28, 11.03), Norm(-20.30, 11.66), Norm(-19.79, 11.17)),
    },
    "pause share": {
        "other": BySex(Norm(0.14, 0.08), Norm(0.13, 0.08), Norm(0.13, 0.08)),
    },
    "longest pause": {
        "other": BySex(Norm(0.38, 0.20), Norm(0.42, 0.22), Norm(0.39, 0.20)),
    },
}
LINES: dict[str, LineNorm] = {
    "zh": LineNorm(-2.18, 1.40, 1.94, 4.60, 8.57, 9.26, 2.39),
    "en": LineNorm(-6.57, 0.17, -1.38, 1.48, 2.72, 3.72, 2.11),
    "de": LineNorm(-6.48, 1.45, -2.42, 1.95, 3.49, 4.74, 2.19),
    "pl": LineNorm(-3.09, 1.33, -1.10, 1.68, 4.03, 4.19, 2.33),
    "other": LineNorm(-5.04, 1.11, -1.37, 2.42, 3.90, 5.26, 3.35),
}
# -- measured: end -----------------------------------------------------------------------------------------------------

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
        1.5, {"rise": -1.0, "fall": -1.0, "turn": -1.0, "lifted ending": -0.5, "dropped ending": -0.25, "melody": -0.4}
    ),
    Intonation.RISING: Rule(
        -0.5, {"rise": 2.0, "fall": -1.0, "turn": -0.5, "lifted ending": 1.25, "dropped ending": -0.5}
    ),
    Intonation.CURVED: Rule(-0.5, {"rise": -0.25, "fall": -0.25, "turn": 2.0, "melody": 0.4}),
    Intonation.FALLING: Rule(
        -0.5, {"rise": -1.0, "fall": 2.0, "turn": -0.5, "lifted ending": -0.5, "dropped ending": 0.5}
    ),
}
"""Terms are in clear movements. A bare line is moving rather than flat from two thirds of one on: 2 semitones."""

LOUDNESS_SHARE = 0.3
"""How much of the loudness is added to the force of a voice, where the two agree."""

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
"""In spreads from the norm, read off the descriptions in `aptone.ear.rhythm`."""

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
    """How far a value lies from its norm, in spreads; where the sex is a distribution, the mean over it.

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
