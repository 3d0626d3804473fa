"""From the checkpoint of a miniature judge to the folder that it runs from without torch.

Two graphs (`recipes.miniature.engine_network`): what hears, and what reads and writes with what it remembers, the gates
of the attention bias inside. The part for pictures is left out. Large weights are stored in eight bits with a scale for
each row.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from torch import Tensor, nn
from torch.nn import functional

from aptone.errors import RecordError, UsageError
from aptone.files import make_folder, write_whole
from aptone.models.local.generation import Placement
from aptone.models.omni.attention import log_gates
from aptone.models.omni.checkpoint import SCORE, Omni, load_omni
from aptone.models.omni.model import GATES
from aptone.train.grpo.rollouts import SOUNDS_AND_SIGHTS
from aptone.types import dumps, loads
from recipes.miniature.engine_network import HEAR, LICENCE, SETTINGS, WRITE, Floats, Settings, revision_of
from recipes.miniature.frames import FRAME_NUMBERS
from recipes.miniature.model import TURN, TURN_END
from recipes.miniature.run import SOUNDS
from recipes.miniature.side_by_side import hear
from recipes.miniature.sounds import SCALE
from recipes.miniature.tokens import Tokens
from recipes.onnx_files import exported, rounded, store_in_eight_bits


class Hears(nn.Module):
    """The audio encoder for one clip: (frames, numbers) to (positions, width)."""

    def __init__(self, tower: nn.Module) -> None:
        super().__init__()
        self.tower = tower

    def forward(self, frames: Tensor) -> Tensor:
        """What is heard."""
        there = torch.ones_like(frames[None, :, 0], dtype=torch.bool)
        return hear(self.tower, frames.T[None], there)[0][0]


class Writes(nn.Module):
    """The decoder with its gates, for rows that all have as many positions.

    Args:
        model: an `aptone.models.omni.model.GatedThinker`.
        audio: id of the token that stands for a sound.
    """

    turns: Tensor

    def __init__(self, model: Any, audio: int) -> None:
        super().__init__()
        decoder, config = model.get_decoder(), model.config.text_config
        self.audio = audio
        self.embeddings = decoder.embed_tokens
        self.layers = decoder.layers
        self.norm = decoder.norm
        self.head = model.get_output_embeddings()
        self.heads, self.key_heads = config.num_attention_heads, config.num_key_value_heads
        self.width = config.hidden_size // config.num_attention_heads
        turns = config.rope_parameters["rope_theta"] ** (-torch.arange(0, self.width, 2) / self.width)
        self.register_buffer("turns", turns)

    def forward(
        self, ids: Tensor, sounds: Tensor, regions: Tensor, active: Tensor, past: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Logits behind the last position, and keys and values of all; see `MiniatureNetwork.read`."""
        states = torch.where((ids == self.audio)[..., None], sounds, self.embeddings(ids))
        before, queries = past.shape[4], ids.shape[1]
        places = torch.arange(before + queries, device=ids.device)
        asking = places[before:]
        angles = asking[:, None] * self.turns
        turned = torch.cat([angles, angles], dim=-1)
        rotation = (turned.cos(), turned.sin())
        hidden = torch.where(places[None, :] > asking[:, None], -torch.inf, 0.0)
        of_region = (regions[:, :, None] == torch.arange(3)).to(states.dtype)  # the base has no gate: its factor is 1
        present = []
        for number, layer in enumerate(self.layers):
            normed = layer.input_layernorm(states)
            projected = [getattr(layer, name)(normed) for name in (GATES[2], GATES[0], GATES[1])]
            gates = log_gates(*projected) * active[..., None]
            bias = hidden + gates @ of_region.transpose(1, 2)
            attended, remembered = self._attended(layer.self_attn, normed, past[number], rotation, bias)
            states = states + attended
            states = states + layer.mlp(layer.post_attention_layernorm(states))
            present.append(remembered)
        return self.head(self.norm(states[:, -1])), torch.stack(present)

    def _attended(
        self, attention: Any, states: Tensor, past: Tensor, rotation: tuple[Tensor, Tensor], bias: Tensor
    ) -> tuple[Tensor, Tensor]:
        rows, queries = states.shape[0], states.shape[1]
        shared = self.heads // self.key_heads
        query = attention.q_proj(states).view(rows, queries, self.heads, self.width).transpose(1, 2)
        key, value = (
            project(states).view(rows, queries, self.key_heads, self.width).transpose(1, 2)
            for project in (attention.k_proj, attention.v_proj)
        )
        query, key = (_turned(one, rotation) for one in (query, key))
        key, value = (torch.cat(pair, dim=2) for pair in ((past[0], key), (past[1], value)))
        grouped = query.reshape(rows, self.key_heads, shared * queries, self.width)
        scores = (grouped * self.width**-0.5) @ key.transpose(2, 3)
        biased = scores.view(rows, self.key_heads, shared, queries, -1) + bias[:, None, None]
        shares = functional.softmax(biased, dim=-1).view(rows, self.key_heads, shared * queries, -1)
        attended = (shares @ value).view(rows, self.heads, queries, self.width).transpose(1, 2)
        return attention.o_proj(attended.reshape(rows, queries, self.heads * self.width)), torch.stack([key, value])


def _turned(states: Tensor, rotation: tuple[Tensor, Tensor]) -> Tensor:
    """Rotary positions: without pictures, all three axes of Qwen2.5-Omni simply count."""
    first, second = states.chunk(2, dim=-1)
    return states * rotation[0] + torch.cat([-second, first], dim=-1) * rotation[1]


def export_miniature(model: Path, out: Path, *, licence: str = LICENCE, exact: bool = False) -> Settings:
    """Write what a miniature runs from.

    Args:
        model: folder of its checkpoint, with ``scale.npy`` beside the weights or in the folder of the sounds beside it.
        out: folder for the files.
        licence: of the weights, as SPDX names it.
        exact: whether weights stay in 32 bits.

    Raises:
        UsageError: if the checkpoint cannot be loaded, or has no scale.
        RecordError: if its tokenizer or its scale is another than a miniature has.
    """
    scale = _scale(model)
    omni = load_omni.__wrapped__(Placement(str(model), device="cpu", precision="float32"))
    tokens = tokens_of(model / "tokenizer.json")
    make_folder(out)
    thinker, config = omni.model, omni.model.config
    tower = next(module for name, module in thinker.named_modules() if name.split(".")[-1] == "audio_tower")
    hears, writes = Hears(tower), Writes(thinker, config.audio_token_id)
    if not exact:
        hears, writes = rounded(hears), rounded(writes)
    with torch.no_grad():
        graphs = {HEAR: _hearing(hears, out / HEAR), WRITE: _writing(writes, out / WRITE)}
    for name, graph in graphs.items():
        if not exact:
            store_in_eight_bits(graph)
        onnx.save(graph, out / name)
    plain: dict[str, Any] = {"tokens": tokens.kept(), "scale": scale.tolist()}
    nameless = _settings(omni, tokens, licence=licence)
    revision = revision_of(((out / name).read_bytes() for name in graphs), {**plain, "settings": nameless.kept()})
    settings = replace(nameless, revision=revision)
    write_whole(out / SETTINGS, dumps({**plain, "settings": settings.kept()}) + "\n")
    return settings


def _hearing(hears: Hears, path: Path) -> onnx.ModelProto:
    return exported(hears, (torch.zeros(50, FRAME_NUMBERS),), path, ["frames"], ["heard"], {"frames": {0: "frames"}})


def _writing(writes: Writes, path: Path) -> onnx.ModelProto:
    rows, before, new, width = 2, 5, 3, writes.embeddings.embedding_dim
    past = torch.zeros(len(writes.layers), 2, rows, writes.key_heads, before, writes.width)
    example = (
        torch.zeros(rows, new, dtype=torch.long),
        torch.zeros(rows, new, width),
        torch.zeros(rows, before + new, dtype=torch.long),
        torch.zeros(rows, new, dtype=torch.bool),
        past,
    )
    axes = {
        "ids": {0: "rows", 1: "new"},
        "sounds": {0: "rows", 1: "new"},
        "regions": {0: "rows", 1: "all"},
        "active": {0: "rows", 1: "new"},
        "past": {2: "rows", 4: "before"},
        "logits": {0: "rows"},
        "present": {2: "rows", 4: "all"},
    }
    return exported(writes, example, path, list(axes)[:5], list(axes)[5:], axes)


def _settings(omni: Omni, tokens: Tokens, *, licence: str) -> Settings:
    config = omni.model.config
    never = sorted({getattr(config, name) for name in SOUNDS_AND_SIGHTS if getattr(config, name, None) is not None})
    return Settings(
        revision="",
        licence=licence,
        parameters=sum(one.numel() for name, one in omni.model.named_parameters() if "visual" not in name),
        audio=(config.audio_start_token_id, config.audio_token_id, config.audio_end_token_id),
        turn=(tokens.control[TURN], tokens.control[TURN_END]),
        score=(tokens.control[SCORE[0]], tokens.control[SCORE[1]]),
        unwritten=tuple(token for token in never if token < len(tokens)),
        markers=omni.markers,
    )


def tokens_of(path: Path) -> Tokens:
    """The vocabulary in a ``tokenizer.json`` of a miniature.

    Raises:
        RecordError: if it is another kind of tokenizer.
    """
    kept: Any = loads(path.read_bytes(), what=str(path))
    try:
        known: dict[str, int] = kept["model"]["vocab"]
        control = {one["content"]: int(one["id"]) for one in kept["added_tokens"]}
        single = [known[character] for character in _characters()]
        merges = [[known[left], known[right], known[left + right]] for left, right in kept["model"]["merges"]]
        cuts = [part["type"] for part in kept["pre_tokenizer"]["pretokenizers"]]
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{path}: no tokenizer of a miniature ({error!r}).") from error
    if kept["model"]["type"] != "BPE" or cuts != ["Split", "ByteLevel"] or kept["normalizer"] is not None:
        raise RecordError(f"{path}: no tokenizer of a miniature; expected byte-level BPE with single digits.")
    return Tokens(control, single, merges)


def _characters() -> list[str]:
    """The characters by which byte-level tokenizers name the 256 bytes: those that can be printed name themselves."""
    printed = {*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)}
    others = iter(range(256, 512))
    return [chr(byte) if byte in printed else chr(next(others)) for byte in range(256)]


def _scale(model: Path) -> Floats:
    """The scale of the frames that a miniature learnt from: beside its weights, or where they were all taught."""
    found = [path for path in (model / SCALE, model.parent / SOUNDS / SCALE) if path.is_file()]
    if not found:
        raise UsageError(
            f"{model}: the scale of the frames that it learnt from is missing; it is {SOUNDS}/{SCALE} in the folder of "
            "aptone bench ablation: copy it there."
        )
    try:
        scale: Floats = np.load(found[0], allow_pickle=False).astype(np.float32)
    except (OSError, ValueError) as error:
        raise RecordError(f"{found[0]}: no scale of frames ({error}); copy it again.") from error
    if scale.shape != (2, FRAME_NUMBERS) or not np.isfinite(scale).all() or (scale[1] <= 0).any():
        raise RecordError(f"{found[0]}: expected mean and deviation of {FRAME_NUMBERS} numbers.")
    return scale
