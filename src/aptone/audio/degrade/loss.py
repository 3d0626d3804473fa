"""Samples that are lost: peaks clipped by overdrive, packets dropped in bursts."""

import math

import numpy as np

from aptone.errors import UsageError
from aptone.types import Audio


def clip(audio: Audio, *, level: float) -> Audio:
    """The clip with every sample held between -level and level (hard clipping), linear, where full scale is 1.

    Above the clip's peak nothing changes.

    Raises:
        UsageError: if the level is not a positive number.

    >>> clip(Audio(np.array([0.2, -0.9], dtype=np.float32), rate=16_000), level=0.5).samples.tolist()
    [0.20000000298023224, -0.5]
    """
    if not (math.isfinite(level) and level > 0):
        raise UsageError(f"a clipping level is above 0, got {level}; full scale is 1.")
    return Audio(np.clip(audio.samples, -level, level), rate=audio.rate, source=audio.source)


def drop_outs(
    audio: Audio,
    *,
    share: float,
    seed: int | np.random.Generator,
    packet_seconds: float = 0.02,
    mean_burst_packets: float = 3.0,
) -> Audio:
    """The clip with a share of its packets silenced, as when a network loses them and nothing conceals it.

    The clip is cut into packets; round(share × packets) of them become zeros. They come in bursts of geometrically
    distributed length, as in Gilbert's two-state channel (Gilbert 1960), with at least one packet that arrives between
    two bursts where enough arrive.

    Args:
        share: share of the packets that are lost, 0 to 1; exact to within one packet of time.
        seed: random seed of the places, or a generator.
        mean_burst_packets: mean length of a burst, at least 1.

    Raises:
        UsageError: if an option lies outside its range.
    """
    if not 0 <= share <= 1:
        raise UsageError(f"the share of lost time lies between 0 and 1, got {share}.")
    if not (math.isfinite(packet_seconds) and round(packet_seconds * audio.rate) >= 1):
        raise UsageError(f"a packet holds at least one sample, got {packet_seconds} s at {audio.rate} Hz.")
    if not (math.isfinite(mean_burst_packets) and mean_burst_packets >= 1):
        raise UsageError(f"a burst loses at least one packet, got a mean of {mean_burst_packets}.")
    packet = round(packet_seconds * audio.rate)
    packets = math.ceil(audio.samples.size / packet)
    lost = lost_packets(
        packets, lost=round(share * packets), mean_burst=mean_burst_packets, generator=np.random.default_rng(seed)
    )
    gone = np.repeat(lost, packet)[: audio.samples.size]
    return Audio(np.where(gone, np.float32(0), audio.samples), rate=audio.rate, source=audio.source)


def lost_packets(
    packets: int, *, lost: int, mean_burst: float, generator: np.random.Generator
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Sample the packets that are lost: exactly ``lost`` of them, in bursts."""
    bursts: list[int] = []
    missing = lost
    while missing > 0:
        bursts.append(min(missing, int(generator.geometric(1 / mean_burst))))
        missing -= bursts[-1]
    kept = packets - lost
    while len(bursts) > kept + 1:
        # Too few packets arrive to stand between all bursts: two bursts become one.
        last = bursts.pop()
        bursts[int(generator.integers(len(bursts)))] += last
    # Each inner gap has one packet for sure; the others are dealt out by choosing where the dividers stand.
    inner = max(0, len(bursts) - 1)
    free = kept - inner
    dividers = np.sort(generator.choice(free + len(bursts), size=len(bursts), replace=False)) - np.arange(len(bursts))
    mask = np.zeros(packets, dtype=np.bool_)
    position = 0
    for index, burst in enumerate(bursts):
        begin = int(dividers[index]) + index + position
        mask[begin : begin + burst] = True
        position += burst
    return mask
