"""A description against what the ear heard: a grade from 0 to 5, and what it rests on, property by property."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from aptone.ear.claims import wording
from aptone.ear.claims.rules import Hearing
from aptone.ear.describe import Sense
from aptone.ear.reading import Reading, Statement
from aptone.messages import LANGUAGES, message, translate, words
from aptone.rooms.style.evidence.grade import expected_grade
from aptone.rooms.style.evidence.odds import PLACES, Floats, load_calibration
from aptone.types import Emotion, Json, Language, Perception

Verdict = Literal["true", "false", "undecided"]
HOLDS, FAILS = 0.5, 0.25
"""Probabilities from which on a property holds, and down from which it does not; undecided in between. A denial fails
only where the claim might hold: where neither does, it is undecided."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """One property of a description, and whether it holds in a clip; ``text[start:end]`` of the description is `words`.

    Args:
        fact: the property in plain words, by language.
        verdict: ``undecided`` where it could go either way, and where it could not be judged.
        probability: that it holds, calibrated; NaN where it could not be judged.
        measured: measurements behind it, by language; empty where only the probability is known.
        is_denied: whether the description says that it does not hold.
    """

    words: str
    start: int
    end: int
    fact: Mapping[Language, str]
    verdict: Verdict
    probability: float
    measured: Mapping[Language, str]
    is_denied: bool = False


def probabilities(reading: Reading, odds: Floats) -> Floats:
    """Return how likely each statement of a description holds in each clip: [clips, statements].

    Args:
        odds: log odds of `aptone.rooms.style.evidence.odds.VALUES`, [clips, values].
    """
    columns = [_statement_odds(one, odds) for one in reading.judged]
    return _sigmoid(np.stack(columns, axis=1)) if columns else np.empty((len(odds), 0))


def grades(reading: Reading, odds: Floats) -> Floats:
    """Return the grade of a description for each clip, 0 to 5; NaN where nothing of it could be judged."""
    return expected_grade(probabilities(reading, odds))


def rank_keys(reading: Reading, odds: Floats) -> Floats:
    """Return numbers that order clips by a description without ties at the ends of the scale; NaN as in `grades`.

    The mean of the statements' log odds breaks ties between equal grades.
    """
    if not reading.judged:
        return np.full(len(odds), np.nan)
    columns = np.stack([_statement_odds(one, odds) for one in reading.judged], axis=1)
    judged = ~np.isnan(columns)
    mean = np.where(judged, columns, 0.0).sum(axis=1) / np.maximum(judged.sum(axis=1), 1)
    keys: Floats = expected_grade(_sigmoid(columns)) + 1e-3 * mean
    return keys


def _statement_odds(statement: Statement, odds: Floats) -> Floats:
    found = _best(odds, statement.senses)
    if statement.grades:  # the strength of an emotion that is not there is none
        felt = _best(odds, tuple(Sense("emotion", emotion) for emotion in statement.grades))
        found = _log_odds(_sigmoid(found) * _sigmoid(felt))
    return load_calibration().denial(statement.senses[0], found) if statement.is_denied else found


def _best(odds: Floats, senses: Sequence[Sense]) -> Floats:
    """Return the log odds of the likeliest of several meanings; NaN where none was judged."""
    columns = odds[:, [PLACES[sense] for sense in senses]]
    filled = np.where(np.isnan(columns), -np.inf, columns).max(axis=1)
    best: Floats = np.where(np.isneginf(filled), np.nan, filled)
    return best


def evidence_of(reading: Reading, odds: Floats, *, perception: Perception | None = None) -> tuple[Evidence, ...]:
    """Return the evidence for one clip, in the order of the description.

    Args:
        odds: log odds of the clip, [values].
        perception: what the ear heard, for measurements in words; ``None`` where that is not at hand.
    """
    hearing = None if perception is None else Hearing(perception, language=None)
    likely = probabilities(reading, odds[np.newaxis])[0].tolist()
    found = [
        Evidence(
            one.words,
            one.start,
            one.end,
            _fact(one),
            _verdict(one, share, odds),
            share,
            _measured(one, hearing),
            one.is_denied,
        )
        for one, share in zip(reading.judged, likely, strict=True)
    ]
    for remark in reading.remarks:
        fact = {language: words(language, "style")(f"topic_{remark.topic}") for language in LANGUAGES}
        why = {language: translate(message("style.topic-not-judged"), language) for language in LANGUAGES}
        found.append(Evidence(remark.words, remark.start, remark.end, fact, "undecided", math.nan, why))
    return tuple(sorted(found, key=lambda one: one.start))


def evidence_json(reading: Reading, evidence: Sequence[Evidence], *, language: Language) -> dict[str, Json]:
    """Return the evidence for journals and machines, its sentences in one language."""
    return {
        "properties": properties_json(evidence, language=language),
        "not_understood": list(reading.unread),
    }


def properties_json(evidence: Sequence[Evidence], *, language: Language) -> list[Json]:
    """Return the properties of a description as JSON."""
    return [
        {
            "words": one.words,
            "denied": one.is_denied,
            "start": one.start,
            "end": one.end,
            "fact": one.fact[language],
            "verdict": one.verdict,
            "probability": None if math.isnan(one.probability) else round(one.probability, 4),
            "measured": one.measured.get(language, ""),
        }
        for one in evidence
    ]


def _verdict(statement: Statement, probability: float, odds: Floats) -> Verdict:
    if math.isnan(probability) or FAILS < probability < HOLDS:
        return "undecided"
    if probability >= HOLDS:
        return "true"
    claimed = _sigmoid(_best(odds[np.newaxis], statement.senses))[0]
    return "undecided" if statement.is_denied and claimed <= FAILS else "false"


def _fact(statement: Statement) -> dict[Language, str]:
    """Return a statement in plain words: "emotion: not angry", "texture: rough or breathy"."""
    return {language: _fact_in(language, statement) for language in LANGUAGES}


def _fact_in(language: Language, statement: Statement) -> str:
    word = words(language, "style")
    by_attribute: dict[str, list[str]] = {}
    for attribute, value in statement.senses:
        by_attribute.setdefault(attribute, []).append(value.label(language))
    values = {attribute: word("either").join(named) for attribute, named in by_attribute.items()}
    if statement.is_denied:
        values = {attribute: word("denied", value=named) for attribute, named in values.items()}
    return word("either").join(
        word("property", attribute=word(f"attribute_{attribute}"), value=named) for attribute, named in values.items()
    )


def _measured(statement: Statement, hearing: Hearing | None) -> dict[Language, str]:
    if hearing is None:
        return {}
    found = [_reading_of(hearing, sense) for sense in statement.senses]
    return {
        language: "; ".join(dict.fromkeys(one[language] for one in found if one.get(language)))
        for language in LANGUAGES
    }


def _reading_of(hearing: Hearing, sense: Sense) -> Mapping[Language, str]:
    """Return what was measured, without a word on whether a caption that says so would pass."""
    if isinstance(sense.value, Emotion) and hearing.emotions:
        return wording.emotion(hearing.emotions, sense.value, hearing.feeling)
    return hearing.read(*sense).evidence


def _sigmoid(odds: Floats) -> Floats:
    found: Floats = 1.0 / (1.0 + np.exp(-odds))
    return found


def _log_odds(probability: Floats) -> Floats:
    within = np.clip(probability, 1e-4, 1.0 - 1e-4)
    found: Floats = np.log(within / (1.0 - within))
    return found
