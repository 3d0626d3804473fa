"""The page about inputs lists the names by which columns are taken for fields."""

import re
from pathlib import Path

from aptone.rooms.answer.data import NAMES as ANSWERS
from aptone.rooms.aptness.sources import NAMES as LINES
from aptone.rooms.caption.data import NAMES as CAPTIONS
from aptone.rooms.style.data import NAMES as PAIRS
from aptone.run.sources.columns import NAMES as COMMON

PAGE = Path(__file__).resolve().parents[3] / "docs" / "use" / "inputs.md"
VERBS = {"all": COMMON, "`score`, `rank`": LINES, "`style`": PAIRS, "`caption`": CAPTIONS, "`answer`": ANSWERS}
NOT_LISTED = {"ideal_en", "ideal_zh", "proxy_score", "weak", "prompt", "topic", "source"}
"""Fields of benchmarks, which only their own files have."""


def test_the_page_lists_every_name_of_every_verb() -> None:
    rows = re.findall(r"^\| (all|`[^|]+`) \| `(\w+)` \| ([\w, ]+) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    listed = {(verb, field): tuple(names.split(", ")) for verb, field, names in rows}
    expected = {
        (verb, field): names
        for verb, fields in VERBS.items()
        for field, names in fields.items()
        if field not in NOT_LISTED and (verb == "all" or field not in COMMON)
    }
    assert listed == expected
