"""Ratings as tables: the largest block without a gap."""

import itertools

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from aptone.studio.agreement.items import complete_block, rating_table


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=7))
def test_the_block_has_no_gap_and_is_everything_where_nothing_is_missing(given_: list[list[bool]]) -> None:
    table = {
        f"i{row}": {rater: float(row) for rater, is_given in zip("abcd", marks, strict=True) if is_given}
        for row, marks in enumerate(given_)
    }
    table = {item: by for item, by in table.items() if by}
    if not table:
        return
    block = complete_block(rating_table(table))
    assert not np.isnan(block.table).any()
    assert block.table.shape == ((len(block.items), len(block.raters)) if block.raters else (0, 0))
    everybody = {rater for by in table.values() for rater in by}
    if len(table) > 1 and len(everybody) > 1 and all(set(by) == everybody for by in table.values()):
        assert (len(block.items), len(block.raters)) == (len(table), len(everybody))
    shared = [sum(set(pair) <= set(by) for by in table.values()) for pair in itertools.combinations("abcd", 2)]
    assert bool(block.raters) == (max(shared) >= 2)
    assert block.table.size >= (2 * max(shared) if max(shared) >= 2 else 0)
