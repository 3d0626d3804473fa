"""The network after the stem in its exported form: same results as `recipes.ear.network`, in fewer operations.

Frames come before channels, so that weights are the second factor, which is prepared once. The products of the three
groups of heads with every frame are one, and so are their means and mean squares. Batch normalisations are folded into
the products around them, also those before a rectifier: ``W relu(a x + b) = (W a) max(x, -b / a) + W b``, with the
minimum in the place of the maximum where a is negative.

The factors a are left in the graph, where they are multiplied in once, when it is loaded: with them, weights in eight
bits with a scale for each output would have ten times the rounding error.
"""

import math
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn import functional

from recipes.ear.integers import applied, integers, line_of
from recipes.ear.network import GROWTH, WIDTH, DenseLayer, EarNetwork, Group, context_of, placed

_BEYOND = 2**62


class Gathered(Function):
    """Sum of the contributions of neighbouring frames, [frames, 3 · 32]."""

    @staticmethod
    def forward(context: Any, given: Tensor, distance: int) -> Tensor:
        """Compute the operation in torch."""
        padded = functional.pad(given, (0, 0, distance, distance))
        before, behind = padded[: -2 * distance, :GROWTH], padded[2 * distance :, 2 * GROWTH :]
        return before + given[:, GROWTH : 2 * GROWTH] + behind

    @staticmethod
    def symbolic(graph: Any, given: Any, distance: int) -> Any:
        """Emit the ONNX operators; the exporter's own padding takes many."""
        padded = graph.op("Pad", given, integers(graph, distance, 0, distance, 0))
        parts = [
            graph.op("Slice", source, integers(graph, first, column), integers(graph, last, column + GROWTH))
            for source, first, last, column in (
                (padded, 0, -2 * distance, 0),
                (given, 0, _BEYOND, GROWTH),
                (padded, 2 * distance, _BEYOND, 2 * GROWTH),
            )
        ]
        return graph.op("Sum", *parts).setType(given.type().with_sizes([None, GROWTH]))


class FusedLayer(nn.Module):
    """A dense layer, frames first."""

    least: Tensor
    most: Tensor
    factor: Tensor
    before: Tensor
    before_offset: Tensor
    narrow: Tensor
    narrow_offset: Tensor
    widen: Tensor
    widen_offset: Tensor
    local: Tensor
    nothing: Tensor

    def __init__(self, layer: DenseLayer) -> None:
        super().__init__()
        line, after, before = line_of(layer.before_norm), line_of(layer.norm), layer.before.weight.detach()[:, :, 0]
        self.dilation = int(layer.local.dilation[0])
        rises = line.factor > 0.0
        factor = torch.where(rises, line.factor.clamp_min(1e-9), line.factor.clamp_max(-1e-9))
        turn, endless = -line.offset / factor, torch.full_like(factor, math.inf)
        self.all_rise = bool(rises.all())
        self.register_buffer("least", torch.where(rises, turn, -endless))
        self.register_buffer("most", torch.where(rises, endless, turn))
        self.register_buffer("factor", factor)
        self.register_buffer("before", before * after.factor[:, None])
        self.register_buffer("before_offset", after.factor * (before @ line.offset) + after.offset)
        self.register_buffer("narrow", layer.narrow.weight.detach()[:, :, 0])
        self.register_buffer("narrow_offset", cast(Tensor, layer.narrow.bias).detach())
        self.register_buffer("widen", layer.widen.weight.detach()[:, :, 0])
        self.register_buffer("widen_offset", cast(Tensor, layer.widen.bias).detach())
        self.register_buffer("local", layer.local.weight.detach().permute(2, 0, 1).flatten(0, 1).contiguous())
        # Without an offset, the exporter would write two operations instead of one.
        self.register_buffer("nothing", torch.zeros(len(self.local)))

    def forward(self, values: Tensor, average: Tensor, spread: Tensor) -> Tensor:
        """Map [frames, width] to [frames, 32]."""
        raised = torch.maximum(values, self.least)
        if not self.all_rise:
            raised = torch.minimum(raised, self.most)
        neck = functional.relu(functional.linear(raised, self.before * self.factor, self.before_offset))
        hidden = functional.relu(functional.linear(average @ neck, self.narrow, self.narrow_offset))
        gate = torch.sigmoid(functional.linear(hidden, self.widen, self.widen_offset))
        given = functional.linear(neck, self.local, self.nothing)
        return applied(Gathered, given, self.dilation) * (spread @ gate)


class FusedGroup(nn.Module):
    """The hidden layer and the heads of a group."""

    mean: Tensor
    factor: Tensor

    def __init__(self, group: Group) -> None:
        super().__init__()
        standard = group.standard
        self.register_buffer("mean", cast(Tensor, standard.running_mean))
        self.register_buffer("factor", torch.rsqrt(cast(Tensor, standard.running_var) + standard.eps))
        self.into, self.heads = group.into, group.heads

    def forward(self, vector: Tensor) -> dict[str, Tensor]:
        """Return the answers for the clip, and the hidden layer."""
        hidden = self.into((vector - self.mean) * self.factor)
        return {"hidden": hidden, **{name: head(hidden) for name, head in self.heads.items()}}


class FusedHeads(nn.Module):
    """Everything after the stem, for one clip without padding."""

    centre: Tensor
    looks: Tensor
    looks_offset: Tensor
    scores: Tensor
    scores_offset: Tensor
    places: Tensor

    def __init__(self, network: EarNetwork) -> None:
        super().__init__()
        self.layers = nn.ModuleList(FusedLayer(cast(DenseLayer, layer)) for layer in network.second.layers)
        groups = (network.feeling, network.voice, network.scene)
        firsts, seconds = ([cast(nn.Linear, group.score[index]) for group in groups] for index in (0, 2))
        each = (*firsts, network.frame_vad, network.frame_events)
        self.register_buffer("looks", torch.cat([layer.weight.detach() for layer in each]))
        self.register_buffer("looks_offset", torch.cat([layer.bias.detach() for layer in each]))
        apart = torch.block_diag(*(layer.weight.detach() for layer in seconds))  # type: ignore[no-untyped-call]
        self.register_buffer("scores", apart)
        self.register_buffer("scores_offset", torch.cat([layer.bias.detach() for layer in seconds])[:, None])
        self.register_buffer("centre", cast(Tensor, network.feeling.standard.running_mean)[:WIDTH].clone())
        self.register_buffer("places", network.places)
        self.feeling, self.voice, self.scene = (FusedGroup(group) for group in groups)

    def forward(self, frames: Tensor, statistics: Tensor, speech: Tensor) -> tuple[Tensor, ...]:
        """Return the outputs in the order of `recipes.ear.network.Heard`, without the emotion of the frames."""
        context = context_of(torch.ones_like(speech), padded=False)
        average, spread = context.average[0].transpose(0, 1), context.spread.transpose(0, 1)
        first = values = frames[0]
        for layer in self.layers:
            values = torch.cat([values, layer(values, average, spread)], dim=1)
        values = torch.cat([first, values], dim=1)
        looks = functional.linear(functional.layer_norm(values, (WIDTH,)), self.looks, self.looks_offset)
        width = self.scores.shape[1]
        scores = self.scores @ torch.tanh(looks[:, :width]).transpose(0, 1) + self.scores_offset
        unspoken = (speech - 1.0) * 1e4
        weights = torch.softmax(scores + torch.cat([unspoken, unspoken, torch.zeros_like(unspoken)]), dim=1)
        # The deviation from squares: exact enough, because what is the same in all clips is taken away first.
        apart = values - self.centre
        mean = weights @ apart
        deviation = torch.sqrt(functional.relu(weights @ (apart * apart) - mean * mean) + 1e-5)
        pooled = torch.cat([mean + self.centre, deviation], dim=1)
        feeling, voice = self.feeling(pooled[:1]), self.voice(pooled[1:2])
        scene = self.scene(torch.cat([pooled[2:], statistics], dim=1))
        return (
            feeling["emotion"],
            placed(feeling["emotion"], feeling["vad"], self.places),
            feeling["intensity"].squeeze(-1),
            voice["sex"].squeeze(-1),
            voice["adult"].squeeze(-1),
            scene["condition"],
            scene["music"].squeeze(-1),
            torch.tanh(looks[:, width : width + 3])[None],
            looks[:, width + 3 :][None],
            torch.cat([feeling["hidden"], voice["hidden"], scene["hidden"]], dim=-1),
        )
