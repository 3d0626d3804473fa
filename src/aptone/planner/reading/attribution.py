"""Speaker attribution: roles for the lines of a story; unknown where the text does not tell.

A role is taken from a tag beside the quotation that names it (`speech_tags`). Elsewhere a trained scorer chooses among
the people of the passage (`speaker_features`, `speaker_chain`).
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace

from aptone.planner.reading import mandarin_tags
from aptone.planner.reading.characters import SHORT, find_cast, names_called
from aptone.planner.reading.dash_dialogue import dash_quotations, is_dash_dialogue, opens_with_dash
from aptone.planner.reading.english_people import EnglishPeople, english_first_person
from aptone.planner.reading.mandarin_people import (
    MandarinPeople,
    mandarin_first_person,
    mandarin_names,
    mandarin_sexes,
)
from aptone.planner.reading.mandarin_tags import is_mandarin
from aptone.planner.reading.mentions import NARRATOR, People
from aptone.planner.reading.quotations import (
    CLOSING,
    LOW_OPENING,
    Quotation,
    find_quotations,
    is_speech,
    paragraph_quotations,
)
from aptone.planner.reading.speaker_chain import best_speakers, speaker_weights
from aptone.planner.reading.speaker_features import Candidates, FeatureReader
from aptone.planner.reading.speech_parts import SpeechParagraph, SpeechPart
from aptone.planner.reading.speech_tags import INDEFINITE, UNNAMED, script_label, tag_after, tag_before, tag_with_colon
from aptone.planner.reading.speech_units import Events, Unit, split_sentences, story_events
from aptone.types import Language, Line, language_of_text

SURE_IF_SHORT = 0.4
"""Least probability of a speaker in a short text, where people may speak whom nothing has named yet."""


def attribute(lines: Sequence[Line], *, roles: Iterable[str] = ()) -> tuple[Line, ...]:
    """Return the lines with the roles of those that hold speech, where known.

    A role that a line has already stays. Narration has none.

    >>> [line.role for line in attribute([Line("“Go,” said Tom."), Line("“No,” said Ann."), Line("“Go!”")])]
    ['Tom', 'Ann', 'Tom']

    Args:
        roles: names that are known beforehand.
    """
    return tuple(
        line if line.role else replace(line, role=_one_role(spoken))
        for line, spoken in zip(lines, _speakers(lines, roles), strict=True)
    )


def _one_role(spoken: SpeechParagraph) -> str:
    """Return the speaker of a paragraph; empty where several speak in it."""
    roles = {part.role for part in spoken.parts}
    return roles.pop() if len(roles) == 1 else ""


def speech_roles(lines: Sequence[Line], *, roles: Iterable[str] = ()) -> list[dict[int, str]]:
    """Return for each line the speakers of its parts of speech, by the index of their first character."""
    return [{part.start: part.role for part in spoken.parts} for spoken in _speakers(lines, roles)]


def split_speech(lines: Sequence[Line], *, roles: Iterable[str] = ()) -> tuple[Line, ...]:
    """Split lines into speech and narration: a paragraph that holds both is cut at its quotation marks.

    Speech stays speech where nobody is known to say it.

    >>> [(line.text, line.role, line.is_speech) for line in split_speech([Line("“Go,” said Tom."), Line("“Now?”")])]
    [('Go,', 'Tom', True), ('said Tom.', '', False), ('Now?', '', True)]
    """
    return tuple(piece for pieces in split_paragraphs(lines, roles=roles) for piece in pieces)


def split_paragraphs(lines: Sequence[Line], *, roles: Iterable[str] = ()) -> list[tuple[Line, ...]]:
    """Return for each line the pieces that `split_speech` cuts it into."""
    return [tuple(_pieces(line, spoken)) for line, spoken in zip(lines, _speakers(lines, roles), strict=True)]


def paragraph_pieces(line: Line) -> tuple[Line, ...]:
    """Cut a paragraph at its quotation marks, or behind the label of a script; speech keeps the paragraph's role.

    >>> [(piece.text, piece.role) for piece in paragraph_pieces(Line("“Go,” said Tom. “Now.”", "Tom"))]
    [('Go,', 'Tom'), ('said Tom.', ''), ('Now.', 'Tom')]
    >>> paragraph_pieces(Line("TOM (furious): Get out."))[0].direction
    'furious'
    """
    quotations = [quotation for quotation in find_quotations(line.text) if is_speech(line.text, quotation)]
    if quotations:
        parts = [SpeechPart(quotation.start, quotation.end, role=line.role) for quotation in quotations]
        return tuple(_pieces(Line(line.text), SpeechParagraph(line.text, parts)))
    label = script_label(line.text)
    if label is None or (line.role and line.role != label.name):
        return (line,)
    return (Line(label.said, label.name, speech=True, direction=label.direction),)


def _pieces(line: Line, spoken: SpeechParagraph) -> Iterator[Line]:
    if not spoken.parts or line.role:
        yield line
        return
    place = spoken.label
    goes_on = line.continues
    for part in spoken.parts:
        if _has_words(narration := line.text[place : part.start].strip()):
            yield Line(narration, continues=goes_on)
            goes_on = True
        said = _words_of(line.text[part.start : part.end])
        yield Line(said, part.role, speech=True, continues=goes_on, direction=spoken.direction)
        goes_on = True
        place = part.end
    if _has_words(narration := line.text[place:].strip()):
        yield Line(narration, continues=goes_on)


def _words_of(speech: str) -> str:
    """Return the words of a quotation without its own marks; those of a quotation within it stay.

    >>> _words_of("“‘Go’ is what he said.”"), _words_of("“He said ‘go’")
    ('‘Go’ is what he said.', 'He said ‘go’')
    """
    words = speech.strip(" \u3000\u00a0")
    if dash := opens_with_dash(words):
        return words[dash:].strip(" \u00a0—–―")
    mark = words[:1]
    if mark in CLOSING or mark == LOW_OPENING:
        words = words[1:]
        closing = "“”" if mark == LOW_OPENING else CLOSING[mark]
        return words.removesuffix(next((one for one in closing if words.endswith(one)), "")).strip(" \u3000\u00a0")
    return words.rstrip("”」』»").strip(" \u3000\u00a0")


def _has_words(text: str) -> bool:
    return any(character.isalnum() for character in text)


def speech_spans(lines: Sequence[str]) -> list[tuple[Quotation, ...]]:
    """Return the speech of each paragraph of a text, in quotation marks or behind dashes."""
    by_dash = is_dash_dialogue(lines)
    return [
        dash_quotations(line)
        if by_dash and opens_with_dash(line)
        else tuple(quotation for quotation in found if is_speech(line, quotation))
        for line, found in zip(lines, paragraph_quotations(lines), strict=True)
    ]


@dataclass(frozen=True, slots=True)
class StoryReading:
    """Paragraphs of a story with their events, and the candidates for the speaker of each unit of speech."""

    paragraphs: list[SpeechParagraph]
    language: Language
    people: People
    events: Events
    candidates: Candidates


def _speakers(lines: Sequence[Line], roles: Iterable[str]) -> list[SpeechParagraph]:
    story = read_story(lines, roles=roles)
    least = SURE_IF_SHORT if len(story.paragraphs) <= SHORT else 0.0
    untold = all(isinstance(event, Unit) for event in story.events.all)
    for unit, role, _ in best_speakers(story.candidates, story.events, speaker_weights(story.language), least=least):
        if untold and unit.tag == "somebody":
            continue  # a subtitle without a name: nothing tells who speaks
        for part in unit.parts:
            part.role = role
    return story.paragraphs


def read_story(lines: Sequence[Line], *, roles: Iterable[str] = ()) -> StoryReading:
    """Return what a story tells of the speakers of its lines; roles are those that tags name."""
    texts = [line.text for line in lines]
    language = language_of_text("".join(texts))
    common = _common_words(texts)
    known = {*roles, *(line.role for line in lines if line.role), *_script_names(lines)}
    spans = speech_spans(texts)
    if language == "zh":
        known |= set(mandarin_tags.names_before(_before(texts, spans)))
    found = _tagged(lines, spans, known, common)
    tagged = Counter(part.role for spoken in found for part in spoken.parts if part.role)
    # Names that a tag gave away are then known where a tag is less plain.
    found = _tagged(lines, spans, known | set(tagged), common)
    tagged.update(name for name in sorted(known) if name not in tagged)
    people = _people(found, tagged, language, common)
    for spoken in found:
        for part in spoken.parts:
            part.role = people.role_of(part.role)
    events = story_events(found, people, language)
    return StoryReading(found, language, people, events, FeatureReader(events, people, language).read())


def _people(found: Sequence[SpeechParagraph], tagged: Counter[str], language: Language, common: Set[str]) -> People:
    narration = [spoken.narration for spoken in found]
    speech = [spoken.text[part.start : part.end] for spoken in found for part in spoken.parts]
    sentences = [sentence for text in narration for sentence in split_sentences(text, language)]
    tagged = Counter({name: count for name, count in tagged.items() if name != NARRATOR[language]})
    if language == "en":
        return EnglishPeople(
            find_cast(narration, tagged, common, names_called(speech)), english_first_person(sentences)
        )
    people = MandarinPeople(mandarin_names(narration, tagged, speech), {}, mandarin_first_person(sentences))
    return replace(people, sexes=mandarin_sexes(people, sentences))


def _common_words(texts: Sequence[str]) -> set[str]:
    """Return the words that a story writes without a capital as often as with one, so that they are no names."""
    small: Counter[str] = Counter()
    capital: Counter[str] = Counter()
    for text in texts:
        small.update(re.findall(r"\b[a-z][a-z’'-]+\b", text))
        capital.update(word.lower() for word in re.findall(r"\b[A-Z][a-z’'-]+\b", text))
    return {word for word, count in small.items() if count >= capital[word]}


def _before(texts: Sequence[str], spans: Sequence[Sequence[Quotation]]) -> Iterator[str]:
    """Yield the narration before each part of speech."""
    for text, quotations in zip(texts, spans, strict=True):
        place = 0
        for quotation in quotations:
            yield text[place : quotation.start]
            place = quotation.end


_NOBODY = frozenset(
    re.findall(
        r"\w+",
        "note notes scene setting act chapter title time place music sound sfx fx int ext cut fade intro outro "
        "注 备注 注意 场景 时间 地点 人物 音效 音乐 幕 标题 转场 字幕",
    )
)
"""Words before a colon in scripts that nobody is called."""
_IN_BRACKETS = re.compile(r"[(（\[［【〔*].*[)）\]］】〕*]")
SCRIPT_LABELS = 2
"""Least number of paragraphs with the name of a speaker that recurs or has a direction, in a script."""


def _script_names(lines: Sequence[Line]) -> set[str]:
    """Return names before a colon that recur or have a direction; a word that stands there once may be anything.

    But in a script, where half of the paragraphs have such names, everybody who speaks once is meant, too.
    """
    labels = [label for line in lines if (label := script_label(line.text)) is not None]
    names = Counter(label.name for label in labels)
    sure = {label.name for label in labels if label.direction or label.is_sure}
    found = {name for name, count in names.items() if count > 1 or name in sure}
    told = [line.text for line in lines if line.text.strip() and not _IN_BRACKETS.fullmatch(line.text.strip())]
    is_sure = sum(names[name] for name in found) >= SCRIPT_LABELS
    is_quoted = any(mark in text for text in told for mark in '“「『«"')
    is_script = (is_sure or (len(names) >= SCRIPT_LABELS and not is_quoted)) and 2 * len(labels) >= len(told)
    return found | {name for name in names if is_script and name.split()[0].casefold() not in _NOBODY}


def _tagged(
    lines: Sequence[Line], spans: Sequence[Sequence[Quotation]], known: set[str], common: set[str]
) -> list[SpeechParagraph]:
    found: list[SpeechParagraph] = []
    is_open = False
    for line, quotations in zip(lines, spans, strict=True):
        spoken = _spoken(line, quotations, known, common, is_open=is_open)
        if found and not found[-1].parts and spoken.begins and spoken.parts and not spoken.parts[0].tag:
            _announce(found[-1].text, spoken.parts[0], known, common)
        found.append(spoken)
        is_open = bool(quotations) and not quotations[-1].is_closed
    return found


def _announce(narration: str, part: SpeechPart, known: set[str], common: set[str]) -> None:
    """Give a speech the tag with which the paragraph before it ends: ``At last Tom said:``."""
    if part.role or not narration.rstrip(" —–-").endswith((":", "：", ",", "，")):
        return
    ends = narration.rstrip(" —–-")
    tag = tag_before(ends, known=known, common=common)
    if tag:
        told = _part(part.start, part.end, tag)
        part.tag, part.role = told.tag, told.role


def _spoken(
    line: Line, quotations: Sequence[Quotation], known: set[str], common: set[str], *, is_open: bool
) -> SpeechParagraph:
    text = line.text
    if line.role or line.speech:
        tag = line.role or "somebody"  # a file that marks speech says who speaks, where that is known
        return SpeechParagraph(text, [SpeechPart(0, len(text), tag, line.role)], begins=True)
    if not quotations:
        return _without_quotation(text, known, common)
    begins = not text[: quotations[0].start].strip(" 　—–-…")
    parts = list(_parts(text, quotations, known, common))
    return SpeechParagraph(text, parts, begins=begins, continues=is_open and begins)


def _without_quotation(text: str, known: set[str], common: set[str]) -> SpeechParagraph:
    role, said = tag_with_colon(text, known=known, common=common)
    start = len(text) - len(said)
    if role:
        return SpeechParagraph(text, [_part(start, len(text), role)], begins=True)
    label = script_label(text)
    if label is None or label.name not in known:
        return SpeechParagraph(text)
    start = len(text) - len(label.said)
    part = SpeechPart(start, len(text), role=label.name)
    return SpeechParagraph(text, [part], begins=True, label=start, direction=label.direction)


def _part(start: int, end: int, tag: str) -> SpeechPart:
    if tag == f"{UNNAMED}i":
        return SpeechPart(start, end, tag="i", role=NARRATOR["en"])
    if tag.startswith(UNNAMED) and tag.removeprefix(UNNAMED) in INDEFINITE:
        return SpeechPart(start, end, tag="someone")
    if tag.startswith(UNNAMED):
        return SpeechPart(start, end, tag=tag.removeprefix(UNNAMED) or "somebody")
    return SpeechPart(start, end, tag=tag, role=tag)


def _parts(text: str, quotations: Sequence[Quotation], known: set[str], common: set[str]) -> Iterator[SpeechPart]:
    """Yield parts of speech with the speakers whom their tags name.

    A narration between two parts that is the tag of both names the speaker of both; where two are named, each has its
    own. In English all parts of a paragraph are of one speaker, unless two are named.
    """
    tags: list[tuple[str, str]] = []
    for index, quotation in enumerate(quotations):
        start = quotations[index - 1].end if index else 0
        end = quotations[index + 1].start if index + 1 < len(quotations) else len(text)
        behind = tag_after(text[quotation.end : end], said=quotation.text, known=known, common=common)
        before = tag_before(text[start : quotation.start], known=known, common=common)
        tags.append((before, behind))
    for quotation, (before, behind) in zip(quotations, tags, strict=True):
        if is_mandarin(text):
            yield _part(quotation.start, quotation.end, before or behind)
            continue
        named = [tag for tag in (before, behind) if tag and not tag.startswith(UNNAMED)]
        if len(set(named)) == 1:
            tag = named[0]
        else:
            tag = "" if not (before or behind) else UNNAMED if named else (behind or before)
        yield _part(quotation.start, quotation.end, tag)
