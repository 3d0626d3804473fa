"""Title and author above a text: the title is a heading, as chapters have; who wrote it is no part of the story."""

import re
from collections.abc import Sequence
from dataclasses import replace

from aptone.rooms.aptness.books.chapters import headings_of
from aptone.rooms.aptness.books.formats.blocks import Block, LeftOut, shortened

LOOKED_AT = 6
"""Blocks at the beginning of a text among which its title and author stand."""

LONGEST_TITLE = 60
"""Characters of a title that nothing marks as one."""

TITLE_LEVEL = 3
"""Level of the heading that a title becomes: no chapter of its own, where chapters have names."""

_BYLINE = re.compile(
    r"(?:(?:a|an|the)\s+)?(?:[a-z]+\s+){0,3}by:?\s+[A-Z][\w.’'-]*(?:\s+(?:[A-Z][\w.’'-]*|de|von|van|du|and|&)){0,6}"
    r"|(?:作者|著者|文)\s*[:：]\s*\S{1,20}|[\u4e00-\u9fff·]{2,10}\s+著",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\bby:?\s+[A-Z]|作者|著者|文\s*[:：]|\s著$", re.IGNORECASE)
_PUNCTUATION = re.compile(r"[.,;:!?…。，；：！？—“”‘’\"「」『』«»]")


def with_title(blocks: Sequence[Block], title: str, left_out: list[LeftOut]) -> list[Block]:
    """Return the blocks of a text with its title as a heading, and without the row that names who wrote it.

    Args:
        title: title that the file states; empty where it states none.
        left_out: parts that are left out, to which the author is added.
    """
    kept: list[Block] = []
    for number, block in enumerate(blocks[:LOOKED_AT]):
        text = block.text.strip()
        if block.kind != "speech" and _BYLINE.fullmatch(text) and _NAMED.search(text) and not text.endswith(","):
            left_out.append(LeftOut("front-matter", shortened(text), block.place))
            continue
        kept.append(block)
        if len(text) > LONGEST_TITLE and block.kind != "heading":
            kept += blocks[number + 1 : LOOKED_AT]
            break
    kept += blocks[LOOKED_AT:]
    if kept and _is_title(kept, title):
        kept[0] = replace(kept[0], kind="heading", level=TITLE_LEVEL)
    return kept


def _is_title(blocks: Sequence[Block], title: str) -> bool:
    """Return true if a text begins with its title: as it is stated, or a short row above the first heading."""
    first = blocks[0]
    if first.kind not in ("paragraph", "action") or first.times:
        return False
    if title and _key(first.text) == _key(title):
        return True
    follows = len(blocks) > 1 and bool(headings_of(blocks[:2])[1])
    return follows and len(first.text) <= LONGEST_TITLE and _PUNCTUATION.search(first.text.strip()) is None


def _key(text: str) -> str:
    return re.sub(r"\W", "", text).casefold()
