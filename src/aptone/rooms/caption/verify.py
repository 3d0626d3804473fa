"""What says whether a recording bears a unit out: the built-in ear, or a model that hears."""

import asyncio
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from aptone.ear import load_ear
from aptone.ear.claims.limits import SHIPPED
from aptone.ear.claims.verification import Checked, Verdict, check_all
from aptone.ear.licences import ear_and_licence
from aptone.ear.perceive import ear_name
from aptone.files import file_hash
from aptone.models import About
from aptone.rooms.caption.data import CaptionSample, Unit
from aptone.run import Call
from aptone.types import Audio, Language, Perception, signature

REVISION = 2

REMEMBERED = 32
"""Recordings whose perception is kept: one recording often has several captions, one after the other."""

UNMEASURED = {"en": "the ear has no measure for this", "zh": "耳朵无法衡量这一点"}


@dataclass(frozen=True, slots=True)
class Verified:
    """What became of a unit. Only a unit whose verdict is true counts as verified.

    Args:
        verdict: true, false or undecided.
        measured: what the verdict rests on, in words; empty where nothing was measured.
        support: how strongly the measurement speaks for the unit, from -1 to 1; NaN where nothing was measured.
        is_format_failure: whether a model was asked and its answer was neither yes nor no.
    """

    verdict: Verdict
    measured: str = ""
    support: float = math.nan
    is_format_failure: bool = False

    @property
    def is_true(self) -> bool:
        """Whether the unit counts as verified."""
        return self.verdict is Verdict.TRUE


class Verifier(Protocol):
    """Verifies units against a recording."""

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        ...

    @property
    def signature(self) -> str:
        """Everything that its verdicts depend on besides the recording and the units."""
        ...

    async def verify(
        self, units: Sequence[Unit], audio: Audio, sample: CaptionSample, call: Call, *, language: Language
    ) -> list[Verified]:
        """A verdict for each unit, in their order.

        Args:
            language: of the words for what was measured.

        Raises:
            TransientError: if another try may succeed.
        """
        ...


class BuiltInVerifier:
    """The built-in ear, by the rule of each attribute (`aptone.ear.claims.verification`); nothing to install.

    Args:
        ear: name of the ear; ``None`` for the one that ``APTONE_EAR`` names, or ``"full"``.

    Raises:
        UsageError: if there is no such ear.
    """

    def __init__(self, *, ear: str | None = None) -> None:
        self._ear = ear_name(ear)

    @property
    def about(self) -> About:
        """The licence of the weights."""
        return About(licence=ear_and_licence(self._ear))

    @property
    def signature(self) -> str:
        """The ear, the rules, and the limits that they were fitted."""
        return signature(
            "verifier:built-in",
            {"revision": REVISION, "ear": load_ear(self._ear).signature, "limits": file_hash(SHIPPED)[:12]},
        )

    async def verify(
        self, units: Sequence[Unit], audio: Audio, sample: CaptionSample, call: Call, *, language: Language
    ) -> list[Verified]:
        """A verdict for each unit; the recording is heard once."""
        spoken = sample.spoken or None
        perception = await asyncio.to_thread(_perceived, self._ear, audio, spoken)
        claims = [unit.claim for unit in units]
        checked = iter(check_all([claim for claim in claims if claim is not None], perception, language=spoken))
        return [
            Verified(Verdict.UNDECIDED, UNMEASURED[language]) if claim is None else _verified(next(checked), language)
            for claim in claims
        ]


def _verified(checked: Checked, language: Language) -> Verified:
    return Verified(checked.verdict, checked.evidence[language], checked.support)


@functools.lru_cache(maxsize=REMEMBERED)
def _perceived(ear: str, audio: Audio, spoken: str | None) -> Perception:
    return load_ear(ear).perceive(audio, language=spoken)
