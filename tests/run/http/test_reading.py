"""Limits of a reply, checked as it arrives."""

import time

import pytest

from aptone.run.http.reading import EncodedReplyError, LargeReplyError, Limits, Reading
from tests.tables import for_each


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    return now


@for_each("coding", ["gzip", "GZIP, gzip", "br", "identity, deflate", "zstd"])
def test_a_compressed_reply_is_refused_by_its_headers(coding: str) -> None:
    with pytest.raises(EncodedReplyError):
        Reading(Limits(100, 1.0)).begin([("Content-Encoding", coding)])


def test_one_of_several_headers_is_enough() -> None:
    with pytest.raises(EncodedReplyError, match="gzip"):
        Reading(Limits(100, 1.0)).begin([("content-encoding", "identity"), ("content-encoding", " gzip ")])
    Reading(Limits(100, 1.0)).begin([("content-encoding", "Identity"), ("content-length", "100")])


@for_each("length", ["101", "9" * 19, "9" * 5000])
def test_a_reply_that_announces_too_much_is_not_begun(length: str) -> None:
    with pytest.raises(LargeReplyError):
        Reading(Limits(100, 1.0)).begin([("Content-Length", length)])


def test_bytes_are_counted_as_they_come(clock: list[float]) -> None:
    reading = Reading(Limits(100, 1.0))
    reading.count(b"x" * 100)
    with pytest.raises(LargeReplyError):
        reading.count(b"x")


def test_the_time_is_that_of_the_whole_request(clock: list[float]) -> None:
    reading = Reading(Limits(1000, 10.0))
    for _ in range(9):  # a byte a second
        clock[0] += 1.0
        reading.count(b"x")
    assert reading.seconds_left == 1.0
    clock[0] += 1.0
    with pytest.raises(TimeoutError, match="10 bytes came"):
        reading.count(b"x")


def test_a_file_that_comes_fast_enough_may_take_long(clock: list[float]) -> None:
    reading = Reading(Limits(10_000, 10.0, renewed_by=100))
    for _ in range(50):  # 20 bytes a second, 10 needed
        clock[0] += 5.0
        reading.count(b"x" * 100)
    clock[0] += 9.5  # then 10 bytes a second: 99 after 9.9 s
    reading.count(b"x" * 95)
    clock[0] += 0.4
    reading.count(b"x" * 4)
    clock[0] += 0.1
    with pytest.raises(TimeoutError):
        reading.count(b"")
