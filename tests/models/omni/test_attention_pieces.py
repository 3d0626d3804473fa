"""Order of computing and merging pieces, memory of waiting ones, and that neither changes the result."""

import pytest

pytest.importorskip("torch", reason="the bias needs torch: pip install 'aptone[local]'")

import itertools
import weakref

import torch
from torch import Tensor

from aptone.models.omni import attention_pieces as local_attention_pieces
from aptone.models.omni.attention import Bias, Trace, biased_attention, extend
from aptone.models.omni.attention_kernels import OnCpu
from aptone.models.omni.attention_layout import Layout, Piece, lay_out
from aptone.models.omni.attention_pieces import MOST_RUNS, MOST_WAITING, Gates, PlainOperations, attend_in_pieces
from tests.models.attention_definition import allowed_by, factors_by_hand, multiplied, states_of
from tests.models.attention_tokens import AUDIO, MARKERS, SCORE, WORD


class Recording(OnCpu, PlainOperations):
    """Kernel and operations in one: what is done in which order, and how many queries of pieces are held at a time."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.most_held = 0
        self._made: list[weakref.ref[Tensor]] = []

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, *, is_causal: bool, scaling: float
    ) -> tuple[Tensor, Tensor]:
        out, sums = super().forward(query, key, value, is_causal=is_causal, scaling=scaling)
        self.done.append(f"attend {key.shape[2]}")
        self._made.append(weakref.ref(out))
        alive = [one for made in self._made if (one := made()) is not None]
        self.most_held = max(self.most_held, sum(one.shape[0] * one.shape[2] for one in alive))
        return out, sums

    def merge(
        self, out: Tensor, sums: Tensor, own: Tensor, own_sums: Tensor, gates: Gates | None, piece: Piece
    ) -> None:
        self.done.append(f"merge {piece.keys[1] - piece.keys[0]}")
        super().merge(out, sums, own, own_sums, gates, piece)


@pytest.fixture
def recording(monkeypatch: pytest.MonkeyPatch) -> Recording:
    made = Recording()
    monkeypatch.setattr(local_attention_pieces, "kernel_for", lambda _: made)
    monkeypatch.setattr(local_attention_pieces, "operations_for", lambda _: made)
    return made


def attended(trace: Trace, layout: Layout) -> Tensor:
    query, key, value, gates = states_of(trace, queries=layout.queries)
    active = trace.active[:, layout.offset :]
    return attend_in_pieces(query, key, value, gates=gates, active=active, layout=layout, scaling=0.5)


def laid_out(trace: Trace, *, padding: Tensor | None = None, queries: int | None = None) -> Layout:
    number = trace.regions.shape[1] if queries is None else queries
    return lay_out(trace.regions, trace.active, padding=padding, queries=number)


def test_all_kernels_start_before_the_first_merge(recording: Recording) -> None:
    # As in the benchmark: 15 % instruction, 25 % audio, 60 % rest; 0.85 and 0.6 of the result wait.
    trace = extend(None, torch.tensor([[WORD] * 6 + [AUDIO] * 10 + [WORD] * 20 + [SCORE] + [WORD] * 3] * 2), MARKERS)
    attended(trace, laid_out(trace))
    assert recording.done == ["attend 6", "attend 10", "attend 24", "merge 10", "merge 24"]
    assert recording.most_held == 2 * (40 + 34 + 24)


def test_what_waits_is_merged_before_memory_gets_short(recording: Recording) -> None:
    # Runs of 5 positions. Behind the first piece, n queries of 60: 55, then 50 (105 > 1.46 · 60 = 87.6), 45 (95), 40
    # (85 wait together), 35 (120), 30 (65), 25 (90), 20 (45), 15 (60), 10 (70), 5 (75).
    sounds = [AUDIO if number % 2 else WORD for number in range(MOST_RUNS)]
    ids = torch.tensor([[one for sound in sounds for one in [sound] * 5]])
    trace = extend(None, ids, MARKERS)
    trace.active[:, -1] = True
    attended(trace, laid_out(trace))
    told = [one.split()[0] for one in recording.done]
    runs = [(name, len(list(some))) for name, some in itertools.groupby(told)]
    assert runs == [
        ("attend", 2), ("merge", 1),
        ("attend", 1), ("merge", 1),
        ("attend", 2), ("merge", 2),
        ("attend", 2), ("merge", 2),
        ("attend", 5), ("merge", 5),
    ]  # fmt: skip
    assert recording.most_held == 60 + 85
    assert 60 < recording.most_held <= (1 + MOST_WAITING) * 60


def test_the_first_pieces_of_several_sequences_count_among_what_is_held(recording: Recording) -> None:
    rows = [[WORD] * (1 + number) + [AUDIO] * 10 + [SCORE] + [WORD] * (18 - number) for number in range(3)]
    trace = extend(None, torch.tensor(rows), MARKERS)
    attended(trace, laid_out(trace))
    # Each sequence has 30 queries of 90 in all, and two later pieces of nearly as many; the result itself is elsewhere.
    assert sum(one.startswith("attend") for one in recording.done) == 9
    assert 90 < recording.most_held <= MOST_WAITING * 90


RAGGED = torch.tensor(
    [
        [WORD, WORD, AUDIO, AUDIO, AUDIO, WORD, SCORE, WORD, WORD, WORD, WORD, WORD],
        [WORD, WORD, WORD, WORD, WORD, AUDIO, WORD, SCORE, WORD, AUDIO, WORD, WORD],
        [AUDIO, WORD, SCORE, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD, WORD],
    ]
)
PADDING = torch.tensor([[1] * 12, [0] * 3 + [1] * 9, [1] * 7 + [0] * 5]).bool()


@pytest.mark.parametrize("case", ["ragged", "cached", "alike"])
def test_waiting_changes_no_bit_of_sequences_with_padding(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Rows that are alike are one segment, which does not have all queries where they are padded.
    rows = [1, 1, 1] if case == "alike" else [0, 1, 2]
    trace, padding, queries = extend(None, RAGGED[rows], MARKERS), PADDING[rows], 9 if case == "cached" else 12
    allowed = allowed_by(padding, queries)
    states = [one.requires_grad_() for one in states_of(trace, queries=queries)]
    query, key, value, gates = states

    def computed(most: float) -> list[Tensor]:
        monkeypatch.setattr(local_attention_pieces, "MOST_WAITING", most)
        found = biased_attention(query, key, value, bias=Bias(trace, gates), scaling=0.5, padding=padding)
        return [found, *torch.autograd.grad(found.square().sum(), states)]

    at_once = computed(0.0)
    for most in (MOST_WAITING, 100.0):
        assert all(torch.equal(one, other) for one, other in zip(at_once, computed(most), strict=True))
    factors = factors_by_hand(trace, gates, "query")
    assert torch.allclose(at_once[0], multiplied(query, key, value, factors, allowed, 0.5), atol=1e-5)
