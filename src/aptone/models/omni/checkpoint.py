"""Checkpoints of Qwen2.5-Omni, with or without the gates of CEAEval-M, and the preparation of their inputs.

Its processor in transformers needs torchvision for pictures, which are not used here. So the Whisper feature extractor
and the tokenizer are paired here: a clip becomes log-mel frames, and its place in the text as many audio tokens as the
encoder makes of them.
"""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast, get_args

import numpy as np

from aptone.audio import Codec, telephone_codec
from aptone.errors import AudioError, MissingExtraError, RecordError, UsageError
from aptone.messages import message
from aptone.models.chat import AnyMessage, parts_of
from aptone.models.local.generation import heard_at, refuse_control_tokens
from aptone.models.local.placement import Placement, transformers_library
from aptone.models.omni.attention_layout import Markers, paper_markers, release_markers
from aptone.types import Audio, loads

if TYPE_CHECKING:
    import torch

    from aptone.models.omni.attention import GatePosition

Gated = Literal["auto", True, False]
AskedPosition = Literal["auto", "query", "key"]
"""Position that gates are to be read at: that of the checkpoint's training, or one of two whatever it says."""

OMNI = ("qwen2_5_omni", "qwen2_5_omni_thinker")
"""Names in configurations of the whole model, and of its part that hears and writes."""

REASONING, SCORE, FOCUS = ("<think>", "</think>"), ("<score>", "</score>"), ("<focus_audio>", "</focus_audio>")
BiasForm = Literal["release", "paper"]
"""Choice of active positions and suppressed keys; see `aptone.models.omni.attention`."""
BIAS_FORM, GATE_POSITION = "bias_form", "gate_position"
"""Fields of a configuration on the training of the gates; see `markers_of` and `gate_position_of`."""
TOKENS = (*REASONING, *SCORE, *FOCUS)
"""Tokens that the release adds to the tokenizer."""

_TURN, _TURN_END = "<|im_start|>", "<|im_end|>"


def is_omni(placement: Placement) -> bool:
    """Return true if a checkpoint is a Qwen2.5-Omni; only its configuration is read.

    Raises:
        MissingExtraError: if the checkpoint is on the hub, and transformers is not installed.
        UsageError: if there is no such checkpoint.
    """
    return _configuration(placement).get("model_type") in OMNI


def audio_token_count(frames: int) -> int:
    """Return the number of audio tokens for log-mel frames: a convolution of stride 2, then pairs are averaged.

    >>> audio_token_count(100)
    25
    """
    return ((frames - 1) // 2 + 1 - 2) // 2 + 1


@dataclass(frozen=True, slots=True)
class Omni:
    """Loaded model with the preparation of its inputs.

    Args:
        tokenizer: tokenizer of the checkpoint, with the six tokens of the release where it has gates.
        markers: markers of the bias; None for a checkpoint without gates.
    """

    name: str
    model: Any
    tokenizer: Any
    extractor: Any
    markers: Markers | None

    def switch(self, *, gated: Gated, gate_position: AskedPosition = "auto") -> None:
        """Turn the bias on where there are gates (``auto``), or always, or never.

        Raises:
            UsageError: if there are no gates to turn on, or the checkpoint names no such position.
        """
        if gated is True and self.markers is None:
            raise UsageError(f"{self.name}: the checkpoint has no gates; leave gated on auto, or name another one.")
        position = gate_position_of(self.model.config) if gate_position == "auto" else gate_position
        self.model.bias_by(None if gated is False else self.markers, gate_position=position)

    def inputs(self, conversations: Sequence[Sequence[AnyMessage]], *, aac: bool) -> dict[str, Any]:
        """Return the model inputs of conversations, padded on the left.

        Raises:
            AudioError: if a clip is too short to hold a sound.
            RecordError: if a text of a user's holds a control token, or the instructions leave a span open.
            UsageError: if a clip is longer than what the model hears.
        """
        prompts, frames = self.prompts(conversations, aac=aac)
        texts = self.tokenizer(
            prompts, add_special_tokens=False, padding=True, padding_side="left", return_tensors="pt"
        )
        inputs = {name: texts[name].to(self.model.device) for name in ("input_ids", "attention_mask")}
        self.refuse_open_spans(inputs["input_ids"])
        return inputs | self.sounds(frames)

    def prompts(
        self, conversations: Sequence[Sequence[AnyMessage]], *, aac: bool
    ) -> "tuple[list[str], list[torch.Tensor]]":
        """Return the prompts of conversations, up to the reply, and the log-mel frames of their clips in order.

        Raises:
            AudioError: if a clip is too short to hold a sound.
            RecordError: if a text of a user's holds a control token.
            UsageError: if a clip is longer than what the model hears.
        """
        users = [part for turns in conversations for turn in turns if turn.role == "user" for part in parts_of(turn)]
        refuse_control_tokens([part for part in users if isinstance(part, str)], self.tokenizer)
        frames: list[torch.Tensor] = []
        return [self._prompt(messages, frames, aac=aac) for messages in conversations], frames

    def _prompt(self, messages: Sequence[AnyMessage], frames: "list[torch.Tensor]", *, aac: bool) -> str:
        turns = []
        for turn in messages:
            said = []
            for part in parts_of(turn):
                if isinstance(part, Audio):
                    frames.append(self.frames(part, aac=aac))
                    said.append(self._placeholder(audio_token_count(frames[-1].shape[-1])))
                else:
                    said.append(part)
            turns.append(f"{_TURN}{turn.role}\n{''.join(said)}{_TURN_END}\n")
        return f"{''.join(turns)}{_TURN}assistant\n"

    def _placeholder(self, count: int) -> str:
        config = self.model.config
        ids = (config.audio_start_token_id, config.audio_token_id, config.audio_end_token_id)
        begin, sound, end = self.tokenizer.convert_ids_to_tokens(ids)
        return f"{begin}{sound * count}{end}"

    def frames(self, audio: Audio, *, aac: bool) -> "torch.Tensor":
        """Return log-mel frames, (1, bands, frames): as if the clip were padded to the longest, and then cut.

        Raises:
            AudioError: if the clip is too short to hold a sound.
            UsageError: if it is longer than what the model hears.
        """
        extractor = self.extractor
        heard = heard_at(audio, rate=extractor.sampling_rate, longest=extractor.chunk_length)
        samples = (telephone_codec(heard, codec=Codec.AAC) if aac else heard).samples
        count = -(-samples.size // extractor.hop_length)
        if audio_token_count(count) < 1:
            raise AudioError(message("models.too-short-to-hear", name=audio.source, seconds=audio.seconds))
        followed_by_silence = np.concatenate([samples, np.zeros(extractor.n_fft, dtype=np.float32)])
        made = extractor(
            followed_by_silence, sampling_rate=extractor.sampling_rate, padding="longest", return_tensors="pt"
        )
        kept: torch.Tensor = made["input_features"][:, :, :count]
        return kept

    def sounds(self, frames: "Sequence[torch.Tensor]") -> dict[str, Any]:
        """Return the model inputs of log-mel frames, stacked."""
        import torch

        if not frames:
            return {}
        longest = max(one.shape[-1] for one in frames)
        features = [torch.nn.functional.pad(one, (0, longest - one.shape[-1])) for one in frames]
        there = torch.arange(longest) < torch.tensor([one.shape[-1] for one in frames])[:, None]
        return {
            "input_features": torch.cat(features).to(self.model.device, self.model.dtype),
            "feature_attention_mask": there.long().to(self.model.device),
        }

    def refuse_open_spans(self, ids: "torch.Tensor") -> None:
        """Refuse a conversation that ends inside a span in which the bias is active.

        Raises:
            RecordError: if it does.
        """
        if self.markers is None:
            return
        from aptone.models.omni.attention import extend

        if bool(extend(None, ids, self.markers).inside.any()):
            opened = " or ".join(self.tokenizer.convert_ids_to_tokens([opening for opening, _ in self.markers.spans]))
            raise RecordError(f"the instructions open {opened} and do not close it; fix the prompts.")


@cache
def load_omni(placement: Placement) -> Omni:
    """Load a checkpoint, once for the process.

    Raises:
        MissingExtraError: if torch or transformers is not installed.
        UsageError: if it cannot be loaded, or is no Qwen2.5-Omni.
    """
    settings = _configuration(placement)
    kind = settings.get("model_type")
    if kind not in OMNI:
        raise UsageError(f"{placement.model}: this is no Qwen2.5-Omni, but {kind!r}.")
    try:
        import transformers

        from aptone.models.omni.model import GATES, GatedThinker
    except ImportError as error:
        raise MissingExtraError(message("models.a-local-model"), extra="local") from error
    with placement.load_errors():
        thinker = settings["thinker_config"] if kind == OMNI[0] else settings
        config = transformers.Qwen2_5OmniThinkerConfig.from_dict(thinker)
        tokenizer = transformers.AutoTokenizer.from_pretrained(placement.model, **placement.options)
        extractor = transformers.WhisperFeatureExtractor.from_pretrained(placement.model, **placement.options)
        with _quietly(transformers):  # a checkpoint without gates is no reason for a warning
            model, found = GatedThinker.from_pretrained(
                placement.model,
                config=config,
                output_loading_info=True,
                use_safetensors=True,  # pickles of unknown origin are not opened
                **placement.options,
                **placement.weights(),
            )
    missing = set(found["missing_keys"])
    gates = {name for name, _ in model.named_parameters() if name.split(".")[-2] in GATES}
    if wrong := sorted((missing - gates) | set(found["unexpected_keys"])):
        raise UsageError(f"{placement.model}: its weights do not fit Qwen2.5-Omni, {wrong[0]} for one.")
    if missing and missing != gates:
        raise UsageError(f"{placement.model}: some of its gates are missing, {sorted(missing)[0]} for one.")
    markers = None
    if not missing:
        _know_tokens(tokenizer, placement.model, rows=model.get_input_embeddings().weight.shape[0])
        markers = markers_of(tokenizer, config)
    return Omni(placement.model, model.eval(), tokenizer, extractor, markers)


def markers_of(tokenizer: Any, config: Any) -> Markers:
    """Return the markers of the bias, by a tokenizer that knows the release's six tokens.

    The field `BIAS_FORM` of the configuration names the form of the bias in training: that of the release, which is the
    default, or that of the paper.

    Raises:
        UsageError: if there is no such form.
    """

    def ids(pair: tuple[str, str]) -> tuple[int, int]:
        begin, end = tokenizer.convert_tokens_to_ids(list(pair))
        return int(begin), int(end)

    if bias_form_of(config) == "release":
        return release_markers(audio=config.audio_token_id, score=ids(SCORE), focus=ids(FOCUS))
    ends = (config.audio_start_token_id, config.audio_end_token_id)
    return paper_markers(audio=config.audio_token_id, audio_ends=ends, reasoning=ids(REASONING), focus=ids(FOCUS))


def bias_form_of(config: Any) -> BiasForm:
    """Return the form of the bias in the training of a checkpoint; by default the release's.

    Raises:
        UsageError: if there is no such form.
    """
    form: BiasForm = getattr(config, BIAS_FORM, "release")
    if form not in get_args(BiasForm):
        known = ", ".join(get_args(BiasForm))
        raise UsageError(f"{BIAS_FORM} in its configuration is {form!r}; expected one of {known}.")
    return form


def gate_position_of(config: Any) -> "GatePosition":
    """Return the position that gates were read at in the training of a checkpoint.

    It is the field `GATE_POSITION` of the configuration, by default the query.

    Raises:
        UsageError: if there is no such position.
    """
    return _position(getattr(config, GATE_POSITION, "query"))


def trained_position(placement: Placement) -> "GatePosition":
    """Return `gate_position_of` a checkpoint; only its configuration is read, whose other errors appear on loading.

    Raises:
        MissingExtraError: if the configuration is on the hub, and transformers is not installed.
        UsageError: if it cannot be read, or there is no such position.
    """
    settings = _configuration(placement)
    thinker = settings.get("thinker_config") if settings.get("model_type") == OMNI[0] else settings
    return _position(thinker.get(GATE_POSITION, "query") if isinstance(thinker, dict) else "query")


def _position(named: Any) -> "GatePosition":
    if named not in ("query", "key"):
        raise UsageError(f"{GATE_POSITION} in its configuration is {named!r}; expected query or key.")
    return cast("GatePosition", named)


def _configuration(placement: Placement) -> Mapping[str, Any]:
    file = Path(placement.model) / "config.json"
    if file.is_file():
        read: Any = loads(file.read_bytes(), what=str(file))
        return read if isinstance(read, dict) else {}
    kind = transformers_library().PreTrainedConfig
    with placement.load_errors():
        configured: dict[str, Any] = kind.get_config_dict(placement.model, **placement.options)[0]
    return configured


def _know_tokens(tokenizer: Any, name: str, *, rows: int) -> None:
    """Add the release's tokens to the tokenizer. Gates were trained with them, so they have embeddings.

    Raises:
        UsageError: if there are not enough embeddings: then weights and tokenizer belong to different models.
    """
    known = tokenizer.get_vocab()
    tokenizer.add_tokens([token for token in TOKENS if token not in known], special_tokens=True)
    if len(tokenizer) > rows:
        raise UsageError(
            f"{name}: with {' '.join(TOKENS)} its tokenizer has {len(tokenizer)} tokens, but its weights know {rows}; "
            "they do not belong together."
        )


@contextlib.contextmanager
def _quietly(transformers: Any) -> Iterator[None]:
    level = transformers.logging.get_verbosity()
    transformers.logging.set_verbosity_error()
    try:
        yield
    finally:
        transformers.logging.set_verbosity(level)
