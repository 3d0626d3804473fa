"""What is done with pieces of attention besides attention: they are merged, and their gates are taught.

`Definition` says what, in plain torch; on a GPU the same is done by kernels (`aptone.models.local_attention_triton`).
"""

from dataclasses import dataclass
from typing import Protocol

import torch
from torch import Tensor

from aptone.models.attention_regions import Region


@dataclass(frozen=True, slots=True)
class Gate:
    """What opens a piece, relative to the first one.

    Args:
        gates: (rows, queries, 3), the logarithms of all factors.
        active: (rows, queries), whether a query is biased.
        region: of the piece; `Region.BASE` has a factor of 1.
        first: region of the first piece.
    """

    gates: Tensor
    active: Tensor
    region: Region
    first: Region

    def values(self) -> Tensor:
        """(rows, queries), the logarithm of the relative factor."""
        columns = [
            torch.zeros_like(self.gates[..., 0]) if region is Region.BASE else self.gates[..., int(region)]
            for region in (self.region, self.first)
        ]
        return torch.where(self.active, columns[0] - columns[1], 0.0)


class Ways(Protocol):
    """What is done with pieces besides attention."""

    def merge(self, out: Tensor, sums: Tensor, own: Tensor, own_sums: Tensor, gate: Gate | None) -> None:
        """Take a piece into what has been computed for its queries, in place.

        Args:
            out: (rows, heads, queries, width), what has been computed.
            sums: (rows, heads, queries), its logarithms of sums.
            own: the piece.
            own_sums: its logarithms of sums.
            gate: that opens it; None for a factor of 1.
        """
        ...

    def teach(
        self, taught: Tensor, grad: Tensor, own: Tensor, own_sums: Tensor, out: Tensor, sums: Tensor, gate: Gate
    ) -> None:
        """Add the gradient of a piece's gate to that of its region, and take it from that of the first piece's.

        It is Σ over heads of w · (dout · (own - out)), where a query is active.

        Args:
            taught: (rows, queries, 3), the gradients of the logarithms of the gates.
            grad: (rows, heads, queries, width), that of the result.
            own, own_sums: the piece, and its logarithms of sums.
            out, sums: the result, and its logarithms of sums.
            gate: that opens the piece.
        """
        ...

    def shifted(self, sums: Tensor, gate: Gate | None) -> Tensor:
        """(rows, heads, queries), the logarithms of sums less the relative gate."""
        ...

    def add(self, whole: Tensor, part: Tensor) -> None:
        """Add states, (rows, heads, queries, width), to others in place."""
        ...


class Definition:
    """`Ways` as they are defined."""

    def merge(self, out: Tensor, sums: Tensor, own: Tensor, own_sums: Tensor, gate: Gate | None) -> None:
        """See `Ways.merge`."""
        added = own_sums if gate is None else own_sums + gate.values()[:, None]
        whole = torch.logaddexp(sums, added)
        out.mul_((sums - whole).exp()[..., None]).add_(own * (added - whole).exp()[..., None])
        sums.copy_(whole)

    def teach(
        self, taught: Tensor, grad: Tensor, own: Tensor, own_sums: Tensor, out: Tensor, sums: Tensor, gate: Gate
    ) -> None:
        """See `Ways.teach`."""
        weights = (own_sums + gate.values()[:, None] - sums).exp()
        slopes = (weights * (grad * (own - out)).sum(dim=-1)).sum(dim=1) * gate.active
        if gate.region is not Region.BASE:
            taught[..., int(gate.region)] += slopes
        if gate.first is not Region.BASE:
            taught[..., int(gate.first)] -= slopes

    def shifted(self, sums: Tensor, gate: Gate | None) -> Tensor:
        """See `Ways.shifted`."""
        return sums if gate is None else sums - gate.values()[:, None]

    def add(self, whole: Tensor, part: Tensor) -> None:
        """See `Ways.add`."""
        whole.add_(part)


def ways_for(query: Tensor) -> Ways:
    """How pieces are merged on the device of these states."""
    if query.device.type == "cuda":
        from aptone.models.local_attention_triton import OnCuda

        return OnCuda()
    return Definition()
