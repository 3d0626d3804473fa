"""SSML 1.1 of a planned book, a document for each chapter: paragraphs, sentences, voices, prosody, marks.

``plain`` is the W3C's own vocabulary: ``speak > p > s > voice > prosody > emphasis``. Characters that are given no
voice by name get a variant each, so that they differ where a system has several. ``azure`` has what Azure's service
reads: ``speak > voice > mstts:express-as > prosody``, where every line needs the name of a voice; its rates and volumes
are changes in percent. Every line has a mark with its number, by which a system says when it is spoken.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal
from xml.sax.saxutils import escape, quoteattr  # nosec B406  (writes, parses nothing)

from aptone.errors import UsageError
from aptone.messages import message
from aptone.rooms.aptness.delivery.book_plan import NARRATION, PlannedLine
from aptone.rooms.aptness.delivery.prosody import Prosody, prosody_of
from aptone.types import Language

Dialect = Literal["plain", "azure"]
DIALECTS: tuple[Dialect, ...] = ("plain", "azure")

XML_LANGUAGES: Mapping[Language, str] = {"en": "en-US", "zh": "zh-CN"}
NAMESPACE = "http://www.w3.org/2001/10/synthesis"
EXTENSION = "https://www.w3.org/2001/mstts"
HEADING_PAUSE = 1000
"""Milliseconds after a heading."""

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def ssml_document(
    lines: Iterable[PlannedLine],
    *,
    language: Language,
    voices: Mapping[str, str] | None = None,
    characters: Sequence[str] = (),
    dialect: Dialect = "plain",
) -> Iterator[str]:
    """Yield the rows of an SSML document.

    Args:
        voices: names of voices by character; ``narration`` is one, and ``*`` stands for all others.
        characters: characters of the whole book in order, so that each has the same variant in every chapter.

    Raises:
        UsageError: if the dialect needs a voice that is not named, or there is no such dialect.
    """
    if dialect not in DIALECTS:
        raise UsageError(f"there is no dialect {dialect!r} of SSML; expected one of {', '.join(DIALECTS)}.")
    named = voices or {}
    extension = f' xmlns:mstts="{EXTENSION}"' if dialect == "azure" else ""
    yield '<?xml version="1.0" encoding="UTF-8"?>\n'
    version = "1.0" if dialect == "azure" else "1.1"
    yield f'<speak version="{version}" xmlns="{NAMESPACE}"{extension} xml:lang="{XML_LANGUAGES[language]}">\n'
    if dialect == "azure":
        for one in lines:
            yield _azure_line(one, named)
    else:
        yield from _paragraphs(lines, named, {name: place for place, name in enumerate(characters, start=2)})
    yield "</speak>\n"


def planned_prosody(planned: PlannedLine) -> Prosody:
    """Return what the plan of a line asks of a TTS system."""
    return prosody_of(planned.plan, is_speech=planned.line.kind == "speech")


def _paragraphs(lines: Iterable[PlannedLine], named: Mapping[str, str], variants: Mapping[str, int]) -> Iterator[str]:
    is_open = False
    for one in lines:
        if is_open and not one.line.line.continues:
            yield "  </p>\n"
            is_open = False
        if not is_open:
            yield "  <p>\n"
            is_open = True
        yield _plain_line(one, named, variants)
    if is_open:
        yield "  </p>\n"


def _plain_line(one: PlannedLine, named: Mapping[str, str], variants: Mapping[str, int]) -> str:
    prosody = planned_prosody(one)
    voice = _voice(one, named)
    attributes = {"name": voice} if voice else {}
    if not voice and one.character in variants:
        attributes = {"variant": str(variants[one.character])}
    spoken = _spoken(one, prosody, prosody.attributes)
    spoken = _element("voice", attributes, spoken) if attributes else spoken
    pause = _pause(prosody.pause) + _mark(one)
    after = _pause(HEADING_PAUSE) if one.line.is_heading else ""
    return f"    <s>{pause}{spoken}</s>{after}\n"


def _azure_line(one: PlannedLine, named: Mapping[str, str]) -> str:
    prosody = planned_prosody(one)
    if not (voice := _voice(one, named)):
        raise UsageError(message("delivery.voice-missing", name=one.character or NARRATION))
    spoken = _spoken(one, prosody, _changes(prosody))
    if prosody.style:
        styled = {"style": prosody.style, "styledegree": f"{prosody.degree:g}"}
        spoken = _element("mstts:express-as", styled, spoken)
    after = _pause(HEADING_PAUSE) if one.line.is_heading else ""
    return f"  {_element('voice', {'name': voice}, _pause(prosody.pause) + _bookmark(one) + spoken + after)}\n"


def _voice(one: PlannedLine, named: Mapping[str, str]) -> str:
    return named.get(one.character or NARRATION) or named.get("*", "")


def _changes(prosody: Prosody) -> dict[str, str]:
    """Return the attributes of a prosody with rate and volume as changes in percent."""
    found = dict(prosody.attributes)
    if prosody.rate != 100:
        found["rate"] = f"{prosody.rate - 100:+d}%"
    if prosody.volume:
        found["volume"] = f"{round(100.0 * (10.0 ** (prosody.volume / 20.0) - 1.0)):+d}%"
    return found


def _spoken(one: PlannedLine, prosody: Prosody, attributes: Mapping[str, str]) -> str:
    text = escape(_ILLEGAL.sub("\ufffd", " ".join(one.line.line.text.split())))
    if prosody.emphasis:
        text = _element("emphasis", {"level": prosody.emphasis}, text)
    return _element("prosody", attributes, text) if attributes else text


def _mark(one: PlannedLine) -> str:
    return f'<mark name="line-{one.number:06d}"/>'


def _bookmark(one: PlannedLine) -> str:
    """Return a mark as Azure names it."""
    return f'<bookmark mark="line-{one.number:06d}"/>'


def _pause(milliseconds: int) -> str:
    return f'<break time="{milliseconds}ms"/>' if milliseconds else ""


def _element(name: str, attributes: Mapping[str, str], inner: str) -> str:
    listed = "".join(f" {key}={quoteattr(_ILLEGAL.sub('', value))}" for key, value in attributes.items())
    return f"<{name}{listed}>{inner}</{name}>"
