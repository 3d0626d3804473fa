"""Speech recognisers of transformers on this machine: Whisper and its kin, and CTC models such as wav2vec 2.0.

Speech is detected first, so that a model never invents words for silence, and a long recording is cut in its pauses.
Whisper gives the times of phrases, CTC models those of words (in Mandarin, of characters); of others only those of the
pieces are known.
"""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, Unpack

from aptone.audio import cut, resample, split
from aptone.errors import UsageError
from aptone.models.local.placement import LocalModel, Placement, PlacementOptions, model_lock, placement_of
from aptone.models.parts import TimedText, Transcript, check_kinds, passes_on
from aptone.types import Audio, Language, Segment

MODEL = "openai/whisper-small"
"""Recogniser of English and Mandarin on the Hugging Face hub."""
LONGEST_PIECE = 30.0
"""Longest piece in seconds, for models that name no limit."""
_LANGUAGE_NAMES: Mapping[Language, str] = {"en": "english", "zh": "chinese"}

Way = Literal["whisper", "generate", "ctc"]


@dataclass(frozen=True, slots=True)
class _Loaded:
    processor: Any
    model: Any
    way: Way

    @property
    def rate(self) -> int:
        return int(self.processor.feature_extractor.sampling_rate)


class LocalTranscriber(LocalModel):
    """Speech recogniser such as Whisper or wav2vec 2.0, run by transformers.

    Args:
        max_tokens: limit of tokens for a piece, for models that generate text.
        model, options: weights, device and precision; see `Placement`.

    Raises:
        UsageError: if an option has a wrong type or value.
    """

    @passes_on(placement_of)
    def __init__(self, *, model: str = MODEL, max_tokens: int = 400, **options: Unpack[PlacementOptions]) -> None:
        check_kinds("transcriber", {"max_tokens": max_tokens}, {"max_tokens": ((int,), "a whole number")})
        if max_tokens < 1:
            raise UsageError(f"the number of tokens is 1 or more, got {max_tokens}.")
        placement = placement_of("transcriber", model=model, **options)
        super().__init__("local-transcriber", placement, max_tokens=max_tokens)
        self._max_tokens = max_tokens

    async def transcribe(self, audio: Audio, *, language: Language) -> Transcript:
        """Return the transcript of a recording, with times; see `aptone.models.parts.Transcriber`."""
        return await asyncio.to_thread(self._transcribe, audio, language)

    def _transcribe(self, audio: Audio, language: Language) -> Transcript:
        with model_lock:
            loaded = _loaded(self._placement)
            _check_language(loaded, language, model=self._placement.model)
            heard = resample(audio, rate=loaded.rate)
            longest = getattr(loaded.processor.feature_extractor, "chunk_length", None) or LONGEST_PIECE
            pieces = [
                piece
                for part in split(heard, max_seconds=float(longest))
                for piece in self._piece(loaded, cut(heard, part), start=part.start, language=language)
            ]
        joint = "" if language == "zh" else " "
        return Transcript(joint.join(piece.text for piece in pieces), pieces=tuple(pieces))

    def _piece(self, loaded: _Loaded, audio: Audio, *, start: float, language: Language) -> Iterator[TimedText]:
        """Yield the transcript of a piece that begins at `start`, with times as fine as the model gives them."""
        import torch

        inputs = loaded.processor(audio.samples, sampling_rate=audio.rate, return_tensors="pt")
        with torch.inference_mode():
            inputs = inputs.to(loaded.model.device, loaded.model.dtype)
            if loaded.way == "ctc":
                numbers = loaded.model(**inputs).logits[0].argmax(dim=-1)
                stretches = _spoken_words(loaded, numbers, language=language, rate=audio.rate)
            else:
                options = _whisper_options(loaded.model, language) if loaded.way == "whisper" else {}
                written = loaded.model.generate(**inputs, max_new_tokens=self._max_tokens, do_sample=False, **options)
                stretches = _written_phrases(loaded, written[0].cpu().numpy(), seconds=audio.seconds)
        for text, begin, end in stretches:
            if text.strip():
                begin = min(max(begin, 0.0), audio.seconds)
                yield TimedText(text.strip(), Segment(start + begin, start + min(max(end, begin), audio.seconds)))


@cache
def _loaded(placement: Placement) -> _Loaded:
    """Load the model, and choose the way of decoding.

    Raises:
        UsageError: if it is not a speech recogniser of a known kind.
    """
    config = placement.config()
    from transformers.models.auto import modeling_auto

    if config.model_type in modeling_auto.MODEL_FOR_SPEECH_SEQ_2_SEQ_MAPPING_NAMES:
        kind, way = "AutoModelForSpeechSeq2Seq", "whisper" if config.model_type == "whisper" else "generate"
    elif config.model_type in modeling_auto.MODEL_FOR_CTC_MAPPING_NAMES:
        kind, way = "AutoModelForCTC", "ctc"
    else:
        raise UsageError(f"{placement.model}: a {config.model_type} does not write down speech; name one that does.")
    processor, model = placement.load(kind, "AutoProcessor")
    if not hasattr(processor, "feature_extractor") or not hasattr(processor, "tokenizer"):
        raise UsageError(f"{placement.model}: it lacks the files of its feature extractor or its tokenizer.")
    return _Loaded(processor, model, way)  # type: ignore[arg-type]


def _is_multilingual(model: Any) -> bool:
    return bool(getattr(model.generation_config, "is_multilingual", False))


def _check_language(loaded: _Loaded, language: Language, *, model: str) -> None:
    if loaded.way == "whisper" and language != "en" and not _is_multilingual(loaded.model):
        raise UsageError(f"{model} hears English only, got {language!r}; name a model that knows the language.")


def _whisper_options(model: Any, language: Language) -> dict[str, Any]:
    spoken = {"language": _LANGUAGE_NAMES[language], "task": "transcribe"} if _is_multilingual(model) else {}
    return {"return_timestamps": True, **spoken}


def _written_phrases(loaded: _Loaded, tokens: Any, *, seconds: float) -> Sequence[tuple[str, float, float]]:
    """Return the phrases of a generated text: with Whisper's times where it gave them, else as one stretch."""
    tokenizer = loaded.processor.tokenizer
    if loaded.way == "whisper":
        decoded = tokenizer.decode(tokens, skip_special_tokens=True, output_offsets=True)
        phrases = [(one["text"], *one["timestamp"]) for one in decoded["offsets"]]
        if phrases:
            return [(text, begin or 0.0, seconds if end is None else end) for text, begin, end in phrases]
        return [(decoded["text"], 0.0, seconds)]
    return [(tokenizer.decode(tokens, skip_special_tokens=True), 0.0, seconds)]


def _spoken_words(
    loaded: _Loaded, numbers: Any, *, language: Language, rate: int
) -> Sequence[tuple[str, float, float]]:
    """Return words, or in Mandarin characters, at the times of a CTC model."""
    fine = "char_offsets" if language == "zh" else "word_offsets"
    tokenizer = loaded.processor.tokenizer
    marks = set(tokenizer.all_special_ids)  # they would be spelled out, as </s> and <unk>
    spelled = [tokenizer.pad_token_id if number in marks else number for number in numbers.tolist()]
    decoded = tokenizer.decode(spelled, **{f"output_{fine}": True})
    frame = loaded.model.config.inputs_to_logits_ratio / rate
    named = fine.removesuffix("_offsets")
    return [
        (one[named], float(one["start_offset"] * frame), float(one["end_offset"] * frame))
        for one in getattr(decoded, fine)
    ]
