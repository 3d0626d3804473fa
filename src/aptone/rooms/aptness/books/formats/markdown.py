"""Markdown: headings and paragraphs without markup; notes, tables, code and front matter are left out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from aptone.errors import MissingExtraError
from aptone.messages import message
from aptone.rooms.aptness.books.formats.blocks import Block, BlockKind, LeftOut, SourcePlace, SourceText, shortened
from aptone.rooms.aptness.books.formats.html_text import html_blocks
from aptone.rooms.aptness.books.formats.markup import language_named
from aptone.rooms.aptness.text_files import read_utf8

if TYPE_CHECKING:
    from markdown_it.token import Token

_FRONT = re.compile(r"\A---[ \t]*\n(?P<body>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FIELD = re.compile(r"^(title|lang|language)\s*:\s*[\"']?(.*?)[\"']?\s*$", re.IGNORECASE | re.MULTILINE)
_NOTE = re.compile(r"\[\^[^\]\s]{1,40}\]")


def read_markdown(path: Path) -> SourceText:
    """Return the text of a Markdown file.

    Raises:
        MissingExtraError: without markdown-it-py.
        RecordError: if it is not UTF-8.
    """
    return markdown_text(read_utf8(path, what="Markdown"))


def markdown_text(text: str) -> SourceText:
    r"""Return the text of Markdown.

    >>> [(block.kind, block.text) for block in markdown_text("# One\n\n*Go*, she\nsaid.[^1]\n\n[^1]: Or so.").blocks]
    [('heading', 'One'), ('paragraph', 'Go, she said.')]
    """
    try:
        from markdown_it import MarkdownIt
    except ImportError as error:
        raise MissingExtraError(message("books.kind-markdown"), extra="books") from error
    left_out: list[LeftOut] = []
    fields: dict[str, str] = {}
    rows = 0
    if front := _FRONT.match(text):
        fields = {name.lower(): value for name, value in _FIELD.findall(front["body"])}
        left_out.append(LeftOut("front-matter", shortened(front["body"])))
        rows, text = text[: front.end()].count("\n"), text[front.end() :]
    parser = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
    blocks = list(_blocks(parser.parse(text), left_out, rows))
    title = fields.get("title") or next((block.text for block in blocks if block.kind == "heading"), "")
    language = language_named(fields.get("lang") or fields.get("language") or "")
    return SourceText(tuple(blocks), title, language, tuple(left_out))


@dataclass(slots=True)
class _State:
    """Open elements: level of a heading, a gap before the next block, cells of a table, an item of a dashed list."""

    level: int = 0
    gap: bool = False
    table: list[str] | None = None
    is_dash: bool = False


def _blocks(tokens: "Sequence[Token]", left_out: list[LeftOut], rows: int) -> Iterator[Block]:
    state = _State()
    for token in tokens:
        place = SourcePlace("row", token.map[0] + 1 + rows) if token.map else None
        if token.type in ("fence", "code_block"):
            left_out.append(LeftOut("code", shortened(token.content), place))
        elif token.type == "html_block":
            found = html_blocks(token.content)
            yield from found.blocks
            if not found.blocks:
                left_out.append(LeftOut("comment", shortened(token.content), place))
        elif token.type == "inline":
            yield from _paragraph(token, state, left_out, place)
        else:
            _note(token, state, left_out)


def _note(token: "Token", state: _State, left_out: list[LeftOut]) -> None:
    """Take note of where an element opens or closes."""
    if token.type in ("heading_open", "heading_close"):
        state.level = int(token.tag[1]) if token.type == "heading_open" else 0
    elif token.type == "hr":
        state.gap = True
    elif token.type == "table_open":
        state.table = []
    elif token.type == "table_close":
        left_out.append(LeftOut("table", shortened(" ".join(state.table or ()))))
        state.table = None
    elif token.type in ("list_item_open", "list_item_close"):
        state.is_dash = token.type == "list_item_open" and token.markup == "-"


def _paragraph(token: "Token", state: _State, left_out: list[LeftOut], place: SourcePlace | None) -> Iterator[Block]:
    words = _inline(token, left_out, place)
    if state.table is not None:
        state.table.append(words)
    elif words.startswith("[^") and _NOTE.match(words):
        left_out.append(LeftOut("notes", shortened(words), place))
    elif words := _NOTE.sub("", words).strip():
        words = f"– {words}" if state.is_dash and not state.level else words
        kind: BlockKind = "heading" if state.level else "paragraph"
        yield Block(words, kind, state.level, place=place, is_break=state.gap)
        state.gap = state.is_dash = False


def _inline(token: "Token", left_out: list[LeftOut], place: SourcePlace | None) -> str:
    parts: list[str] = []
    struck = 0
    for child in token.children or ():
        if child.type in ("s_open", "s_close"):
            struck += 1 if child.type == "s_open" else -1
            if child.type == "s_open":
                left_out.append(LeftOut("deleted", place=place))
        elif struck:
            continue
        elif child.type in ("text", "code_inline"):
            parts.append(child.content)
        elif child.type in ("softbreak", "hardbreak"):
            parts.append(" ")
        elif child.type == "image" and child.content:
            left_out.append(LeftOut("caption", shortened(child.content), place))
    return " ".join("".join(parts).split())
