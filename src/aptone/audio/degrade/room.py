"""A voice at the other end of a room, by the image-source method.

A box-shaped room mirrors a source into a lattice of images; each arrives after distance / c, weaker by 1 / distance
and by the wall's reflection for every wall on its way (Allen & Berkley 1979). Departures, each with its reason:
    - The reflection coefficient is negative, so that images do not pile up at low frequencies and no high-pass is
      needed (Lehmann & Johansson 2008).
    - Images of second and higher order are displaced by up to 8 cm at random, which breaks up the sweeping echoes of a
      perfect box (De Sena et al. 2015), and then rounded to whole samples.
    - The coefficient is not taken from Sabine's or Eyring's formula, which hold for diffuse fields and not for a box
      with equal walls, but found by bisection on the energy decay of the very lattice that is used.
"""

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from aptone.audio.degrade.filtering import audible_rms, convolve, rms
from aptone.errors import UsageError
from aptone.types import Audio

METRES_PER_SECOND = 343.0
DEFAULT_ROOM = (6.0, 5.0, 3.0)
MAX_RT60 = 2.0  # seconds: the number of images grows with the cube of it
_FROM_WALL = 0.3
_DISPLACEMENT = 0.08
_BIN_SECONDS = 0.002
_FEWEST_WALLS = 11
_MOST_IMAGES = 3e7
Values = npt.NDArray[np.float64]
Room = tuple[float, float, float]  # length, width and height in metres


class _Images(NamedTuple):
    distances: Values
    orders: npt.NDArray[np.int64]


def far_field(
    audio: Audio, *, rt60: float, distance: float, seed: int | np.random.Generator, room: Room = DEFAULT_ROOM
) -> Audio:
    """The clip as a microphone hears it across a room, at the same rate and length.

    The direct sound stays where it is in time, so that input and output are aligned; what still sounds after the clip's
    end is cut off. The result is scaled to the root mean square of the input.

    Args:
        rt60: reverberation time: seconds in which the sound falls by 60 dB; above 0.05, at most 2.
        distance: metres from the mouth to the microphone; the further, the less direct sound.
        seed: random seed of the two places in the room, or a generator.
        room: length, width and height in metres.

    Raises:
        UsageError: if the distance or the reverberation time does not go with the room, or a number is out of range.
        AudioError: if the clip is silent.
    """
    audible_rms(audio)  # before a room is made that nothing will sound in
    return in_room(audio, room_response(rate=audio.rate, rt60=rt60, distance=distance, seed=seed, room=room))


def in_room(audio: Audio, response: Values) -> Audio:
    """The clip in a room by its `room_response` at the clip's rate, as `far_field` gives it.

    Raises:
        AudioError: if the clip is silent.
    """
    level = audible_rms(audio)
    heard = convolve(audio.samples, response)
    return Audio((heard * (level / rms(heard))).astype(np.float32), rate=audio.rate, source=audio.source)


def room_response(
    *, rate: int, rt60: float, distance: float, seed: int | np.random.Generator, room: Room = DEFAULT_ROOM
) -> Values:
    """The impulse response of a room from the arrival of the direct sound on, which is 1 / distance; as `far_field`.

    Raises:
        UsageError: if the distance does not fit into the room, or a number is out of range.
    """
    if not 0.05 <= rt60 <= MAX_RT60:
        raise UsageError(f"the reverberation time lies between 0.05 and {MAX_RT60} s, got {rt60}.")
    if not all(math.isfinite(side) and 1.5 <= side <= 50 for side in room):
        raise UsageError(f"the sides of a room measure 1.5 to 50 m, got {room}.")
    _check_plausible(room, rt60=rt60)
    generator = np.random.default_rng(seed)
    source, microphone = _places(room, distance=distance, generator=generator)
    reach = distance + METRES_PER_SECOND * rt60 * 1.1
    reflection = _reflection(room, source, microphone, rt60=rt60, reach=reach)
    response = np.zeros(math.ceil((reach - distance) / METRES_PER_SECOND * rate) + 2)
    for distances, orders in _images(room, source, microphone, reach=reach):
        shift = generator.uniform(-_DISPLACEMENT, _DISPLACEMENT, size=distances.size) * (orders >= 2)
        moved = np.maximum(distances + shift, distance)
        arrivals = np.rint((moved - distance) / METRES_PER_SECOND * rate).astype(np.int64)
        amplitudes = (-reflection) ** orders / moved
        inside = arrivals < response.size
        response += np.bincount(arrivals[inside], weights=amplitudes[inside], minlength=response.size)
    return response


def _check_plausible(room: Room, *, rt60: float) -> None:
    """Refuse what does not exist: a sound that dies before it has met enough walls, or rings on and on in a closet.

    Sound meets a wall every 4 V / S metres on average. Below some eleven walls a decay is a handful of echoes, and no
    reverberation time can be read off it.
    """
    length, width, height = room
    volume, surface = length * width * height, 2 * (length * width + length * height + width * height)
    shortest = _FEWEST_WALLS * 4 * volume / surface / METRES_PER_SECOND
    if rt60 < shortest:
        raise UsageError(
            f"{rt60} s are too short for a room of {room} m; give at least {shortest:.2f} s, or a smaller room."
        )
    if 4 / 3 * math.pi * (METRES_PER_SECOND * rt60) ** 3 / volume > _MOST_IMAGES:
        raise UsageError(f"{rt60} s are too long for a room of {room} m; give a shorter time or a larger room.")


def _places(room: Room, *, distance: float, generator: np.random.Generator) -> tuple[Values, Values]:
    """A place for the mouth and one for the microphone, at the stated distance, neither close to a wall."""
    if not (math.isfinite(distance) and distance > 0):
        raise UsageError(f"the distance is above 0 m, got {distance}.")
    sides = np.array(room)
    for _ in range(10_000):
        source = generator.uniform(_FROM_WALL, sides - _FROM_WALL)
        direction = generator.standard_normal(3)
        microphone: Values = source + distance * direction / np.linalg.norm(direction)
        if np.all(microphone >= _FROM_WALL) and np.all(microphone <= sides - _FROM_WALL):
            return source, microphone
    raise UsageError(f"{distance} m do not fit into a room of {room} m; give a smaller distance or a larger room.")


def _images(room: Room, source: Values, microphone: Values, *, reach: float) -> Iterator[_Images]:
    """All images within reach, one slice of the lattice at a time, so that memory stays bounded."""
    axes = []
    for side, mouth, ear in zip(room, source, microphone, strict=True):
        count = math.ceil(reach / side) + 1
        cells = np.arange(-count, count + 1)
        # In even cells the image is a shifted copy, in odd cells a mirrored one; |cell| walls lie on the way.
        places = cells * side + np.where(cells % 2 == 0, mouth, side - mouth) - ear
        axes.append((places, np.abs(cells)))
    (x, x_order), (y, y_order), (z, z_order) = axes
    for place, order in zip(x, x_order, strict=True):
        squares = place**2 + (y**2)[:, np.newaxis] + z**2
        near = squares <= reach**2
        if near.any():
            orders = (order + y_order[:, np.newaxis] + z_order)[near]
            yield _Images(np.sqrt(squares[near]), orders)


def _reflection(room: Room, source: Values, microphone: Values, *, rt60: float, reach: float) -> float:
    """The walls' reflection coefficient with which the energy of the images decays by 60 dB in ``rt60`` seconds."""
    bins = math.ceil(reach / METRES_PER_SECOND / _BIN_SECONDS) + 1
    most = sum(math.ceil(reach / side) + 1 for side in room) + 1
    energy = np.zeros(most * bins)
    for distances, orders in _images(room, source, microphone, reach=reach):
        when = (distances / METRES_PER_SECOND / _BIN_SECONDS).astype(np.int64)
        energy += np.bincount(orders * bins + when, weights=1 / distances**2, minlength=energy.size)
    by_order = energy.reshape(most, bins)
    low, high = 0.0, 0.9999
    for _ in range(40):
        middle = (low + high) / 2
        decays = middle ** (2 * np.arange(most)) @ by_order
        if decay_time(decays, seconds_per_value=_BIN_SECONDS) < rt60:
            low = middle
        else:
            high = middle
    return (low + high) / 2


def decay_time(energy: Values, *, seconds_per_value: float) -> float:
    """Reverberation time of a course of energy: Schroeder's integral, a line from -5 to -35 dB, drawn on to -60 dB.

    (Schroeder 1965; ISO 3382, T30.) 0 where the energy falls by more than 30 dB from one value to the next.
    """
    remaining = np.cumsum(energy[::-1])[::-1]
    decibels = 10 * np.log10(np.maximum(remaining / remaining[0], 1e-30))
    (between,) = np.nonzero((decibels <= -5) & (decibels >= -35))
    if between.size < 2:
        return 0.0
    slope = float(np.polyfit(between * seconds_per_value, decibels[between], 1)[0])
    return -60 / slope if slope < 0 else 0.0
