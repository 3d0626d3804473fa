"""Kernels of plain attention that also return the log-sum-exp of each query, for attention in pieces.

Private operators of torch, since the public function does not return the log-sum-exp. Where torch binds one to Python,
that is called: it takes the host half as long as `torch.ops`.
"""

from contextlib import AbstractContextManager

import torch
from torch import Tensor
from torch.nn.attention import SDPBackend, sdpa_kernel

_cpu_backward = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward.default
_cudnn_backward = torch.ops.aten._scaled_dot_product_cudnn_attention_backward.default
_flash_backward = torch.ops.aten._scaled_dot_product_flash_attention_backward.default

LONG = 1 << 20
"""Fewest pairs of positions in a piece for which the kernel that is compiled for every shape pays off."""


def unprepared() -> AbstractContextManager[None]:
    """Return a context in which torch computes attention by kernels that need no compilation for a shape.

    Newer GPUs prefer cuDNN's, which takes some 40 ms for every new shape. Where each step has a length of its own, as
    in decoding and in batches of short clips, that is a hundred times what the step takes.
    """
    return sdpa_kernel([SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH])


class OnCpu:
    """Plain attention that also returns the log-sum-exp of each query, by torch's own kernel for CPUs."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool, scaling: float
    ) -> tuple[Tensor, Tensor]:
        """Compute attention of queries to keys.

        Args:
            query: (rows, heads, queries, width).
            key, value: (rows, key heads, keys, width).
            is_causal: true if a query attends to no key behind it, counted from the first of both.

        Returns:
            The result, and (rows, heads, queries) log-sum-exps; on a GPU contiguous, as kernels require.
        """
        key, value = _for_each_head(query, key, value)
        made = torch._scaled_dot_product_flash_attention_for_cpu(query, key, value, 0.0, is_causal, scale=scaling)
        return made[0], made[1]

    def backward(
        self, grad: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, sums: Tensor,
        *, is_causal: bool, scaling: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        """Compute the gradients of queries, keys and values.

        Args:
            grad: gradient of the result.
            query, key, value, is_causal, scaling: arguments of `forward`.
            out, sums: result and log-sum-exps; or those of a whole of which this is a part.
        """
        shared = key.shape[1]
        key, value = _for_each_head(query, key, value)
        found = _cpu_backward(grad, query, key, value, out, sums, 0.0, is_causal, scale=scaling)
        of_keys, of_values = (one.unflatten(1, (shared, -1)).sum(dim=2) for one in found[1:])
        return found[0], of_keys, of_values


def _for_each_head(query: Tensor, *shared: Tensor) -> tuple[Tensor, ...]:
    return tuple(states.repeat_interleave(query.shape[1] // states.shape[1], dim=1) for states in shared)


class OnCuda:
    """cuDNN's kernel for long pieces, and FlashAttention's, which needs no compilation, for short ones."""

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool, scaling: float
    ) -> tuple[Tensor, Tensor]:
        """See `OnCpu.forward`."""
        if _is_long(query, key):
            made = torch._scaled_dot_product_cudnn_attention(
                query, key, value, None, True, 0.0, is_causal, False, scale=scaling
            )
            return made[0], made[1].squeeze(3)
        if is_causal and query.shape[2] > key.shape[2]:  # this kernel counts causality from the end
            return _joined(
                self.forward(query[:, :, : key.shape[2]], key, value, is_causal=True, scaling=scaling),
                self.forward(query[:, :, key.shape[2] :], key, value, is_causal=False, scaling=scaling),
            )
        short = torch._scaled_dot_product_flash_attention(query, key, value, 0.0, is_causal, False, scale=scaling)
        return short[0], short[1].contiguous()

    def backward(
        self, grad: Tensor, query: Tensor, key: Tensor, value: Tensor, out: Tensor, sums: Tensor,
        *, is_causal: bool, scaling: float,
    ) -> tuple[Tensor, Tensor, Tensor]:  # fmt: skip
        """See `OnCpu.backward`."""
        nothing, sums = torch.empty((), dtype=torch.int64, device=query.device), sums.contiguous()
        queries, keys = query.shape[2], key.shape[2]
        if _is_long(query, key):
            found = _cudnn_backward(
                grad, query, key, value, out, sums[..., None], nothing, nothing, None, None, None, queries, keys,
                0.0, is_causal, scale=scaling,
            )  # fmt: skip
        elif is_causal and queries > keys:
            parts = [
                self.backward(
                    grad[:, :, part], query[:, :, part], key, value, out[:, :, part], sums[:, :, part],
                    is_causal=causal, scaling=scaling,
                )
                for part, causal in ((slice(keys), True), (slice(keys, None), False))
            ]  # fmt: skip
            of_query = torch.cat([part[0] for part in parts], dim=2)
            return of_query, parts[0][1] + parts[1][1], parts[0][2] + parts[1][2]
        else:
            seed = torch.empty(2, dtype=torch.uint64, device=query.device)
            found = _flash_backward(
                grad, query, key, value, out, sums, None, None, queries, keys, 0.0, is_causal, seed, seed[0],
                scale=scaling,
            )  # fmt: skip
        return found[0], found[1], found[2]


def _joined(one: tuple[Tensor, Tensor], other: tuple[Tensor, Tensor]) -> tuple[Tensor, Tensor]:
    return torch.cat([one[0], other[0]], dim=2), torch.cat([one[1], other[1]], dim=2)


def _is_long(query: Tensor, key: Tensor) -> bool:
    return query.shape[2] * key.shape[2] >= LONG


_on_cpu, _on_cuda = OnCpu(), OnCuda()


def kernel_for(query: Tensor) -> OnCpu | OnCuda:
    """Return the kernel for the device of these states."""
    return _on_cuda if query.is_cuda else _on_cpu
