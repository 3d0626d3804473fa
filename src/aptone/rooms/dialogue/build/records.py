"""What comes of a synthetic dialogue while it is built: turns that were spoken, and what is made of them."""

from dataclasses import dataclass

from aptone.ear.claims.feeling import DIRECTIONS, Check, Verdict
from aptone.models.speakers.delivery import Delivery
from aptone.models.speakers.feeling_delivery import Strength
from aptone.rooms.dialogue.build.plan import Answers
from aptone.rooms.dialogue.records import Role
from aptone.types import Emotion, Vad


@dataclass(frozen=True, slots=True)
class SpokenTurn:
    """A turn that was spoken and checked.

    Args:
        role: who speaks.
        text: what is said.
        emotion: that was planned.
        audio: the recording, relative to the folder of the benchmark.
        sha256: of that file.
        check: whether the feeling is heard.
        tries: how often it was spoken.
        delivery: how it was said in the end.
        heard: valence, arousal and dominance; ``None`` where the ear could not judge.
        plain: the same of the words without any feeling.
    """

    role: Role
    text: str
    emotion: Emotion
    audio: str
    sha256: str
    check: Check
    tries: int
    delivery: Delivery
    heard: Vad | None = None
    plain: Vad | None = None

    @property
    def is_heard(self) -> bool:
        """Whether its feeling is heard."""
        return self.check.verdict is Verdict.HEARD

    @property
    def has_feeling(self) -> bool:
        """Whether there is a feeling to be heard."""
        return bool(DIRECTIONS[self.emotion])


@dataclass(frozen=True, slots=True)
class Variant:
    """A dialogue at one strength with one kind of answers.

    Args:
        id: of the dialogue in the manifest.
        strength: of its feelings.
        answers: whether they fit.
        turns: places of its turns in the list of all that were spoken.
        rejected: why it is not kept; empty when it is.
    """

    id: str
    strength: Strength
    answers: Answers
    turns: tuple[int, ...]
    rejected: str = ""
