import pytest

pytest.importorskip("torch", reason="the bias needs torch: pip install 'aptone[local]'")

from types import SimpleNamespace
from typing import Any

import torch
from hypothesis import given
from hypothesis import strategies as st
from torch import Tensor

from aptone.models.omni import attention as local_attention
from aptone.models.omni.attention import Bias, GatePosition, biased_attention, extend
from aptone.models.omni.attention_layout import Markers, Region, lay_out
from aptone.models.omni.attention_pieces import LONG_ENOUGH, MOST_RUNS, is_worth_pieces
from tests.models.attention_definition import allowed_by, factors_by_hand, multiplied, states_of
from tests.models.attention_tokens import (
    AUDIO,
    BEGIN,
    END,
    FOCUS,
    FOCUS_END,
    MARKERS,
    PAPER,
    SCORE,
    SCORE_END,
    THINK,
    THINK_END,
    WORD,
    patiently,
)

PROMPT = st.lists(st.just(WORD), max_size=4)
SOUND = st.integers(1, 4).map(lambda number: [BEGIN, *[AUDIO] * number, END])
REPLY = st.lists(st.sampled_from([SCORE, SCORE_END, FOCUS, FOCUS_END, THINK, THINK_END, WORD]), min_size=1, max_size=8)
TALK = st.tuples(PROMPT, SOUND, REPLY).map(lambda parts: [*parts[0], *parts[1], *parts[2]])


@patiently
@given(
    rows=st.lists(TALK, min_size=1, max_size=3),
    side=st.sampled_from(["left", "right"]),
    cached=st.integers(0, 6),
    position=st.sampled_from(["query", "key"]),
    markers=st.sampled_from([MARKERS, PAPER]),
    way=st.sampled_from(["pieces", "columns"]),
)
def test_it_is_what_the_definition_gives_however_sequences_are_padded_and_cached(
    rows: list[list[int]], side: str, cached: int, position: GatePosition, markers: Markers, way: str
) -> None:
    keys = max(map(len, rows))
    blank = [[WORD] * (keys - len(row)) for row in rows]
    ids = [[*pad, *row] if side == "left" else [*row, *pad] for pad, row in zip(blank, rows, strict=True)]
    real = [[0] * len(pad) + [1] * len(row) for pad, row in zip(blank, rows, strict=True)]
    padding = torch.tensor(real if side == "left" else [one[::-1] for one in real]).bool()
    queries = max(1, keys - cached)
    trace = extend(None, torch.tensor(ids), markers)
    query, key, value, gates = states_of(trace, queries=queries)
    expected = multiplied(query, key, value, factors_by_hand(trace, gates, position), allowed_by(padding, queries), 0.5)
    with pytest.MonkeyPatch.context() as patch:
        if way == "columns":
            patch.setattr(local_attention, "is_worth_pieces", lambda *_, **__: False)
        found = biased_attention(
            query, key, value, bias=Bias(trace, gates, position), padding=padding, scaling=0.5, layout=None
        )
    looks = padding[:, keys - queries :, None].unsqueeze(1)
    assert torch.allclose(found * looks, expected * looks, atol=2e-5)
    assert torch.isfinite(found).all()


def test_gradients_of_what_is_cached_behind_padding_lie_where_their_keys_lie() -> None:
    ids = torch.tensor([[WORD, WORD, WORD, AUDIO, AUDIO, SCORE, WORD, WORD]] * 2)
    padding = torch.tensor([[0, 0, *[1] * 6]] * 2).bool()
    trace = extend(None, ids, MARKERS)
    states = [tensor.requires_grad_() for tensor in states_of(trace, queries=3, dtype=torch.float64)]
    query, key, value, gates = states
    found = biased_attention(query, key, value, bias=Bias(trace, gates), padding=padding, scaling=0.5)
    factors = Bias(trace, gates).log_factors().exp()
    expected = multiplied(query, key, value, factors, allowed_by(padding, 3), 0.5)
    for one, other in zip(
        torch.autograd.grad(found.square().sum(), states),
        torch.autograd.grad(expected.square().sum(), states),
        strict=True,
    ):
        assert torch.allclose(one, other, atol=1e-9)


@pytest.mark.parametrize("way", ["pieces", "columns"])
@pytest.mark.parametrize("markers", [MARKERS, PAPER])
def test_gradients_reach_queries_keys_values_and_gates_as_the_definition_has_them(
    way: str, markers: Markers, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = [
        [WORD, BEGIN, AUDIO, END, THINK, FOCUS, WORD, FOCUS_END],
        [WORD, WORD, WORD, AUDIO, WORD, SCORE, WORD, WORD],
    ]
    padding = torch.tensor([[1] * 8, [0, 0, *[1] * 6]]).bool()
    trace = extend(None, torch.tensor(rows), markers)
    states = [tensor.requires_grad_() for tensor in states_of(trace, queries=8, dtype=torch.float64)]
    if way == "columns":
        monkeypatch.setattr(local_attention, "is_worth_pieces", lambda *_, **__: False)

    def attended(query: Tensor, key: Tensor, value: Tensor, gates: Tensor) -> Tensor:
        return biased_attention(query, key, value, bias=Bias(trace, gates), padding=padding, scaling=0.5)

    query, key, value, gates = states
    active = trace.active[:, :, None]
    factors = Bias(trace, torch.where(active, gates, 0.0)).log_factors().exp()
    weights = torch.randn(2, 4, 8, 8, generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    weights = weights * padding[:, None, :, None]
    expected = multiplied(query, key, value, factors, allowed_by(padding, 8), 0.5)
    found = attended(*states)
    for one, other, name in zip(
        torch.autograd.grad((found * weights).sum(), states),
        torch.autograd.grad((expected * weights).sum(), states),
        ("query", "key", "value", "gates"),
        strict=True,
    ):
        assert torch.allclose(one, other, atol=1e-9), name
        assert one.abs().max() > 0, name


@pytest.mark.parametrize("position", ["query", "key"])
def test_in_half_precision_it_is_off_by_no_more_than_the_definition_itself(position: GatePosition) -> None:
    ids = torch.tensor([[WORD] * 10 + [AUDIO] * 20 + [SCORE] + [WORD] * 17])
    trace = extend(None, ids, MARKERS)
    query, key, value, gates = states_of(trace, queries=48, dtype=torch.bfloat16)
    factors = Bias(trace, gates, position).log_factors().exp()
    exact = multiplied(query.float(), key.float(), value.float(), factors, torch.ones(1, 48, 48).tril().bool(), 0.5)
    found = biased_attention(query, key, value, bias=Bias(trace, gates, position), scaling=0.5).float()
    # Two roundings to 8 bits of values below 4: 2 · 4 · 2⁻⁹
    assert float((found - exact).abs().max()) < 2 * 4 * 2**-9


def test_no_tensor_has_a_number_for_each_pair_of_positions() -> None:
    from torch.utils._python_dispatch import TorchDispatchMode

    length, largest = 512, 0

    class Watching(TorchDispatchMode):  # type: ignore[no-untyped-call]
        def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
            nonlocal largest
            made = func(*args, **(kwargs or {}))
            for one in made if isinstance(made, tuple | list) else (made,):
                if isinstance(one, Tensor):
                    largest = max(largest, one.untyped_storage().nbytes())
            return made

    ids = torch.tensor([[WORD] * 64 + [AUDIO] * 128 + [SCORE] + [WORD] * (length - 193)])
    trace = extend(None, ids, MARKERS)
    query, key, value, gates = (tensor.requires_grad_() for tensor in states_of(trace, queries=length))
    with Watching():  # type: ignore[no-untyped-call]
        torch.autograd.grad(
            biased_attention(query, key, value, bias=Bias(trace, gates), scaling=0.5).sum(), (query, gates)
        )
    # four heads of eight numbers in 4 bytes for each position, and nowhere near length² · 4 bytes
    assert largest <= length * 4 * 8 * 4 < length * length


def test_there_is_a_piece_for_each_stretch_of_a_region_and_the_first_has_all_queries() -> None:
    ids = torch.tensor([[WORD, WORD, AUDIO, AUDIO, WORD, SCORE, WORD, WORD]])
    trace = extend(None, ids, MARKERS)
    layout = lay_out(trace.regions, trace.active, padding=None, queries=8)
    assert [(one.queries, one.keys, one.region) for one in layout.pieces] == [
        ((0, 8), (0, 2), Region.INSTRUCTION),
        ((2, 8), (2, 4), Region.AUDIO),
        ((4, 8), (4, 8), Region.REST),
    ]
    assert [one.is_first for one in layout.pieces] == [True, False, False]
    assert {one.first for one in layout.pieces} == {Region.INSTRUCTION}
    # Of what is cached, keys alone take part: the queries are the last three positions.
    cached = lay_out(trace.regions, trace.active, padding=None, queries=3)
    assert [(one.queries, one.keys, one.is_causal) for one in cached.pieces] == [
        ((0, 3), (0, 2), False),
        ((0, 3), (2, 4), False),
        ((0, 3), (4, 5), False),
        ((0, 3), (5, 8), True),
    ]


def test_a_sequence_without_an_active_query_is_one_piece() -> None:
    trace = extend(None, torch.tensor([[WORD, AUDIO, WORD]]), MARKERS)
    layout = lay_out(trace.regions, trace.active, padding=None, queries=3)
    (piece,) = layout.pieces
    assert (piece.queries, piece.keys, piece.region) == ((0, 3), (0, 3), Region.BASE)


def test_rows_that_are_laid_out_alike_are_computed_together() -> None:
    alike = [WORD, AUDIO, SCORE, WORD]
    trace = extend(None, torch.tensor([alike, alike, [AUDIO, AUDIO, SCORE, WORD], alike]), MARKERS)
    layout = lay_out(trace.regions, trace.active, padding=None, queries=4)
    assert [segment.rows for segment in layout.segments] == [(0, 2), (2, 3), (3, 4)]


def test_many_short_sequences_of_different_length_are_computed_at_once() -> None:
    rows = [[WORD] * (number + 1) + [AUDIO] * 3 + [SCORE] + [WORD] * (8 - number) for number in range(8)]
    padding = torch.ones(8, 13, dtype=torch.bool)
    padding[3, :2] = padding[5, 10:] = False
    trace = extend(None, torch.tensor(rows), MARKERS)
    layout = lay_out(trace.regions, trace.active, padding=padding, queries=13)
    query, key, value, gates = states_of(trace, queries=13)
    assert not is_worth_pieces(query, layout, is_biased=True)
    found = biased_attention(query, key, value, bias=Bias(trace, gates), scaling=0.5, padding=padding, layout=layout)
    factors = factors_by_hand(trace, gates, "query")
    expected = multiplied(query, key, value, factors, allowed_by(padding, 13), 0.5)
    looks = padding[:, None, :, None]
    assert torch.allclose(found * looks, expected * looks, atol=2e-5)


@pytest.mark.parametrize(
    ("length", "is_biased", "is_worth_it"),
    [(LONG_ENOUGH - 1, True, False), (LONG_ENOUGH, True, True), (LONG_ENOUGH - 1, False, True)],
)
def test_on_a_gpu_only_long_sequences_with_a_bias_fall_into_pieces(
    length: int, is_biased: bool, is_worth_it: bool
) -> None:
    trace = extend(None, torch.tensor([[WORD, AUDIO, *[WORD] * (length - 2)]]), MARKERS)
    layout = lay_out(trace.regions, trace.active, padding=None, queries=length)
    on_gpu: Any = SimpleNamespace(device=torch.device("cuda"), dtype=torch.bfloat16, shape=(1, 4, length, 128))
    assert is_worth_pieces(on_gpu, layout, is_biased=is_biased) is is_worth_it


@pytest.mark.parametrize("position", ["query", "key"])
def test_padding_hides_in_every_precision(position: GatePosition) -> None:
    # In 16 bits numbers end at 65504; with heads as wide as those of the 7B, -1e4 / scaling lies beyond: -113137.
    trace = extend(None, torch.tensor([[WORD] * 8 + [AUDIO] * 3 + [SCORE] + [WORD] * 4] * 8), MARKERS)
    padding = torch.arange(16) >= torch.arange(8)[:, None]  # each row begins one position later
    query, key, value, gates = states_of(trace, queries=16)
    bias, scaling = Bias(trace, gates, position), 128**-0.5
    factors = factors_by_hand(trace, gates, position)
    expected = multiplied(query, key, value, factors, allowed_by(padding, 16), scaling)
    for dtype in (torch.float32, torch.bfloat16, torch.float16):
        states = (one.to(dtype) for one in (query, key, value))
        found = biased_attention(*states, bias=bias, scaling=scaling, padding=padding)
        assert torch.isfinite(found).all()
        # Roundings of queries, keys, values below 4 and of the result, each half a unit of the last place
        looks = padding[:, None, :, None]
        assert float(((found - expected) * looks).abs().max()) < 4 * 4 * torch.finfo(dtype).eps


def test_padding_among_cached_keys_has_no_gradient() -> None:
    ids = torch.tensor([[WORD, WORD, WORD, AUDIO, SCORE, WORD, WORD, WORD]])
    padding = torch.tensor([[0, 0, *[1] * 6]]).bool()
    trace = extend(None, ids, MARKERS)
    query, key, value, gates = (one.requires_grad_() for one in states_of(trace, queries=3))
    torch.use_deterministic_algorithms(True)  # what nobody has written is then no number
    try:
        found = biased_attention(query, key, value, bias=Bias(trace, gates), padding=padding, scaling=0.5)
        of_key, of_value = torch.autograd.grad(found.sum(), (key, value))
    finally:
        torch.use_deterministic_algorithms(False)
    assert (of_key[:, :, :2] == 0).all()
    assert (of_value[:, :, :2] == 0).all()
    assert torch.isfinite(of_key).all()


def test_regions_that_change_all_the_time_go_another_way_to_the_same_result() -> None:
    ids = torch.tensor([[AUDIO, WORD] * MOST_RUNS + [SCORE, WORD, WORD]])
    trace = extend(None, ids, MARKERS)
    query, key, value, gates = states_of(trace, queries=ids.shape[1])
    found = biased_attention(query, key, value, bias=Bias(trace, gates), scaling=0.5)
    allowed = torch.ones(1, ids.shape[1], ids.shape[1]).tril().bool()
    assert torch.allclose(
        found, multiplied(query, key, value, factors_by_hand(trace, gates, "query"), allowed, 0.5), atol=1e-5
    )


def test_a_mask_with_holes_is_refused() -> None:
    nothing = torch.zeros(1, 4, dtype=torch.long)
    with pytest.raises(ValueError, match="stand together"):
        lay_out(nothing, nothing.bool(), padding=torch.tensor([[1, 0, 1, 1]]), queries=4)


@patiently
@given(lengths=st.lists(st.integers(1, 6), min_size=1, max_size=3), queries=st.integers(1, 6))
def test_without_a_bias_it_is_plain_attention(lengths: list[int], queries: int) -> None:
    keys = max(lengths)
    queries = min(queries, keys)
    padding = torch.tensor([[0] * (keys - length) + [1] * length for length in lengths]).bool()
    trace = extend(None, torch.full((len(lengths), keys), WORD), MARKERS)
    query, key, value, _ = states_of(trace, queries=queries)
    found = biased_attention(query, key, value, bias=None, scaling=0.5, padding=padding)
    factors = torch.ones(len(lengths), queries, keys)
    expected = multiplied(query, key, value, factors, allowed_by(padding, queries), 0.5)
    looks = padding[:, keys - queries :, None].unsqueeze(1)
    assert torch.allclose(found * looks, expected * looks, atol=1e-5)
