"""Word documents (DOCX): paragraphs with their styles, without deleted text, comments, notes, headers and contents."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree.ElementTree import Element  # nosec B405  (a type only: defusedxml parses)

from aptone.errors import RecordError
from aptone.messages import message
from aptone.rooms.aptness.books.formats.archive import BookArchive, attribute, local_name, resolve
from aptone.rooms.aptness.books.formats.blocks import Block, LeftOut, LeftOutReason, SourcePlace, SourceText, shortened
from aptone.rooms.aptness.text_files import read_bytes

WHAT = message("books.kind-word")
OLD_FORMAT = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""First bytes of the files of old versions of Word, and of DOCX with a password."""

LONGEST_NAME, FEWEST_ROWS = 40, 3
"""Characters of a speaker's name in the first column of a script; fewest rows of a table that may be one."""

_HEADING = re.compile(r"(?:heading|标题|標題|überschrift|titre)\s*(\d)", re.IGNORECASE)
_SCRIPT_STYLES = {
    "character": "character",
    "dialogue": "dialogue",
    "dialog": "dialogue",
    "parenthetical": "parenthetical",
    "scene heading": "scene",
    "slugline": "scene",
    "action": "action",
    "transition": "transition",
    "角色": "character",
    "对白": "dialogue",
    "场景": "scene",
}


@dataclass(slots=True)
class _Styles:
    """Names and outline levels of the styles, by id."""

    names: dict[str, str] = field(default_factory=dict)
    levels: dict[str, int] = field(default_factory=dict)
    hidden: set[str] = field(default_factory=set)


@dataclass(slots=True)
class _Paragraph:
    text: str
    style: str
    level: int
    number: int


@dataclass(slots=True)
class _Document:
    """Paragraphs and what was left out, as they are found."""

    styles: _Styles
    blocks: list[Block] = field(default_factory=list)
    left_out: list[LeftOut] = field(default_factory=list)
    counts: dict[LeftOutReason, int] = field(default_factory=dict)
    number: int = 0
    role: str = ""
    direction: str = ""

    def count(self, reason: LeftOutReason) -> None:
        self.counts[reason] = self.counts.get(reason, 0) + 1


def read_docx(path: Path) -> SourceText:
    """Return the text of a Word document.

    Raises:
        RecordError: if it is damaged, has a password, is of an old version, or has no text.
    """
    if read_bytes(path, what=WHAT).startswith(OLD_FORMAT):
        raise RecordError(message("books.old-word", name=path))
    with BookArchive(path, what=WHAT) as archive:
        main = _main_part(archive)
        folder = main.rpartition("/")[0]
        styles = _styles(archive, f"{folder}/styles.xml" if folder else "styles.xml")
        document = _Document(styles)
        body = next((one for one in archive.xml(main) if local_name(one) == "body"), None)
        if body is not None:
            _read(body, document)
        _count_other_parts(archive, folder, document)
        title = _title(archive)
    if not document.blocks:
        raise RecordError(message("books.no-text", name=path, what=WHAT))
    for reason, count in document.counts.items():
        document.left_out.append(LeftOut(reason, pieces=count))
    title = title or next((block.text for block in document.blocks if block.kind == "heading" and block.level == 0), "")
    return SourceText(tuple(document.blocks), title, None, tuple(document.left_out))


def _main_part(archive: BookArchive) -> str:
    if "_rels/.rels" in archive:
        for one in archive.xml("_rels/.rels"):
            if attribute(one, "Type").endswith("/officeDocument"):
                target = resolve("", attribute(one, "Target").lstrip("/"))[0]
                if target in archive:
                    return target
    if "word/document.xml" in archive:
        return "word/document.xml"
    raise RecordError(message("books.part-missing", name=archive.path, what=WHAT, part="word/document.xml"))


def _styles(archive: BookArchive, name: str) -> _Styles:
    styles = _Styles()
    if name not in archive:
        return styles
    parents: dict[str, str] = {}
    for one in archive.xml(name):
        if local_name(one) == "style":
            _add_style(one, styles, parents)
    for identity in styles.names:
        above, seen = parents.get(identity, ""), {identity}
        while above and above not in seen and identity not in styles.levels:
            if above in styles.levels:
                styles.levels[identity] = styles.levels[above]
            seen.add(above)
            above = parents.get(above, "")
    return styles


def _add_style(style: Element, styles: _Styles, parents: dict[str, str]) -> None:
    identity = attribute(style, "styleId")
    for child in style:
        kind = local_name(child)
        if kind == "name":
            styles.names[identity] = attribute(child, "val").strip().lower()
        elif kind == "basedOn":
            parents[identity] = attribute(child, "val")
        elif kind == "pPr":
            levels = [attribute(each, "val") for each in child if local_name(each) == "outlineLvl"]
            if levels and levels[0].isdigit() and int(levels[0]) < 9:
                styles.levels[identity] = int(levels[0]) + 1
        elif kind == "rPr" and any(local_name(each) == "vanish" for each in child):
            styles.hidden.add(identity)


def _read(parent: Element, document: _Document) -> None:
    for child in parent:
        name = local_name(child)
        if name == "p":
            _add_paragraph(child, document)
        elif name == "tbl":
            _add_table(child, document)
        elif name == "sdt":
            if any(
                attribute(one, "val") == "Table of Contents"
                for one in child.iter()
                if local_name(one) == "docPartGallery"
            ):
                words = " ".join("".join(child.itertext()).split())
                document.left_out.append(LeftOut("contents", shortened(words)))
            else:
                for inner in child:
                    if local_name(inner) == "sdtContent":
                        _read(inner, document)
        elif name in ("ins", "moveTo", "smartTag", "customXml"):
            _read(child, document)
        elif name in ("del", "moveFrom"):
            document.count("deleted")


def _paragraph(element: Element, document: _Document) -> _Paragraph:
    style, level = "", 0
    for one in element:
        if local_name(one) == "pPr":
            for each in one:
                if local_name(each) == "pStyle":
                    style = attribute(each, "val")
                elif local_name(each) == "outlineLvl" and attribute(each, "val").isdigit():
                    level = int(attribute(each, "val")) + 1 if int(attribute(each, "val")) < 9 else 0
    name = document.styles.names.get(style, style.lower())
    match = _HEADING.match(name)
    level = int(match[1]) if match else level or document.styles.levels.get(style, 0)
    text = "".join(_runs(element, document))
    document.number += 1
    return _Paragraph(" ".join(text.split()), name, level, document.number)


def _runs(element: Element, document: _Document) -> Iterator[str]:
    """Yield the words of a paragraph that are there for a reader."""
    for one in element:
        name = local_name(one)
        if name == "t":
            yield one.text or ""
        elif name in ("tab", "br", "cr", "ptab"):
            yield " "
        elif name == "noBreakHyphen":
            yield "-"
        elif name in ("del", "moveFrom"):
            document.count("deleted")
        elif name in ("footnoteReference", "endnoteReference"):
            document.count("note-mark")
        elif name == "r":
            if _is_hidden(one, document.styles):
                document.count("hidden")
            else:
                yield from _runs(one, document)
        elif name in (
            "ins",
            "moveTo",
            "hyperlink",
            "smartTag",
            "sdt",
            "sdtContent",
            "customXml",
            "fldSimple",
            "dir",
            "bdo",
        ):
            yield from _runs(one, document)
        elif name in ("drawing", "pict", "AlternateContent", "object"):
            words = " ".join("".join(each.text or "" for each in one.iter() if local_name(each) == "t").split())
            if words:
                document.left_out.append(LeftOut("caption", shortened(words)))


def _is_hidden(run: Element, styles: _Styles) -> bool:
    for one in run:
        if local_name(one) == "rPr":
            for each in one:
                if local_name(each) == "vanish" and attribute(each, "val") not in ("0", "false"):
                    return True
                if local_name(each) == "rStyle" and attribute(each, "val") in styles.hidden:
                    return True
    return False


def _add_paragraph(element: Element, document: _Document) -> None:
    found = _paragraph(element, document)
    if not found.text:
        return
    place = SourcePlace("paragraph", found.number)
    script = _SCRIPT_STYLES.get(found.style, "")
    if re.match(r"toc\b|目录|目錄|table of figures", found.style):
        document.left_out.append(LeftOut("contents", shortened(found.text), place))
    elif found.style.startswith(("footnote", "endnote")):
        document.left_out.append(LeftOut("notes", shortened(found.text), place))
    elif found.style in ("caption", "题注"):
        document.left_out.append(LeftOut("caption", shortened(found.text), place))
    elif found.level or found.style in ("title", "subtitle", "标题", "標題", "副标题", "副標題"):
        document.blocks.append(Block(found.text, "heading", found.level, place=place))
    elif script == "scene":
        document.blocks.append(Block(found.text, "heading", 2, place=place))
    elif script == "character":
        name, _, direction = found.text.partition("(")
        document.role, document.direction = name.strip(" :："), direction.rstrip(") ")
    elif script == "parenthetical":
        document.direction = found.text.strip("()（） ")
    elif script == "dialogue" and document.role:
        document.blocks.append(
            Block(found.text, "speech", role=document.role, direction=document.direction, place=place)
        )
        document.direction = ""
    elif script in ("action", "transition"):
        document.blocks.append(Block(found.text, "action", place=place))
    else:
        document.blocks.append(Block(found.text, place=place))


def _add_table(table: Element, document: _Document) -> None:
    """Add a script in two columns, who and what; leave other tables out."""
    rows: list[list[str]] = []
    for row in table:
        if local_name(row) == "tr":
            cells = [cell for cell in row if local_name(cell) == "tc"]
            rows.append(
                [" ".join(_paragraph(one, document).text for one in cell if local_name(one) == "p") for cell in cells]
            )
    named = [row for row in rows if len(row) == 2 and 0 < len(row[0]) <= LONGEST_NAME and row[1].strip()]
    names = {row[0] for row in named}
    if len(rows) >= FEWEST_ROWS and len(named) >= 0.8 * len(rows) and len(names) < len(named):
        for name, said in named:
            place = SourcePlace("paragraph", document.number)
            document.blocks.append(Block(said.strip(), "speech", role=name.strip(" :："), place=place))
        return
    words = " ".join(cell for row in rows for cell in row)
    if words.strip():
        document.left_out.append(LeftOut("table", shortened(words)))


def _count_other_parts(archive: BookArchive, folder: str, document: _Document) -> None:
    parts: Mapping[str, LeftOutReason] = {"footnotes": "notes", "endnotes": "notes", "comments": "comment"}
    for name, reason in parts.items():
        file = f"{folder}/{name}.xml"
        if file not in archive:
            continue
        for one in archive.xml(file):
            words = " ".join("".join(each.text or "" for each in one.iter() if local_name(each) == "t").split())
            if words:
                document.left_out.append(LeftOut(reason, shortened(words)))
    for file in archive.names:
        if re.fullmatch(re.escape(folder) + r"/(?:header|footer)\d*\.xml", file):
            words = " ".join(
                "".join(each.text or "" for each in archive.xml(file).iter() if local_name(each) == "t").split()
            )
            if words:
                document.left_out.append(LeftOut("header-footer", shortened(words)))


def _title(archive: BookArchive) -> str:
    if "docProps/core.xml" not in archive:
        return ""
    return next((one.text or "" for one in archive.xml("docProps/core.xml") if local_name(one) == "title"), "").strip()
