"""Single-step speech synthesis by transformers on this machine: VITS and MMS-TTS.

Such a model reads letters (or phonemes) of one language. It would skip an unknown letter silently, so a text that holds
one is refused.
"""

import asyncio
from collections.abc import Mapping
from functools import cache
from typing import Any, Unpack

import numpy as np

from aptone.errors import UsageError
from aptone.models.asking.guard import visible
from aptone.models.local.placement import LocalModel, Placement, PlacementOptions, model_lock, placement_of
from aptone.models.parts import check_kinds, passes_on
from aptone.types import Audio, Language

MODEL = "facebook/mms-tts-eng"
"""English synthesiser on the Hugging Face hub (CC BY-NC 4.0)."""
CODES: Mapping[Language, frozenset[str]] = {
    "en": frozenset({"en", "eng", "en-us", "en-gb"}),
    "zh": frozenset({"zh", "cmn", "zho", "zh-cn"}),
}
"""Names of languages in checkpoints."""


class LocalSpeaker(LocalModel):
    """Speech synthesiser such as VITS or MMS-TTS, run by transformers.

    Args:
        voice: number of the default voice, for a model with several.
        seed: random seed of rhythm and timbre.
        model, options: weights, device and precision; see `Placement`.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    @passes_on(placement_of)
    def __init__(
        self, *, model: str = MODEL, voice: str | int = "", seed: int = 0, **options: Unpack[PlacementOptions]
    ) -> None:
        kinds = {"seed": ((int,), "a whole number"), "voice": ((str, int), "a number")}
        check_kinds("speaker", {"seed": seed, "voice": voice}, kinds)
        placement = placement_of("speaker", model=model, **options)
        super().__init__("local-speaker", placement, voice=str(voice), seed=seed)
        self._voice = str(voice)
        self._seed = seed

    async def speak(
        self, text: str, *, language: Language, voice: str = "", speed: float = 1.0, instruction: str = ""
    ) -> Audio:
        """Return a text as speech, at the model's own rate; see `aptone.models.parts.Speaker`."""
        if instruction:
            raise UsageError(f"{self._placement.model} takes no instruction on how to speak; leave it out.")
        if not 0.25 <= speed <= 4.0:
            raise UsageError(f"the speed lies between 0.25 and 4, got {speed}.")
        words = " ".join(visible(text).split())
        if not words:
            raise UsageError("there is nothing to say: the text is empty.")
        return await asyncio.to_thread(self._speak, words, language, voice or self._voice, speed)

    def _speak(self, words: str, language: Language, voice: str, speed: float) -> Audio:
        import torch

        name = self._placement.model
        with model_lock:
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
