"""A judge of the paper's size on a GPU: prefill and decoding with and without the attention bias, and the release's.

    PYTHONPATH=src:. python -m benchmarks.judge_throughput --output benchmarks/results/judge_throughput.json

Qwen2.5-Omni-7B's thinker with random weights at its true shapes, in bf16; no data and no download. A prompt is 300
tokens of instruction (up to 20 fewer, so that rows are padded) and a clip of 10 s (250 audio tokens); the reply is
dictated: 200 tokens of which about half lie in active spans, as in a reply that reasons about what it hears.

- ``prefill``: prompt and reply in one pass, tokens a second.
- ``decode``: the reply token by token with a cache, tokens a second of the whole batch.
- ``bias``: ours, gates at the query; ``no bias``: the same model and attention with the bias off. Both replay a step
  that was recorded (`aptone.models.omni.fixed_step`); with ``, growing`` the same with the stock cache, every kernel
  started by the host. ``stock``: transformers' own attention and cache, no bias; ``released``: one clip at a time,
  attention over all pairs in 32 bits, and the masks of all pairs built again for each token.

The largest batch is measured four times, with and without the bias in turn, and the best of each counts: other work
disturbs the host. Time to record counts as decoding. Goals: 64 replies at once have at least 40 times the tokens a
second of the released loop, and are at most 10 % slower than without the bias.

``agreement``: logits of a dictated reply by replay against those with the stock cache, and these against the whole
sequence at once: the largest difference of a logit, and how often the likeliest token is another.
"""

import argparse
import gc
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import torch
import transformers
from torch import Tensor

import benchmarks.without_core  # noqa: F401  (before anything of ours)
from aptone.models.omni.attention_layout import release_markers
from aptone.models.omni.model import GatedThinker

INSTRUCTION, SECONDS, REPLY = 300, 10.0, 200
FEW = 60
"""Tokens that are written beforehand, up to where the bias is on: its kernels are made when they are first needed."""
ROUNDS = 4
"""Measurements of the largest batch, with and without the bias in turn."""
FRAMES_A_SECOND = 100
SCORE, FOCUS = (151_700, 151_701), (151_702, 151_703)
ORDINARY = 100
"""Ids from here on are words."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--batches", type=int, nargs="+", default=[1, 16, 64])
    parser.add_argument("--tiny", action="store_true", help="A model that fits on a processor: to see that it runs.")
    options = parser.parse_args()
    model = thinker(torch.device("cpu" if options.tiny else "cuda"), tiny=options.tiny)
    found = measure(model, options.batches)
    print(json.dumps(found["ratios"], indent=1))
    if options.output is not None:
        options.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def measure(model: Any, batches: Sequence[int]) -> dict[str, Any]:
    """All rows, and what the goals are about."""
    found: dict[str, Any] = {
        "device": torch.cuda.get_device_name() if torch.cuda.is_available() else "cpu",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "parameters": sum(one.numel() for one in model.parameters()),
        "rows": [],
    }
    for batch in batches:
        talk = Talk(model, batch)
        is_largest = batch == max(batches)
        rounds = ROUNDS if is_largest else 1
        for way in (*("no bias", "bias") * rounds, "no bias, growing", "bias, growing", "stock"):
            row = measured(model, talk, way)
            found["rows"].append({"batch": batch, "way": way, **row})
            print(found["rows"][-1], flush=True)
    found["rows"].append({"batch": 1, "way": "released", **released(model, Talk(model, 1))})
    print(found["rows"][-1], flush=True)
    found["ratios"] = ratios(found["rows"], most=max(batches))
    found["agreement"] = agreement(model)
    return found


def ratios(rows: Sequence[dict[str, Any]], *, most: int) -> dict[str, float]:
    """Return the ratios that the goals are about."""
    speed: dict[tuple[int, str], float] = {}
    for row in rows:
        key = (row["batch"], row["way"])
        speed[key] = max(speed.get(key, 0.0), row["decode_tokens_per_second"])
    return {
        "largest batch against the released loop": round(speed[most, "bias"] / speed[1, "released"], 1),
        "slower than without the bias": round(speed[most, "no bias"] / speed[most, "bias"] - 1, 4),
        "slower than stock without the bias": round(speed[most, "stock"] / speed[most, "bias"] - 1, 4),
    }


def thinker(device: torch.device, *, tiny: bool) -> Any:
    """The model with random weights. Pictures are never shown to it, so that part is as small as can be."""
    text: dict[str, Any] = {"vocab_size": 152_064}
    audio: dict[str, Any] = {}
    if tiny:
        sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
        text |= {**sizes, "num_key_value_heads": 2}
        audio = {"d_model": 16, "encoder_layers": 1, "encoder_attention_heads": 2, "encoder_ffn_dim": 32}
    hidden = text.get("hidden_size", 3584)
    config = transformers.Qwen2_5OmniThinkerConfig(
        text_config=text,
        audio_config={**audio, "output_dim": hidden},
        vision_config={
            "depth": 1,
            "hidden_size": 64,
            "intermediate_size": 64,
            "num_heads": 2,
            "out_hidden_size": hidden,
            "fullatt_block_indexes": [0],
        },
        vision_start_token_id=151_652,
    )
    if tiny:
        config.text_config.rope_parameters = {
            **config.text_config.rope_parameters,
            "mrope_section": [1, 1, 2],
        }
    before = torch.get_default_dtype()
    torch.set_default_dtype(torch.float32 if tiny else torch.bfloat16)
    try:
        with torch.device(device):
            model = GatedThinker(config).eval()
    finally:
        torch.set_default_dtype(before)
    return model


class Talk:
    """Prompts of different length with a clip each, and the replies that are dictated."""

    def __init__(self, model: Any, batch: int) -> None:
        config, draw = model.config, torch.Generator().manual_seed(batch)
        sounds = int(SECONDS * FRAMES_A_SECOND) // 4
        clip = [config.audio_start_token_id, *[config.audio_token_id] * sounds, config.audio_end_token_id]
        self.padding = [int(torch.randint(0, 21, (1,), generator=draw)) if batch > 1 else 0 for _ in range(batch)]
        prompts = [[*[ORDINARY] * INSTRUCTION, *clip, *[ORDINARY + 1] * 5] for _ in range(batch)]
        device = next(model.parameters()).device
        self.ids = torch.tensor(prompts, device=device)
        self.mask = torch.ones_like(self.ids)
        for row, padding in enumerate(self.padding):
            self.mask[row, :padding] = 0
        self.reply = torch.tensor(reply(), device=device)
        bands = config.audio_config.num_mel_bins
        frames = int(SECONDS * FRAMES_A_SECOND)
        kind = next(model.parameters()).dtype
        self.heard = {
            "input_features": torch.randn(batch, bands, frames, generator=draw).to(device, kind),
            "feature_attention_mask": torch.ones(batch, frames, dtype=torch.long, device=device),
        }


def reply() -> list[int]:
    """200 tokens: four stretches about what is heard, and the score."""
    part = [*[ORDINARY + 2] * 22, FOCUS[0], *[ORDINARY + 3] * 23, FOCUS[1]]
    end = [SCORE[0], *[ORDINARY + 4] * 3, SCORE[1]]
    return [*part * 4, *[ORDINARY + 2] * (REPLY - 4 * len(part) - len(end)), *end]


class Dictation(transformers.LogitsProcessor):  # type: ignore[misc]
    """Makes a model write a given reply."""

    def __init__(self, reply: Tensor, *, begin: int) -> None:
        self._reply, self._begin = reply, begin

    def __call__(self, input_ids: Tensor, scores: Tensor) -> Tensor:
        """All but one token are ruled out."""
        forced = torch.full_like(scores, -torch.inf)
        forced[:, self._reply[input_ids.shape[1] - self._begin]] = 0.0
        return forced


def switch(model: Any, way: str) -> None:
    """Turn the bias on or off; `stock` is transformers' own attention."""
    markers = release_markers(audio=model.config.audio_token_id, score=SCORE, focus=FOCUS)
    model.bias_by(markers if way.startswith("bias") else None)
    model.writing = "growing" if way.endswith("growing") else "auto"
    from aptone.models.omni.model import ATTENTION

    model.set_attn_implementation({"text_config": "sdpa" if way == "stock" else ATTENTION})


def measured(model: Any, talk: Talk, way: str) -> dict[str, Any]:
    """Prefill and decoding of one batch."""
    switch(model, way)
    batch = talk.ids.shape[0]
    whole = torch.cat([talk.ids, talk.reply[None].expand(batch, -1)], dim=1)
    mask = torch.cat([talk.mask, torch.ones(batch, REPLY, dtype=torch.long, device=talk.ids.device)], dim=1)

    def prefill() -> None:
        model(input_ids=whole, attention_mask=mask, **talk.heard, use_cache=False, logits_to_keep=1)

    prefilled = clocked(prefill, repeats=3)
    write(model, talk, FEW)
    written = clocked(lambda: write(model, talk, REPLY)) - clocked(lambda: write(model, talk, 1))
    return {
        "prefill_seconds": round(prefilled, 4),
        "prefill_tokens_per_second": round(whole.numel() / prefilled),
        "decode_seconds": round(written, 4),
        "decode_tokens_per_second": round(batch * (REPLY - 1) / written, 1),
        "peak_gib": round(torch.cuda.max_memory_allocated() / 2**30, 2) if talk.ids.is_cuda else None,
    }


def write(model: Any, talk: Talk, tokens: int, **options: Any) -> Any:
    """Let the model write a dictated reply."""
    with torch.inference_mode():
        return model.generate(
            input_ids=talk.ids,
            attention_mask=talk.mask,
            **talk.heard,
            max_new_tokens=tokens,
            min_new_tokens=tokens,
            do_sample=False,
            eos_token_id=None,
            pad_token_id=0,
            logits_processor=[Dictation(talk.reply, begin=talk.ids.shape[1])],
            **options,
        )


def agreement(model: Any, *, batch: int = 4) -> dict[str, Any]:
    """Return the differences of logits: replayed and grown, grown and at once."""
    talk, logits = Talk(model, batch), {}
    for way in ("bias", "bias, growing"):
        switch(model, way)
        made = write(model, talk, REPLY, output_logits=True, return_dict_in_generate=True)
        logits[way] = torch.stack(made.logits, dim=1).float()
    whole = torch.cat([talk.ids, talk.reply[None].expand(batch, -1)], dim=1)
    mask = torch.cat([talk.mask, torch.ones(batch, REPLY, dtype=torch.long, device=talk.ids.device)], dim=1)
    with torch.inference_mode():
        at_once = model(input_ids=whole, attention_mask=mask, **talk.heard, use_cache=False).logits[:, -REPLY - 1 : -1]
    found = {}
    for name, one, other in (
        ("replayed and growing", logits["bias"], logits["bias, growing"]),
        ("growing and at once", logits["bias, growing"], at_once.float()),
    ):
        found[name] = {
            "largest difference": round(float((one - other).abs().max()), 5),
            "largest logit": round(float(one.abs().max()), 4),
            "other likeliest token": round(float((one.argmax(dim=2) != other.argmax(dim=2)).float().mean()), 4),
        }
    print(found, flush=True)
    return found


def clocked(way: Callable[[], Any], *, repeats: int = 1) -> float:
    """Seconds, the smallest of several; peak memory is counted from here."""
    times = []
    with torch.inference_mode():
        for _ in range(repeats):
            if torch.cuda.is_available():
                gc.collect()
                torch.cuda.reset_peak_memory_stats()
                torch.cuda.synchronize()
            start = time.perf_counter()
            way()
            if torch.cuda.is_available():
                torch.cuda.synchronize()
            times.append(time.perf_counter() - start)
    return min(times)


def released(model: Any, talk: Talk, *, tokens: int = 40) -> dict[str, Any]:
    """The release's loop, one clip: all masks recomputed for each token, attention over all pairs in 32 bits."""
    from transformers import AttentionInterface, AttentionMaskInterface

    state: dict[str, Any] = {}
    markers = release_markers(audio=model.config.audio_token_id, score=SCORE, focus=FOCUS)

    def attend(
        module: Any, query: Tensor, key: Tensor, value: Tensor, mask: None, *, scaling: float, **_: Any
    ) -> tuple[Tensor, None]:
        queries, keys = query.shape[2], key.shape[2]
        layer = state["layers"][module.layer_idx]
        normed = state["normed"][module.layer_idx]
        gates = torch.cat(
            [
                2 * torch.sigmoid(layer.instruct_biasfc(normed)),
                1 + torch.sigmoid(layer.focus_biasfc(normed)),
                torch.sigmoid(layer.supress_biasfc(normed)),
                torch.ones_like(normed[..., :1]),
            ],
            dim=-1,
        ).float()
        masks = state["masks"][:, keys - queries :]
        factors = (masks * gates[:, :, None, :]).sum(dim=-1)
        key, value = (one.repeat_interleave(module.num_key_value_groups, dim=1) for one in (key, value))
        hidden = torch.ones(queries, keys, dtype=torch.bool, device=query.device).triu(1 + keys - queries)
        scores = (query @ key.transpose(2, 3) * scaling).masked_fill(hidden, torch.finfo(query.dtype).min)
        shares = torch.softmax(scores, dim=-1, dtype=torch.float32) * factors[:, None]
        shares = (shares / shares.sum(dim=-1, keepdim=True)).to(query.dtype)
        return (shares @ value).transpose(1, 2).contiguous(), None

    def remember(number: int) -> Any:
        return lambda module, given, normed: state["normed"].__setitem__(number, normed)

    AttentionInterface.register("released", attend)
    AttentionMaskInterface.register("released", lambda *_, **__: None)
    model.bias_by(None)
    model.set_attn_implementation({"text_config": "released"})
    state["layers"], state["normed"] = model.get_decoder().layers, {}
    hooks = [
        layer.input_layernorm.register_forward_hook(remember(number)) for number, layer in enumerate(state["layers"])
    ]

    def loop(count: int) -> None:
        ids, cache = talk.ids, None
        for step in range(count):
            state["masks"] = masks_of(ids[0].tolist(), markers, ids.device)
            heard = talk.heard if cache is None else {}
            given = ids if cache is None else ids[:, -1:]
            places = torch.arange(ids.shape[1] - given.shape[1], ids.shape[1], device=ids.device)
            made = model(
                input_ids=given, **heard, past_key_values=cache, use_cache=True, logits_to_keep=1,
                position_ids=places[None, None].expand(3, 1, -1),
            )  # fmt: skip
            cache = made.past_key_values
            ids = torch.cat([ids, talk.reply[None, step : step + 1]], dim=1)

    try:
        clocked(lambda: loop(2))
        spent = clocked(lambda: loop(tokens)) - clocked(lambda: loop(1))
    finally:
        for hook in hooks:
            hook.remove()
        switch(model, "no bias")
    return {"decode_seconds": round(spent, 4), "decode_tokens_per_second": round((tokens - 1) / spent, 2)}


def masks_of(ids: Sequence[int], markers: Any, device: torch.device) -> Tensor:
    """(1, positions, positions, 4), which of four factors a pair of positions has: one query after the other."""
    length = len(ids)
    masks = torch.zeros(1, length, length, 4, device=device)
    masks[..., 3] = 1.0
    sounds = torch.tensor([token in markers.audio for token in ids], device=device)
    first = next((place for place, token in enumerate(ids) if token in markers.audio), length)
    opened: set[int] = set()
    for place, token in enumerate(ids):
        if opened:
            masks[0, place, :, 3] = 0.0
            masks[0, place, :first, 0] = 1.0
            masks[0, place, :, 1] = sounds.float()
            masks[0, place, first:, 2] = (~sounds[first:]).float()
        for opening, closing in markers.spans:
            if token == opening:
                opened.add(opening)
            elif token == closing:
                opened.discard(opening)
    return masks


if __name__ == "__main__":
    main()
