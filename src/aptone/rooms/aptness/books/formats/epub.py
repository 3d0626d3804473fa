"""EPUB 2 and 3: documents in the order of the spine, chapters by the table of contents, times of media overlays."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from xml.etree.ElementTree import Element  # nosec B405  (a type only: defusedxml parses)

from aptone.errors import RecordError
from aptone.messages import message
from aptone.rooms.aptness.books.formats.archive import BookArchive, attribute, local_name, resolve
from aptone.rooms.aptness.books.formats.blocks import Block, LeftOut, LeftOutReason, SourcePlace, SourceText, shortened
from aptone.rooms.aptness.books.formats.html_text import HtmlBlocks, html_blocks
from aptone.rooms.aptness.books.formats.markup import decode_markup, language_named
from aptone.rooms.aptness.books.formats.media_overlays import overlay_times, with_times

WHAT = message("books.kind-epub")
CONTAINER, ENCRYPTION = "META-INF/container.xml", "META-INF/encryption.xml"

DEEPEST_CHAPTER = 2
"""Deepest level of the table of contents that counts as a chapter; deeper entries are sub-headings."""

LONGEST_MATTER = 30_000
"""Characters of a document that its name or title alone may declare to be no part of the story."""

LONGEST_RIGHTS = 4_000
"""Characters of a page of rights."""

_RIGHTS = re.compile(
    r"all rights reserved|copyright ©|©\s*(?:copyright )?\d{4}|\bISBN\b|版权所有|版權所有", re.IGNORECASE
)
_FONTS = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
"""Methods that only hide fonts."""

_BY_LANDMARK: Mapping[str, LeftOutReason] = {
    "cover": "front-matter",
    "title-page": "front-matter",
    "titlepage": "front-matter",
    "halftitlepage": "front-matter",
    "dedication": "front-matter",
    "toc": "contents",
    "landmarks": "contents",
    "loi": "contents",
    "lot": "contents",
    "copyright-page": "copyright",
    "colophon": "copyright",
    "imprint": "copyright",
    "notes": "notes",
    "footnotes": "notes",
    "endnotes": "notes",
    "rearnotes": "notes",
    "index": "back-matter",
    "bibliography": "back-matter",
    "glossary": "back-matter",
    "acknowledgements": "back-matter",
    "acknowledgments": "back-matter",
}
_TITLES: Mapping[str, LeftOutReason] = {
    r"(?:table of )?contents|目录|目錄|目次": "contents",
    r"copyright(?: page| notice)?|imprint|colophon|版权(?:页|信息|声明)?|版權(?:頁|信息|聲明)?": "copyright",
    r"(?:the )?(?:full )?project gutenberg.{0,30}licen[sc]e|licen[sc]e|uncopyright": "licence",
    r"cover|(?:half ?)?title ?(?:page)?|dedication|also by .{1,60}|封面|扉页|书名页": "front-matter",
    r"(?:foot|end)?notes|annotations|注释|註釋|脚注|尾注": "notes",
    r"about the (?:author|publisher|translator)s?|acknowledge?ments?|index|bibliography|glossary|further reading"
    r"|关于作者|作者简介|致谢|索引|参考文献": "back-matter",
}
_BY_TITLE = tuple((re.compile(pattern, re.IGNORECASE), reason) for pattern, reason in _TITLES.items())


@dataclass(frozen=True, slots=True)
class _Entry:
    """File of the manifest."""

    file: str
    kind: str
    properties: tuple[str, ...]
    overlay: str


@dataclass(frozen=True, slots=True)
class _Package:
    """Package document: metadata, files and reading order."""

    title: str
    language: str
    entries: Mapping[str, _Entry]
    spine: tuple[tuple[str, bool], ...]
    landmarks: Mapping[str, str]
    contents: str


@dataclass(frozen=True, slots=True)
class _Chapter:
    """Entry of the table of contents."""

    file: str
    fragment: str
    title: str
    level: int


def read_epub(path: Path) -> SourceText:
    """Return the text of an EPUB.

    Raises:
        RecordError: if it is damaged, protected against copying, or has no text.
    """
    with BookArchive(path, what=WHAT) as archive:
        _refuse_protected(archive)
        package = _package(archive)
        chapters = _chapters(archive, package)
        overlays = {one.overlay for one in package.entries.values() if one.overlay}
        times = overlay_times(archive, [package.entries[one].file for one in overlays if one in package.entries])
        blocks: list[Block] = []
        left_out: list[LeftOut] = []
        for file, is_linear in package.spine:
            document = html_blocks(decode_markup(archive.read(file), where=f"{path}, {file}"), file=file)
            reason = _reason(document, file, package, chapters, is_linear=is_linear)
            if reason is not None:
                words = " ".join(block.text for block in document.blocks[:3])
                left_out.append(LeftOut(reason, shortened(words), SourcePlace("paragraph", 1, file)))
                continue
            left_out += document.left_out
            made = with_times(document, times.get(file, {}))
            blocks += _with_chapters(made, document, [one for one in chapters if one.file == file])
    if not blocks:
        raise RecordError(message("books.no-text", name=path, what=WHAT))
    return SourceText(tuple(blocks), package.title, language_named(package.language), tuple(left_out))


def epub_recordings(archive: BookArchive) -> tuple[str, ...]:
    """Return the recordings within an EPUB: those that media overlays name, in the order of reading, else all of them.

    Raises:
        RecordError: if it is damaged, or protected against copying.
    """
    _refuse_protected(archive)
    package = _package(archive)
    by_file = {entry.file: package.entries.get(entry.overlay) for entry in package.entries.values()}
    overlays = [overlay.file for file, _ in package.spine if (overlay := by_file.get(file)) is not None]
    times = overlay_times(archive, dict.fromkeys(overlays))
    named = dict.fromkeys(clip[1] for document in times.values() for clip in document.values())
    whole = {entry.file: None for entry in package.entries.values() if entry.kind.startswith("audio/")}
    return tuple(file for file in named or whole if file in archive)


def _refuse_protected(archive: BookArchive) -> None:
    """Refuse a book whose text is encrypted."""
    if ENCRYPTION in archive:
        for one in archive.xml(ENCRYPTION).iter():
            if local_name(one) == "EncryptedData":
                methods = [
                    attribute(each, "Algorithm") for each in one.iter() if local_name(each) == "EncryptionMethod"
                ]
                if not methods or any(method not in _FONTS for method in methods):
                    raise RecordError(message("books.protected", name=archive.path))
    if "META-INF/license.lcpl" in archive or "META-INF/rights.xml" in archive:
        if ENCRYPTION not in archive:
            return
        raise RecordError(message("books.protected", name=archive.path))


def _package(archive: BookArchive) -> _Package:
    roots = [one for one in archive.xml(CONTAINER).iter() if local_name(one) == "rootfile"]
    file = next((attribute(one, "full-path") for one in roots if attribute(one, "full-path") in archive), "")
    if not file:
        raise RecordError(message("books.part-missing", name=archive.path, what=WHAT, part="package document (.opf)"))
    root = archive.xml(file)
    entries, spine, guide, contents = dict[str, _Entry](), list[tuple[str, bool]](), dict[str, str](), ""
    for one in root.iter():
        name = local_name(one)
        if name == "item" and (target := resolve(file, attribute(one, "href"))[0]):
            properties = tuple(attribute(one, "properties").split())
            made = _Entry(target, attribute(one, "media-type"), properties, attribute(one, "media-overlay"))
            entries[attribute(one, "id")] = made
        elif name == "spine":
            contents = attribute(one, "toc")
        elif name == "itemref":
            entry = entries.get(attribute(one, "idref"))
            if entry is not None and entry.file in archive and "html" in f"{entry.kind}{entry.file}":
                spine.append((entry.file, attribute(one, "linear") != "no"))
        elif name == "reference":
            guide[resolve(file, attribute(one, "href"))[0]] = attribute(one, "type").lower()
    if not spine:
        raise RecordError(message("books.no-text", name=archive.path, what=WHAT))
    landmarks = {**guide, **_landmarks(archive, entries)}
    return _Package(_metadata(root, "title"), _metadata(root, "language"), entries, tuple(spine), landmarks, contents)


def _metadata(root: Element, name: str) -> str:
    return next((" ".join("".join(one.itertext()).split()) for one in root.iter() if local_name(one) == name), "")


def _navigation(archive: BookArchive, entries: Mapping[str, _Entry]) -> Iterator[tuple[str, Element]]:
    """Yield the navigation of EPUB 3, with the file that it stands in."""
    for entry in entries.values():
        if "nav" in entry.properties and entry.file in archive:
            for one in archive.xml(entry.file).iter():
                if local_name(one) == "nav":
                    yield entry.file, one


def _landmarks(archive: BookArchive, entries: Mapping[str, _Entry]) -> dict[str, str]:
    found: dict[str, str] = {}
    for file, nav in _navigation(archive, entries):
        if "landmarks" in attribute(nav, "type").split():
            for link in nav.iter():
                if local_name(link) == "a" and not resolve(file, attribute(link, "href"))[1]:
                    found[resolve(file, attribute(link, "href"))[0]] = attribute(link, "type").lower()
        found.setdefault(file, "toc")
    return found


def _chapters(archive: BookArchive, package: _Package) -> list[_Chapter]:
    """Return the table of contents: that of EPUB 3, else the NCX of EPUB 2."""
    for file, nav in _navigation(archive, package.entries):
        if "toc" in attribute(nav, "type").split():
            return list(_listed(nav, file, 0))
    ncx = package.entries.get(package.contents) or next(
        (entry for entry in package.entries.values() if entry.kind == "application/x-dtbncx+xml"), None
    )
    if ncx is None or ncx.file not in archive:
        return []
    return [one for each in archive.xml(ncx.file) if local_name(each) == "navMap" for one in _points(each, ncx.file, 1)]


def _listed(element: Element, file: str, level: int) -> Iterator[_Chapter]:
    for child in element:
        name = local_name(child)
        if name == "a":
            target, fragment = resolve(file, attribute(child, "href"))
            yield _Chapter(target, fragment, " ".join("".join(child.itertext()).split()), level)
        else:
            yield from _listed(child, file, level + (name == "ol"))


def _points(element: Element, file: str, level: int) -> Iterator[_Chapter]:
    for point in element:
        if local_name(point) != "navPoint":
            continue
        title = next((" ".join("".join(one.itertext()).split()) for one in point if local_name(one) == "navLabel"), "")
        link = next((attribute(one, "src") for one in point if local_name(one) == "content"), "")
        target, fragment = resolve(file, link)
        yield _Chapter(target, fragment, title, level)
        yield from _points(point, file, level + 1)


def _reason(
    document: HtmlBlocks, file: str, package: _Package, chapters: Sequence[_Chapter], *, is_linear: bool
) -> LeftOutReason | None:
    """Return why a document is no part of the story; None for one that is."""
    if not is_linear:
        return "notes"
    if (kind := package.landmarks.get(file, "")) in _BY_LANDMARK:
        return _BY_LANDMARK[kind]
    if sum(len(block.text) for block in document.blocks) > LONGEST_MATTER:
        return None
    shown = " ".join(block.text for block in document.blocks)
    if package.title and re.sub(r"\W", "", shown).casefold() == re.sub(r"\W", "", package.title).casefold():
        return "front-matter"  # a half-title
    named = [one.title for one in chapters if one.file == file and not one.fragment]
    first = document.blocks[0].text if document.blocks and len(document.blocks[0].text) < 80 else ""
    stem = re.sub(r"[_\d-]+", " ", Path(file).stem).strip()
    for name in (*named, first, stem):
        for pattern, reason in _BY_TITLE:
            if pattern.fullmatch(name.strip(" .:：")):
                return reason
    return "copyright" if len(shown) < LONGEST_RIGHTS and _RIGHTS.search(shown) else None


def _with_chapters(blocks: Sequence[Block], document: HtmlBlocks, chapters: Sequence[_Chapter]) -> list[Block]:
    """Return the blocks of a document, those with which a chapter begins marked."""
    marked = list(blocks)
    for one in chapters:
        if one.level > DEEPEST_CHAPTER or not one.title or not marked:
            continue
        place = document.ids.get(one.fragment, [(0, 0, 0)])[0][0] if one.fragment else 0
        if place < len(marked):
            marked[place] = replace(marked[place], chapter=marked[place].chapter or one.title)
    return marked
