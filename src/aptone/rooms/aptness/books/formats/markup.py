"""Markup of users as text that a parser reads quickly: encodings, unclosed tags, scripts and comments."""

import re

from aptone.errors import RecordError
from aptone.messages import message
from aptone.types import Language

_CHARSET = re.compile(
    rb"""(?:<meta[^>]{0,200}charset\s*=\s*["']?|<\?xml[^>]{0,100}encoding\s*=\s*["'])([\w.:-]{1,40})""", re.I
)


_MARKS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "iso-8859-1": "cp1252", "latin-1": "cp1252"}
"""Encodings that hold another one that is often stated for them."""


_BROKEN = re.compile(r"<(?=[^<>]*(?:<|\Z))")


def escape_broken_tags(text: str) -> str:
    """Return markup without comments and scripts, in which < begins a tag or is a character.

    The parser of the standard library takes long for tags that are not closed.
    """
    for opening, closing in (("<!--", "-->"), ("<script", "</script"), ("<style", "</style")):
        text = _without_span(text, opening, closing)
    return _BROKEN.sub("&lt;", text.replace("<![CDATA[", "").replace("]]>", ""))


def _without_span(text: str, opening: str, closing: str) -> str:
    lowered = text.lower() if opening[1].isalpha() else text
    if len(lowered) != len(text):  # a letter whose small form is longer; offsets would be wrong
        lowered = text
    kept, place = list[str](), 0
    while (start := lowered.find(opening, place)) >= 0:
        tag_end = lowered.find(">", start)
        if opening[1].isalpha() and tag_end > 0 and lowered[tag_end - 1] == "/":  # ``<script src="a"/>``
            kept.append(text[place : tag_end + 1])
            place = tag_end + 1
            continue
        end = lowered.find(closing, start + len(opening))
        if end < 0:
            break
        kept.append(text[place:start])
        place = end + len(closing)
        if opening[1].isalpha():
            place = max(place, lowered.find(">", place) + 1)
    return "".join((*kept, text[place:]))


def decode_markup(data: bytes, *, where: str) -> str:
    """Return the text of HTML or XML: by its byte order mark, the encoding that it states, or UTF-8.

    Raises:
        RecordError: if it is not in that encoding.
    """
    stated = _CHARSET.search(data[:2048])
    encoding = stated[1].decode("ascii", "replace").lower() if stated else "utf-8"
    encoding = next((name for mark, name in _MARKS.items() if data.startswith(mark)), _WIDER.get(encoding, encoding))
    try:
        return data.decode(encoding)
    except (UnicodeDecodeError, LookupError) as error:
        raise RecordError(message("books.not-in-encoding", name=where, encoding=encoding)) from error


def language_named(tag: str) -> Language | None:
    """Return the language of a language tag, such as ``en-GB``; None for others."""
    first = tag.strip().lower().replace("_", "-").split("-")[0]
    return "en" if first in ("en", "eng") else "zh" if first in ("zh", "zho", "chi", "cmn") else None
