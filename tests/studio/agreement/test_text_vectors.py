"""Vectors of what raters wrote."""

import numpy as np
import pytest

from aptone.studio.agreement import controls as module
from aptone.studio.agreement.controls import text_vectors


def test_what_is_kept_is_bounded_and_the_same_when_it_is_made_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_kept", {})
    monkeypatch.setattr(module, "MOST_KEPT", 2)
    first = text_vectors(["calm", "angry"])
    assert set(module._kept) == {"calm", "angry"}
    assert set(text_vectors(["calm", "rain"])) == {"calm", "rain"}
    assert set(module._kept) == {"rain"}
    assert np.array_equal(text_vectors(["calm"])["calm"], first["calm"])
    assert np.isnan(text_vectors([" "])[" "]).all()
