"""Where the frames of the network lie."""

import numpy as np

from aptone.ear.network.filter_bank import BANK_SPAN, BANK_STEP, RATE, STEP, bank_count, frame_centres, frame_count
from tests.tables import for_each


def test_the_last_filter_bank_frame_lies_within_the_samples_and_a_further_one_would_not() -> None:
    for samples in (400, 559, 560, 561, 16_000, 192_000, 192_160):
        count = bank_count(samples)
        assert (count - 1) * BANK_STEP + BANK_SPAN <= samples < count * BANK_STEP + BANK_SPAN


@for_each("samples", [0, 1, 399, 400])
def test_less_than_a_frame_is_one_frame(samples: int) -> None:
    assert bank_count(samples) == frame_count(samples) == 1


def test_a_second_has_ninety_eight_filter_bank_frames_and_forty_nine_of_the_network() -> None:
    assert bank_count(RATE) == 98  # (16,000 - 400) / 160 = 97.5: frames 0 to 97
    assert frame_count(RATE) == 49


def test_a_filter_bank_frame_without_a_second_one_is_a_frame_nevertheless() -> None:
    assert [frame_count(400 + 160 * more) for more in range(5)] == [1, 1, 2, 2, 3]


def test_the_middle_of_a_frame_is_that_of_its_first_filter_bank_frame() -> None:
    # frame i begins with filter-bank frame 2 i, at sample 320 i, and that is 400 samples long
    centres = frame_centres(frame_count(RATE))
    assert centres.tolist() == [320 * number + 200 for number in range(49)]
    assert np.diff(centres).tolist() == [STEP] * 48
    assert frame_centres(0).size == 0
