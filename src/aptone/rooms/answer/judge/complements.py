"""The table of what fits which speaking style (``complements.json``), read once and checked."""

import functools
import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from aptone.errors import RecordError
from aptone.rooms.answer.data import CATEGORIES, Dimension
from aptone.rooms.answer.judge.terms import MANNERS, PITCHES, RATES, SOUND_EMOTIONS, VOLUMES, Sound
from aptone.types import Language, loads

SHIPPED = Path(__file__).parent / "complements.json"

WEIGHTS = {"emotion": 0.6, "rate": 0.15, "volume": 0.15, "pitch": 0.1}
"""How much each part of the sound counts; what is not known drops out with its share."""

LEAST = 0.02
"""What a fit counts for at least, so that one part alone never decides everything."""

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "emotion": SOUND_EMOTIONS,
    "rate": RATES,
    "volume": VOLUMES,
    "pitch": PITCHES,
}


@dataclass(frozen=True, slots=True)
class Complement:
    """Fitting answers to one speaking style.

    Args:
        reason: why, in a sentence, by language.
        emotion: fit of each emotion of an answer, 0 to 1.
        opposes: speaking styles of the same dimension whose signs are wrong here.
        signs: words that show that the speaking style was understood, by language.
        examples: fitting answers, by language.
        brief: whether a short answer is better.
        simple: 1 where simple wording is better, -1 where it is a little worse, 0 where it does not matter.
        asked: the manner of `MANNERS` that stands for it in the learned model; empty where none does.
        learned: share of the learned model in how well a sound fits; the rest is the table's.
    """

    reason: Mapping[Language, str]
    emotion: Mapping[str, float]
    rate: Mapping[str, float]
    volume: Mapping[str, float]
    pitch: Mapping[str, float]
    opposes: tuple[str, ...] = ()
    signs: Mapping[Language, tuple[str, ...]] = field(default_factory=dict)
    examples: Mapping[Language, tuple[str, ...]] = field(default_factory=dict)
    brief: bool = False
    simple: int = 0
    asked: str = ""
    learned: float = 0.0

    def sound_fit(self, sound: Sound) -> float:
        """Fit of a sound, 0 to 1: the weighted geometric mean over its known terms, of which there must be one.

        Geometric, so that a lively pace does not make up for an angry voice.
        """
        parts = {}
        if sound.emotion:
            parts["emotion"] = sum(share * self.emotion[name] for name, share in sound.emotion.items())
        for name, value in (("rate", sound.rate), ("volume", sound.volume), ("pitch", sound.pitch)):
            if value:
                parts[name] = getattr(self, name)[value]
        logarithms = (WEIGHTS[name] * math.log(max(fit, LEAST)) for name, fit in parts.items())
        return math.exp(math.fsum(logarithms) / math.fsum(WEIGHTS[name] for name in parts))


@dataclass(frozen=True, slots=True)
class Complements:
    """The whole table: rows by dimension and category, and by emotion of StyleTalk."""

    categories: Mapping[Dimension, Mapping[str, Complement]]
    manners: Mapping[str, Complement]
    hash: str


@functools.cache
def load_complements(path: Path = SHIPPED) -> Complements:
    """The table in a file.

    Raises:
        RecordError: if the file cannot be used; the message says why.
    """
    try:
        data = path.read_bytes()
        fields: Any = loads(data.decode())
        categories = {
            dimension: {name: _complement(name, fields["categories"][dimension.value][name]) for name in names}
            for dimension, names in CATEGORIES.items()
        }
        manners = {name: _complement(name, fields["manners"][name]) for name in MANNERS}
    except (OSError, UnicodeDecodeError, KeyError, TypeError, ValueError, AttributeError, RecordError) as error:
        raise RecordError(f"{path}: this is no table of what fits which way of asking: {error!r}") from error
    return Complements(categories, manners, hashlib.sha256(data).hexdigest()[:12])


def _complement(name: str, row: Mapping[str, Any]) -> Complement:
    for column, expected in _COLUMNS.items():
        given = row[column]
        if set(given) != set(expected) or not all(0.0 <= fit <= 1.0 for fit in given.values()):
            raise ValueError(f"{name}: {column} has a fit from 0 to 1 for each of {', '.join(expected)}")
    wording, learned = row.get("wording", {}), row.get("learned", {})
    return Complement(
        reason=row["reason"],
        **{column: row[column] for column in _COLUMNS},
        opposes=tuple(row.get("opposes", ())),
        signs={language: tuple(words) for language, words in row.get("signs", {}).items()},
        examples={language: tuple(texts) for language, texts in row.get("examples", {}).items()},
        brief=bool(wording.get("brief", False)),
        simple=int(wording.get("simple", 0)),
        asked=str(learned.get("asked", "")),
        learned=float(learned.get("share", 0.0)),
    )
