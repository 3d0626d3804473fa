import math

import pytest

from aptone.types import Annotation, WeakAnnotation


def test_machines_leave_scores_open() -> None:
    weak = WeakAnnotation()
    assert math.isnan(weak.confidence)
    assert weak.heard.unanswered == Annotation().unanswered


@pytest.mark.parametrize("confidence", [-0.01, 1.01])
def test_a_confidence_is_a_share(confidence: float) -> None:
    with pytest.raises(ValueError, match="between 0 and 1"):
        WeakAnnotation(confidence=confidence)
