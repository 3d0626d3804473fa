"""CosyVoice behind its own server (``runtime/python/fastapi``): zero-shot cloning of a reference clip.

It takes a form with the text, the words of the clip and the clip, and sends raw 16-bit samples. The server does not
reliably state their rate, so it is an option: 22,050 Hz for CosyVoice-300M, 24,000 Hz for CosyVoice 2.
"""

from dataclasses import dataclass

import numpy as np

from aptone.audio.write import wav_bytes
from aptone.errors import TransientError, UsageError
from aptone.messages import message
from aptone.models.asking.guard import visible
from aptone.models.openai.endpoint import TIMEOUT, Endpoint
from aptone.models.parts import About, check_kinds
from aptone.models.speakers.voices import Reference
from aptone.types import Audio, AudioRef, Language, signature

PATH = "inference_zero_shot"
KEY_VARIABLE = "COSYVOICE_API_KEY"
FULL_SCALE = 32768.0


@dataclass(frozen=True, slots=True)
class CosyVoice:
    """Server of CosyVoice.

    Args:
        rate: sample rate of its output.
        reference: default voice; ``None`` where every text comes with a clip.

    Raises:
        UsageError: if the rate is not positive.
    """

    endpoint: Endpoint
    rate: int
    reference: Reference | None = None

    def __post_init__(self) -> None:
        if self.rate < 1:
            raise UsageError(
                "at which rate does the server send sound? CosyVoice-300M: rate=22050; CosyVoice 2: rate=24000."
            )

    @property
    def about(self) -> About:
        """Requirements, and the machine that receives reference clips."""
        return self.endpoint.about_audio

    @property
    def cloning_about(self) -> About:
        """Requirements for cloning: the same."""
        return self.about

    @property
    def signature(self) -> str:
        """Server, rate and default voice."""
        usual = self.reference.audio.path if self.reference is not None else ""
        return signature("cosyvoice", {"server": self.endpoint.base_url, "rate": self.rate, "reference": usual})

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """Return a text in its default voice; see `aptone.models.parts.Speaker`."""
        if self.reference is None:
            raise UsageError("CosyVoice has no voice of its own; give a clip: reference=FILE, reference_text=WORDS.")
        if voice or instruction:
            raise UsageError("CosyVoice takes a reference clip alone; leave voice and instruction out.")
        return await self.clone(text, reference=self.reference, language=language, speed=speed)

    async def clone(self, text: str, *, reference: Reference, language: Language, speed: float = 1.0) -> Audio:
        """Return a text in the voice of a clip, at speed 1; see `aptone.models.speakers.voices.CloningSpeaker`."""
        words = " ".join(visible(text).split())
        if not words:
            raise UsageError("there is nothing to say: the text is empty.")
        if speed != 1.0:
            raise UsageError(f"the server of CosyVoice speaks at one speed, got {speed}.")
        data = await self.endpoint.post_file_for_bytes(
            PATH,
            wav_bytes(reference.read()),
            name="reference.wav",
            field="prompt_wav",
            fields={"tts_text": words, "prompt_text": " ".join(visible(reference.text).split())},
        )
        if len(data) < 2 or len(data) % 2:
            raise TransientError(message("models.no-sound-bytes", machine=self.endpoint.machine, count=len(data)))
        samples = np.frombuffer(data, dtype="<i2").astype(np.float32) / np.float32(FULL_SCALE)
        return Audio(samples, rate=self.rate, source=f"{self.endpoint.machine}: {reference.audio.path}")


def cosyvoice(
    *,
    base_url: str = "",
    rate: int = 0,
    reference: str = "",
    reference_text: str = "",
    key_variable: str = KEY_VARIABLE,
    timeout: float = TIMEOUT,
) -> CosyVoice:
    """Speech synthesis by a server of CosyVoice.

    Args:
        base_url: address of the server, for instance ``http://localhost:50000``.
        rate: sample rate of its output, in Hz.
        reference, reference_text: clip of its default voice, and the words of that clip.
        key_variable: name of the environment variable that holds the key, where it wants one.
        timeout: limit of a call, in seconds.

    Raises:
        UsageError: if an option is missing, or has a wrong type or value.
    """
    kinds: dict[str, tuple[tuple[type, ...], str]] = {
        **dict.fromkeys(("base_url", "reference", "reference_text", "key_variable"), ((str,), "text")),
        "rate": ((int,), "a number of samples per second"),
        "timeout": ((int, float), "a number of seconds"),
    }
    given = {"base_url": base_url, "rate": rate, "reference": reference, "reference_text": reference_text}
    check_kinds("speaker", {**given, "key_variable": key_variable, "timeout": timeout}, kinds)
    try:
        usual = Reference(AudioRef(reference), reference_text) if reference else None
    except ValueError as error:
        raise UsageError(str(error)) from error
    return CosyVoice(Endpoint(base_url, key_variable=key_variable, timeout=timeout), rate, usual)
