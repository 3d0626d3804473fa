"""Zip archives and XML of users, bounded: sizes are limited, no entity is expanded; only recordings go to the disk."""

import html.entities
import lzma
import posixpath
import re
import urllib.parse
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from xml.etree.ElementTree import Element, ParseError  # nosec B405  (types only: defusedxml parses)

from aptone.errors import MissingExtraError, RecordError
from aptone.messages import message

LARGEST_PART = 64 * 2**20
"""Bytes of one unpacked file of an archive; a chapter has less than one megabyte."""

LARGEST_TOTAL = 256 * 2**20
"""Bytes of all files that are unpacked from an archive."""

LARGEST_RATIO, RATIO_FROM = 300, 2**20
"""Largest ratio of unpacked to packed bytes, for files of at least `RATIO_FROM` bytes: text reaches about 10."""

LARGEST_RECORDING, LARGEST_RECORDINGS = 4 * 2**30, 32 * 2**30
"""Bytes of one recording of an archive, and of all; a hundred hours of MP3 at 320 kbit/s have 14 * 2**30."""

BLOCK = 2**20
"""Bytes of a recording in memory at once."""

MOST_PARTS = 50_000
"""Most files in an archive."""

_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos|#\d+|#x[0-9a-fA-F]+);)([A-Za-z][A-Za-z0-9]{1,31});")


_DAMAGES = (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, NotImplementedError, RuntimeError)


def _is_bomb(part: zipfile.ZipInfo, size: int) -> bool:
    return size > RATIO_FROM and size / max(1, part.compress_size) > LARGEST_RATIO


class BookArchive:
    """Zip archive that is read file by file within limits.

    Args:
        what: kind of file that it should be, for messages: "an EPUB".

    Raises:
        RecordError: if it is no zip archive, is damaged, or has too many files.
    """

    def __init__(self, path: Path, *, what: str) -> None:
        self.path, self.what = path, what
        self._total = self._streamed = 0
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError, EOFError) as error:
            raise RecordError(message("books.archive-damaged", name=path, what=what, why=str(error))) from error
        parts = self._zip.infolist()
        if len(parts) > MOST_PARTS:
            self._zip.close()
            raise RecordError(message("books.archive-too-many", name=path, what=what, count=len(parts)))
        self._parts = {part.filename: part for part in parts}

    def __enter__(self) -> "BookArchive":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    def __contains__(self, name: str) -> bool:
        return name in self._parts

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all files."""
        return tuple(self._parts)

    def read(self, name: str) -> bytes:
        """Return the bytes of a file.

        Raises:
            RecordError: if it is missing, damaged, encrypted, or larger than the limits.
        """
        part = self._part(name)
        try:
            with self._zip.open(part) as file:
                data = file.read(LARGEST_PART + 1)
        except _DAMAGES as error:
            raise self._damaged(error) from error
        self._total += len(data)
        if len(data) > LARGEST_PART or self._total > LARGEST_TOTAL or _is_bomb(part, len(data)):
            raise RecordError(message("books.archive-bomb", name=self.path, what=self.what, part=name))
        return data

    def blocks(self, name: str) -> Iterator[bytes]:
        """Yield the bytes of a recording, `BLOCK` of them at a time.

        Raises:
            RecordError: if it is missing, damaged, encrypted, or larger than the limits of recordings.
        """
        part, size = self._part(name), 0
        try:
            with self._zip.open(part) as file:
                while block := file.read(BLOCK):
                    size += len(block)
                    self._streamed += len(block)
                    if size > LARGEST_RECORDING or self._streamed > LARGEST_RECORDINGS or _is_bomb(part, size):
                        raise RecordError(message("books.recording-bomb", name=self.path, part=name))
                    yield block
        except _DAMAGES as error:
            raise self._damaged(error) from error

    def fingerprint(self, name: str) -> tuple[int, int]:
        """Return the size of a file in bytes and its CRC-32, as the archive states them.

        Raises:
            RecordError: if it is missing or encrypted.
        """
        part = self._part(name)
        return part.file_size, part.CRC

    def _part(self, name: str) -> zipfile.ZipInfo:
        part = self._parts.get(name)
        if part is None:
            raise RecordError(message("books.part-missing", name=self.path, what=self.what, part=name))
        if part.flag_bits & 0x1:
            raise RecordError(message("books.archive-password", name=self.path, what=self.what))
        return part

    def _damaged(self, error: Exception) -> RecordError:
        return RecordError(message("books.archive-damaged", name=self.path, what=self.what, why=str(error)))

    def xml(self, name: str) -> Element:
        """Return the root element of an XML file.

        Raises:
            RecordError: as of `read`, or if it is no XML, or declares entities.
        """
        return parse_xml(self.read(name), where=f"{self.path}, {name}")


def parse_xml(data: bytes, *, where: str) -> Element:
    """Return the root element of XML; the named characters of HTML are understood, declared entities refused.

    Raises:
        MissingExtraError: without defusedxml.
        RecordError: if it is no XML, or declares entities.
    """
    try:
        import defusedxml.ElementTree as SafeTree
        from defusedxml.common import DefusedXmlException
    except ImportError as error:
        raise MissingExtraError(message("books.kind-books"), extra="books") from error
    data = _ENTITY.sub(_character, data)
    try:
        root: Element = SafeTree.fromstring(data, forbid_dtd=False, forbid_entities=True, forbid_external=True)
    except DefusedXmlException as error:
        raise RecordError(message("books.xml-entities", name=where)) from error
    except (ParseError, ValueError, LookupError) as error:
        raise RecordError(message("books.xml-damaged", name=where, why=str(error))) from error
    return root


def _character(match: re.Match[bytes]) -> bytes:
    known = html.entities.html5.get(f"{match[1].decode('ascii')};")
    return match[0] if known is None else "".join(f"&#{ord(one)};" for one in known).encode("ascii")


def local_name(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return str(element.tag).rpartition("}")[2]


def attribute(element: Element, name: str) -> str:
    """Return an attribute of an element, whatever its namespace; empty without one."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")


def resolve(base: str, href: str) -> tuple[str, str]:
    """Return the file in an archive that a link from another one means, and the fragment; no file if it leads out.

    >>> resolve("OEBPS/text/one.xhtml", "../notes.xhtml#n%201"), resolve("a.opf", "../../etc/passwd")
    (('OEBPS/notes.xhtml', 'n 1'), ('', ''))
    """
    link, _, fragment = href.partition("#")
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", link) or link.startswith("/"):
        return "", ""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(base), urllib.parse.unquote(link))) if link else base
    return ("", "") if path.startswith("..") else (path, urllib.parse.unquote(fragment))
