"""Personal links as they are typed and sent."""

from collections.abc import Sequence

from aptone.errors import UsageError
from aptone.studio.store.records import Person

MOST_NAMED = 20
"""People whom a message lists."""


def join_link(address: str, token: str) -> str:
    """The link that lets somebody in. The token stands behind ``#``, which browsers do not send, so no log has it.

    >>> join_link("http://localhost:8765/", "TOKEN")
    'http://localhost:8765/join#TOKEN'
    """
    return f"{address.rstrip('/')}/join#{token}"


def find_person(people: Sequence[Person], who: str) -> Person:
    """Somebody who was here, by pseudonym or name; case does not matter.

    Args:
        people: of the project.
        who: as it is typed.

    Raises:
        UsageError: if there is nobody of that name, more than one, or who it is may not enter any more.
    """
    wanted = who.strip().casefold()
    found = [one for one in people if one.pseudonym.casefold() == wanted] or [
        one for one in people if one.name.casefold() == wanted
    ]
    if not found:
        known = ", ".join(f"{one.pseudonym} ({one.name})" for one in people[:MOST_NAMED])
        raise UsageError(f"nobody is called {who!r}; there are {known or 'no people yet'}.")
    if len(found) > 1:
        raise UsageError(
            f"{len(found)} people are called {who!r}: {', '.join(one.pseudonym for one in found)}; name one."
        )
    if not found[0].active:
        raise UsageError(f"{found[0].pseudonym} ({found[0].name}) may not enter any more; an admin can change that.")
    return found[0]
