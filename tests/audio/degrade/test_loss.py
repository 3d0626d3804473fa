"""Lost packets."""

import math
import time

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aptone.audio import drop_outs, from_array
from aptone.audio.degrade.noise import lost_packets
from aptone.errors import UsageError
from tests.tables import for_each

AUDIO = from_array(np.full(16_000, 0.5), rate=16_000, source="x")  # 50 packets of 320 samples


@for_each("share", [0.0, 0.05, 0.1, 0.33, 0.9, 1.0])
def test_the_share_of_lost_time_is_exact_to_a_packet(share: float) -> None:
    heard = drop_outs(AUDIO, share=share, seed=1).samples
    assert abs(np.mean(heard == 0) - share) <= 320 / 16_000
    assert set(np.unique(heard)) <= {0.0, 0.5}


def test_what_is_lost_are_whole_packets_and_the_rest_is_untouched() -> None:
    heard = drop_outs(AUDIO, share=0.2, seed=7)
    by_packet = heard.samples.reshape(50, 320)
    assert np.all(by_packet == by_packet[:, :1])
    assert np.count_nonzero(by_packet[:, 0] == 0) == 10  # 0.2 × 50
    assert (heard.rate, heard.source) == (16_000, "x")


def test_the_same_seed_loses_the_same_packets() -> None:
    assert drop_outs(AUDIO, share=0.2, seed=3) == drop_outs(AUDIO, share=0.2, seed=3)
    assert drop_outs(AUDIO, share=0.2, seed=3) == drop_outs(AUDIO, share=0.2, seed=np.random.default_rng(3))
    assert drop_outs(AUDIO, share=0.2, seed=3) != drop_outs(AUDIO, share=0.2, seed=4)


def test_bursts_have_the_mean_length_asked_for() -> None:
    for mean in (1.0, 4.0):
        lost = lost_packets(200_000, lost=20_000, mean_burst=mean, generator=np.random.default_rng(0))
        bursts = np.count_nonzero(np.diff(lost.astype(int)) == 1) + int(lost[0])
        assert 20_000 / bursts == pytest.approx(mean, rel=0.05)


@given(st.integers(1, 60), st.floats(0, 1), st.integers(0, 1_000))
def test_exactly_as_many_packets_are_lost_as_asked(packets: int, share: float, seed: int) -> None:
    lost = round(share * packets)
    mask = lost_packets(packets, lost=lost, mean_burst=1.5, generator=np.random.default_rng(seed))
    assert mask.size == packets
    assert np.count_nonzero(mask) == lost


@for_each(
    "options",
    [
        {"share": -0.1},
        {"share": 1.1},
        {"share": math.nan},
        {"share": 0.1, "packet_seconds": 0.0},
        {"share": 0.1, "packet_seconds": math.inf},
        {"share": 0.1, "mean_burst_packets": 0.5},
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(UsageError, match=r"share|packet"):
        drop_outs(AUDIO, seed=0, **options)


def test_an_hour_of_lost_packets_is_drawn_in_no_time() -> None:
    # 2 h in packets of 10 ms, half lost one by one: 360,000 bursts, whose squares would be 10^11 steps
    began = time.process_time()
    mask = lost_packets(720_000, lost=360_000, mean_burst=1.0, generator=np.random.default_rng(0))
    assert int(mask.sum()) == 360_000
    assert time.process_time() - began < 30.0
