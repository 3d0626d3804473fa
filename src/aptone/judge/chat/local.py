"""The judge that runs on this machine: a speech-language model of transformers, such as the released CEAEval-M."""

from collections.abc import Mapping, Sequence

from aptone.errors import UsageError
from aptone.judge.chat.conversation import Shown
from aptone.judge.chat.judge import AudioChatJudge
from aptone.judge.protocol import Hearing
from aptone.messages import message
from aptone.models.asking.batches import Gathering
from aptone.models.audio_chat import AudioChat, BatchAudioChat
from aptone.models.local.audio_chat import LocalAudioChat
from aptone.models.local.generation import ABOUT, Placement, Precision
from aptone.models.omni.audio_chat import LocalOmniChat
from aptone.models.omni.checkpoint import AskedPosition, Gated, is_omni
from aptone.models.openai.served import check_kinds
from aptone.types import Language, Outcome

_KINDS: Mapping[str, tuple[tuple[type, ...], str]] = {
    "model": ((str,), "a folder, or a name on the Hugging Face hub"),
    "revision": ((str,), "the name of a revision"),
    "device": ((str,), "a device such as cuda, or auto"),
    "precision": ((str,), "a precision such as bfloat16, or auto"),
    "aac": ((bool,), "true or false"),
    "batch_size": ((int,), "a whole number"),
}


class LocalJudge(AudioChatJudge):
    """A speech-language model of transformers as the judge: Qwen2.5-Omni, with or without gates, or any other.

    Args:
        model: a folder, or a name on the Hugging Face hub.
        revision: of the weights on the hub; empty for the newest. Give one where scores are to be repeated.
        device: ``cpu``, ``cuda``, ``cuda:1``, …, or ``auto`` to spread it over what there is.
        precision: of its numbers; ``auto`` for that of the file.
        gated: whether the gates of a Qwen2.5-Omni are used: where it has any (``auto``), or true or false.
        gate_position: where gates are read: where the checkpoint says that they were taught (``auto``), at the
            ``query``, or at the ``key`` as the release of CEAEval-M does.
        aac: whether clips go through AAC first, as the release does.
        batch_size: clips that a Qwen2.5-Omni hears at once; other models hear one after the other.
        reasoning, show, context_size, prompt_language, prompts, temperature, max_tokens: as for `AudioChatJudge`.

    Raises:
        MissingExtraError: if torch or transformers is not installed.
        UsageError: if it is not said which model, there is no such model, or an option is not one.
    """

    def __init__(
        self,
        *,
        model: str = "",
        revision: str = "",
        device: str = "auto",
        precision: Precision = "auto",
        gated: Gated = "auto",
        gate_position: AskedPosition = "auto",
        aac: bool = False,
        batch_size: int = 8,
        reasoning: bool = True,
        show: Shown = "plan",
        context_size: int = 15,
        prompt_language: Language | None = None,
        prompts: str | None = None,
        temperature: float = 0.0,
        max_tokens: int | None = None,
    ) -> None:
        given = {"model": model, "revision": revision, "device": device, "precision": precision, "aac": aac}
        check_kinds("judge", {**given, "batch_size": batch_size}, _KINDS)
        ABOUT.require("judge 'local'")  # before it is asked for a model that could not run
        if not model:
            raise UsageError(message("judge.which-local-model"))
        if batch_size < 1:
            raise UsageError(f"a batch holds at least one clip, got {batch_size}.")
        placement = Placement(model, revision=revision, device=device, precision=precision)
        chat = _chat(placement, gated=gated, gate_position=gate_position, aac=aac, batch_size=batch_size)
        super().__init__(
            chat,
            reasoning=reasoning,
            show=show,
            context_size=context_size,
            prompt_language=prompt_language,
            prompts=prompts,
            temperature=temperature,
            max_tokens=max_tokens,
        )
        self.batch_size = chat.batch_size if isinstance(chat, BatchAudioChat) else 1

    async def judge_batch(self, hearings: Sequence[Hearing], /) -> list[Outcome]:
        """The verdicts on several clips; see `aptone.judge.BatchJudge`."""
        if not isinstance(self._chat, BatchAudioChat):
            return [await self._judge_by(self._chat, hearing) for hearing in hearings]
        gathering = Gathering(self._chat)
        return await gathering.all([self._judge_by(gathering, hearing) for hearing in hearings])


def _chat(placement: Placement, *, gated: Gated, gate_position: AskedPosition, aac: bool, batch_size: int) -> AudioChat:
    if is_omni(placement):
        return LocalOmniChat(placement, gated=gated, gate_position=gate_position, aac=aac, batch_size=batch_size)
    if gated is True or gate_position == "key" or aac:
        raise UsageError(f"{placement.model}: gates and the way through AAC are for Qwen2.5-Omni, which this is not.")
    return LocalAudioChat(placement)
