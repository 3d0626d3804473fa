"""The stem with its large products in eight-bit integers: twice as fast as in floats, and slightly less exact.

A processor multiplies four times as many bytes as floats (`recipes.ear.integers`). Two things differ from
`recipes.ear.network`, neither of them in the result: frames come before channels, so that weights are the second
factor, which is prepared once; and batch normalisations are folded into the weights around them. Rectifiers commute
with positive factors, so every channel has a unit of its own, in which its range ends at 255, and the next layer's
weights are expressed in it.

The heads stay in floats: in integers they would be twice as fast too, but recognise up to two emotions in a hundred
fewer. With ``exact`` the stem stays in floats as well.
"""

from typing import NamedTuple, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from recipes.ear.integers import (
    LARGEST,
    MIDDLE,
    Added,
    Around,
    Convolved,
    Line,
    Norm,
    Pair,
    Product,
    Restored,
    Rounded,
    Spread,
    applied,
    line_of,
    spread_of,
    whole,
)
from recipes.ear.network import (
    FIRST_WIDTH,
    GROWTH,
    DenseBlock,
    DenseLayer,
    Residual,
    Stem,
    context_of,
)

REACH = 8.0
"""Standard deviations above the mean at which the planes of the first convolutions are clipped."""
DENSE_REACH = 20.0
"""The same in the dense layers, where a few values lie far out and matter."""


class Dense(nn.Module):
    """Product of rectified values, 0 … 255, and weights, plus an offset.

    Args:
        weights: [out, in].
        offset: [out].
        usual: mean of the input, [in].
        exact: keep floats.
    """

    weights: Tensor
    offset: Tensor
    scale: Tensor
    step: Tensor

    def __init__(self, weights: Tensor, offset: Tensor, usual: Tensor, *, exact: bool) -> None:
        super().__init__()
        self.exact = exact
        steps, scale = (weights, torch.ones(len(weights))) if exact else whole(weights)
        self.register_buffer("weights", steps.T.contiguous())
        self.register_buffer("scale", scale)
        self.register_buffer("offset", offset + (weights - steps.float() * scale[:, None]) @ usual)
        self.register_buffer("step", torch.tensor(1.0))

    def rounded(self, values: Tensor) -> Tensor:
        """Quantise the input of `forward`."""
        return functional.relu(values) if self.exact else applied(Rounded, values, self.step)

    def forward(self, values: Tensor) -> Tensor:
        """Map [1, frames, in] to [1, frames, out]."""
        if self.exact:
            return values @ self.weights + self.offset
        return applied(Product, values, self.weights, self.scale, self.offset)


class NormedDense(nn.Module):
    """Batch normalisation, rectifier and integer product."""

    factor: Tensor
    offset: Tensor

    def __init__(self, norm: Norm, weights: Tensor, offset: Tensor, *, exact: bool) -> None:
        super().__init__()
        line, spread = line_of(norm), spread_of(norm)
        unit = spread.reach(DENSE_REACH) / LARGEST
        self.register_buffer("factor", line.factor / unit)
        self.register_buffer("offset", line.offset / unit)
        self.product = Dense(weights * unit, offset, spread.rectified().mean / unit, exact=exact)

    def forward(self, values: Tensor) -> Tensor:
        """Map [1, frames, in] to [1, frames, out]."""
        product: Tensor = self.product(self.product.rounded(values * self.factor + self.offset))
        return product


class IntegerLayer(nn.Module):
    """A dense layer, frames first."""

    narrow: Tensor
    narrow_offset: Tensor
    widen: Tensor
    widen_offset: Tensor

    def __init__(self, layer: DenseLayer, *, exact: bool) -> None:
        super().__init__()
        line, spread = line_of(layer.norm), spread_of(layer.norm)
        unit = spread.reach(DENSE_REACH) / LARGEST
        before = layer.before.weight.detach()[:, :, 0] * (line.factor / unit)[:, None]
        self.before = NormedDense(layer.before_norm, before, line.offset / unit, exact=exact)
        local = (layer.local.weight.detach() * unit[:, None]).transpose(1, 2).flatten(1)
        self.local = Dense(local, torch.zeros(GROWTH), (spread.rectified().mean / unit).repeat(3), exact=exact)
        self.dilation = int(layer.local.dilation[0])
        self.register_buffer("narrow", (layer.narrow.weight.detach()[:, :, 0] * unit).T.contiguous())
        self.register_buffer("narrow_offset", cast(Tensor, layer.narrow.bias).detach())
        self.register_buffer("widen", layer.widen.weight.detach()[:, :, 0].T.contiguous())
        self.register_buffer("widen_offset", cast(Tensor, layer.widen.bias).detach())

    def forward(self, values: Tensor, average: Tensor, spread: Tensor) -> Tensor:
        """Map [1, frames, width] to [1, frames, 32]."""
        neck = self.before(values)
        summary = average @ functional.relu(neck)
        hidden = functional.relu(summary @ self.narrow + self.narrow_offset)
        gate = torch.sigmoid(hidden @ self.widen + self.widen_offset)
        rounded = self.local.rounded(neck)
        gated: Tensor = self.local(applied(Around, rounded, self.dilation)) * (spread @ gate)
        return gated


class IntegerBlock(nn.Module):
    """A dense block, frames first, for one clip without padding."""

    def __init__(self, block: DenseBlock, *, exact: bool) -> None:
        super().__init__()
        layers = (cast(DenseLayer, layer) for layer in block.layers)
        self.layers = nn.ModuleList(IntegerLayer(layer, exact=exact) for layer in layers)

    def forward(self, values: Tensor) -> Tensor:
        """Map [1, frames, width] to [1, frames, width + 32 layers]."""
        context = context_of(torch.ones_like(values[:, :, 0]), padded=False)
        average, spread = context.average.transpose(1, 2), context.spread.transpose(0, 1)
        for layer in self.layers:
            values = torch.cat([values, layer(values, average, spread)], dim=-1)
        return values


class Stream(NamedTuple):
    """Planes between two convolutions: unit and mean of each channel, and the quantisation step."""

    unit: Tensor
    usual: Tensor
    step: float


def stream_of(spread: Spread, unit: Tensor | None = None) -> Stream:
    """Return a stream whose channels, in their units, all end at 255 steps, or would with units of their own."""
    reach = spread.reach(REACH)
    unit = reach if unit is None else unit
    return Stream(unit, spread.rectified().mean, float((reach / unit).max()) / LARGEST)


class IntegerConvolution(nn.Module):
    """A convolution over time and bands with its batch normalisation, from one stream into another.

    Args:
        weights: [out, in, bands, time], before the normalisation.
        line: the normalisation.
        into: input stream.
        unit: units of the output channels.
        signed: spread of an output that keeps its sign; else it is rectified and ends at 255 steps.
        strides: strides over time and bands.
        padding: padding over time and bands.
        exact: keep floats.
    """

    weights: Tensor
    scale: Tensor
    offset: Tensor
    into: Tensor
    step: Tensor

    def __init__(
        self,
        weights: Tensor,
        line: Line,
        into: Stream,
        unit: Tensor,
        *,
        signed: Spread | None,
        strides: Pair,
        padding: Pair,
        exact: bool,
    ) -> None:
        super().__init__()
        self.exact, self.signed, self.strides, self.padding = exact, signed is not None, strides, padding
        inner = weights.transpose(2, 3) * (line.factor / unit)[:, None, None, None] * into.unit[:, None, None]
        offset = line.offset / unit
        steps, scale = (inner, torch.ones(len(inner))) if exact else whole(inner)
        lost = (inner - steps.float() * scale[:, None, None, None]).sum(dim=(2, 3))
        offset = offset + lost @ (into.usual / into.unit)
        step = 1.0 / LARGEST if signed is None else float((signed.reach_both_ways(REACH) / unit).max()) / (MIDDLE - 1)
        self.register_buffer("weights", steps.contiguous())
        self.register_buffer("scale", scale)
        self.register_buffer("offset", offset if exact else torch.round(offset / (scale * into.step)).to(torch.int32))
        self.register_buffer("into", torch.tensor(into.step))
        self.register_buffer("step", torch.tensor(step))

    def forward(self, planes: Tensor) -> Tensor:
        """Map [1, time, bands, channels] to the same."""
        if self.exact:
            first = planes.permute(0, 3, 1, 2)
            out = functional.conv2d(first, self.weights, self.offset, stride=self.strides, padding=self.padding)
            out = out.permute(0, 2, 3, 1)
            return out if self.signed else functional.relu(out)
        zero = MIDDLE if self.signed else 0
        given = (planes, self.into, self.weights, self.scale, self.offset, self.step, zero, self.strides, self.padding)
        return applied(Convolved, *given)


class IntegerResidual(nn.Module):
    """Two convolutions with a skip connection."""

    step: Tensor
    before: Tensor

    def __init__(self, block: Residual, into: Stream, out: Stream, *, exact: bool) -> None:
        super().__init__()
        self.exact = exact
        strides = (1, int(block.one.stride[0]))
        inner = stream_of(spread_of(block.one_norm))
        self.one = IntegerConvolution(
            *(block.one.weight.detach(), line_of(block.one_norm), into, inner.unit),
            signed=None,
            strides=strides,
            padding=(1, 1),
            exact=exact,
        )
        self.two = IntegerConvolution(
            *(block.two.weight.detach(), line_of(block.two_norm), inner, out.unit),
            signed=spread_of(block.two_norm),
            strides=(1, 1),
            padding=(1, 1),
            exact=exact,
        )
        self.cut: IntegerConvolution | None = None
        if block.cut is not None and block.cut_norm is not None:
            self.cut = IntegerConvolution(
                *(block.cut.weight.detach(), line_of(block.cut_norm), into, out.unit),
                signed=spread_of(block.cut_norm),
                strides=strides,
                padding=(0, 0),
                exact=exact,
            )
        self.register_buffer("before", torch.tensor(into.step))
        self.register_buffer("step", torch.tensor(out.step))

    def forward(self, planes: Tensor) -> Tensor:
        """Map [1, time, bands, 32] to the same."""
        inner = self.two(self.one(planes))
        beside = planes if self.cut is None else self.cut(planes)
        if self.exact:
            return functional.relu(inner + beside)
        step, zero = (self.before, 0) if self.cut is None else (self.cut.step, MIDDLE)
        return applied(Added, inner, self.two.step, MIDDLE, beside, step, zero, self.step)


def _streams(stem: Stem) -> list[Stream]:
    """Return the streams around the residual blocks; a skip connection without weights keeps its units."""
    spreads = [spread_of(stem.inward.norm)]
    blocks = [cast(Residual, block) for block in stem.residual]
    for block in blocks:
        beside = spreads[-1].rectified() if block.cut_norm is None else spread_of(block.cut_norm)
        spreads.append(spread_of(block.two_norm).plus(beside))
    streams = [stream_of(spreads[0])]
    for number, block in enumerate(blocks, start=1):
        keeps = number < len(blocks) and blocks[number].cut is None
        unit = streams[-1].unit if block.cut is None else spreads[number + keeps].reach(REACH)
        streams.append(stream_of(spreads[number], unit))
    return streams


class IntegerStem(nn.Module):
    """The stem for one clip without padding."""

    entry: Tensor
    exit: Tensor
    delay_unit: Tensor

    def __init__(self, stem: Stem, *, exact: bool = False) -> None:
        super().__init__()
        self.exact = exact
        streams = _streams(stem)
        line = line_of(stem.inward.norm)
        factor = (line.factor / streams[0].unit)[:, None, None, None]
        self.inward = nn.Conv2d(1, 32, 3, padding=1).requires_grad_(False)
        self.inward.weight.copy_(stem.inward.conv.weight.transpose(2, 3) * factor)
        cast(Tensor, self.inward.bias).copy_(line.offset / streams[0].unit)
        self.register_buffer("entry", torch.tensor(streams[0].step))
        blocks = (cast(Residual, block) for block in stem.residual)
        self.residual = nn.ModuleList(
            IntegerResidual(block, into, out, exact=exact)
            for block, into, out in zip(blocks, streams, streams[1:], strict=False)
        )
        outer = stream_of(spread_of(stem.outward.norm))
        self.outward = IntegerConvolution(
            *(stem.outward.conv.weight.detach(), line_of(stem.outward.norm), streams[-1], outer.unit),
            signed=None,
            strides=(1, 2),
            padding=(1, 1),
            exact=exact,
        )
        last = stream_of(spread_of(stem.delay_norm))
        width = stem.delay.out_channels
        self.delay = IntegerConvolution(
            *(stem.delay.weight.detach().reshape(width, 32, -1, 5), line_of(stem.delay_norm), outer, last.unit),
            signed=None,
            strides=(2, 1),
            padding=(2, 0),
            exact=exact,
        )
        self.register_buffer("exit", torch.tensor(last.step))
        self.register_buffer("delay_unit", last.unit)
        self.first = IntegerBlock(stem.first, exact=exact)
        transit = stem.transit.weight.detach()[:, :, 0]
        self.transit = NormedDense(stem.transit_norm, transit, torch.zeros(FIRST_WIDTH), exact=exact)

    def forward(self, energies: Tensor) -> Tensor:
        """Map [1, filter-bank frames, 80] to [1, frames, 256]."""
        planes = self.inward(energies[:, None])
        planes = functional.relu(planes) if self.exact else applied(Rounded, planes, self.entry)
        planes = planes.permute(0, 2, 3, 1)
        for block in self.residual:
            planes = block(planes)
        planes = self.delay(self.outward(planes))
        frames = planes if self.exact else applied(Restored, planes, self.exit)
        out: Tensor = self.transit(self.first(frames[:, :, 0] * self.delay_unit))
        return out
