"""Claims about scales in words that the lexicon does not list: what pictures beside a noun recover, and how surely.

    python -m benchmarks.caption_unlisted

A word list that was written beside the captions to learn from (``caption_sentences/learn.*.jsonl``) reads nearly all of
them; those of other writers it reads less. So every phrase about pitch, volume, pace and melody is taken out of
``voices/descriptions.LANGUAGE.tsv`` here, and the captions are read without and with
`aptone.ear.reading.metaphors` ("parked in the attic"):

- *read*: share of the marked claims about these scales that a unit makes;
- *right*: share of the units about them that make a marked claim.

No clip is heard. The pictures were written before the first run; two Mandarin ones (连, 倒) were dropped after it.
"""

import argparse
import json
import platform
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

from aptone.ear.reading import vocabularies
from aptone.lexicon import descriptions
from aptone.rooms.caption.decompose.built_in import take_apart
from aptone.types import Language
from benchmarks.caption_foreign import HERE, LANGUAGES, ForeignCaption, makes, read_captions, share, shown
from benchmarks.made_with import with_revisions

SCALES = ("pitch", "pitch_variation", "rate", "volume")


def counted(given: list[ForeignCaption], language: Language) -> dict[str, Any]:
    """Return shares of the claims and units about scales."""
    read, right = [], []
    for one in given:
        units = take_apart(one.caption, language=language).units
        read += [any(makes(unit, claim) for unit in units) for claim in one.claims if claim.attribute in SCALES]
        right += [
            any(makes(unit, claim) for claim in one.claims)
            for unit in units
            if unit.attribute in SCALES and not unit.becomes
        ]
    return {"read": share(sum(read), len(read)), "right": share(sum(right), len(right))}


def without_scales(name: str) -> list[tuple[str, str]]:
    """Return the rows of a table; of descriptions those that are about no scale."""
    rows = _ROWS(name)
    return [row for row in rows if not row[0].startswith(SCALES)] if name.startswith("descriptions") else rows


_ROWS = descriptions.table_rows


def compare(folder: Path) -> dict[str, dict[str, Any]]:
    """Return the shares by language, without and with pictures."""
    given = {language: read_captions(folder / f"learn.{language}.jsonl", language) for language in LANGUAGES}
    found: dict[str, dict[str, Any]] = {language: {} for language in LANGUAGES}
    descriptions.descriptions.cache_clear()
    with mock.patch.object(descriptions, "table_rows", without_scales):
        for language, captions in given.items():
            with mock.patch.object(vocabularies, "find_pictures", return_value=()):
                found[language]["without pictures"] = counted(captions, language)
            found[language]["with pictures"] = counted(captions, language)
    descriptions.descriptions.cache_clear()
    return found


def main() -> None:
    """Compare, print and write the results."""
    parser = argparse.ArgumentParser(description="Claims in words that the lexicon does not list.")
    parser.add_argument("--folder", type=Path, default=HERE / "caption_sentences", help="Folder with the captions.")
    parser.add_argument("--output", type=Path, default=HERE / "results" / "caption_unlisted.json")
    options = parser.parse_args()
    found = compare(options.folder)
    for language, rows in found.items():
        for name, row in rows.items():
            print(f"{language}: {name:17} read {shown(row['read'])}   right {shown(row['right'])}")
    record = {
        "what": "claims about scales in words that the lexicon does not list",
        "languages": found,
        "versions": {"python": platform.python_version(), "aptone": version("aptone")},
    }
    text = json.dumps(with_revisions(record), indent=1, sort_keys=True, ensure_ascii=False)
    options.output.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
