"""HTML and XHTML as blocks of text: what is read aloud, without notes, navigation, captions and hidden parts."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from pathlib import Path

from aptone.rooms.aptness.books.formats.blocks import (
    Block,
    LeftOut,
    LeftOutReason,
    SourcePlace,
    SourceText,
    shortened,
)
from aptone.rooms.aptness.books.formats.markup import decode_markup, escape_broken_tags, language_named
from aptone.rooms.aptness.text_files import read_bytes
from aptone.types import Language

DEEPEST = 2_000
"""Deepest nesting of elements; deeper ones belong to the one above them."""

_BLOCKS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    ]
)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"]
)
_SKIPPED: dict[str, LeftOutReason] = {
    "nav": "contents",
    "figcaption": "caption",
    "caption": "caption",
    "table": "table",
    "aside": "notes",
    "template": "hidden",
    "noscript": "hidden",
    "svg": "hidden",
    "math": "hidden",
    "form": "hidden",
    "button": "hidden",
    "select": "hidden",
    "textarea": "hidden",
    "rt": "hidden",
    "rp": "hidden",
    "object": "hidden",
    "iframe": "hidden",
    "del": "deleted",
}
_SILENT = frozenset(("script", "style"))
_BY_TYPE: dict[str, LeftOutReason] = {
    **dict.fromkeys(
        ("toc", "landmarks", "page-list", "loi", "lot", "loa", "lov", "doc-toc", "doc-pagelist"), "contents"
    ),
    **dict.fromkeys(
        (
            "footnote",
            "footnotes",
            "endnote",
            "endnotes",
            "rearnote",
            "rearnotes",
            "note",
            "annotation",
            "doc-footnote",
            "doc-endnote",
            "doc-endnotes",
        ),
        "notes",
    ),
    **dict.fromkeys(("noteref", "doc-noteref", "backlink", "doc-backlink"), "note-mark"),
    **dict.fromkeys(("dialog", "alertdialog", "search", "banner", "contentinfo"), "hidden"),
    **dict.fromkeys(("navigation",), "contents"),
    **dict.fromkeys(("pagebreak", "doc-pagebreak"), "page-number"),
    **dict.fromkeys(("copyright-page", "imprint", "imprimatur", "colophon", "doc-colophon"), "copyright"),
    **dict.fromkeys(
        ("cover", "doc-cover", "titlepage", "halftitlepage", "dedication", "doc-dedication", "seriespage", "keywords"),
        "front-matter",
    ),
    **dict.fromkeys(
        (
            "acknowledgments",
            "doc-acknowledgments",
            "bibliography",
            "doc-bibliography",
            "glossary",
            "doc-glossary",
            "index",
            "doc-index",
            "contributors",
            "other-credits",
            "errata",
            "doc-errata",
            "credits",
            "doc-credits",
            "appendix-index",
        ),
        "back-matter",
    ),
}
_NOTE_MARK = re.compile(
    r"\s*(?:[\[(（〔]?(?:\d{1,4}|[a-z]|[ivxlc]{1,6}|[*†‡§]+|注\d*)[\])）〕]?|[①-⑳])\s*", re.IGNORECASE
)
_PAGE_NUMBER = re.compile(r"\bpage-?(?:num|no|number)\b|\bpagenum", re.IGNORECASE)
_NOTE_CLASS = re.compile(r"\b(?:foot|end)notes?\b", re.IGNORECASE)
_CONTENTS_CLASS = re.compile(r"\b(?:toc|table-of-contents|contents)\b", re.IGNORECASE)
_HIDDEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden", re.IGNORECASE)


@dataclass(slots=True)
class _Open:
    """Element that is open: its name, why its text is left out, where it began, and its id."""

    tag: str
    reason: LeftOutReason | None
    block: int
    start: int
    id: str = ""


@dataclass(slots=True)
class HtmlBlocks:
    """Blocks of a document, with the place of each element that has an id.

    Args:
        ids: id to the index of a block, and the span of its text that the element holds.
    """

    blocks: list[Block] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    ids: dict[str, list[tuple[int, int, int]]] = field(default_factory=dict)
    title: str = ""
    language: Language | None = None


class _Reader(HTMLParser):
    """Collects blocks; the text of an element that is left out is counted and kept in short."""

    def __init__(self, file: str, *, inside: frozenset[str]) -> None:
        super().__init__(convert_charrefs=True)
        self.found = HtmlBlocks()
        self._file, self._inside = file, inside
        self._stack: list[_Open] = []
        self._text = ""
        self._kind: tuple[str, int] = ("paragraph", 0)
        self._gone: list[str] = []
        self._outside: list[str] = []
        self._gap = False
        self._in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if tag in _VOID:
            self._add_void(tag, given.get("id", ""))
            return
        if tag == "html" and self.found.language is None:
            self.found.language = language_named(given.get("lang") or given.get("xml:lang") or "")
        if tag == "title":
            self._in_title = True
        if tag in _BLOCKS:
            self._flush()
            if self._stack and self._stack[-1].tag == "p":
                self._pop(len(self._stack) - 1)
            if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
                self._kind = ("heading", int(tag[1]))
        if tag == "q" and self._reason() is None:
            self.handle_data("“")
        if len(self._stack) < DEEPEST:
            reason = self._reason() or _reason_of(tag, given)
            if reason == "note-mark" and self._reason() is None:
                self.found.left_out.append(LeftOut("note-mark", place=self._place()))
            self._stack.append(_Open(tag, reason, len(self.found.blocks), len(self._text), given.get("id", "")))

    def _add_void(self, tag: str, identity: str) -> None:
        if tag == "br":
            self.handle_data(" ")
        elif tag == "hr":
            self._flush()
            self._gap = True
        if identity:
            self._note_id(identity, len(self.found.blocks), len(self._text), len(self._text))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in _VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if tag in _VOID:
            return
        for depth in range(len(self._stack) - 1, -1, -1):
            if self._stack[depth].tag == tag:
                if tag == "q" and self._reason() is None:
                    self.handle_data("”")
                if tag in _BLOCKS:
                    self._flush()
                self._pop(depth)
                break
        else:
            if tag in _BLOCKS:
                self._flush()
        if len(tag) == 2 and tag[0] == "h" and tag[1].isdigit():
            self._kind = ("paragraph", 0)

    def handle_data(self, data: str) -> None:
        if any(one.tag in _SILENT for one in self._stack[-2:]):
            return
        if self._in_title:
            self.found.title = " ".join(f"{self.found.title}{data}".split())
            return
        if any(one.tag == "head" for one in self._stack[:4]):
            return
        if self._reason() is not None:
            self._gone.append(data)
            return
        if self._inside and not any(one.tag in self._inside for one in self._stack):
            self._outside.append(data)
            return
        text = re.sub(r"[ \t\r\n\f\u200b\ufeff]+", " ", data.replace("\u00ad", ""))
        if text.startswith(" ") and (not self._text or self._text.endswith(" ")):
            text = text[1:]
        self._text += text

    def close(self) -> None:
        super().close()
        self._flush()
        self._pop(0)
        if "".join(self._outside).strip():
            self.found.left_out.append(LeftOut("header-footer", shortened(" ".join(self._outside))))

    def _reason(self) -> LeftOutReason | None:
        return self._stack[-1].reason if self._stack else None

    def _place(self) -> SourcePlace:
        return SourcePlace("paragraph", len(self.found.blocks) + 1, self._file)

    def _note_id(self, name: str, block: int, start: int, end: int) -> None:
        if len(name) <= 200:
            self.found.ids.setdefault(name, []).append((block, start, end))

    def _pop(self, depth: int) -> None:
        for place in range(len(self._stack) - 1, depth - 1, -1):
            one = self._stack[place]
            outer = self._stack[place - 1].reason if place else None
            if one.reason is not None and outer is None:
                text = "".join(self._gone)
                self._gone.clear()
                if text.strip() and one.reason != "note-mark":
                    self.found.left_out.append(LeftOut(one.reason, shortened(text), self._place()))
            if one.id:
                self._spans_of(one)
        del self._stack[depth:]

    def _spans_of(self, one: _Open) -> None:
        """Note the text that an element with an id holds: a part of a block, or several blocks."""
        last = len(self.found.blocks)
        if one.block == last:
            self._note_id(one.id, last, one.start, len(self._text))
            return
        for block in range(one.block, last):
            start = one.start if block == one.block else 0
            self._note_id(one.id, block, start, len(self.found.blocks[block].text))

    def _flush(self) -> None:
        text = self._text.rstrip()
        if not text.strip():
            self._text = ""
            return
        kind, level = self._kind
        made = Block(text, "heading" if kind == "heading" else "paragraph", level, place=self._place())
        self.found.blocks.append(replace(made, is_break=self._gap))
        self._gap, self._text = False, ""


def _reason_of(tag: str, given: dict[str, str]) -> LeftOutReason | None:
    kinds = f"{given.get('epub:type', '')} {given.get('role', '')}".lower().split()
    for kind in kinds:
        if kind in _BY_TYPE:
            return _BY_TYPE[kind]
    names = f"{given.get('class', '')} {given.get('id', '')}"
    if "hidden" in given or given.get("aria-hidden") == "true" or _HIDDEN.search(given.get("style", "")):
        return "hidden"
    if _PAGE_NUMBER.search(names):
        return "page-number"
    if tag in ("div", "section", "p", "ol", "li") and _NOTE_CLASS.search(names):
        return "notes"
    if tag in ("div", "section", "ul", "ol") and _CONTENTS_CLASS.search(names):
        return "contents"
    if tag in ("a", "sup") and re.search(
        r"\bnote-?ref\b|\bfn-?ref\b|\bfootnote-?(?:ref|anchor)\b", names, re.IGNORECASE
    ):
        return "note-mark"
    return _SKIPPED.get(tag)


_MAIN = re.compile(r"<(main|article)[\s>]", re.IGNORECASE)


def html_blocks(text: str, *, file: str = "", is_page: bool = False) -> HtmlBlocks:
    """Return the blocks of a document, with what was left out.

    Args:
        file: name of the document in its archive, for places.
        is_page: whether it is a page of a site: what stands outside its main part is no part of the text.
    """
    inside = frozenset(name.lower() for name in _MAIN.findall(text)) if is_page else frozenset[str]()
    reader = _Reader(file, inside=inside)
    reader.feed(_without_note_marks(escape_broken_tags(text)))
    reader.close()
    return reader.found


_MARKED = re.compile(r"<sup\b[^<>]{0,200}>\s*(?:<a\b[^<>]{0,300}>)?([^<>]{1,12})(?:</a>)?\s*</sup>", re.IGNORECASE)
_LINKED = re.compile(
    r"<a\b[^<>]{0,300}href\s*=[^<>]{0,300}>\s*(?:<sup\b[^<>]{0,100}>)?([^<>]{1,12})(?:</sup>)?\s*</a>", re.I
)


def _without_note_marks(text: str) -> str:
    """Mark raised numbers and links that are only a number as marks of notes, so that they are not read aloud."""

    def marked(match: re.Match[str]) -> str:
        return f'<sup class="noteref">{match[1]}</sup>' if _NOTE_MARK.fullmatch(match[1]) else match[0]

    return _LINKED.sub(marked, _MARKED.sub(marked, text))


def read_html(path: Path) -> SourceText:
    """Return the text of an HTML file.

    Raises:
        RecordError: if it cannot be read.
    """
    found = html_blocks(decode_markup(read_bytes(path, what="HTML"), where=str(path)), is_page=True)
    title = found.title or next(titles(found.blocks), "")
    return SourceText(tuple(found.blocks), title, found.language, tuple(found.left_out))


def titles(blocks: Sequence[Block]) -> Iterator[str]:
    """Yield the headings of blocks, in order."""
    return (block.text for block in blocks if block.kind == "heading")
