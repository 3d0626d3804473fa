"""Qwen2.5-Omni on this machine, plain or with the gates of CEAEval-M; it hears many clips in one batch."""

from collections.abc import Sequence
from functools import cached_property
from typing import get_args

from aptone.errors import UsageError
from aptone.models.chat import AnyMessage
from aptone.models.local.generation import LocalChatModel, Prepared
from aptone.models.local.placement import ABOUT, Placement
from aptone.models.omni.checkpoint import AskedPosition, Gated, load_omni, trained_position
from aptone.models.parts import About
from aptone.types import Json, signature


class LocalOmniChat(LocalChatModel[AnyMessage]):
    """Qwen2.5-Omni, run by transformers.

    Args:
        gated: attention bias of the gates: on where the checkpoint has gates (``auto``), or always, or never.
        gate_position: position that gates are read at: that of training (``auto``), the ``query``, or the ``key`` as
            in the release on a whole sequence.
        aac: pass clips through AAC at 64 kbit/s first, as in the release; needs the extra ``formats``.

    Raises:
        UsageError: if an option has a wrong value.
    """

    def __init__(
        self,
        placement: Placement,
        *,
        gated: Gated = "auto",
        gate_position: AskedPosition = "auto",
        aac: bool = False,
        batch_size: int = 8,
    ) -> None:
        if gated not in ("auto", True, False):
            raise UsageError(f"gates are used where there are any (auto), or true or false, got {gated!r}.")
        if gate_position not in get_args(AskedPosition):
            raise UsageError(
                f"gates are read where they were taught (auto), at the query or at the key, got {gate_position!r}."
            )
        super().__init__("local-omni-chat", placement)
        self._gated: Gated = gated
        self._gate_position: AskedPosition = gate_position
        self._aac = aac
        self.batch_size = batch_size

    @property
    def about(self) -> About:
        """Requirements; nothing leaves this machine."""
        return ABOUT + About(modules=("av",), extra="formats") if self._aac else ABOUT

    @cached_property
    def signature(self) -> str:
        """Model, revision, precision, AAC and gates, with the position that they are read at."""
        position = trained_position(self._placement) if self._gate_position == "auto" else self._gate_position
        own: dict[str, Json] = {"gated": self._gated, "gate_position": position, "aac": self._aac}
        return signature(self._name, {**self._placement.identity, **own})

    complete_batch = LocalChatModel[AnyMessage]._replies

    def _prepare(self, conversations: Sequence[Sequence[AnyMessage]]) -> Prepared:
        omni = load_omni(self._placement)
        omni.switch(gated=self._gated, gate_position=self._gate_position)
        return Prepared(omni.model, omni.tokenizer, omni.inputs(conversations, aac=self._aac))
