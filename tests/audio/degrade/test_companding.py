"""G.711 against libsndfile's tables, on every 16-bit number."""

import io

import numpy as np
import numpy.typing as npt
import soundfile

from aptone.audio.degrade.codec import a_law, mu_law

ALL = np.arange(-32_768, 32_768, dtype=np.int64)


def by_libsndfile(subtype: str) -> npt.NDArray[np.int16]:
    buffer = io.BytesIO()
    soundfile.write(buffer, ALL.astype(np.int16), 8_000, format="WAV", subtype=subtype)
    buffer.seek(0)
    decoded: npt.NDArray[np.int16] = soundfile.read(buffer, dtype="int16")[0]
    return decoded


def test_mu_law_is_that_of_libsndfile_on_every_number() -> None:
    assert np.array_equal(mu_law(ALL), by_libsndfile("ULAW"))
    assert np.unique(mu_law(ALL)).size == 255  # 256 codes, two of which mean 0


def test_a_law_is_that_of_libsndfile_but_for_the_boundaries_that_the_standard_leaves_open() -> None:
    ours, theirs = a_law(ALL), by_libsndfile("ALAW")
    differing = ALL[ours != theirs]
    # 128 negative intervals have 127 boundaries between them, each a multiple of 16.
    assert differing.size == 127
    assert np.all(differing < 0)
    assert np.all(differing % 16 == 0)
    # One step of the code apart, no more.
    levels = np.unique(ours)
    assert levels.size == 256
    steps = np.searchsorted(levels, ours) - np.searchsorted(levels, theirs)
    assert np.abs(steps).max() == 1


def test_negative_numbers_mirror_positive_ones() -> None:
    assert np.array_equal(mu_law(ALL[1:]), -mu_law(ALL[1:])[::-1])
    assert np.array_equal(a_law(ALL), -a_law(~ALL))
