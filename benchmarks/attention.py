"""The audio attention bias against the released form and against attention without any bias, on a GPU.

    PYTHONPATH=src:. python -m benchmarks.attention --output benchmarks/results/attention.json

bf16, batch 2, 28 query heads, 4 of keys and values, 128 numbers each: the shapes of Qwen2.5-Omni-7B. The sequence is
15 % instruction, 25 % audio and the rest; 10 % (the last) or all of the queries are active.

- ``plain``: `scaled_dot_product_attention`, causal, no bias, whatever kernel torch chooses.
- ``ours``: `biased_attention`, gates at the query.
- ``released``: every pair of positions in 32 bits (benchmarks/released_attention.py), its factors made beforehand;
  forward only. The release also rebuilds its masks for each token, which is not counted here.

Times are medians, as called from Python, and beside them (``replayed``) of the same kernels captured once and replayed,
which leaves out what the host does between them; the layers of a model hide that. Memory is the peak beyond what was
there before the call, as a multiple of the output of attention. ``off`` is the largest difference to the released form
computed in float32 from the same bf16 states, and beside it that of the released form in bf16. The layout of the
sequence is found once for all layers of a model: it is timed by itself.
Goals: at 4,096 tokens 25 times faster than the released form and at most 1.5 times plain; at 8,192 at most 1.35 times;
memory at most 2.5 outputs; backward at most 1.6 times plain.
"""

import argparse
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

import benchmarks.without_core  # noqa: F401  (before anything of ours)
from aptone.models.omni.attention import Bias, biased_attention, extend
from aptone.models.omni.attention_layout import lay_out, release_markers
from benchmarks.released_attention import factors_of, released_attention

ROWS, HEADS, SHARED, WIDTH = 2, 28, 4, 128
WORD, SOUND, OPEN, CLOSE, NEVER = 0, 1, 2, 3, 4
MARKERS = release_markers(audio=SOUND, score=(OPEN, CLOSE), focus=(NEVER, NEVER + 1))
MIB = 1 << 20


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--lengths", type=int, nargs="+", default=[1024, 4096, 8192])
    parser.add_argument("--device", default="cuda")
    options = parser.parse_args()
    device = torch.device(options.device)
    rows = [measured(length, share, device) for length in options.lengths for share in (0.1, 1.0)]
    found = {
        "device": torch.cuda.get_device_name() if device.type == "cuda" else "cpu",
        "torch": torch.__version__,
        "rows": rows,
        "new_shape_ms": {"plain": new_shapes(device, plain=True), "ours": new_shapes(device, plain=False)},
    }
    print(json.dumps(found, indent=1))
    if options.output is not None:
        options.output.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


def sequence(length: int, share: float) -> Tensor:
    """Ids of a prompt with a clip, of which the last share is active."""
    ids = torch.full((ROWS, length), WORD)
    ids[:, round(0.15 * length) : round(0.4 * length)] = SOUND
    first = max(0, round((1 - share) * length) - 1)
    ids[:, first] = OPEN
    return ids


def random_inputs(length: int, share: float, device: torch.device) -> tuple[Tensor, Tensor, Tensor, Bias]:
    """Random states, and the bias."""
    draw = torch.Generator(device).manual_seed(length)
    kind: dict[str, Any] = {"device": device, "dtype": torch.bfloat16, "generator": draw}
    query = torch.randn(ROWS, length, HEADS, WIDTH, **kind).transpose(1, 2)
    key, value = (torch.randn(ROWS, length, SHARED, WIDTH, **kind).transpose(1, 2) for _ in range(2))
    trace = extend(None, sequence(length, share).to(device), MARKERS)
    if share == 1.0:
        trace.active[:] = True
    gates = torch.randn(ROWS, length, 3, device=device, generator=draw) * 0.5
    return query, key, value, Bias(trace, gates)


def measured(length: int, share: float, device: torch.device) -> dict[str, Any]:
    """One row of the table."""
    query, key, value, bias = random_inputs(length, share, device)
    scaling = WIDTH**-0.5
    layout = lay_out(bias.trace.regions, bias.trace.active, padding=None, queries=length)

    def plain() -> Tensor:
        return functional.scaled_dot_product_attention(
            query, key, value, is_causal=True, enable_gqa=True, scale=scaling
        )

    def ours() -> Tensor:
        return biased_attention(query, key, value, bias=bias, scaling=scaling, layout=layout)

    factors = factors_of(bias)

    def released() -> Tensor:
        return released_attention(query, key, value, factors=factors, scaling=scaling)

    output = query.numel() * query.element_size()
    row: dict[str, Any] = {"tokens": length, "active": share}
    for name, way in (("plain", plain), ("ours", ours), ("released", released)):
        row[name] = {"ms": timed(way, device), "memory": round(peak(way, device) / output, 3)}
        row[name]["replayed_ms"] = replayed(way, device)
    row["off"] = off(query, key, value, bias, ours(), released(), scaling)
    start = time.perf_counter()
    lay_out(bias.trace.regions, bias.trace.active, padding=None, queries=length)
    row["layout_ms"] = round(1000 * (time.perf_counter() - start), 3)
    grad = torch.randn_like(query)
    states = [one.detach().requires_grad_() for one in (query, key, value)]
    gates = bias.gates.detach().requires_grad_()
    query, key, value = states
    of_plain = plain()
    of_ours = biased_attention(query, key, value, bias=Bias(bias.trace, gates), scaling=scaling, layout=layout)
    row["plain"]["backward_ms"] = timed(lambda: torch.autograd.grad(of_plain, states, grad, retain_graph=True), device)
    row["ours"]["backward_ms"] = timed(
        lambda: torch.autograd.grad(of_ours, [*states, gates], grad, retain_graph=True), device
    )
    trained = peak(lambda: biased_attention(query, key, value, bias=Bias(bias.trace, gates), scaling=scaling), device)
    row["ours"]["memory_in_training"] = round(trained / output, 3)
    row["replayed_times_plain"] = round(row["ours"]["replayed_ms"] / row["plain"]["replayed_ms"], 3)
    row["times_plain"] = round(row["ours"]["ms"] / row["plain"]["ms"], 3)
    row["times_faster_than_released"] = round(row["released"]["ms"] / row["ours"]["ms"], 1)
    row["backward_times_plain"] = round(row["ours"]["backward_ms"] / row["plain"]["backward_ms"], 3)
    return row


def off(
    query: Tensor, key: Tensor, value: Tensor, bias: Bias, ours: Tensor, released: Tensor, scaling: float
) -> dict[str, float]:
    """Largest differences to the definition in float32, computed head by head."""
    factors = factors_of(bias)
    found = {"ours": 0.0, "released": 0.0}
    for row in range(ROWS):
        for head in range(0, HEADS, 9):
            shared = head // (HEADS // SHARED)
            exact = released_attention(
                query[row : row + 1, head : head + 1].float(),
                key[row : row + 1, shared : shared + 1].float(),
                value[row : row + 1, shared : shared + 1].float(),
                factors=factors[row : row + 1],
                scaling=scaling,
            )[0, 0]
            for name, one in (("ours", ours), ("released", released)):
                found[name] = max(found[name], float((one[row, head].float() - exact).abs().max()))
    return {name: round(value, 5) for name, value in found.items()}


def timed(way: Callable[[], Any], device: torch.device) -> float:
    """Milliseconds: the median of at least ten calls, after two."""
    times: list[float] = []
    for number in range(12 if device.type == "cpu" else 32):
        if device.type == "cuda":
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))  # type: ignore[no-untyped-call]
            begin.record()
            way()
            end.record()
            torch.cuda.synchronize()
            elapsed = float(begin.elapsed_time(end))
        else:
            start = time.perf_counter()
            way()
            elapsed = 1000 * (time.perf_counter() - start)
        if number >= 2:
            times.append(elapsed)
    return round(statistics.median(times), 4)


def replayed(way: Callable[[], Any], device: torch.device) -> float:
    """Milliseconds of the same kernels without what the host does between them: captured once, and replayed."""
    if device.type != "cuda":
        return float("nan")
    with torch.no_grad():
        aside = torch.cuda.Stream()  # type: ignore[no-untyped-call]
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):
            way()
        torch.cuda.current_stream().wait_stream(aside)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            way()
    return timed(graph.replay, device)


def peak(way: Callable[[], Any], device: torch.device) -> float:
    """Bytes beyond those that were in use before."""
    if device.type != "cuda":
        return float("nan")
    torch.cuda.synchronize()
    torch.cuda.reset_peak_memory_stats()
    before = torch.cuda.memory_allocated()
    kept = way()
    torch.cuda.synchronize()
    del kept
    return float(torch.cuda.max_memory_allocated() - before)


def new_shapes(device: torch.device, *, plain: bool) -> dict[str, float]:
    """Milliseconds of the first call with a length that was never seen, and of the second: kernels are prepared."""
    first: list[float] = []
    second: list[float] = []
    for length in (701, 823, 1409, 2203):
        query, key, value, bias = random_inputs(length, 0.1, device)
        for times in (first, second):
            if device.type == "cuda":
                torch.cuda.synchronize()
            start = time.perf_counter()
            if plain:
                functional.scaled_dot_product_attention(query, key, value, is_causal=True, enable_gqa=True)
            else:
                biased_attention(query, key, value, bias=bias, scaling=WIDTH**-0.5)
            if device.type == "cuda":
                torch.cuda.synchronize()
            times.append(1000 * (time.perf_counter() - start))
    return {"first": round(statistics.median(first), 2), "second": round(statistics.median(second), 2)}


if __name__ == "__main__":
    main()
