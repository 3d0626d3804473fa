"""Judge on this machine: a speech-language model of transformers, such as the released CEAEval-M."""

from collections.abc import Sequence
from typing import Unpack

from aptone.errors import UsageError
from aptone.judge.chat.judge import AudioChatJudge, ChatJudgeOptions
from aptone.judge.protocol import Hearing
from aptone.messages import message
from aptone.models.asking.chat import BatchCollector
from aptone.models.chat import AudioChat, BatchAudioChat
from aptone.models.local.chat import LocalAudioChat, LocalOmniChat
from aptone.models.local.placement import ABOUT, Placement, PlacementOptions, placement_of
from aptone.models.omni.checkpoint import AskedPosition, Gated, is_omni
from aptone.models.parts import Kinds, check_kinds, passes_on, split_options
from aptone.types import Outcome

_KINDS: Kinds = {"aac": ((bool,), "true or false"), "batch_size": ((int,), "a whole number")}


class LocalJudgeOptions(PlacementOptions, ChatJudgeOptions, total=False):
    """Options of `LocalJudge` that go on to the placement of its weights and to `AudioChatJudge`."""


class LocalJudge(AudioChatJudge):
    """Judge by a speech-language model of transformers: Qwen2.5-Omni, with or without gates, or any other.

    Args:
        model: folder, or name on the Hugging Face hub.
        gated: use of the gates of a Qwen2.5-Omni: where it has any (``auto``), or true or false.
        gate_position: position that gates are read at: that of training (``auto``), the ``query``, or the ``key`` as in
            the release of CEAEval-M.
        aac: pass clips through AAC first, as the release does.
        batch_size: clips in a batch of Qwen2.5-Omni; other models take one clip at a time.
        options: revision, device and precision, see `aptone.models.local.placement.Placement`, and those of
            `AudioChatJudge`.

    Raises:
        MissingExtraError: if torch or transformers is not installed.
        UsageError: if no model is named, there is no such model, or an option has a wrong type or value.
    """

    @passes_on(placement_of, AudioChatJudge)
    def __init__(
        self,
        *,
        model: str = "",
        gated: Gated = "auto",
        gate_position: AskedPosition = "auto",
        aac: bool = False,
        batch_size: int = 8,
        **options: Unpack[LocalJudgeOptions],
    ) -> None:
        check_kinds("judge", {"aac": aac, "batch_size": batch_size}, _KINDS)
        ABOUT.require("judge 'local'")  # before the question for a model that could not run
        if model == "":
            raise UsageError(message("judge.which-local-model"))
        if batch_size < 1:
            raise UsageError(f"a batch holds at least one clip, got {batch_size}.")
        weights, own = split_options(options, PlacementOptions, ChatJudgeOptions)
        placement = placement_of("judge", model=model, **weights)
        chat = _chat(placement, gated=gated, gate_position=gate_position, aac=aac, batch_size=batch_size)
        super().__init__(chat, **own)
        self.batch_size = chat.batch_size if isinstance(chat, BatchAudioChat) else 1

    async def judge_batch(self, hearings: Sequence[Hearing], /) -> list[Outcome]:
        """Return the verdicts on several clips; see `aptone.judge.BatchJudge`."""
        if not isinstance(self._chat, BatchAudioChat):
            return [await self._judge_by(self._chat, hearing) for hearing in hearings]
        collector = BatchCollector(self._chat)
        return await collector.all([self._judge_by(collector, hearing) for hearing in hearings])


def _chat(placement: Placement, *, gated: Gated, gate_position: AskedPosition, aac: bool, batch_size: int) -> AudioChat:
    if is_omni(placement):
        return LocalOmniChat(placement, gated=gated, gate_position=gate_position, aac=aac, batch_size=batch_size)
    if gated is True or gate_position == "key" or aac:
        raise UsageError(f"{placement.model}: gates and the way through AAC are for Qwen2.5-Omni, which this is not.")
    return LocalAudioChat(placement)
