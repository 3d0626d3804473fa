"""Hashes of passwords, and which passwords are taken."""

import base64

import pytest

from aptone.studio.refusals import NotAnAnswerError
from aptone.studio.store.passwords import UNKNOWN, check_password, hash_password, matches
from tests.tables import for_each

GOOD = "seven grey mountain goats"


def test_a_hash_holds_its_parameters_a_salt_of_its_own_and_no_password() -> None:
    one, other = hash_password(GOOD), hash_password(GOOD)
    assert one.split("$")[:4] == ["scrypt", "16384", "8", "5"]
    assert one != other
    assert "goats" not in one
    assert matches(GOOD, one)
    assert matches(GOOD, other)
    assert not matches(GOOD + " ", one)
    assert not matches(GOOD, UNKNOWN)


def test_the_parameters_of_a_hash_count_not_those_of_today() -> None:
    # RFC 7914, section 12: scrypt("password", "NaCl", N=1024, r=8, p=16), the first 32 bytes
    digest = bytes.fromhex("fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b373162")
    salt = base64.b64encode(b"NaCl").decode()
    assert matches("password", f"scrypt$1024$8$16${salt}${base64.b64encode(digest).decode()}")


def test_a_password_is_the_same_however_a_keyboard_composes_it() -> None:
    assert matches("caf\u0065\u0301 au lait chaud", hash_password("caf\u00e9 au lait chaud"))


@for_each(
    ("password", "why"),
    [
        ("elevenchars", "12 to 200"),
        ("x" * 201, "12 to 200"),
        ("abababababab", "5 different"),
        ("adas grey goats", "own name"),
        ("goats of r-7k2m", "own name"),
        ("my Password 12345", "own name"),
    ],
)
def test_weak_passwords_are_refused_with_the_next_step(password: str, why: str) -> None:
    with pytest.raises(NotAnAnswerError, match=why) as caught:
        check_password(password, known=("Ada", "R-7K2M"))
    assert caught.value.code == "weak-password"
    assert caught.value.next


def test_a_long_sentence_is_taken() -> None:
    check_password(GOOD, known=("Ada", "R-7K2M", "Al"))
    check_password("七只灰色的山羊站在山顶上面看", known=("Ada",))
