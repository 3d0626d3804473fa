"""Pseudonyms of exports: stable within a project, and of no use outside of it.

``P-`` and eight characters of HMAC-SHA256 over the person's id, keyed by a random salt of the project that no export
holds. They are not the names by which people sign in, and the same person has another one in another project.
"""

import base64
import hashlib
import hmac
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from sqlalchemy import Connection, text

from aptone.studio.project import Project
from aptone.studio.store.records import Person
from aptone.types import Rating

SALT = "export_salt"
HeadphoneWord = Literal["", "passed", "failed"]
LENGTH = 8
"""Characters of a pseudonym: 40 bits."""


def export_pseudonym(salt: str, person: str, *, length: int = LENGTH) -> str:
    """Pseudonym of a person in the exports of a project.

    >>> export_pseudonym("salt", "ada") == export_pseudonym("salt", "ada") != export_pseudonym("other", "ada")
    True
    """
    digest = hmac.new(salt.encode(), person.encode(), hashlib.sha256).digest()
    return f"P-{base64.b32encode(digest).decode()[:length]}"


def export_names(project: Project, *, with_names: bool = False) -> dict[str, str]:
    """Map sign-in name to the name in exports: the pseudonym, on request with the person's name before it."""
    people = project.people.everyone()
    salt = _salt(project)
    length = LENGTH
    while len({export_pseudonym(salt, one.id, length=length) for one in people}) < len(people):
        length += 1
    return {one.pseudonym: _shown(one, export_pseudonym(salt, one.id, length=length), with_names) for one in people}


@dataclass(frozen=True, slots=True)
class Screening:
    """What a person went through before rating.

    Args:
        consent_version: highest version of the consent text that the person agreed to; 0 for none.
        headphones: result of the headphone check of the task: ``passed``, ``failed``, or empty for none.
    """

    consent_version: int = 0
    headphones: HeadphoneWord = ""


def headphone_word(passed: bool | None) -> HeadphoneWord:
    """Result of a headphone check as a word; empty where it was not answered."""
    return "" if passed is None else "passed" if passed else "failed"


def screenings(project: Project, task: str, names: Mapping[str, str]) -> dict[str, Screening]:
    """Map the name in exports to what the person went through before rating a task; `names` from `export_names`."""
    consents, headphones = project.gates.consents(), project.gates.headphones(task)
    return {
        names[one.pseudonym]: Screening(
            consents.get(one.id, (0, 0.0))[0],
            headphone_word(headphones.get(one.id)),
        )
        for one in project.people.everyone()
        if one.pseudonym in names
    }


def renamed(ratings: Sequence[Rating], names: Mapping[str, str]) -> list[Rating]:
    """Ratings with other names of the raters."""
    return [replace(rating, rater=names.get(rating.rater, rating.rater)) for rating in ratings]


def _shown(person: Person, pseudonym: str, with_names: bool) -> str:
    return f"{person.name} ({pseudonym})" if with_names and person.name else pseudonym


def _salt(project: Project) -> str:
    """Salt of the project; made on first use."""
    read = text("SELECT value FROM properties WHERE name = :name")
    with project.database.reading() as connection:
        if (found := connection.execute(read, {"name": SALT}).scalar()) is not None:
            return str(found)

    def write(connection: Connection) -> str:
        connection.execute(
            text("INSERT INTO properties (name, value) VALUES (:name, :salt) ON CONFLICT (name) DO NOTHING"),
            {"name": SALT, "salt": secrets.token_hex(32)},
        )
        return str(connection.execute(read, {"name": SALT}).scalar_one())

    return project.writer.call(write).result()
