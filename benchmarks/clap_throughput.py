"""Training throughput and memory of a dual encoder of the paper's size on a GPU.

    PYTHONPATH=src:. python benchmarks/clap_throughput.py --output benchmarks/results/clap_throughput.json

It needs torch and transformers only, no data and no download: weights, clips and tokens are random, at true shapes.

- Audio: HTS-AT Large, which is transformers' `ClapAudioModel` as in ``laion/larger_clap_music_and_speech``: depths 2,
  2, 12, 2; 4, 8, 16, 32 heads; 128 numbers a patch, so 1024 at the end; 64 mel bands of 10 s at 48 kHz, made here.
- Text: Qwen3-Embedding-0.6B: 28 layers, hidden 1024, 16 heads of 128, 8 for keys and values, 3072 inside, 151,669
  tokens; 64 tokens a description, the last one pooled.
- Both are trained, in bfloat16 with weights in float32, AdamW, projections to 512.

Rows:

- ``plain``: open_clip's way at its simplest: the whole batch is embedded with gradients, one loss, one step. The batch
  is doubled until it no longer fits.
- ``cached``: ours, gradient caching: the gradient of the whole batch at the memory of a chunk.
- ``accumulated``: chunks with a loss of their own, gradients summed. It fits anywhere, but a clip is compared with the
  descriptions of its chunk only: not the gradient of the batch, and shown for its speed alone.
- ``plain, activations again``: plain with activation checkpointing of every layer, at the batches of ``cached``.

A row's time is the mean of its timed steps after one that is not timed; clips per second are those of all chunks. A row
that does not fit is kept, with what the GPU said. Without a GPU, a miniature runs that shows no more than that it runs.
"""

import argparse
import functools
import gc
import json
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

import torch
import transformers
from torch.utils.checkpoint import checkpoint

import benchmarks.without_core  # noqa: F401  (before anything of ours)
from aptone.models.clap.config import AudioPart, ClapConfig, TextPart, config_fields, reader_fields
from aptone.models.clap.model import ClapNetwork, parameters_of
from aptone.train.clap.loss import MicroBatch, Precision, add_gradients
from aptone.train.clap.trainer import ClapTrainingConfig, make_optimiser, train_step

Way = Literal["plain", "plain, activations again", "accumulated", "cached"]
TEXT_TOKENS = 64


@dataclass(frozen=True, slots=True)
class Scale:
    """Sizes of model and data.

    Args:
        chunk: pairs that are embedded at once where a batch is cut.
        batches: of the rows ``cached``.
        plain: the first batch of the rows ``plain``, and the last that is tried.
        seconds: that a row's timed steps last at least, unless it has `most` of them.
        most: timed steps.
    """

    chunk: int
    batches: tuple[int, ...]
    plain: tuple[int, int]
    seconds: float
    most: int


@dataclass(frozen=True, slots=True)
class Row:
    """Measurements of one configuration.

    Args:
        way: how the batch was learned from.
        batch: pairs that were compared.
        chunk: pairs that were embedded at once.
        clips_per_second: NaN where it did not fit.
        step_seconds: likewise.
        peak_gib: most memory that tensors took; NaN without a GPU.
        steps: that were timed.
        reason: why there is no number.
    """

    way: Way
    batch: int
    chunk: int
    clips_per_second: float
    step_seconds: float
    peak_gib: float
    steps: int
    reason: str = ""


FULL = Scale(chunk=128, batches=(256, 1024, 4096), plain=(64, 1024), seconds=6.0, most=10)
MINIATURE = Scale(chunk=2, batches=(4, 8), plain=(2, 4), seconds=0.0, most=1)


def true_config() -> ClapConfig:
    """The paper's encoders."""
    audio = transformers.ClapAudioConfig(depths=[2, 2, 12, 2], hidden_size=1024, patch_embeds_hidden_size=128)
    text = transformers.Qwen3Config(
        vocab_size=151_669,
        hidden_size=1024,
        intermediate_size=3072,
        num_hidden_layers=28,
        num_attention_heads=16,
        num_key_value_heads=8,
        head_dim=128,
        max_position_embeddings=32_768,
    )
    return _config(audio, transformers.ClapFeatureExtractor(truncation="rand_trunc"), text)


def miniature_config() -> ClapConfig:
    """The same kinds of encoders, a few numbers wide."""
    audio = transformers.ClapAudioConfig(
        spec_size=64,
        num_mel_bins=16,
        patch_embeds_hidden_size=8,
        depths=[1, 1],
        num_attention_heads=[2, 2],
        hidden_size=16,
        window_size=4,
    )
    reads = transformers.ClapFeatureExtractor(
        truncation="rand_trunc",
        feature_size=16,
        sampling_rate=8000,
        hop_length=64,
        max_length_s=1,
        fft_window_size=128,
        frequency_max=4000,
    )
    text = transformers.Qwen3Config(
        vocab_size=100,
        hidden_size=16,
        intermediate_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        num_key_value_heads=1,
        head_dim=8,
    )
    return _config(audio, reads, text)


def _config(audio: Any, reads: Any, text: Any) -> ClapConfig:
    part = AudioPart("spectrogram", config_fields(audio), reader_fields(reads))
    return ClapConfig(part, TextPart(config_fields(text), "last"), size=512)


def pairs(network: ClapNetwork, batch: int, chunk: int, device: torch.device) -> list[MicroBatch]:
    """A batch in chunks. Chunks are the same clips in another order: what they hold changes neither time nor memory."""
    words = int(network.text_encoder.model.config.vocab_size)
    span = int(network.audio_encoder.span)
    drawn = torch.Generator(device).manual_seed(0)
    size = min(chunk, batch)
    samples = 0.1 * torch.randn(size, span, generator=drawn, device=device)
    lengths = torch.full((size,), span, device=device)
    mask = torch.ones(size, TEXT_TOKENS, dtype=torch.long, device=device)
    found = []
    for _ in range(batch // size):
        tokens = torch.randint(words, (size, TEXT_TOKENS), generator=drawn, device=device)
        found.append(MicroBatch({"samples": samples, "lengths": lengths}, {"tokens": tokens, "mask": mask}))
    return found


def again(network: ClapNetwork) -> None:
    """Keep no activations within a layer of either encoder: they are made again when a gradient needs them."""
    for module in network.modules():
        if type(module).__name__ in {"ClapAudioLayer", "Qwen3DecoderLayer"}:
            module.forward = functools.partial(checkpoint, module.forward, use_reentrant=False)


def accumulated_step(
    network: ClapNetwork,
    chunks: Sequence[MicroBatch],
    optimiser: torch.optim.Optimizer,
    *,
    config: ClapTrainingConfig,
    device: torch.device,
) -> None:
    """Chunk by chunk, each with a loss of its own; one step with the sum of their gradients."""
    optimiser.zero_grad(set_to_none=True)
    for chunk in chunks:
        add_gradients(network, [chunk], device=device, precision=config.precision)
    torch.nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
    optimiser.step()
    network.hold_scale()


def measured(
    way: Way, batch: int, *, config: ClapConfig, scale: Scale, precision: Precision, device: torch.device
) -> Row:
    """One row: a fresh network, a step that is not timed, and some that are."""
    chunk = min(scale.chunk, batch) if way in {"cached", "accumulated"} else batch
    recipe = ClapTrainingConfig(batch_size=batch, micro_batch_size=chunk, precision=precision)
    if device.type == "cuda":
        torch.cuda.reset_peak_memory_stats(device)
    times: list[float] = []
    reason = ""
    try:
        times = steps_of(way, recipe, config=config, scale=scale, device=device)
    except RuntimeError as error:  # out of memory, or a tensor beyond what a kernel can count
        reason = str(error).split(". ")[0][:200]
    gc.collect()
    peak = math.nan
    if device.type == "cuda":
        torch.cuda.empty_cache()
        peak = torch.cuda.max_memory_allocated(device) / 2**30
    if not times:
        return Row(way, batch, chunk, math.nan, math.nan, math.nan, 0, reason)
    seconds = sum(times) / len(times)
    return Row(way, batch, chunk, batch / seconds, seconds, peak, len(times))


def steps_of(
    way: Way, recipe: ClapTrainingConfig, *, config: ClapConfig, scale: Scale, device: torch.device
) -> list[float]:
    """Seconds of the timed steps; the network is gone afterwards."""
    network = built(config, device).train()
    if way == "plain, activations again":
        again(network)
    optimiser = make_optimiser(network, recipe)
    chunks = pairs(network, recipe.batch_size, recipe.micro_batch_size, device)
    step = accumulated_step if way == "accumulated" else train_step
    return list(_timed(lambda: step(network, chunks, optimiser, config=recipe, device=device), scale, device))


def built(config: ClapConfig, device: torch.device) -> ClapNetwork:
    """A network with random weights, drawn where it will be."""
    torch.manual_seed(0)
    with device:
        return ClapNetwork(config).to(device)


def _timed(step: Callable[[], Any], scale: Scale, device: torch.device) -> Iterator[float]:
    def wait() -> None:
        if device.type == "cuda":
            torch.cuda.synchronize(device)

    step()
    wait()
    spent, count = 0.0, 0
    while count < scale.most and (count == 0 or spent < scale.seconds):
        begun = time.perf_counter()
        step()
        wait()
        taken = time.perf_counter() - begun
        spent, count = spent + taken, count + 1
        yield taken


def rows(
    *, config: ClapConfig, scale: Scale, precision: Precision, device: torch.device, until: float
) -> Iterator[Row]:
    """All rows, the most wanted first; none is begun after a time."""
    measure = functools.partial(measured, config=config, scale=scale, precision=precision, device=device)
    batch, last = scale.plain
    while batch <= last and time.perf_counter() < until:
        row = measure("plain", batch)
        yield row
        batch = batch * 2 if row.steps else last + 1
    wanted: list[tuple[Way, int]] = [("cached", size) for size in scale.batches]
    wanted.append(("accumulated", scale.batches[-1]))
    wanted += [("plain, activations again", size) for size in scale.batches]
    for way, size in wanted:
        if time.perf_counter() < until:
            yield measure(way, size)


def compared(found: Sequence[Row]) -> dict[str, float]:
    """Clips per second of gradient caching, by batch, as a share of those of the fastest plain batch that fits."""
    plain = max((row.clips_per_second for row in found if row.way == "plain" and row.steps), default=math.nan)
    return {str(row.batch): row.clips_per_second / plain for row in found if row.way == "cached" and row.steps}


def _json(row: Row) -> dict[str, Any]:
    return {
        name: None if isinstance(value, float) and math.isnan(value) else value for name, value in asdict(row).items()
    }


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure, print and keep."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path, help="JSON file for the rows.")
    parser.add_argument("--minutes", type=float, default=5.0, help="After which no further row is begun.")
    parser.add_argument("--chunk", type=int, help="Pairs that are embedded at once.")
    given = parser.parse_args(arguments)
    has_gpu = torch.cuda.is_available()
    device = torch.device("cuda" if has_gpu else "cpu")
    scale, config = (FULL, true_config()) if has_gpu else (MINIATURE, miniature_config())
    if given.chunk:
        scale = Scale(**{**asdict(scale), "chunk": given.chunk})
    if not has_gpu:
        print("No GPU here: a miniature, whose numbers say nothing about training.")
    found: list[Row] = []
    begun = time.perf_counter()
    precision: Precision = "bfloat16" if has_gpu else "float32"
    report: dict[str, Any] = {
        "miniature": not has_gpu,
        "device": torch.cuda.get_device_name() if has_gpu else "cpu",
        "torch": torch.__version__,
        "transformers": transformers.__version__,
        "precision": precision,
        "tokens of a text": TEXT_TOKENS,
        "seconds of a clip": config.audio.longest,
        "parameters": _parameters(built(config, device)),
    }
    until = begun + 60 * given.minutes
    for row in rows(config=config, scale=scale, precision=precision, device=device, until=until):
        found.append(row)
        print(json.dumps(_json(row)), flush=True)
        report |= {
            "rows": [_json(one) for one in found],
            "cached against the fastest plain batch": compared(found),
            "minutes": round((time.perf_counter() - begun) / 60, 2),
        }
        if given.output is not None:
            given.output.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
    print(json.dumps(report["cached against the fastest plain batch"]))


def _parameters(network: ClapNetwork) -> dict[str, int]:
    return {part: sum(one.numel() for one in found) for part, found in parameters_of(network).items()}


if __name__ == "__main__":
    main()
