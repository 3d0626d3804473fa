"""Sign-ins that are forged: how many of 5,000 are let in, and which of them a lesser check would have let in.

    python -m benchmarks.attacks.sign_in [--attempts 5000]

A provider that lies (`benchmarks.attacks.lying_provider`) answers the studio's own flow (`aptone.studio.sign_in`)
with ID tokens that are wrong in one way, drawn at random: claims of somebody else's audience, issuer, nonce or time;
no signature, one by another key, or one with the public key as a shared secret; bytes of a right token flipped; the
answer of another browser, used twice or without its secret. None may be let in, every honest one must be, and none
may end in anything but a refusal.

Beside it stands how many of the forged tokens two lesser checks take: one that verifies the signature only, and one
that checks issuer, audience and end of a token without its signature. They show that the attacks are some. Before
there was no sign-in by a provider. It exits with 1 if a forged one is let in or an honest one is not.
"""

import argparse
import asyncio
import base64
import hashlib
import hmac
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from joserfc import jwt
from joserfc.errors import JoseError

from aptone.studio.sign_in.flow import LOG, Returned, SignIns
from aptone.web.refusals import RefusedError
from benchmarks.attacks.lying_provider import Claims, FakeProvider, part, rsa_key, signed
from benchmarks.made_with import with_revisions

RESULTS = Path(__file__).resolve().parents[1] / "results" / "attacks_sign_in.json"
HERE = "https://studio.example.org"
HONEST = 200
Forgery = Callable[[Claims, random.Random], str]


def right(claims: Claims) -> str:
    """A token as the provider would sign it."""
    return signed(claims, key=rsa_key("first"))


def with_claims(**changed: object) -> Forgery:
    """Rightly signed, of other claims; ``None`` leaves one out."""

    def forge(claims: Claims, dice: random.Random) -> str:
        kept = {name: value for name, value in (claims | changed).items() if value is not None}
        return right(kept)

    return forge


def of_another_time(claims: Claims, dice: random.Random) -> str:
    """Rightly signed, long ago or in the future."""
    moved = dice.choice([-1, 1]) * dice.randint(1000, 10**6)
    return right(claims | {"iat": claims["iat"] + moved, "exp": claims["exp"] + moved})


def flipped(claims: Claims, dice: random.Random) -> str:
    """A right token, one byte of whose claims or signature is another."""
    head, body, signature = right(claims).split(".")
    values = [bytearray(base64.urlsafe_b64decode(one + "==")) for one in (body, signature)]
    chosen = dice.choice(values)
    chosen[dice.randrange(len(chosen))] ^= 1 << dice.randrange(8)
    return ".".join([head, *(base64.urlsafe_b64encode(one).rstrip(b"=").decode() for one in values)])


def unsigned(claims: Claims, dice: random.Random) -> str:
    """Without a signature, under any spelling."""
    return f"{part({'alg': dice.choice(['none', 'None', 'NONE', '']), 'kid': 'first'})}.{part(claims)}."


def by_public_key(claims: Claims, dice: random.Random) -> str:
    """Signed with the public key as a shared secret."""
    name = dice.choice(["sha256", "sha384", "sha512"])
    body = f"{part({'alg': f'HS{name[3:]}', 'kid': 'first'})}.{part(claims)}"
    made = hmac.new(rsa_key("first").as_pem(private=False), body.encode(), getattr(hashlib, name)).digest()
    return f"{body}.{base64.urlsafe_b64encode(made).rstrip(b'=').decode()}"


def by_another_key(claims: Claims, dice: random.Random) -> str:
    """Signed by another key, which goes by the same name or stands in the token."""
    key = rsa_key("foreign")
    headers: list[Claims] = [{"kid": "first"}, {"kid": "first", "jwk": key.as_dict(private=False)}, {}]
    return signed(claims, key=key, header=dice.choice(headers))


FORGERIES: dict[str, Forgery] = {
    "another audience": with_claims(aud="another"),
    "several audiences": with_claims(aud=["aptone", "another"]),
    "another party": with_claims(azp="another"),
    "another issuer": with_claims(iss="https://evil.example"),
    "another nonce": with_claims(nonce="x" * 43),
    "no nonce": with_claims(nonce=None),
    "no end": with_claims(exp=None),
    "nobody": with_claims(sub=None),
    "another time": of_another_time,
    "a byte flipped": flipped,
    "no signature": unsigned,
    "the public key as a secret": by_public_key,
    "another key": by_another_key,
}
BROWSERS = ("another browser", "no secret", "another state", "used twice")
"""Ways in which the browser lies, with a right token."""


def only_signature(token: str) -> bool:
    """Lesser check: the signature."""
    try:
        jwt.decode(token, rsa_key("first"), algorithms=["RS256"])
    except (JoseError, ValueError):
        return False
    return True


def only_claims(token: str, fake: FakeProvider) -> bool:
    """Lesser check: issuer, audience and end, unsigned."""
    try:
        claims = json.loads(base64.urlsafe_b64decode(token.split(".")[1] + "=="))
    except ValueError:
        return False
    if not isinstance(claims, dict):
        return False
    ends = claims.get("exp")
    known = claims.get("iss") == fake.issuer and claims.get("aud") == fake.client_id
    return known and isinstance(ends, int) and ends > time.time()


async def attempt(fake: FakeProvider, sign_ins: SignIns, *, browser: str = "") -> str:
    """Go the whole way once; ``in``, or the code of the refusal."""
    begun = await sign_ins.begin("university", address=HERE)
    back = Returned(**fake.agree(begun.url))
    secret = {"another browser": "x" * 43, "no secret": ""}.get(browser, begun.secret)
    if browser == "another state":
        back = Returned("x" * 43, back.code)
    try:
        await sign_ins.finish("university", back, secret=secret)
        if browser == "used twice":
            await sign_ins.finish("university", back, secret=secret)
    except RefusedError as error:
        return error.code
    return "in"


async def run(attempts: int, *, seed: int) -> dict[str, object]:
    """Honest sign-ins, then forged ones of every kind in turn."""
    dice, fake = random.Random(seed), FakeProvider()
    sign_ins = SignIns([fake.provider()], ask=fake.ask)
    honest = Counter([await attempt(fake, sign_ins) for _ in range(HONEST)])
    found: dict[str, Counter[str]] = {}
    lesser = Counter[str]()
    longest = 0.0
    kinds = [*FORGERIES, *BROWSERS]
    tokens = 0
    for number in range(attempts):
        kind = kinds[number % len(kinds)]
        forge = FORGERIES.get(kind)

        def sign(claims: Claims, forge: Forgery | None = forge) -> str:
            token = right(claims) if forge is None else forge(claims, dice)
            if forge is not None:
                lesser["signature only"] += only_signature(token)
                lesser["claims only"] += only_claims(token, fake)
            return token

        fake.sign = sign
        tokens += forge is not None
        began = time.perf_counter()
        found.setdefault(kind, Counter())[await attempt(fake, sign_ins, browser=kind)] += 1
        longest = max(longest, time.perf_counter() - began)
    return {
        "honest": {"attempts": HONEST, "in": honest["in"]},
        "forged": {"attempts": attempts, "in": sum(one["in"] for one in found.values())},
        "forged_by_kind": {kind: dict(one) for kind, one in found.items()},
        "lesser_checks": {"tokens": tokens, **lesser},
        "longest_seconds": round(longest, 3),
    }


def main() -> None:
    """Attack, print the figures and write them down."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--attempts", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=27)
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    options = parser.parse_args()
    LOG.disabled = True  # a line for each refusal
    found = asyncio.run(run(options.attempts, seed=options.seed))
    print(json.dumps(found, indent=1))
    options.output.write_text(json.dumps(with_revisions(found), indent=1) + "\n", encoding="utf-8")
    honest, forged = found["honest"], found["forged"]
    assert isinstance(honest, dict)
    assert isinstance(forged, dict)
    if forged["in"] or honest["in"] < HONEST:
        sys.exit("a forged sign-in was let in, or an honest one was not")


if __name__ == "__main__":
    main()
