"""Text from strangers, made harmless to look at: nothing hidden, nothing that turns the text around it.

Lines, rationales and raw replies come from manifests and models. Escaping for HTML stops tags, but not characters that
a browser or terminal *obeys*: an escape sequence that clears the screen, a right-to-left override that makes "0.5"
read "5.0", a lone surrogate that cannot be written to a file at all. Such characters are replaced by something that
can be seen, so that the reader knows they were there.
"""

import re

_OBEYED = re.compile(
    "["
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # control characters, all but tab, line feed and carriage return
    "\u00ad\u061c\u180e\u200b\u200e\u200f\u2028\u2029\ufeff"  # invisible marks and line separators
    "\u202a-\u202e\u2060-\u206f"  # overrides, embeddings, isolates, invisible operators
    "\ud800-\udfff\ufff0-\uffff"  # surrogates that stand alone, specials
    "\U000e0000-\U000e0fff"  # tags: whole sentences can hide in them
    "]"
)


def _stand_in(match: re.Match[str]) -> str:
    character = match.group()
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)  # Unicode's own pictures of the control characters
    if code == 0x7F:
        return "\u2421"
    if 0xD800 <= code <= 0xDFFF or code == 0xFFFD:
        return "\ufffd"
    if character in "\u2028\u2029":
        return "\n"
    return f"⟨U+{code:04X}⟩"


def visible(text: str, *, limit: int | None = None) -> str:
    r"""The text with every character that a browser or terminal would obey replaced by one that can be seen.

    Control characters become their Unicode pictures, bidirectional and invisible marks become ``⟨U+202E⟩``, surrogates
    that stand alone become U+FFFD. Tabs and line feeds stay; other line ends become line feeds. Joiners (U+200C,
    U+200D) stay: Persian, Hindi and emoji need them.

    Args:
        text: any text.
        limit: the most characters of the result; an ellipsis stands for what was cut. ``None`` keeps everything.

    Raises:
        ValueError: if the limit is below 1.

    >>> visible("0.5\u202e!")
    '0.5⟨U+202E⟩!'
    >>> visible("a\x1b[2Jb")
    'a␛[2Jb'
    >>> visible("a long sentence", limit=6)
    'a lon…'
    """
    if limit is not None:
        if limit < 1:
            raise ValueError(f"a limit is at least 1 character, got {limit}.")
        text = text[
            : 2 * limit + 2
        ]  # no more is looked at: the text may be long; twice, for line ends of two characters
    shown = _OBEYED.sub(_stand_in, text.replace("\r\n", "\n").replace("\r", "\n"))
    if limit is not None and len(shown) > limit:
        shown = shown[: limit - 1].rstrip() + "…"
    return shown


def one_line(text: str, *, limit: int | None = None) -> str:
    r"""The same, on one line: every run of white space becomes a single space.

    >>> one_line("two\n  lines")
    'two lines'
    """
    if limit is None:
        return " ".join(visible(text).split())
    # White space only shrinks, so a longer stretch is looked at before it is cut for good.
    return visible(" ".join(visible(text, limit=4 * limit).split()), limit=limit)
