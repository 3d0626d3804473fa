"""Rows of pages as paragraphs: page numbers and running heads go, wrapped rows are joined, hyphens closed."""

import itertools
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from aptone.rooms.aptness.books.formats.blocks import LeftOut, LeftOutReason, SourcePlace, shortened

FEWEST_PAGES = 3
"""Fewest pages, or repetitions, from which on a row may be a running head."""

FURTHEST_INDENT = 20
"""Spaces before a number by itself from which on it is no beginning of a paragraph."""

LONGEST_HEAD = 80
"""Characters of a running head."""

_PAGE_NUMBER = re.compile(
    r"\W*(?:page|p\.|第)?\s*(?:\d{1,4}|[ivxlc]{1,7})\s*(?:页|頁)?\s*(?:(?:of|/)\s*\d{1,4})?\W*", re.IGNORECASE
)
_ENDS = re.compile(r"[.!?…。！？：:;；—][”’\"'」』）)]*$")
_CHINESE = re.compile(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef“”‘’—…]")
_BASE_WORD = re.compile(r"[A-Za-z]+-$")


@dataclass(frozen=True, slots=True)
class Row:
    """Row of a text.

    Args:
        indent: spaces before its first word.
        place: page or row that it stands on, for messages.
        gap: true if an empty row stands before it.
        new_page: true if it is the first on its page.
    """

    text: str
    indent: int
    place: SourcePlace
    gap: bool = False
    new_page: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Paragraph of joined rows; `is_alone` where empty rows stand on both sides of a single row."""

    text: str
    place: SourcePlace
    is_alone: bool = False
    centred: bool = False


def rows_of(pages: Sequence[Sequence[str]], *, by_page: bool, left_out: list[LeftOut]) -> list[Row]:
    """Return the rows of pages without page numbers and running heads, which are noted as left out.

    Args:
        by_page: count places by pages; else by rows of the whole text.
    """
    furniture = _furniture(pages) if len(pages) >= FEWEST_PAGES else _furniture_of_rows(pages)
    rows: list[Row] = []
    gone: dict[tuple[str, str], list[SourcePlace]] = {}
    counted = 0
    for page_number, page in enumerate(pages, start=1):
        gap, first = False, page_number > 1
        for number, raw in enumerate(page):
            counted += 1
            place = SourcePlace("page", page_number) if by_page else SourcePlace("row", counted)
            text = " ".join(raw.split())
            if not text:
                gap = True
                continue
            if (reason := furniture.get((page_number, number))) is not None:
                gone.setdefault((reason, text if reason == "running-head" else ""), []).append(place)
                first = True  # whatever stands next begins a page, so that its paragraph may go on
                continue
            rows.append(Row(text, len(raw) - len(raw.lstrip()), place, gap, first))
            gap = first = False
    for (reason, text), places in gone.items():
        kind: LeftOutReason = "running-head" if reason == "running-head" else "page-number"
        left_out.append(LeftOut(kind, shortened(text), places[0], len(places)))
    return rows


def _furniture(pages: Sequence[Sequence[str]]) -> dict[tuple[int, int], str]:
    """Return the rows at the top and bottom of pages that are page numbers or recur: (page, row) to the reason."""
    found: dict[tuple[int, int], str] = {}
    seen: dict[str, list[tuple[int, int]]] = {}
    for page_number, page in enumerate(pages, start=1):
        filled = [number for number, row in enumerate(page) if row.strip()]
        edges = dict.fromkeys([*filled[:2], *filled[-2:]])
        for number in edges:
            text = page[number].strip()
            outermost = number in (filled[0], filled[-1])
            if outermost and _PAGE_NUMBER.fullmatch(text) and any(one.isdigit() for one in text):
                found[page_number, number] = "page-number"
            elif len(text) <= LONGEST_HEAD and not (_ENDS.search(text) and not any(one.isdigit() for one in text)):
                seen.setdefault(_pattern(text), []).append((page_number, number))
    most = max(FEWEST_PAGES, len(pages) // 5)
    for pattern, places in seen.items():
        if len({page for page, _ in places}) >= most and (
            any(map(str.isalpha, pattern)) or len(places) >= FEWEST_PAGES
        ):
            found |= dict.fromkeys(places, "running-head")
    found |= dict.fromkeys(_numbered_heads(pages, seen), "running-head")
    for page_number, page in enumerate(pages, start=1):  # a page number beside a head
        filled = [number for number, row in enumerate(page) if row.strip() and (page_number, number) not in found]
        for number in dict.fromkeys([*filled[:1], *filled[-1:]]):
            text = page[number].strip()
            if _PAGE_NUMBER.fullmatch(text) and any(one.isdigit() for one in text):
                found[page_number, number] = "page-number"
    return found


def _numbered_heads(
    pages: Sequence[Sequence[str]], seen: Mapping[str, Sequence[tuple[int, int]]]
) -> list[tuple[int, int]]:
    """Return heads with the number of their page, ``12 THE HARBOUR``; left and right ones may recur too rarely each.

    Their numbers count with the pages, the same way in all of them.
    """
    offsets: dict[int, list[tuple[int, int]]] = {}
    for pattern, places in seen.items():
        if len({page for page, _ in places}) < 2 or not re.search(r"^#\s+\D+$|^\D+\s+#$", pattern):
            continue
        numbers = [int(re.findall(r"\d+", pages[page - 1][row])[0]) for page, row in places]
        apart = {number - page for number, (page, _) in zip(numbers, places, strict=True)}
        if len(apart) == 1:
            offsets.setdefault(apart.pop(), []).extend(places)
    return [
        place for places in offsets.values() if len({page for page, _ in places}) >= FEWEST_PAGES for place in places
    ]


def _pattern(text: str) -> str:
    return re.sub(r"\d+", "#", " ".join(text.split()).casefold())


def _furniture_of_rows(pages: Sequence[Sequence[str]]) -> dict[tuple[int, int], str]:
    """Return page numbers that count upwards through a text without page breaks, and heads that recur beside them."""
    found: dict[tuple[int, int], str] = {}
    for page_number, page in enumerate(pages, start=1):
        filled = [number for number, row in enumerate(page) if row.strip()]
        numbers = [
            (order, number, int(match[0]))
            for order, number in enumerate(filled)
            if re.fullmatch(r"\W*(?:[Pp]age\s*)?\d{1,4}\W*", page[number].strip())
            and (match := re.search(r"\d+", page[number])) is not None
        ]
        rising = [two[2] - one[2] for one, two in itertools.pairwise(numbers)]
        if (
            len(numbers) < FEWEST_PAGES
            or any(step <= 0 for step in rising)
            or sum(step == 1 for step in rising) < len(rising) / 2
        ):
            found |= {(page_number, number): "page-number" for number in _set_apart(page, numbers)}
            numbers = []
        apart = len(filled) / max(1, len(numbers))
        if numbers and apart > 80:  # a page has some forty rows: these are numbers of chapters
            numbers = []
        near: Counter[str] = Counter()
        beside: dict[str, list[int]] = {}
        for order, number, _ in numbers:
            found[page_number, number] = "page-number"
            for other in (order - 1, order + 1):
                if 0 <= other < len(filled) and len(page[filled[other]].strip()) <= LONGEST_HEAD:
                    pattern = _pattern(page[filled[other]])
                    near[pattern] += 1
                    beside.setdefault(pattern, []).append(filled[other])
        for pattern, count in near.items():
            if count >= FEWEST_PAGES:
                found |= {(page_number, number): "running-head" for number in beside[pattern]}
    return found


def _set_apart(page: Sequence[str], numbers: Sequence[tuple[int, int, int]]) -> list[int]:
    """Return the rows of numbers that stand apart in the middle or at the right, unless they count chapters from 1 on.

    Args:
        numbers: which of the filled rows each is, its row, and the number.
    """
    apart = [
        (row, value)
        for _, row, value in numbers
        if len(page[row]) - len(page[row].lstrip()) >= FURTHEST_INDENT
        and not any(page[near].strip() for near in (row - 1, row + 1) if 0 <= near < len(page))
    ]
    is_counted = [value for _, value in apart] == list(range(1, len(apart) + 1))
    return [] if is_counted else [row for row, _ in apart]


def is_hard_wrapped(rows: Sequence[Row]) -> bool:
    """Return true if rows are broken at a width and not where paragraphs end."""
    inner = [
        row.text
        for row, following in itertools.pairwise(rows)
        if not following.gap and not following.new_page and row.text
    ]
    if len(inner) < 4:
        return False
    lengths = sorted(len(text) for text in inner)
    width = lengths[int(0.95 * (len(lengths) - 1))]
    if not 18 <= width <= 130:
        return False
    full = sum(length >= 0.7 * width for length in lengths) / len(lengths)
    open_ended = sum(_ENDS.search(text) is None for text in inner) / len(inner)
    return full >= 0.7 and open_ended >= 0.3


def paragraphs_of(rows: Sequence[Row]) -> Iterator[Paragraph]:
    """Yield the paragraphs of wrapped rows: they end at empty rows, before indented rows, behind short last rows."""
    if not rows:
        return
    lengths = sorted(len(row.text) + row.indent for row in rows)
    width = lengths[int(0.95 * (len(lengths) - 1))]
    margins = Counter(row.indent for row in rows)
    margin = min((indent for indent, count in margins.items() if count >= 0.15 * len(rows)), default=0)
    indented = sum(margin + 1 <= row.indent <= margin + 12 for row in rows)
    uses_indents = indented >= max(2, 0.03 * len(rows))
    gaps = sum(row.gap for row in rows)
    every_row = gaps > 0.9 * len(rows)  # double spacing: an empty row says nothing
    words = set(re.findall(r"[A-Za-z]+(?:-[A-Za-z]+)+", " ".join(row.text for row in rows)))
    together: list[Row] = []
    for number, row in enumerate(rows):
        if together and _ends_here(
            together[-1], row, width, margin, uses_indents=uses_indents, gaps_count=not every_row
        ):
            yield _paragraph(together, width, words, rows[number].gap)
            together = []
        together.append(row)
    yield _paragraph(together, width, words, True)


def _ends_here(before: Row, row: Row, width: int, margin: int, *, uses_indents: bool, gaps_count: bool) -> bool:
    ended = _ENDS.search(before.text) is not None
    is_indented = uses_indents and margin + 1 <= row.indent <= margin + 12
    if row.new_page and not is_indented:
        if not ended and (row.text[:1].islower() or len(before.text) + before.indent >= 0.7 * width):
            return False
        return ended or row.gap
    if row.gap and gaps_count:
        return True
    if is_indented:
        return True
    if row.indent > margin + 12 or before.indent > margin + 12:  # a row in the middle of the page
        return True
    short = len(before.text) + before.indent < 0.75 * width
    return short and ended and not (uses_indents and row.indent == margin and len(before.text) > 0.6 * width)


def _paragraph(rows: Sequence[Row], width: int, words: set[str], gap_behind: bool) -> Paragraph:
    text = rows[0].text
    for row in rows[1:]:
        text = join_rows(text, row.text, words)
    centred = len(rows) == 1 and rows[0].indent > 12 and len(rows[0].text) < 0.7 * width
    return Paragraph(text, rows[0].place, len(rows) == 1 and (rows[0].gap or rows[0].new_page) and gap_behind, centred)


def join_rows(before: str, behind: str, words: set[str]) -> str:
    """Return two rows as one: a hyphen at the end is closed, unless the text writes the word with it elsewhere.

    >>> join_rows("It was won-", "derful", set()), join_rows("a well-", "known man", {"well-known"})
    ('It was wonderful', 'a well-known man')
    >>> join_rows("雨下了", "一夜", set())
    '雨下了一夜'
    """
    if before.endswith("\u00ad"):
        return before[:-1] + behind
    if _BASE_WORD.search(before) and behind[:1].isalpha():
        first, last = re.findall(r"[A-Za-z]+-$", before)[0], re.match(r"[A-Za-z]+", behind)
        whole = first + (last[0] if last else "")
        if behind[:1].isupper() or whole in words or whole.lower() in {word.lower() for word in words}:
            return before + behind
        return before[:-1] + behind
    if before.endswith(("—", "–")) or (
        _CHINESE.match(before[-1:]) and _CHINESE.match(behind[:1]) and _is_chinese(before)
    ):
        return before + behind
    return f"{before} {behind}"


def _is_chinese(text: str) -> bool:
    return any("\u3400" <= one <= "\u9fff" for one in text)
