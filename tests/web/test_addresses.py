"""Names that a server answers to, and pages that requests may come from."""

import pytest

from aptone.errors import UsageError
from aptone.web.addresses import Addresses
from aptone.web.refusals import ForeignRequestError
from tests.tables import for_each


def test_a_server_for_others_answers_to_numbers_and_to_the_name_that_it_was_given() -> None:
    addresses = Addresses(host="0.0.0.0", public_url="https://studio.example.org")
    assert addresses.knows_host("192.168.0.7:8765")
    assert addresses.knows_host("Studio.Example.Org")
    assert not addresses.knows_host("evil.example")
    assert addresses.knows_origin("https://studio.example.org", host="studio.example.org")
    assert not addresses.knows_origin("https://studio.example.org.evil.example", host="studio.example.org")
    assert addresses.secure


@for_each("url", ["studio.example.org", "ftp://a.example", "https://", "https://a/b", "https://u:p@a", "http://a:x"])
def test_a_public_address_is_one_of_the_web_without_a_path(url: str) -> None:
    with pytest.raises(UsageError, match="expected an address without a path"):
        Addresses(public_url=url)


@for_each(
    ("headers", "ours"),
    [
        ({}, True),
        ({"origin": "http://localhost:8765"}, True),
        ({"origin": "http://LOCALHOST:8765"}, True),
        ({"origin": "http://localhost:8766"}, False),
        ({"origin": "https://evil.example"}, False),
        ({"origin": "null"}, False),
        ({"sec-fetch-site": "same-origin"}, True),
        ({"sec-fetch-site": "none"}, True),
        ({"sec-fetch-site": "same-site"}, False),
        ({"sec-fetch-site": "cross-site"}, False),
    ],
)
def test_a_change_is_taken_from_our_own_pages_and_from_no_page(headers: dict[str, str], ours: bool) -> None:
    known = {"host": "localhost:8765", **headers}
    if ours:
        Addresses().check_origin(known)
    else:
        with pytest.raises(ForeignRequestError):
            Addresses().check_origin(known)
