"""Segmentation of a passage: the target's own tag, stage directions, narration near and far, and speech.

Only narration and stage directions tell the delivery of a line; speech never does.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from aptone.lexicon.feelings import felt_phrases
from aptone.lexicon.phrases import tokens
from aptone.planner.passage import Passage
from aptone.planner.reading.quotations import find_quotations
from aptone.types import Language


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


Region = Literal["tag", "direction", "same", "before", "after"]
"""The target's own tag; a stage direction on it; narration of its paragraph; of paragraphs before it; after it."""

FARTHEST_BEFORE = 8
"""Most paragraphs of narration before the target's."""
NEAREST_SENTENCES = 3
"""Sentences of narration next to the target that count as its own."""
_DIRECTION = re.compile(r"[(（\[［【〔*＊]([^()（）\[\]［］【】〔〕*＊\n]{1,160})[)）\]］】〕*＊]")
_LABEL = re.compile(
    r"^\s*(?P<name>[A-Z][\w.'’\- ]{0,30}?|[\u4e00-\u9fff·A-Za-z0-9_]{1,8})\s*"
    r"(?P<direction>[(（\[［【〔][^()（）\[\]［］【】〔〕\n]{1,90}[)）\]］】〕])?\s*[:：]"
)
ENGLISH_END = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)[.!?…]+[”’\"')]*\s+|\n")
MANDARIN_END = re.compile(r"[。！？…]+[”’」』）]*|\n")
_PLAIN_VERBS = _words(
    "said says say saying asked asks ask replied replies answered answers added adds continued continues went began "
    "begins remarked told tells tell called calls repeated repeats returned observed inquired declared explained "
    "announced agreed insisted demanded suggested cried cries exclaimed whispered murmured muttered shouted thought "
    "wrote typed texted put spoke speaks speak says responded interrupted concluded offered noted mentioned "
    "commented admitted promised warned ordered commanded"
)
_PLAIN = "|".join(sorted(_PLAIN_VERBS))
_PLAIN_TAG = re.compile(rf"(?:{_PLAIN})(?: (?!and\b)[\w.’'-]+){{1,3}}|(?:[\w.’'-]+ ){{1,3}}(?:{_PLAIN})")
"""Tag without a manner: "said Mr Bell", "she asked"."""
_MANDARIN_SPEAKS = re.compile(
    r"(?:说|道|问|答|喊|叫|嚷|骂|吼|喝|曰|云|讲|回|开口|言|念|笑|哭|叹|嘀咕|嘟囔|嗫嚅|吩咐|插嘴|接话)"
)
ENDS_IN_TAG = re.compile(
    r"(?:说道|说|道|问道|问|答|喊|叫|嚷|骂|吼|喝|曰|云|讲|开口|念|笑|哭|叹|嘀咕|嘟囔|嗫嚅|吩咐|插嘴|接话|回了一句|语|来了一句|补了一句)"
    r"(?:着|了|起来|出来|一句|一声)?[：:，,\s]*$"
)


class Sentence(NamedTuple):
    """Sentence of narration, or stage direction, `distance` paragraphs away from the target's."""

    start: int
    end: int
    region: Region
    distance: int = 0


@dataclass(frozen=True, slots=True)
class Scene:
    """Segmented passage.

    Args:
        sentences: sentences that may be about the target, nearest regions first.
        label: speaker of the target by a script's label; empty without one.
    """

    passage: Passage
    language: Language
    sentences: tuple[Sentence, ...]
    label: str = ""

    def text(self, sentence: Sentence) -> str:
        """Return the words of a sentence."""
        return self.passage.text[sentence.start : sentence.end]


class _Span(NamedTuple):
    start: int
    end: int


def scene_of(passage: Passage, language: Language) -> Scene:
    """Return the scene around the target of a passage."""
    text = passage.text
    start = text.rfind("\n", 0, passage.start) + 1
    end = text.find("\n", passage.end)
    own = _Span(start, len(text) if end < 0 else end)
    sentences: list[Sentence] = []
    label, head = _label(text, own, passage)
    directions = list(_directions(text, own, passage, head, language))
    sentences += (Sentence(one.start, one.end, "direction") for one in directions)
    for span, region, far in _nearest(passage, _own_narration(passage, own, head, language), language):
        sentences += (
            Sentence(one.start, one.end, region, far)
            for one in _sentences(text, span, language)
            if _DIRECTION.sub("", text[one.start : one.end]).strip(" 　*.,。，”") or not _holds(one, directions)
        )
    distance, edge = 0, own.start
    while edge > 0 and distance < FARTHEST_BEFORE:
        begin = text.rfind("\n", 0, edge - 1) + 1
        distance += 1
        for span in _narration(text, _Span(begin, edge - 1), language):
            sentences += (Sentence(one.start, one.end, "before", distance) for one in _sentences(text, span, language))
        edge = begin
    if own.end < len(text):
        edge = text.find("\n", own.end + 1)
        following = _Span(own.end + 1, len(text) if edge < 0 else edge)
        for span in _narration(text, following, language):
            if span.start == following.start:  # narration that opens the next paragraph; behind speech it is another's
                sentences += (Sentence(one.start, one.end, "after", 1) for one in _sentences(text, span, language))
    return Scene(passage, language, tuple(sentences), label)


def _label(text: str, own: _Span, passage: Passage) -> tuple[str, int]:
    """Return the name before a script's line, and the index at which its speech begins."""
    match = _LABEL.match(text, own.start, passage.start)
    if match is None:
        return "", own.start
    if _DIRECTION.sub("", text[match.end() : passage.start]).strip(" 　“”‘’\"'「『"):
        return "", own.start
    name = match["name"].strip()
    if _MANDARIN_SPEAKS.search(name) or name.lower().split()[-1] in _PLAIN_VERBS:
        return "", own.start
    return name, match.end()


def _is_plain_tag(words: str, language: Language) -> bool:
    """Return true for a tag and nothing else, such as "said Mr Bell" between a speech and a stage direction."""
    return language == "en" and _PLAIN_TAG.fullmatch(words) is not None


def _directions(text: str, own: _Span, passage: Passage, head: int, language: Language) -> Iterator[_Span]:
    """Yield stage directions on the target: in its label, before it, in it, or right behind it."""
    for match in _DIRECTION.finditer(text, own.start, own.end):
        inside = _Span(match.start(1), match.end(1))
        in_label = match.end() <= head
        around = text[min(match.end(), passage.start) : passage.start]
        before = match.end() <= passage.start and not around.strip(" 　“”‘’\"'「『:：")
        within = passage.start <= match.start() and match.end() <= passage.end
        between = text[passage.end : match.start()].strip(" 　“”‘’\"'」』。，,.")
        behind = match.start() >= passage.end and (not between or _is_plain_tag(between, language))
        if in_label or before or within or behind:
            yield inside
    yield from _directions_before(text, own, passage)


def _directions_before(text: str, own: _Span, passage: Passage) -> Iterator[_Span]:
    """Yield the stage directions of the line before that are about the target.

    They stand alone there, or behind the same label ("ann: *jumps*"); or, before a line that is speech and nothing
    else, at the end of narration.
    """
    if not own.start:
        return
    start = text.rfind("\n", 0, own.start - 1) + 1
    label = _LABEL.match(text[start : own.start - 1])
    if label is not None:
        if not text.startswith(f"{label['name'].strip()}:", own.start):
            return
        start += label.end()
    found = list(_DIRECTION.finditer(text, start, own.start - 1))
    alone = not _DIRECTION.sub("", text[start : own.start - 1]).strip()
    bare = not text[own.start : passage.start].strip(" 　“‘\"'「『") and label is None
    at_end = bool(found) and not text[found[-1].end() : own.start - 1].strip()
    if alone:
        yield from (_Span(match.start(1), match.end(1)) for match in found)
    elif bare and at_end and not find_quotations(text[start : found[-1].start()]):
        yield _Span(found[-1].start(1), found[-1].end(1))


def _own_narration(passage: Passage, own: _Span, head: int, language: Language) -> Iterator[tuple[_Span, Region, int]]:
    """Split the narration of the target's paragraph: its tag, what stands beside it, and tags of other speech."""
    if head > own.start:
        return
    text = passage.text
    spans = _narration(text, own, language, target=_Span(passage.start, passage.end))
    behind = next((span for span in spans if span.start >= passage.end), None)
    ahead = next((span for span in reversed(spans) if span.end <= passage.start), None)
    for number, span in enumerate(spans):
        if span is behind and not _speech_between(text, passage.end, span.start):
            end = _tag_end(text, span, passage, language)
            yield _Span(span.start, end), "tag", 0
            is_last = number + 1 == len(spans) and not text[span.end : own.end].strip(' 　”’」』"')
            rest = span.end if is_last else max(end, _announcing(text, span, language))
            yield _Span(end, rest), "same", 0
            yield _Span(rest, span.end), "after", 1
        elif span is ahead and not _speech_between(text, span.end, passage.start):
            start = _announcing(text, span, language)
            begin = _closing(text, span, language) if text[own.start : span.start].strip(" 　") else span.start
            begin = min(begin, start)
            if begin == start == span.end and behind is None:  # between two parts of one speech: it tells of both
                yield _Span(span.start, begin), "tag", 0
            else:
                yield _Span(span.start, begin), "before", 1
            yield _Span(begin, start), "same", 0
            yield _Span(start, span.end), "tag", 0
        elif span.end <= passage.start:
            yield span, "before", 1 + sum(other.start >= span.end and other.end <= passage.start for other in spans)


def _closing(text: str, span: _Span, language: Language) -> int:
    """Return the index at which the tag of the speech before a narration ends; its beginning without one."""
    words = text[span.start : span.end]
    first = (ENGLISH_END if language == "en" else MANDARIN_END).search(words)
    end = span.start + (first.end() if first else len(words))
    opening = words.lstrip(" —–-,，")
    if language == "zh":
        return end if ENDS_IN_TAG.search(re.split(r"[，,。！？；]", opening, maxsplit=1)[0]) else span.start
    return end if opening[:1].islower() else span.start


def _nearest(
    passage: Passage, spans: Iterator[tuple[_Span, Region, int]], language: Language
) -> Iterator[tuple[_Span, Region, int]]:
    """Keep "same" for the sentences next to the target only: a long paragraph is about much else."""
    for span, region, far in spans:
        if region != "same":
            yield span, region, far
            continue
        sentences = list(_sentences(passage.text, span, language))
        near = NEAREST_SENTENCES
        if span.start >= passage.end:
            yield from (
                (one, "same" if number < near else "after", number // near) for number, one in enumerate(sentences)
            )
        else:
            backwards = enumerate(reversed(sentences))
            yield from ((one, "same" if number < near else "before", number // near) for number, one in backwards)


def _speech_between(text: str, start: int, end: int) -> bool:
    return bool(text[start:end].strip(" 　“”‘’\"'「」『』：:，,—-"))


def _tag_end(text: str, span: _Span, passage: Passage, language: Language) -> int:
    """Return the index at which the tag behind the target ends; the beginning of the narration without one."""
    words = text[span.start : span.end]
    first = (ENGLISH_END if language == "en" else MANDARIN_END).search(words)
    end = span.start + (first.end() if first else len(words))
    sentence = text[span.start : end]
    if language == "zh":
        if sentence.rstrip(" 　“「").endswith(("：", ":")) and end == span.end:
            return span.start  # it announces the next speech
        clause = re.split(r"[，,。！？；]", sentence.lstrip("，,—- "), maxsplit=1)[0]
        return end if ENDS_IN_TAG.search(clause) or ENDS_IN_TAG.search(sentence.rstrip("。！？…")) else span.start
    opening = sentence.lstrip(" —–-,")
    said = passage.target.rstrip("”’\"' ")
    if opening[:1].islower() or said.endswith((",", "—", "–", "-")):
        return end
    early = tokens(" ".join(opening.split()[:5]), "en")
    spoken = any(word in _PLAIN_VERBS for word in early.words) or any(
        hit.meaning.kind == "verb" for hit in felt_phrases(early, "en")
    )
    return end if spoken and not said.endswith(".") else span.start


def _announcing(text: str, span: _Span, language: Language) -> int:
    """Return the index at which the tag before the target begins; the end of the narration without one."""
    words = text[span.start : span.end].rstrip()
    if not words:
        return span.end
    last = span.start
    for match in (ENGLISH_END if language == "en" else MANDARIN_END).finditer(
        text, span.start, span.start + len(words)
    ):
        last = match.end()
    sentence = text[last : span.start + len(words)]
    if language == "zh":
        announces = sentence.endswith(("：", ":", "，", ",")) or bool(ENDS_IN_TAG.search(sentence))
        return last if announces and _MANDARIN_SPEAKS.search(sentence[-12:]) else span.end
    if not sentence.endswith((",", ":", "—", "-")):
        return span.end
    said = tokens(sentence, "en")
    verbs = any(word in _PLAIN_VERBS for word in said.words)
    return last if verbs or any(hit.meaning.kind == "verb" for hit in felt_phrases(said, "en")) else span.end


def _narration(text: str, paragraph: _Span, language: Language, target: _Span | None = None) -> list[_Span]:
    """Return the parts of a paragraph that are not speech."""
    words = text[paragraph.start : paragraph.end]
    quoted = [_Span(paragraph.start + found.start, paragraph.start + found.end) for found in find_quotations(words)]
    if target is not None and not any(one.start <= target.start and target.end <= one.end for one in quoted):
        quoted = sorted([*(one for one in quoted if not (one.start < target.end and target.start < one.end)), target])
    elif target is None and not quoted and _LABEL.match(words):
        return []
    found, edge = [], paragraph.start
    for one in quoted:
        if text[edge : one.start].strip(' 　“”"：:，,。.—-'):
            found.append(_Span(edge, one.start))
        edge = one.end
    if text[edge : paragraph.end].strip(' 　“”"，,。.—-'):
        found.append(_Span(edge, paragraph.end))
    return found


def _sentences(text: str, span: _Span, language: Language) -> Iterator[_Span]:
    start = span.start
    for match in (ENGLISH_END if language == "en" else MANDARIN_END).finditer(text, span.start, span.end):
        if text[start : match.end()].strip():
            yield _Span(start, match.end())
        start = match.end()
    if text[start : span.end].strip():
        yield _Span(start, span.end)


def _holds(one: _Span, others: list[_Span]) -> bool:
    return any(one.start <= other.start and other.end <= one.end for other in others)
