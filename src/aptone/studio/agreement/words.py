"""What a report of agreement says in sentences, in Mandarin, for the page that shows it.

The report keeps them in English, whoever asks. Whoever reads Mandarin gets each of them beside it, from the table that
terminal and cards use, too.
"""

from collections.abc import Iterator, Mapping

from aptone.report.told import told
from aptone.types import Json

SAID = frozenset({"how", "method", "reason", "set_aside"})
"""Fields that hold sentences, or a mapping to them."""


def in_mandarin(report: Mapping[str, Json]) -> dict[str, str]:
    """English sentence to Mandarin sentence, for every one of ours in a report.

    >>> in_mandarin({"set_aside": {"R1": "1 of 6 attention checks are right"}, "items": 3})
    {'1 of 6 attention checks are right': '注意力检查 6 题中答对 1 题'}
    """
    found = {sentence: told(sentence, "zh") for sentence in sentences(report)}
    return {english: mandarin for english, mandarin in found.items() if mandarin != english}


def sentences(report: Json, *, said: bool = False) -> Iterator[str]:
    """Every sentence in a report."""
    if isinstance(report, str):
        if said and report:
            yield report
    elif isinstance(report, Mapping):
        for name, value in report.items():
            yield from sentences(value, said=said or name in SAID)
    elif isinstance(report, list | tuple):
        for value in report:
            yield from sentences(value, said=said)
