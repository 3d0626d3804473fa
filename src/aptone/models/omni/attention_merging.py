"""What is done with pieces of attention besides attention: they are merged, and their gates are taught.

`Definition` says what, in plain torch; on a GPU the same is done by kernels (`aptone.models.omni.attention_triton`).
What belongs to the whole batch is given whole, and the piece says which part is meant: a kernel finds that by itself,
while a view of each tensor would take the host longer than the launch.
"""

import functools
from typing import NamedTuple, Protocol

import torch
from torch import Tensor

from aptone.models.omni.attention_layout import Piece
from aptone.models.omni.attention_regions import Region


class Gates(NamedTuple):
    """What opens pieces.

    Args:
        logs: (batch, queries, 3), the logarithms of all factors.
        active: (batch, queries), whether a query is biased.
    """

    logs: Tensor
    active: Tensor

    def of(self, piece: Piece) -> Tensor:
        """(rows, queries), the logarithm of a piece's factor relative to that of the first piece."""
        logs = piece.of_queries(self.logs, 1)
        columns = [
            torch.zeros_like(logs[..., 0]) if region is Region.BASE else logs[..., int(region)]
            for region in (piece.region, piece.first)
        ]
        return torch.where(piece.of_queries(self.active, 1), columns[0] - columns[1], 0.0)


class Ways(Protocol):
    """What is done with pieces besides attention."""

    def merge(
        self, out: Tensor, sums: Tensor, own: Tensor, own_sums: Tensor, gates: Gates | None, piece: Piece
    ) -> None:
        """Take a piece into what has been computed for its queries, in place.

        Args:
            out: (batch, heads, queries, width), what has been computed.
            sums: (batch, heads, queries), its logarithms of sums.
            own: (rows, heads, queries, width), the piece.
            own_sums: its logarithms of sums.
            gates: that open it; None for a factor of 1.
            piece: where it belongs.
        """
        ...

    def teach(
        self, taught: Tensor, grad: Tensor, own: Tensor, own_sums: Tensor, out: Tensor, sums: Tensor,
        gates: Gates, piece: Piece,
    ) -> None:  # fmt: skip
        """Add the gradient of a piece's gate to that of its region, and take it from that of the first piece's.

        It is Σ over heads of w · (dout · (own - out)), where a query is active.

        Args:
            taught: (batch, queries, 3), the gradients of the logarithms of the gates.
            grad: (batch, heads, queries, width), that of the result; the numbers of a head lie side by side.
            own, own_sums: the piece, and its logarithms of sums.
            out, sums: the result, and its logarithms of sums.
            gates: that open the piece.
            piece: where it belongs.
        """
        ...

    def shifted(self, sums: Tensor, gates: Gates | None, piece: Piece) -> Tensor:
        """(rows, heads, queries), a piece's part of the logarithms of sums, less its relative gate."""
        ...

    def add(self, whole: Tensor, part: Tensor, piece: Piece) -> None:
        """Add states of a piece, (rows, heads, queries, width), to those of the batch in place."""
        ...


class Definition:
    """`Ways` as they are defined."""

    def merge(
        self, out: Tensor, sums: Tensor, own: Tensor, own_sums: Tensor, gates: Gates | None, piece: Piece
    ) -> None:
        """See `Ways.merge`."""
        out, sums = piece.of_queries(out), piece.of_queries(sums)
        added = own_sums if gates is None else own_sums + gates.of(piece)[:, None]
        whole = torch.logaddexp(sums, added)
        out.mul_((sums - whole).exp()[..., None]).add_(own * (added - whole).exp()[..., None])
        sums.copy_(whole)

    def teach(
        self, taught: Tensor, grad: Tensor, own: Tensor, own_sums: Tensor, out: Tensor, sums: Tensor,
        gates: Gates, piece: Piece,
    ) -> None:  # fmt: skip
        """See `Ways.teach`."""
        taught, active = piece.of_queries(taught, 1), piece.of_queries(gates.active, 1)
        grad, out, sums = (piece.of_queries(one) for one in (grad, out, sums))
        weights = (own_sums + gates.of(piece)[:, None] - sums).exp()
        slopes = (weights * (grad * (own - out)).sum(dim=-1)).sum(dim=1) * active
        if piece.region is not Region.BASE:
            taught[..., int(piece.region)] += slopes
        if piece.first is not Region.BASE:
            taught[..., int(piece.first)] -= slopes

    def shifted(self, sums: Tensor, gates: Gates | None, piece: Piece) -> Tensor:
        """See `Ways.shifted`."""
        own = piece.of_queries(sums)
        return own if gates is None or piece.is_first else own - gates.of(piece)[:, None]

    def add(self, whole: Tensor, part: Tensor, piece: Piece) -> None:
        """See `Ways.add`."""
        piece.of_queries(whole).add_(part)


def ways_for(query: Tensor) -> Ways:
    """How pieces are merged on the device of these states."""
    return _on_cuda() if query.is_cuda else _definition


_definition = Definition()


@functools.cache
def _on_cuda() -> Ways:
    from aptone.models.omni.attention_triton import OnCuda

    return OnCuda()
