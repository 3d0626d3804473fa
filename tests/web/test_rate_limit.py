"""Rate limit of attempts."""

import pytest

from aptone.web import rate_limit
from aptone.web.rate_limit import RateLimit


def test_many_addresses_together_have_to_wait_too() -> None:
    limit = RateLimit(each=5, together=8, seconds=60.0, clock=lambda: 0.0)
    assert [limit.wait(f"10.0.0.{number}") for number in range(9)] == [0] * 8 + [8]  # ⌈60 / 8⌉ s


def test_an_attempt_comes_back_after_its_share_of_the_time() -> None:
    now = [0.0]
    limit = RateLimit(each=2, together=100, seconds=60.0, clock=lambda: now[0])
    assert [limit.wait("a") for _ in range(3)] == [0, 0, 30]  # 60 s / 2
    now[0] = 29.0
    assert limit.wait("a") == 1
    now[0] = 30.0
    assert [limit.wait("a") for _ in range(2)] == [0, 30]


def test_no_more_addresses_are_kept_than_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_limit, "MOST_ADDRESSES", 3)
    limit = RateLimit(each=1, together=100, seconds=60.0, clock=lambda: 0.0)
    for number in range(10):
        assert limit.wait(f"10.0.0.{number}") == 0
    assert len(limit._addresses) == 3
