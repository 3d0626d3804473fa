"""Speech synthesisers of transformers on this machine that turn a text into sound in one step: VITS and MMS-TTS.

Such a model reads letters (or phonemes) of one language. What it has no letter for it would leave out without a word,
so a text that holds such a thing is refused.
"""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np

from aptone.errors import UsageError
from aptone.models.about import About
from aptone.models.asking.guard import visible
from aptone.models.local.generation import ABOUT, Placement, Precision, one_at_a_time
from aptone.models.openai.served import check_kinds
from aptone.types import Audio, Language, signature

MODEL = "facebook/mms-tts-eng"
"""A speaker of English on the Hugging Face hub (CC BY-NC 4.0)."""
CODES: Mapping[Language, frozenset[str]] = {
    "en": frozenset({"en", "eng", "en-us", "en-gb"}),
    "zh": frozenset({"zh", "cmn", "zho", "zh-cn"}),
}
"""How checkpoints name the language that they speak."""


class LocalSpeaker:
    """A synthesiser such as VITS or MMS-TTS, run by transformers.

    Making one is cheap: the weights are loaded by the first text and stay for the process, whoever asks next.

    Args:
        model: a folder, or a name on the Hugging Face hub.
        revision: of the weights on the hub; empty for the newest. Give one where speech is to be repeated.
        device: ``cpu``, ``cuda``, ``cuda:1``, …, or ``auto`` to spread it over what there is.
        precision: of its numbers; ``auto`` for that of the file.
        voice: number of its usual voice, for a model with several.
        seed: of what it draws at random: rhythm and colour.

    Raises:
        UsageError: if an option is not one.
    """

    def __init__(
        self,
        *,
        model: str = MODEL,
        revision: str = "",
        device: str = "auto",
        precision: Precision = "auto",
        voice: str | int = "",
        seed: int = 0,
    ) -> None:
        kinds = {"seed": ((int,), "a whole number"), "voice": ((str, int), "a number")}
        check_kinds("speaker", {"seed": seed, "voice": voice}, kinds)
        self._placement = Placement(model, revision=revision, device=device, precision=precision)
        self._voice = str(voice)
        self._seed = seed

    @property
    def about(self) -> About:
        """What it needs; nothing leaves this machine."""
        return ABOUT

    @property
    def signature(self) -> str:
        """Model, revision, precision, voice and seed."""
        parameters = {**self._placement.identity, "voice": self._voice, "seed": self._seed}
        return signature("local-speaker", parameters)

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """A text as sound, at the model's own rate; see `aptone.models.transcriber.Speaker`."""
        if instruction:
            raise UsageError(
                f"{self._placement.model} cannot be told in words how to speak; leave the instruction out."
            )
        if not 0.25 <= speed <= 4.0:
            raise UsageError(f"the speed lies between 0.25 and 4, got {speed}.")
        words = " ".join(visible(text).split())
        if not words:
            raise UsageError("there is nothing to say: the text is empty.")
        return await asyncio.to_thread(self._speak, words, language, voice or self._voice, speed)

    def _speak(self, words: str, language: Language, voice: str, speed: float) -> Audio:
        import torch

        name = self._placement.model
        with one_at_a_time:
            tokenizer, model = _loaded(self._placement)
            _check_words(words, language, tokenizer, model=name)
            options = {"speaker_id": _speaker(voice, model, name=name)} if voice else {}
            inputs = tokenizer(words, return_tensors="pt").to(model.device)
            usual = model.speaking_rate
            try:
                model.speaking_rate = usual * speed
                with torch.random.fork_rng(), torch.inference_mode():
                    torch.manual_seed(self._seed)
                    wave = model(**inputs, **options).waveform[0].float().cpu().numpy()
            finally:
                model.speaking_rate = usual
        if not wave.size or not np.isfinite(wave).all():
            raise UsageError(f"{name} made no sound of {words[:40]!r}.")
        return Audio(wave, rate=int(model.config.sampling_rate), source=f"{name} {voice}".strip())


@cache
def _loaded(placement: Placement) -> tuple[Any, Any]:
    config = placement.config()
    if config.model_type != "vits":
        raise UsageError(
            f"{placement.model}: a {config.model_type} is not run here; name a VITS or MMS-TTS model, "
            "or a server that runs it (speaker api)."
        )
    tokenizer, model = placement.load("VitsModel", "AutoTokenizer")
    if getattr(tokenizer, "is_uroman", False):
        raise UsageError(f"{placement.model}: it reads texts that were romanised by uroman, which is not known here.")
    return tokenizer, model


def _check_words(words: str, language: Language, tokenizer: Any, *, model: str) -> None:
    spoken = str(getattr(tokenizer, "language", None) or "").casefold()
    if spoken and spoken not in CODES[language]:
        raise UsageError(f"{model} speaks {spoken!r}, got a text in {language!r}; name a model that speaks it.")
    if getattr(tokenizer, "phonemize", False):
        return
    letters = tokenizer.get_vocab()
    folded = words.lower() if getattr(tokenizer, "normalize", True) else words
    unsaid = [letter for letter in folded if letter.isalnum() and letter not in letters]
    if unsaid:
        raise UsageError(
            f"{model} has no letter {unsaid[0]!r} and would leave it out; write it in words that it can say."
        )


def _speaker(voice: str, model: Any, *, name: str) -> int:
    count = int(getattr(model.config, "num_speakers", 1) or 1)
    if not voice.isdecimal() or not int(voice) < count:
        raise UsageError(f"{name} has the voices 0 to {count - 1}, got {voice!r}.")
    return int(voice)
