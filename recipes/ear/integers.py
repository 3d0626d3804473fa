"""Products of eight-bit integers: the operations, and the quantisation of floats for them.

Inputs of a product are rounded to 0 … 255, and weights to -127 … 127 with a scale for each output. Processors with
VNNI, or of ARM, accumulate in 32 bits. Older ones add each product to its neighbour in 16 bits first, which end at
32,767. So no two neighbouring weights may add up to more than ±128: nothing overflows then, and every processor
computes the same integers. Weights of -63 … 63 would ensure that too, but double the deviation from floats.

Ranges are not measured on clips but read from the weights: nearly all values come out of a batch normalisation, whose β
and γ are their mean and deviation. That also gives the shift of a product's mean by the rounding of weights, which can
then be corrected (Nagel et al. 2019, "Data-free quantization through weight equalization and bias correction").

Each operation has a torch and an ONNX form; they differ at most by rounding between two steps.
"""

import math
from typing import Any, NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.autograd import Function
from torch.nn import functional

LARGEST = 255.0
"""Largest quantised value; inputs are rounded to 0 … 255."""
MIDDLE = 128
"""Value that stands for zero in signed data."""
LARGEST_WEIGHT = 127.0
LARGEST_PAIR = 128.0
"""Largest sum of two weights of neighbouring inputs: 128 times 255 is the last multiple below 32,767."""
SHARES = tuple(share / 50.0 for share in range(25, 101))
"""Candidate scales, as shares of the largest weight of an output; the one with the smallest squared error is taken."""

_BEYOND = 2**62

Norm = nn.BatchNorm1d | nn.BatchNorm2d
Pair = tuple[int, int]


class Rounded(Function):
    """Quantise values to bytes; negative ones become 0, as by a rectifier."""

    @staticmethod
    def forward(context: Any, values: Tensor, step: Tensor) -> Tensor:
        """Compute the operation in torch."""
        return torch.clamp(torch.round(values / step), 0.0, LARGEST).to(torch.uint8)

    @staticmethod
    def symbolic(graph: Any, values: Any, step: Any) -> Any:
        """Emit the ONNX operators."""
        return graph.op("QuantizeLinear", values, step, _byte(graph, 0))


class Product(Function):
    """Product of bytes [1, frames, in] and weights [in, out], every column times its scale, plus an offset."""

    @staticmethod
    def forward(context: Any, values: Tensor, weights: Tensor, scale: Tensor, offset: Tensor) -> Tensor:
        """Compute the operation in torch."""
        return (values.float() @ weights.float()) * scale + offset

    @staticmethod
    def symbolic(graph: Any, values: Any, weights: Any, scale: Any, offset: Any) -> Any:
        """Emit the ONNX operators."""
        one = graph.op("Constant", value_t=torch.tensor(1.0))
        out = graph.op(
            "com.microsoft::MatMulIntegerToFloat", values, weights, one, scale, _byte(graph, 0), _sign(graph), offset
        )
        return out.setType(scale.type().with_sizes([1, None, scale.type().sizes()[0]]))


class Around(Function):
    """Concatenate each frame of [1, frames, width] with one before and one after it: [1, frames, 3 width]."""

    @staticmethod
    def forward(context: Any, frames: Tensor, distance: int) -> Tensor:
        """Compute the operation in torch."""
        padded = functional.pad(frames, (0, 0, distance, distance))
        return torch.cat([padded[:, : -2 * distance], frames, padded[:, 2 * distance :]], dim=-1)

    @staticmethod
    def symbolic(graph: Any, frames: Any, distance: int) -> Any:
        """Emit the ONNX operators; the exporter's own padding takes many."""
        padded = graph.op("Pad", frames, integers(graph, 0, distance, 0, 0, distance, 0))
        along = integers(graph, 1)
        before = graph.op("Slice", padded, integers(graph, 0), integers(graph, -2 * distance), along)
        behind = graph.op("Slice", padded, integers(graph, 2 * distance), integers(graph, _BEYOND), along)
        return graph.op("Concat", before, frames, behind, axis_i=-1)


class Convolved(Function):
    """Convolution of bytes [1, time, bands, channels] with weights [out, in, time, bands], around a zero point."""

    @staticmethod
    def forward(
        context: Any,
        planes: Tensor,
        step: Tensor,
        weights: Tensor,
        scale: Tensor,
        offset: Tensor,
        out_step: Tensor,
        zero: int,
        strides: Pair,
        padding: Pair,
    ) -> Tensor:
        """Compute the operation in torch."""
        first = planes.permute(0, 3, 1, 2).float()
        sums = functional.conv2d(first, weights.float(), offset.float(), stride=strides, padding=padding)
        steps = torch.round(sums.permute(0, 2, 3, 1) * (step * scale / out_step)) + zero
        return torch.clamp(steps, 0.0, LARGEST).to(torch.uint8)

    @staticmethod
    def symbolic(
        graph: Any,
        planes: Any,
        step: Any,
        weights: Any,
        scale: Any,
        offset: Any,
        out_step: Any,
        zero: int,
        strides: Pair,
        padding: Pair,
    ) -> Any:
        """Emit the ONNX operators."""
        out = graph.op(
            "com.microsoft::QLinearConv",
            *(planes, step, _byte(graph, 0), weights, scale, _sign(graph), out_step, _byte(graph, zero), offset),
            channels_last_i=1,
            strides_i=list(strides),
            pads_i=[*padding, *padding],
        )
        return out.setType(planes.type().with_sizes([1, None, None, scale.type().sizes()[0]]))


class Added(Function):
    """Sum of two planes of bytes around their zero points, rectified and requantised."""

    @staticmethod
    def forward(
        context: Any, one: Tensor, step: Tensor, zero: int, two: Tensor, two_step: Tensor, two_zero: int, out: Tensor
    ) -> Tensor:
        """Compute the operation in torch."""
        total = step * (one.float() - zero) + two_step * (two.float() - two_zero)
        return torch.clamp(torch.round(total / out), 0.0, LARGEST).to(torch.uint8)

    @staticmethod
    def symbolic(graph: Any, one: Any, step: Any, zero: int, two: Any, two_step: Any, two_zero: int, out: Any) -> Any:
        """Emit the ONNX operators."""
        zeros = [_byte(graph, value) for value in (zero, two_zero, 0)]
        total = graph.op("com.microsoft::QLinearAdd", one, step, zeros[0], two, two_step, zeros[1], out, zeros[2])
        return total.setType(one.type())


class Restored(Function):
    """Dequantise bytes to floats."""

    @staticmethod
    def forward(context: Any, values: Tensor, step: Tensor) -> Tensor:
        """Compute the operation in torch."""
        return values.float() * step

    @staticmethod
    def symbolic(graph: Any, values: Any, step: Any) -> Any:
        """Emit the ONNX operators."""
        return graph.op("DequantizeLinear", values, step, _byte(graph, 0))


def _byte(graph: Any, value: int) -> Any:
    return graph.op("Constant", value_t=torch.tensor(value, dtype=torch.uint8))


def integers(graph: Any, *values: int) -> Any:
    """Return an ONNX constant."""
    return graph.op("Constant", value_t=torch.tensor(values, dtype=torch.int64))


def _sign(graph: Any) -> Any:
    return graph.op("Constant", value_t=torch.tensor(0, dtype=torch.int8))


def whole(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Quantise weights [out, …] to integers, with a scale for each output.

    The scale may clip the largest weights and pairs where that reduces the squared error.

    Args:
        weights: [out, in, …], with an even number of inputs.
    """
    count, half = len(weights), weights.shape[1] // 2
    pairs = weights.reshape(count, half, 2, -1).transpose(1, 2).flatten(2)
    largest = pairs.abs().amax(dim=(1, 2), keepdim=True).clamp_min(1e-12) / LARGEST_WEIGHT
    scales = torch.stack([share * largest for share in SHARES])
    errors = (_steps(pairs, scales) * scales - pairs).square().sum(dim=(2, 3))
    scale = torch.gather(scales[:, :, 0, 0], 0, errors.argmin(dim=0)[None])[0]
    steps = _steps(pairs, scale[:, None, None]).to(torch.int8)
    return steps.reshape(count, 2, half, -1).transpose(1, 2).reshape(weights.shape), scale


def _steps(pairs: Tensor, scale: Tensor) -> Tensor:
    """Round pairs [out, 2, …] to steps; an excess of two with one sign is taken from both."""
    steps = torch.clamp(torch.round(pairs / scale), -LARGEST_WEIGHT, LARGEST_WEIGHT)
    over = (steps.sum(dim=-2, keepdim=True).abs() - LARGEST_PAIR).clamp_min(0.0)
    shares = torch.cat([torch.floor(over / 2.0), torch.ceil(over / 2.0)], dim=-2)
    return steps - torch.sign(steps) * shares


class Spread(NamedTuple):
    """Mean and standard deviation of each channel, before it is rectified."""

    mean: Tensor
    deviation: Tensor

    def reach(self, times: float) -> Tensor:
        """Return the value `deviations` above the mean."""
        return (self.mean + times * self.deviation).clamp_min(1e-3)

    def reach_both_ways(self, times: float) -> Tensor:
        """Return the largest magnitude within `deviations` of the mean."""
        return (self.mean.abs() + times * self.deviation).clamp_min(1e-3)

    def rectified(self) -> "Spread":
        """Return mean and deviation of a rectified normal distribution."""
        share = 0.5 + 0.5 * torch.erf(self.mean / self.deviation / math.sqrt(2.0))
        height = torch.exp(-0.5 * (self.mean / self.deviation).square()) / math.sqrt(2.0 * math.pi)
        mean = self.mean * share + self.deviation * height
        square = (self.mean.square() + self.deviation.square()) * share + self.mean * self.deviation * height
        return Spread(mean, (square - mean.square()).clamp_min(1e-12).sqrt())

    def plus(self, other: "Spread") -> "Spread":
        """Return the spread of the sum of two independent channels."""
        return Spread(self.mean + other.mean, torch.hypot(self.deviation, other.deviation))


def spread_of(norm: Norm) -> Spread:
    """Return the spread of a batch normalisation's output."""
    return Spread(norm.bias.detach(), norm.weight.detach().abs().clamp_min(1e-6))


class Line(NamedTuple):
    """A factor and an offset for each channel."""

    factor: Tensor
    offset: Tensor


def line_of(norm: Norm) -> Line:
    """Return a trained batch normalisation as factor and offset."""
    mean, variance = cast(Tensor, norm.running_mean), cast(Tensor, norm.running_var)
    factor = norm.weight.detach() * torch.rsqrt(variance + norm.eps)
    return Line(factor, norm.bias.detach() - factor * mean)


def applied(operation: type[Function], *arguments: object) -> Tensor:
    """Apply an operation to its arguments."""
    return cast(Tensor, operation.apply(*arguments))  # type: ignore[no-untyped-call]
