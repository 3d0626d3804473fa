"""Vectors on the disk survive kills and refuse what is not theirs."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from aptone.errors import RecordError, RunError
from aptone.rooms.style.embedding.vectors import VectorFile, key_of

A, B, C = (key_of(name) for name in "abc")


def opened(path: Path, signature: str = "model 1") -> VectorFile:
    return VectorFile(path, signature=signature, size=2)


def test_vectors_come_back_bit_for_bit(tmp_path: Path) -> None:
    path = tmp_path / "new" / "x.vectors"
    values = np.array([0.1, -0.0], dtype=np.float32)
    opened(path).put({A: values})
    opened(path).put({B: np.array([np.nan, np.nan], dtype=np.float32)})
    again = opened(path)
    assert len(again) == 2
    assert again.rows([A]).tobytes() == values.tobytes()
    assert np.isnan(again.rows([B, C])).all()
    assert again.rows([]).shape == (0, 2)


@given(cut=some.integers(1, 200))
def test_a_torn_end_costs_the_last_vectors_only(cut: int, tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("torn") / "x.vectors"
    file = opened(path)
    file.put({A: np.ones(2, dtype=np.float32)})
    whole = path.stat().st_size
    file.put({B: np.zeros(2, dtype=np.float32)})
    data = path.read_bytes()
    path.write_bytes(data[: max(0, len(data) - cut)])
    again = opened(path)
    assert (A in again) == (len(data) - cut >= whole)
    assert B not in again
    again.put({C: np.full(2, 3.0, dtype=np.float32)})
    assert opened(path).rows([C]).tolist() == [[3.0, 3.0]]


def test_a_damaged_vector_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "x.vectors"
    opened(path).put({A: np.ones(2, dtype=np.float32), B: np.ones(2, dtype=np.float32)})
    data = bytearray(path.read_bytes())
    data[-50] ^= 1  # within the first of two records of 44 bytes each
    path.write_bytes(bytes(data))
    again = opened(path)
    assert A not in again
    assert B in again


def test_vectors_of_another_model_and_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.vectors"
    opened(path).put({A: np.ones(2, dtype=np.float32)})
    with pytest.raises(RunError, match="made with model 1, and now it is model 2"):
        opened(path, "model 2")
    for data in (b"hello", b"hello\n", b'{"kind": "x"}\n', b"\x00" * 20_000):
        path.write_bytes(data)
        with pytest.raises(RunError, match="holds no vectors"):
            opened(path)
    path.unlink()
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(RunError, match="no plain file"):
        opened(path)


def test_vectors_of_another_length_are_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="vectors of 2 numbers"):
        opened(tmp_path / "x.vectors").put({A: np.ones(3, dtype=np.float32)})
