"""Signing in by a provider that lies, and by one that does not."""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import anyio
import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding
from joserfc import jwk
from joserfc.errors import SecurityWarning

from aptone.run.http.post import HttpReply
from aptone.studio.sign_in.flow import Returned, SignIns
from aptone.studio.store.records import Identity
from aptone.web.refusals import BusyError, NotFoundError, NotSignedInError, RefusedError
from benchmarks.attacks.lying_provider import Claims, FakeProvider, part, rsa_key, signed

HERE = "https://studio.example.org"


def sign_in(fake: FakeProvider, **changed: str) -> tuple[Identity, str]:
    """Go the whole way once; `changed` is what the browser brings back otherwise."""

    async def whole() -> tuple[Identity, str]:
        sign_ins = SignIns([fake.provider()], ask=fake.ask)
        begun = await sign_ins.begin("university", address=HERE)
        back = fake.agree(begun.url) | {"secret": begun.secret} | changed
        returned = Returned(back["state"], back.get("code", ""), back.get("iss", ""), back.get("error", ""))
        return await sign_ins.finish("university", returned, secret=back["secret"])

    return anyio.run(whole)


def refusal(fake: FakeProvider, **changed: str) -> str:
    with pytest.raises(RefusedError) as refused:
        sign_in(fake, **changed)
    return refused.value.code


def test_an_honest_provider_says_who_somebody_is() -> None:
    assert sign_in(FakeProvider()) == (Identity("https://login.example.org", "u-1", "ada@example.org"), "")


def test_the_browser_is_sent_off_with_code_flow_challenge_and_an_address_of_the_studio() -> None:
    fake = FakeProvider(metadata={"authorization_endpoint": "https://login.example.org/authorize?tenant=7"})
    begun = anyio.run(lambda: SignIns([fake.provider()], ask=fake.ask).begin("university", address=HERE))
    asked = parse_qs(urlsplit(begun.url).query)
    assert asked["redirect_uri"] == [f"{HERE}/signed-in/university"]
    assert asked["tenant"] == ["7"]
    assert len(asked["state"][0]) >= 43  # 256 bits
    assert begun.secret not in begun.url


@pytest.mark.parametrize("methods", [["client_secret_post"], ["client_secret_basic", "client_secret_post"], None])
def test_the_client_shows_its_secret_in_the_way_that_is_supported(methods: list[str] | None) -> None:
    metadata = {} if methods is None else {"token_endpoint_auth_methods_supported": methods}
    assert sign_in(FakeProvider(metadata=metadata))[0].subject == "u-1"


def test_a_public_client_has_no_secret() -> None:
    assert sign_in(FakeProvider(secret=""))[0].subject == "u-1"


@pytest.mark.parametrize("algorithm", ["ES256", "Ed25519", "PS256"])
def test_other_signatures_by_private_keys_are_read(algorithm: str) -> None:
    keys: dict[str, Callable[[], jwk.Key]] = {
        "ES256": lambda: jwk.ECKey.generate_key("P-256", parameters={"kid": "e"}),
        "Ed25519": lambda: jwk.OKPKey.generate_key("Ed25519", parameters={"kid": "o"}),
        "PS256": lambda: rsa_key("first"),
    }
    key = keys[algorithm]()
    fake = FakeProvider(key=key, sign=lambda claims: signed(claims, key=key, algorithm=algorithm))
    assert sign_in(fake)[0].subject == "u-1"


def test_an_address_counts_only_if_the_provider_verified_it() -> None:
    for verified in (False, None, "true", 1):
        fake = FakeProvider(claims={"sub": "u-1", "email": "ada@example.org", "email_verified": verified})
        assert sign_in(fake)[0].email == ""


def test_an_address_that_lower_case_would_make_that_of_somebody_else_does_not_count() -> None:
    assert "\u212aate@example.org".lower() == "kate@example.org"  # the Kelvin sign
    fake = FakeProvider(claims={"sub": "u-1", "email": "\u212aate@example.org", "email_verified": True})
    assert sign_in(fake)[0].email == ""


def _without(name: str) -> Callable[[Claims], object]:
    return lambda claims: claims.pop(name)


def _with(**values: Any) -> Callable[[Claims], object]:
    return lambda claims: claims.update(values)


def _later(name: str, seconds: float) -> Callable[[Claims], object]:
    return lambda claims: claims.update({name: claims["iat"] + seconds})


SPOILT: dict[str, Callable[[Claims], object]] = {
    "another nonce": _with(nonce="x" * 43),
    "no nonce": _without("nonce"),
    "another audience": _with(aud="another"),
    "several audiences and no party": _with(aud=["aptone", "another"]),
    "several audiences and another party": _with(aud=["aptone", "another"], azp="another"),
    "another party": _with(azp="another"),
    "no audience": _without("aud"),
    "another issuer": _with(iss="https://login.example.org/"),
    "no issuer": _without("iss"),
    "expired": _with(exp=1),
    "no end": _without("exp"),
    "an end that is no number": _with(exp="9999999999"),
    "an end that never comes": _with(exp=float("nan")),
    "an end beyond all numbers": _with(exp=10**400),
    "made long ago": _later("iat", -7200),
    "of the future": _later("iat", 7200),
    "not yet valid": _later("nbf", 7200),
    "nobody": _without("sub"),
    "an empty name": _with(sub=""),
    "a long name": _with(sub="s" * 256),
    "a number for a name": _with(sub=7),
}


@pytest.mark.parametrize("spoilt", list(SPOILT))
def test_a_token_with_a_wrong_claim_lets_nobody_in(spoilt: str) -> None:
    assert refusal(FakeProvider(spoil=SPOILT[spoilt])) == "sign-in-untrusted"


def test_several_audiences_with_us_as_the_party_are_right() -> None:
    assert sign_in(FakeProvider(spoil=_with(aud=["aptone", "another"], azp="aptone")))[0].subject == "u-1"


def _unsigned(claims: Claims) -> str:
    return f"{part({'alg': 'none'})}.{part(claims)}."


def _unsigned_but_named(claims: Claims) -> str:
    return f"{part({'alg': 'None', 'kid': 'first'})}.{part(claims)}.AAAA"


def _by_public_key_as_secret(claims: Claims) -> str:
    """Signed with HMAC whose secret is the public key, which everybody knows."""
    body = f"{part({'alg': 'HS256', 'kid': 'first'})}.{part(claims)}"
    signature = hmac.new(rsa_key("first").as_pem(private=False), body.encode(), hashlib.sha256).digest()
    return f"{body}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def _with_own_key(claims: Claims) -> str:
    """Signed by another key, which the token itself names."""
    key = rsa_key("foreign")
    header = {"kid": "first", "jwk": key.as_dict(private=False), "jku": "https://evil.example/keys"}
    return signed(claims, key=key, header=header)


def _with_an_extension(claims: Claims) -> str:
    """Signed rightly, but with an extension that has to be understood."""
    body = f"{part({'alg': 'RS256', 'kid': 'first', 'crit': ['x'], 'x': 1})}.{part(claims)}"
    private = rsa_key("first").private_key
    assert private is not None
    signature = private.sign(body.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{body}.{base64.urlsafe_b64encode(signature).rstrip(b'=').decode()}"


def _altered(claims: Claims) -> str:
    head, _, signature = signed(claims, key=rsa_key("first")).split(".")
    return f"{head}.{part(claims | {'sub': 'u-2'})}.{signature}"


def _deep() -> str:
    return base64.urlsafe_b64encode(b"[" * 12_000).decode()


FORGED: dict[str, Callable[[Claims], str]] = {
    "no signature": _unsigned,
    "no signature, spelt otherwise": _unsigned_but_named,
    "the public key as a secret": _by_public_key_as_secret,
    "a key of its own": _with_own_key,
    "altered claims": _altered,
    "another key by the same name": lambda claims: signed(claims, key=rsa_key("foreign"), header={"kid": "first"}),
    "a key that is not published": lambda claims: signed(claims, key=rsa_key("foreign")),
    "an extension that nobody knows": _with_an_extension,
    "no token": lambda claims: "no token",
    "two parts": lambda claims: "a.b",
    "no JSON": lambda claims: "e30.e30.e30",
    "a list for claims": lambda claims: f"{part({'alg': 'RS256'})}.{part([1])}.AAAA",
    "a header too deep to read": lambda claims: f"{_deep()}.{part(claims)}.AAAA",
    "too long": lambda claims: signed(claims | {"x": "x" * 20_000}, key=rsa_key("first")),
}


@pytest.mark.parametrize("forged", list(FORGED))
def test_a_forged_token_lets_nobody_in(forged: str) -> None:
    fake = FakeProvider(sign=FORGED[forged])
    assert refusal(fake) == "sign-in-untrusted"
    assert not any("evil" in url for url in fake.asked)


def test_a_short_key_is_not_trusted() -> None:
    with pytest.warns(SecurityWarning, match="2048"):
        weak = jwk.RSAKey.generate_key(1024, parameters={"kid": "weak"})
    assert refusal(FakeProvider(key=weak)) == "sign-in-untrusted"


def test_a_key_for_encryption_signs_nothing() -> None:
    key = rsa_key("first")
    fake = FakeProvider()
    published = {"keys": [key.as_dict(private=False) | {"use": "enc"}]}
    fake.answers["/keys"] = HttpReply(200, {}, json.dumps(published).encode())
    assert refusal(fake) == "sign-in-untrusted"


def test_a_new_key_is_fetched_when_a_token_names_it_and_not_more_than_once_a_minute() -> None:
    fake, now = FakeProvider(), 0.0

    def moved(claims: Claims) -> None:
        claims.update(iat=claims["iat"] + now, exp=claims["exp"] + now)

    async def whole() -> None:
        nonlocal now
        fake.spoil = moved
        sign_ins = SignIns([fake.provider()], ask=fake.ask, clock=lambda: time.time() + now)
        for key, wait, works in (("first", 0.0, True), ("second", 120.0, True), ("third", 5.0, False)):
            fake.key, now = rsa_key(key), now + wait
            begun = await sign_ins.begin("university", address=HERE)
            back = fake.agree(begun.url)
            if works:
                await sign_ins.finish("university", Returned(**back), secret=begun.secret)
            else:
                with pytest.raises(NotSignedInError):
                    await sign_ins.finish("university", Returned(**back), secret=begun.secret)

    anyio.run(whole)
    assert sum(url.endswith("/keys") for url in fake.asked) == 2


def test_what_another_browser_began_cannot_be_finished() -> None:
    for changed in ({"secret": ""}, {"secret": "another"}, {"state": "unknown"}):
        assert refusal(FakeProvider(), **changed) == "sign-in-expired"


def test_who_declines_or_brings_no_code_is_not_let_in() -> None:
    assert refusal(FakeProvider(), error="access_denied", code="") == "sign-in-declined"
    assert refusal(FakeProvider(), code="") == "sign-in-declined"
    assert refusal(FakeProvider(), code="code-9") == "sign-in-untrusted"  # one that was never given out


def test_a_sign_in_is_finished_once_and_within_ten_minutes() -> None:
    fake, now = FakeProvider(), 0.0

    async def whole() -> list[str]:
        nonlocal now
        sign_ins = SignIns([fake.provider()], ask=fake.ask, clock=lambda: time.time() + now)
        found = []
        for waits in (0.0, 601.0):
            begun = await sign_ins.begin("university", address=HERE)
            back = Returned(**fake.agree(begun.url))
            now += waits
            for _ in range(2):
                try:
                    await sign_ins.finish("university", back, secret=begun.secret)
                    found.append("in")
                except NotSignedInError as error:
                    found.append(error.code)
        return found

    assert anyio.run(whole) == ["in", "sign-in-expired", "sign-in-expired", "sign-in-expired"]


def test_the_answer_of_one_provider_is_not_taken_for_that_of_another() -> None:
    honest, attacker = FakeProvider(), FakeProvider(issuer="https://evil.example")

    async def whole() -> None:
        async def ask(url: str, headers: Any, form: Any) -> HttpReply:
            return await (honest if url.startswith(honest.issuer) else attacker).ask(url, headers, form)

        sign_ins = SignIns([honest.provider(), attacker.provider("other")], ask=ask)
        begun = await sign_ins.begin("other", address=HERE)  # the browser is sent on to the honest provider from there
        back = Returned(parse_qs(urlsplit(begun.url).query)["state"][0], "code of the honest one")
        with pytest.raises(NotSignedInError):
            await sign_ins.finish("university", back, secret=begun.secret)

    anyio.run(whole)
    assert not any(url.endswith("/token") for url in attacker.asked)


def test_an_answer_that_names_another_issuer_or_none_where_one_is_promised_is_refused() -> None:
    assert refusal(FakeProvider(), iss="https://evil.example") == "sign-in-untrusted"
    promises = {"authorization_response_iss_parameter_supported": True}
    assert refusal(FakeProvider(metadata=promises)) == "sign-in-untrusted"
    assert sign_in(FakeProvider(metadata=promises), iss="https://login.example.org")[0].subject == "u-1"


@pytest.mark.parametrize(
    "metadata",
    [
        {"issuer": "https://evil.example"},
        {"token_endpoint": "http://login.example.org/token"},
        {"jwks_uri": "file:///etc/passwd"},
        {"authorization_endpoint": "javascript:alert(1)"},
        {"authorization_endpoint": None},
    ],
)
def test_metadata_of_another_issuer_or_with_unsafe_addresses_are_not_used(metadata: Claims) -> None:
    fake = FakeProvider(metadata=metadata)
    assert_begin_fails(fake, NotSignedInError)
    assert len(fake.asked) == 1


def assert_begin_fails(fake: FakeProvider, expected: type[Exception]) -> None:
    with pytest.raises(expected):
        anyio.run(lambda: SignIns([fake.provider()], ask=fake.ask).begin("university", address=HERE))


def test_a_provider_that_is_away_or_talks_nonsense_is_said_to_be() -> None:
    for status, body, expected in ((503, b"", BusyError), (302, b"", BusyError), (200, b"<html>", NotSignedInError)):
        reply = HttpReply(status, {"location": "http://127.0.0.1/"}, body)
        assert_begin_fails(FakeProvider(answers={"openid-configuration": reply}), expected)
    nested = b"[" * 100_000
    assert_begin_fails(FakeProvider(answers={"openid-configuration": HttpReply(200, {}, nested)}), NotSignedInError)
    assert refusal(FakeProvider(answers={"/token": HttpReply(200, {}, b'{"id_token": 7}')})) == "sign-in-untrusted"
    assert refusal(FakeProvider(answers={"/token": HttpReply(502, {}, b"")})) == "sign-in-unreachable"
    assert refusal(FakeProvider(answers={"/keys": HttpReply(200, {}, b'{"keys": {}}')})) == "sign-in-untrusted"


def test_what_is_logged_holds_neither_token_nor_code(caplog: pytest.LogCaptureFixture) -> None:
    assert refusal(FakeProvider(spoil=_with(nonce="another"))) == "sign-in-untrusted"
    assert "university: ID token with another nonce" in caplog.text
    assert not any(secret in caplog.text for secret in ("u-1", "code-0", "ada@", "correct horse"))


def test_a_provider_that_is_not_listed_is_unknown() -> None:
    with pytest.raises(NotFoundError):
        anyio.run(lambda: SignIns([]).begin("university", address=HERE))


def test_sign_ins_under_way_are_bounded_and_the_oldest_give_way() -> None:
    fake = FakeProvider()

    async def whole() -> tuple[int, str]:
        sign_ins = SignIns([fake.provider()], ask=fake.ask)
        first = await sign_ins.begin("university", address=HERE)
        for _ in range(1000):
            await sign_ins.begin("university", address=HERE)
        try:
            await sign_ins.finish("university", Returned(**fake.agree(first.url)), secret=first.secret)
        except NotSignedInError as error:
            return len(sign_ins._pending), error.code
        return 0, ""

    assert anyio.run(whole) == (1000, "sign-in-expired")
