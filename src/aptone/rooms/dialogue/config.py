"""Every constant of the scores, in one record that can be read from a file and estimated anew.

The defaults are those of EMO-Reasoning, whose thresholds come from MSP-Conversation as its own model hears it. Another
model of emotion over time has another scale: `aptone build emo-thresholds` estimates them from a corpus of yours.
"""

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from aptone.errors import RecordError
from aptone.types import Vad, dumps, from_json, loads, signature, to_json

TABLE: Mapping[str, Mapping[str, float]] = {
    "neutral": {"neutral": 0.9, "happy": 0.6, "angry": 0.3, "sad": 0.4},
    "happy": {"neutral": 0.5, "happy": 1.0, "angry": 0.2, "sad": 0.2},
    "angry": {"neutral": 0.8, "happy": 0.1, "angry": 0.4, "sad": 0.5},
    "sad": {"neutral": 0.6, "happy": 0.2, "angry": 0.4, "sad": 0.9},
}
"""How fitting people found an answer in one emotion (inner) to a user in another (outer), 0 to 1."""


@dataclass(frozen=True, slots=True)
class Weights:
    """What the three parts of a reasoning score count.

    Raises:
        ValueError: if one is negative or no number.
    """

    contagion: float
    balancing: float
    stability: float

    def __post_init__(self) -> None:
        parts = (self.contagion, self.balancing, self.stability)
        if not all(0 <= part < math.inf for part in parts):
            raise ValueError(f"weights are numbers of 0 or more, got {parts}.")


EXTREME = Vad(-0.07, 0.345, 0.210)
SHIFT = Vad(0.211, -0.105, 0.098)


@dataclass(frozen=True)
class DialogueConfig:
    """The constants of the scores; see `aptone.rooms.dialogue.score` for the formulas that they stand in.

    Args:
        scale: K, how hard a distance counts.
        extreme: a user is extreme whose mean valence lies below, mean arousal above, or mean dominance below this.
        shift: what balancing adds to the curves of an extreme user.
        unsteady: changes from one point to the next that exceed this count against stability.
        turn_weights: of a turn that needs balancing.
        calm_turn_weights: of a turn that does not; there is no balancing score to weigh.
        dialogue_weights: of a dialogue in which some turn needs balancing.
        calm_dialogue_weights: of one in which none does.
        table: how fitting an answer is, by the user's emotion and then the agent's.

    Raises:
        ValueError: if a constant makes no sense.
    """

    scale: float = 5.0
    extreme: Vad = EXTREME
    shift: Vad = SHIFT
    unsteady: float = 0.04
    turn_weights: Weights = Weights(0.4, 0.4, 0.2)
    calm_turn_weights: Weights = Weights(0.7, 0.0, 0.3)
    dialogue_weights: Weights = Weights(0.35, 0.35, 0.3)
    calm_dialogue_weights: Weights = Weights(0.6, 0.0, 0.4)
    table: Mapping[str, Mapping[str, float]] = field(default_factory=lambda: TABLE)

    def __post_init__(self) -> None:
        if not 0 < self.scale < math.inf:
            raise ValueError(f"the scale K is a positive number, got {self.scale}.")
        if not 0 <= self.unsteady < math.inf:
            raise ValueError(f"the limit of steadiness is a number of 0 or more, got {self.unsteady}.")
        for name in ("extreme", "shift"):
            point: Vad = getattr(self, name)
            if any(math.isnan(value) for value in (point.valence, point.arousal, point.dominance)):
                raise ValueError(f"{name}: valence, arousal and dominance are all needed.")
        if not self.table or any(set(row) != set(self.table) for row in self.table.values()):
            raise ValueError("the table has one row and one column for each of its emotions.")
        if any(not math.isfinite(value) for row in self.table.values() for value in row.values()):
            raise ValueError("the table holds numbers only.")

    @cached_property
    def signature(self) -> str:
        """What identifies these constants in the signature of a score."""
        digest = hashlib.sha256(dumps(to_json(self)).encode()).hexdigest()[:12]
        return signature("emo-reasoning", {"config": digest})

    @property
    def table_range(self) -> tuple[float, float]:
        """The lowest and the highest number in the table."""
        values = [value for row in self.table.values() for value in row.values()]
        return min(values), max(values)


PAPER = DialogueConfig()
"""The constants of EMO-Reasoning."""


def read_config(path: Path) -> DialogueConfig:
    """The constants in a file, as `aptone build emo-thresholds` writes it; what it does not name is as in the paper.

    Raises:
        RecordError: if it cannot be read, or a constant makes no sense; the message names the file.
    """
    try:
        return from_json(DialogueConfig, loads(path.read_bytes(), what=str(path)))
    except OSError as error:
        raise RecordError(f"{path}: cannot be read ({error.strerror}); name a file with the constants.") from error
    except (RecordError, ValueError) as error:
        where = "" if str(error).startswith(str(path)) else f"{path}: "
        raise RecordError(f"{where}{error} See aptone build emo-thresholds.") from error
