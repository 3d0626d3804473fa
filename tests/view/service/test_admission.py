"""No more is taken than there are places and bytes for, and nothing is left held."""

import pytest
from starlette.requests import Request

from aptone.view.service.admission import Admission, ServiceLimits
from aptone.web.refusals import TooLargeError, TooOftenError


def request(size: int | None = 10, *, client: str = "127.0.0.1") -> Request:
    headers = [] if size is None else [(b"content-length", str(size).encode())]
    return Request({"type": "http", "headers": headers, "aptone-client": client})


def test_one_more_than_there_are_places_is_refused_until_one_is_free() -> None:
    admission = Admission(ServiceLimits(queue=1), workers=1)
    with admission.place(request()):
        with admission.place(request()):
            with pytest.raises(TooOftenError) as refusal, admission.place(request()):
                raise AssertionError("a third was let in")
            assert refusal.value.headers["Retry-After"] == "1"
            assert (admission.held, admission.held_bytes) == (2, 20)
        with admission.place(request()):
            assert admission.held == 2
    assert (admission.held, admission.held_bytes) == (0, 0)


def test_a_place_is_given_back_when_its_request_fails() -> None:
    admission = Admission(ServiceLimits(), workers=1)
    with pytest.raises(RuntimeError), admission.place(request()):
        raise RuntimeError
    assert (admission.held, admission.held_bytes) == (0, 0)


def test_bodies_share_their_bytes_and_one_always_fits() -> None:
    admission = Admission(ServiceLimits(body=100, bodies=50), workers=4)
    with admission.place(request(100)) as most:
        assert most == 100
        with pytest.raises(TooOftenError), admission.place(request(1)):
            raise AssertionError("there was no room")
    with admission.place(request(25)), admission.place(request(25)):
        assert admission.held_bytes == 50


def test_a_body_that_does_not_state_its_size_counts_as_the_largest() -> None:
    admission = Admission(ServiceLimits(body=100), workers=1)
    with admission.place(request(None)) as most:
        assert (most, admission.held_bytes) == (100, 100)
    with pytest.raises(TooLargeError), admission.place(request(101)):
        raise AssertionError("it was let in")


def test_the_wait_grows_with_the_time_that_requests_take() -> None:
    admission = Admission(ServiceLimits(queue=0), workers=2)
    for _ in range(200):
        admission.note(9.0)  # the mean goes to 9 s; two workers: a place is free every 4.5 s
    with (
        admission.place(request()),
        admission.place(request()),
        pytest.raises(TooOftenError) as refusal,
        admission.place(request()),
    ):
        raise AssertionError("it was let in")
    assert refusal.value.headers["Retry-After"] == "5"


def test_clients_have_rates_of_their_own() -> None:
    admission = Admission(ServiceLimits(rate=1), workers=1)
    admission.count(request(client="ci"))
    with pytest.raises(TooOftenError):
        admission.count(request(client="ci"))
    admission.count(request(client="anna"))
