"""Regions, active spans and gates of the attention bias."""

import pytest

pytest.importorskip("torch", reason="the bias needs torch: pip install 'aptone[local]'")

import itertools
import math

import torch
from hypothesis import given
from hypothesis import strategies as st

from aptone.models.omni.attention import Trace, Tracker, extend, log_gates
from aptone.models.omni.attention_layout import Markers, Region
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

SEQUENCE = st.lists(st.sampled_from([AUDIO, SCORE, SCORE_END, FOCUS, FOCUS_END, WORD]), min_size=1, max_size=24)


def by_hand(ids: list[int]) -> tuple[list[int], list[bool]]:
    """Regions and active positions, one token after the other."""
    opened: set[int] = set()
    regions, active, heard = [], [], False
    for token in ids:
        active.append(bool(opened))
        heard = heard or token == AUDIO
        regions.append(Region.AUDIO if token == AUDIO else Region.REST if heard else Region.INSTRUCTION)
        for opening, closing in ((SCORE, SCORE_END), (FOCUS, FOCUS_END)):
            if token == opening:
                opened.add(opening)
            elif token == closing:
                opened.discard(opening)
    return [int(region) for region in regions], active


def test_the_opening_token_is_not_active_and_the_closing_one_is() -> None:
    trace = extend(None, torch.tensor([[WORD, AUDIO, SCORE, WORD, SCORE_END, WORD]]), MARKERS)
    assert trace.active.tolist() == [[False, False, False, True, True, False]]
    assert trace.regions.tolist() == [[0, 1, 2, 2, 2, 2]]
    assert not trace.inside.any()


def test_a_span_that_is_never_closed_runs_to_the_end() -> None:
    trace = extend(None, torch.tensor([[FOCUS, WORD, SCORE_END, WORD]]), MARKERS)
    assert trace.active.tolist() == [[False, True, True, True]], "the end of another span closes nothing"
    assert trace.inside.tolist() == [[False, True]]


def test_several_tokens_may_belong_to_the_audio() -> None:
    begin, end = 8, 9
    marked = Markers(audio=(begin, AUDIO, end), spans=MARKERS.spans)
    trace = extend(None, torch.tensor([[WORD, begin, AUDIO, end, WORD]]), marked)
    assert trace.regions.tolist() == [[0, 1, 1, 1, 2]]


@patiently
@given(ids=SEQUENCE, cuts=st.lists(st.integers(1, 23), max_size=4))
def test_in_one_go_or_in_pieces_it_is_what_a_loop_finds(ids: list[int], cuts: list[int]) -> None:
    regions, active = by_hand(ids)
    whole = extend(None, torch.tensor([ids]), MARKERS)
    assert whole.regions.tolist() == [regions]
    assert whole.active.tolist() == [active]
    trace: Trace | None = None
    borders = sorted({0, len(ids), *(cut for cut in cuts if cut < len(ids))})
    for begin, end in itertools.pairwise(borders):
        trace = extend(trace, torch.tensor([ids[begin:end]]), MARKERS)
    assert trace is not None
    assert trace.regions.tolist() == [regions]
    assert trace.active.tolist() == [active]
    assert trace.inside.tolist() == whole.inside.tolist()


@pytest.mark.parametrize("markers", [MARKERS, PAPER])
@patiently
@given(ids=SEQUENCE)
def test_token_by_token_it_is_what_it_is_in_one_go(markers: Markers, ids: list[int]) -> None:
    whole, trace = extend(None, torch.tensor([ids]), markers), extend(None, torch.tensor([ids[:1]]), markers)
    for token in ids[1:]:
        trace = extend(trace, torch.tensor([[token]]), markers)
    for found, expected in zip((trace.regions, trace.active, trace.inside),
                               (whole.regions, whole.active, whole.inside), strict=True):  # fmt: skip
        assert torch.equal(found, expected)


@patiently
@given(rows=st.lists(SEQUENCE, min_size=2, max_size=4))
def test_a_row_does_not_depend_on_its_neighbours(rows: list[list[int]]) -> None:
    length = max(map(len, rows))
    padded = torch.tensor([[WORD] * (length - len(row)) + row for row in rows])
    together = extend(None, padded, MARKERS)
    for row, regions, active in zip(rows, together.regions.tolist(), together.active.tolist(), strict=True):
        assert (regions[length - len(row) :], active[length - len(row) :]) == by_hand(row)


def test_a_tracker_goes_on_where_sequences_go_on_and_begins_anew_where_they_do_not() -> None:
    tracker = Tracker(MARKERS)
    grown = torch.tensor([[AUDIO, SCORE, WORD], [AUDIO, WORD, SCORE]])
    swapped = grown[[1, 0]]  # as a beam search does
    for ids in (grown[:, :1], grown[:, :2], grown, swapped, swapped[:1], grown[:, :2]):
        expected = extend(None, ids, MARKERS)
        found = tracker(ids)
        assert torch.equal(found.regions, expected.regions)
        assert torch.equal(found.active, expected.active)
        assert torch.equal(found.inside, expected.inside)


def test_gates_are_two_s_one_plus_s_and_s() -> None:
    # s(0) = 0.5: 2·0.5 = 1, 1 + 0.5 = 1.5, and 0.5; s(ln 3) = 0.75: 1.5, 1.75, 0.75
    for value, expected in ((0.0, [1.0, 1.5, 0.5]), (math.log(3), [1.5, 1.75, 0.75])):
        one = torch.full((1, 1, 1), value)
        assert log_gates(one, one, one).exp()[0, 0].tolist() == pytest.approx(expected)


def test_a_gate_that_is_all_but_shut_is_still_a_number() -> None:
    shut = torch.full((1, 1, 1), -500.0)
    assert torch.isfinite(log_gates(shut, shut, shut)).all()


def test_in_the_paper_s_form_only_the_reasoning_is_suppressed_and_the_rest_keeps_its_factor() -> None:
    ids = [WORD, BEGIN, AUDIO, END, WORD, THINK, WORD, FOCUS, WORD, FOCUS_END, THINK_END, SCORE, WORD, SCORE_END]
    trace = extend(None, torch.tensor([ids]), PAPER)
    told, heard, held, base = (int(region) for region in Region)
    assert trace.regions.tolist() == [[told, heard, heard, heard, base, *[held] * 6, base, base, base]]
    # Behind <t>, up to and including </t>; the score is not active, unlike in the release.
    assert trace.active.tolist() == [[*[False] * 6, *[True] * 5, False, False, False]]
    grown = extend(extend(None, torch.tensor([ids[:7]]), PAPER), torch.tensor([ids[7:]]), PAPER)
    assert torch.equal(grown.regions, trace.regions)
    assert torch.equal(grown.active, trace.active)
