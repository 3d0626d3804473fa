"""Which ears there are, how large they are and what they may be used for: known without loading any of them."""

from collections.abc import Mapping

from aptone.messages import message

LICENCES: Mapping[str, str] = {"full": "CC-BY-NC-SA-4.0", "permissive": "Apache-2.0"}
"""Ear to the SPDX name of its licence. The weights state the same in their metadata; a test compares the two."""


PARAMETERS: Mapping[str, int] = {"full": 4_999_620, "permissive": 4_972_698}
"""Ear to how many numbers its network and the stem before it hold; a test counts them."""


def ear_and_licence(name: str) -> str:
    """An ear and its licence, as reports say it.

    >>> ear_and_licence("permissive")
    'ear: permissive (Apache-2.0)'
    """
    return message("ear.licence", ear=name, licence=LICENCES[name])
