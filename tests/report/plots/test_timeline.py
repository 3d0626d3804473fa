import math
import re

import numpy as np
import pytest

from aptone.report.plots.geometry import Frame
from aptone.report.plots.timeline import (
    Axis,
    band_path,
    frequency_ticks,
    line_path,
    note_ticks,
    outline_path,
    reduce_to_columns,
    time_ticks,
)
from tests.tables import for_each

FRAME = Frame(width=1000, height=100, left=0, right=0, top=0, bottom=0)


def _numbers(path: str) -> list[float]:
    return [float(number) for number in re.findall(r"-?[\d.]+", path)]


def test_few_values_stand_at_their_own_times() -> None:
    columns = reduce_to_columns([1.0, 2.0, 3.0], step=0.5, seconds=2.0, columns=100)
    assert columns.at.tolist() == [0.125, 0.375, 0.625]  # 0.25, 0.75 and 1.25 s of 2 s
    assert columns.middle.tolist() == columns.low.tolist() == columns.high.tolist() == [1.0, 2.0, 3.0]
    assert not columns.is_reduced


def test_many_values_become_a_median_and_the_range_of_the_middle_four_fifths() -> None:
    columns = reduce_to_columns(np.arange(11.0).tolist() * 2, step=1.0, seconds=22.0, columns=2)
    # Each half holds 0 to 10: the median is 5, the 10th and the 90th percentile are 1 and 9.
    assert (columns.low.tolist(), columns.middle.tolist(), columns.high.tolist()) == ([1.0] * 2, [5.0] * 2, [9.0] * 2)
    assert columns.at.tolist() == pytest.approx([0.25, 0.75])
    assert columns.is_reduced


def test_what_is_not_finite_is_a_gap_and_does_not_pull_a_column_down() -> None:
    values = [math.nan, 4.0, math.nan, math.nan, math.inf, -math.inf]
    columns = reduce_to_columns(values, step=1.0, seconds=6.0, columns=3)
    assert columns.middle[0] == 4.0
    assert np.isnan(columns.middle[1:]).all()
    assert not columns.is_empty
    assert reduce_to_columns([math.nan, math.inf], step=1.0, seconds=2.0, columns=9).is_empty
    assert reduce_to_columns([], step=1.0, seconds=2.0, columns=9).is_empty


def test_values_behind_the_end_of_the_clip_are_not_drawn() -> None:
    assert reduce_to_columns([1.0] * 9, step=1.0, seconds=2.5, columns=100).at.tolist() == [0.2, 0.6, 1.0]


def test_a_step_so_small_that_no_number_counts_the_values_draws_those_that_are_there() -> None:
    assert reduce_to_columns([1.0, 2.0], step=5e-324, seconds=2.0, columns=4).middle.tolist() == [1.0, 2.0]


def test_a_line_is_broken_at_a_gap() -> None:
    at = np.array([0.0, 0.25, 0.5, 0.75, 1.0])
    path = line_path(FRAME, at, np.array([0.0, 1.0, math.nan, 0.5, 0.5]))
    assert path == "M0 100L250 0M750 50L1000 50"


def test_a_lone_value_is_as_long_as_the_time_that_it_stands_for_and_stays_in_the_frame() -> None:
    at = np.array([0.125, 0.375, 0.625, 0.875])  # four values: each stands for a quarter of the axis
    assert line_path(FRAME, at, np.array([math.nan, 0.5, math.nan, math.nan])) == "M250 50L500 50"
    assert _numbers(line_path(FRAME, np.array([1.0]), np.array([0.5])))[2] == 1000.0


def test_a_single_value_is_a_quarter_of_the_frame_wherever_the_frame_stands() -> None:
    frame = Frame(900, 100, 700, 0, 0, 0)  # 200 wide, far to the right: an eighth to either side of the middle
    assert line_path(frame, np.array([0.5]), np.array([0.5])) == "M775 50L825 50"


def test_a_band_goes_along_its_upper_edge_and_back_along_the_lower() -> None:
    at = np.array([0.0, 1.0])
    assert band_path(FRAME, at, np.array([0.0, 0.1]), np.array([0.5, 0.6])) == "M0 50L1000 40L1000 90L0 100Z"
    assert band_path(FRAME, at, np.array([0.0, math.nan]), np.array([0.5, 0.6])) == ""


def test_the_outline_reaches_from_the_smallest_to_the_largest_sample_of_a_column() -> None:
    samples = np.zeros(40, dtype=np.float32)
    samples[12], samples[17] = 0.5, -0.25  # the second of four columns; the loudest sample fills the frame
    path = outline_path(FRAME, samples, columns=4)
    upper, lower = np.array(_numbers(path)).reshape(2, 4, 2)
    assert upper[1, 1] == 0.0  # + 0.5 of 0.5: the top
    assert lower[::-1][1, 1] == 75.0  # - 0.25 of 0.5: half of the way from the middle to the bottom
    assert upper[0, 1] == 49.5  # silence: a line of one unit
    assert lower[::-1][0, 1] == 50.5


@for_each("size", [1, 2, 39, 1000])
def test_short_and_silent_sounds_have_an_outline(size: int) -> None:
    path = outline_path(FRAME, np.zeros(size, dtype=np.float32), columns=500)
    assert all(0 <= number <= 1000 for number in _numbers(path))
    assert bool(path) == (size > 1)


@for_each(
    ("seconds", "last"),
    [(0.2, "0.2 s"), (3.0, "3 s"), (59.0, "55 s"), (90.0, "1:30"), (600.0, "10:00"), (7200.0, "2:00:00")],
)
def test_times_are_round_and_their_labels_have_room(seconds: float, last: str) -> None:
    ticks = time_ticks(FRAME, seconds)
    assert ticks[0].at == 0.0
    assert ticks[-1].label == last
    assert 5 <= len(ticks) <= 20
    gaps = np.diff([tick.at for tick in ticks])
    assert gaps.min() >= 49
    assert np.ptp(gaps) < 0.1  # equal but for rounding


def test_a_frequency_stands_where_its_logarithm_says() -> None:
    ticks = {tick.label: tick.at for tick in frequency_ticks(FRAME, Axis(50.0, 800.0, logarithmic=True))}
    # Four octaves on 100 units: an octave is 25 high, and 100 Hz is one above the bottom.
    assert ticks["100"] == 75.0
    assert ticks["200"] == 50.0
    assert list(ticks) == ["50", "100", "200", "500"]  # from 200 to 300 Hz it is 14.6 units: too near for a label


def test_notes_stand_at_their_own_frequencies() -> None:
    ticks = {tick.label: tick.at for tick in note_ticks(FRAME, Axis(220.0, 880.0, logarithmic=True))}
    # Two octaves from A3 to A5 on 100 units: C4 lies 3 semitones of 24 above the bottom, C5 15.
    assert ticks["C4"] == pytest.approx(100 - 100 * 3 / 24)
    assert ticks["C5"] == pytest.approx(100 - 100 * 15 / 24)
    assert set(ticks) == {"C4", "G4", "C5", "G5"}
    tall = Frame(1000, 500, 0, 0, 0, 0)
    assert {"A3", "B3", "C4", "D4"} <= {tick.label for tick in note_ticks(tall, Axis(220.0, 440.0, logarithmic=True))}


def test_the_path_of_two_hours_is_no_longer_than_that_of_a_minute() -> None:
    sizes = []
    for count in (6_000, 720_000):
        values = 200 + 50 * np.sin(np.arange(count))
        columns = reduce_to_columns(values, step=0.01, seconds=count / 100, columns=900)
        sizes.append(len(line_path(FRAME, columns.at, Axis(100.0, 300.0).parts(columns.middle))))
    assert max(sizes) < 12_000
