"""Turns of a dialogue whose speaker no tag names: pronouns, deeds beside the speech, and two who talk in turn.

Each candidate collects points for what speaks for it; without a clear winner the speaker stays unknown.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from aptone.planner.reading.characters import Cast, Mention, Sex, sex_of_words
from aptone.planner.reading.person_nouns import MEN, WOMEN
from aptone.types import Language

NARRATOR = "I"
"""Role of a narrator who speaks of himself."""

LONGEST_RUN = 10
"""Most turns without a tag in which two speakers are assumed to alternate; later, a third may have joined."""

REMEMBERED = 12
"""Paragraphs after which nobody is remembered who neither spoke nor was mentioned."""

CLEAR = 0.4
"""Points by which a candidate must lead."""

ENOUGH = 1.0
"""Points that a candidate must have."""

_LEAD = re.compile(
    r"[\s—–\-…]*(?:(?:[Aa]nd|[Bb]ut|[Tt]hen|So|Now|At last|At this|At that|Suddenly|Again|Presently|Here|Still|Finally"
    r"|For answer|In answer|In reply|For a moment|Meanwhile)\b,?\s+)*"
)
_PRONOUN = re.compile(r"(He|She|I|They|We|he|she|they|we)\b(?!['’]s\b)")
_OWNER = re.compile(r"(His|Her|My|Their|his|her|my)\s+[a-z]")
_OWNERS = {"his": "he", "her": "she", "my": "i", "their": "they"}
_NOUN_PHRASE = re.compile(r"(?:The|the|A|An|Her|His|My|her|his|my)\s+((?:[\w’'-]+\s+){0,2}?)([\w’'-]+)")
_SENTENCES = re.compile(r"(?<=[.!?…])[”’\"]?\s+(?=[A-Z“‘\"])")
_SEX: dict[str, Sex] = {"he": "m", "she": "f"}


@dataclass(slots=True)
class SpeechPart:
    """Speech in a paragraph.

    Args:
        tag: name that its tag states, or a pronoun; empty without a tag.
        role: speaker; empty where unknown.
    """

    start: int
    end: int
    tag: str = ""
    role: str = ""


@dataclass(slots=True)
class TurnParagraph:
    """Paragraph with its speech.

    Args:
        begins: true if it begins with speech.
        continues: true if it continues the speech of the paragraph before.
    """

    text: str
    parts: list[SpeechPart] = field(default_factory=list)
    begins: bool = False
    continues: bool = False

    @property
    def narration(self) -> str:
        """All that is no speech."""
        return " ".join(text for _, text in self.narrated())

    def narrated(self) -> Iterator[tuple[int, str]]:
        """Yield narration with the number of parts of speech before it."""
        place = 0
        for number, part in enumerate(self.parts):
            if text := self.text[place : part.start].strip():
                yield number, text
            place = part.end
        if text := self.text[place:].strip():
            yield len(self.parts), text

    @property
    def speech(self) -> str:
        """All speech."""
        return " ".join(self.text[part.start : part.end] for part in self.parts)


@dataclass(slots=True)
class _Turn:
    place: int
    role: str


@dataclass(frozen=True, slots=True)
class _Subject:
    """Who does something in a sentence: a name, a pronoun, or the owner of what does it."""

    name: str = ""
    pronoun: str = ""
    owns: bool = False


@dataclass(slots=True)
class TurnReader:
    """Reads the paragraphs of a story in order, and gives the speakers that no tag names."""

    cast: Cast
    language: Language
    paragraphs: Sequence[TurnParagraph]
    turns: list[_Turn] = field(default_factory=list)
    mentioned: dict[str, int] = field(default_factory=dict)
    untagged: int = 0

    def read(self) -> None:
        """Fill in the roles of all parts of speech."""
        for place, paragraph in enumerate(self.paragraphs):
            if paragraph.parts:
                self._read_speech(place, paragraph)
            for one in self._mentions(paragraph.narration):
                self.mentioned[one.name] = place
        self._fill_between()
        for place in range(len(self.paragraphs) - 3, -1, -1):
            self._look_ahead(place)

    def _fill_between(self) -> None:
        """Give turns between two that are known their speakers, where two who talk in turn fit both."""
        known: int | None = None
        for place, paragraph in enumerate(self.paragraphs):
            roles = {part.role for part in paragraph.parts}
            if not paragraph.parts or not paragraph.begins or len(roles) > 1:
                known = None
                continue
            if "" in roles:
                if any(part.tag for part in paragraph.parts):
                    known = None
                continue
            if known is not None and 1 < place - known <= LONGEST_RUN and (place - known) % 2:
                (first,), (last,) = {part.role for part in self.paragraphs[known].parts}, roles
                if first != last:
                    self._alternate(known + 1, place, (last, first))
            known = place

    def _alternate(self, start: int, end: int, names: tuple[str, str]) -> None:
        for place in range(start, end):
            name = names[(place - start) % 2]
            if _addressed(name, self.paragraphs[place].speech) > 1:
                return
            for part in self.paragraphs[place].parts:
                part.role = part.role or name

    def _look_ahead(self, place: int) -> None:
        """Give a turn without a speaker the one who speaks again after the next turn, in an exchange of two."""
        here, answer, again = self.paragraphs[place : place + 3]
        if any(part.role or part.tag for part in here.parts) or not (here.begins and answer.begins and again.begins):
            return
        roles = [{part.role for part in one.parts} for one in (answer, again)]
        if any(len(found) != 1 or "" in found for found in roles) or roles[0] == roles[1]:
            return
        (name,) = roles[1]
        if _addressed(name, here.speech) < 1 and self._fits_before(place, name):
            for part in here.parts:
                part.role = name

    def _fits_before(self, place: int, name: str) -> bool:
        """Return true if the turn right before is not of the same speaker."""
        before = self.paragraphs[place - 1] if place else None
        return before is None or not before.parts or all(part.role != name for part in before.parts)

    def _mentions(self, text: str) -> Iterator[Mention]:
        return self.cast.mentions(text) if self.language == "en" else iter(())

    def _read_speech(self, place: int, paragraph: TurnParagraph) -> None:
        named = {part.role for part in paragraph.parts if part.role}
        open_parts = [part for part in paragraph.parts if not part.role]
        if open_parts and len(named) == 1 and (self.language == "en" or all(not part.tag for part in open_parts)):
            (role,) = named
            self.untagged = 0
        elif named:
            self.untagged, role = 0, ""
        elif open_parts:
            role = self._role(place, paragraph)
        else:
            role = ""
        for part in open_parts:
            part.role = role if part.tag != "they" else ""
        if self.language == "zh":
            self._fill_in_order(paragraph)
        roles = [part.role for part in paragraph.parts]
        if paragraph.continues and self.turns and not any(roles):
            return
        for spoken in dict.fromkeys(roles):
            self.turns.append(_Turn(place, spoken))

    def _fill_in_order(self, paragraph: TurnParagraph) -> None:
        """Give parts without a tag that follow one of the same paragraph its speaker, where nothing is between."""
        before: SpeechPart | None = None
        for part in paragraph.parts:
            if before is not None and not part.role and not part.tag:
                between = paragraph.text[before.end : part.start]
                if not re.search(r"[。！？：:]", between):
                    part.role = before.role
            before = part

    def _role(self, place: int, paragraph: TurnParagraph) -> str:
        if paragraph.continues and self.turns and self.turns[-1].place == place - 1:
            return self.turns[-1].role
        tags = {part.tag for part in paragraph.parts if part.tag}
        if "i" in tags:
            return NARRATOR
        if "somebody" in tags:
            return ""
        if tags & {"they", "we"}:
            return ""
        pronoun = next((tag for tag in ("he", "she") if tag in tags), "")
        if self.language == "zh":
            return "" if tags else self._chosen(place, paragraph, "")
        if not pronoun and not tags:
            found = self._beside(paragraph)
            if found is not None and found.name:
                return found.name
            pronoun = found.pronoun if found is not None and not found.owns else ""
            if pronoun == "i":
                return NARRATOR
            if pronoun == "they":
                return ""
        return self._chosen(place, paragraph, pronoun, tagged=bool(tags))

    def _beside(self, paragraph: TurnParagraph) -> _Subject | None:
        """Return who does something beside speech in its paragraph: right before it, else right behind it."""
        pieces = list(paragraph.narrated())
        before = [text for number, text in pieces if number == 0]
        behind = [text for number, text in pieces if number == 1]
        for text, last in ((before, True), (behind, False)):
            if not text:
                continue
            sentences = _SENTENCES.split(text[0])
            ordered = sentences[::-1] if last else sentences
            for sentence in ordered[:3]:
                found = subject_of(sentence, self.cast)
                if found is not None and not (found.owns and not found.name):
                    return found
        return None

    def _chosen(self, place: int, paragraph: TurnParagraph, pronoun: str, *, tagged: bool = False) -> str:
        """Return the candidate with most points, if its lead is clear; else an empty text."""
        candidates = self._candidates(place, pronoun)
        if not candidates:
            return ""
        before = self.paragraphs[place - 1] if place else None
        led = self._leading_subject(before, paragraph)
        points = sorted(((self._points(one, place, paragraph, pronoun, led), one) for one in candidates), reverse=True)
        if not tagged and led is None and not pronoun:
            apart = before is not None and not before.parts and bool(before.text.strip())
            if apart or self._is_crowded() or self.untagged >= LONGEST_RUN:
                return ""
            self.untagged += 1
        else:
            self.untagged = 0
        alike = [one for one in candidates if pronoun and self.cast.sex_of(one) == _SEX[pronoun]]
        if len(alike) == 1 and not self._acts_beside(paragraph, set(candidates) - set(alike)):
            return alike[0]
        best, name = points[0]
        second = points[1][0] if len(points) > 1 else 0.0
        return name if best >= ENOUGH and best - second >= CLEAR else ""

    def _acts_beside(self, paragraph: TurnParagraph, names: set[str]) -> bool:
        """Return true if one of these is the subject before the speech, as in ``Clara knelt. “Here,” she said``."""
        before = next((text for number, text in paragraph.narrated() if number == 0), "")
        subjects = (subject_of(sentence, self.cast) for sentence in _SENTENCES.split(before))
        return any(one is not None and one.name in names and not one.owns for one in subjects)

    def _is_crowded(self) -> bool:
        """Return true if the last turns are of three people, or one spoke twice: nobody's turn is next."""
        last = [turn.role for turn in self.turns[-5:] if turn.role]
        if len(last) < 2:
            return False
        return last[-1] == last[-2] or (len(set(last[-3:])) == 3 and last[-2] not in last[:-2])

    def _leading_subject(self, before: TurnParagraph | None, paragraph: TurnParagraph) -> _Subject | None:
        """Return who does something in a short paragraph of narration before a speech: often who speaks next."""
        own = [text for number, text in paragraph.narrated() if number == 0]
        if own:
            return subject_of(_SENTENCES.split(own[0])[-1], self.cast)
        if before is None or before.parts or not before.text.strip():
            return None
        sentences = _SENTENCES.split(before.text.strip())
        return subject_of(sentences[-1], self.cast) or subject_of(sentences[0], self.cast)

    def _candidates(self, place: int, pronoun: str) -> list[str]:
        near = [turn.role for turn in self.turns[-10:] if turn.role and place - turn.place <= 2 * REMEMBERED]
        near += [name for name, last in self.mentioned.items() if place - last <= REMEMBERED]
        sex = _SEX.get(pronoun)
        found = []
        for name in dict.fromkeys(near):
            if sex is not None and (name == NARRATOR or self.cast.sex_of(name) not in (sex, "")):
                continue
            found.append(name)
        return found

    def _points(self, name: str, place: int, paragraph: TurnParagraph, pronoun: str, led: _Subject | None) -> float:
        points = self._points_of_turns(name, place)
        sex = self.cast.sex_of(name)
        own = [one for one in self._mentions(paragraph.narration) if one.name == name and not one.owns]
        if pronoun and own:
            points += 2.5 if _is_subject(paragraph.narration, own[0].start) else -1.0
        if pronoun:
            points += 1.5 if sex == _SEX[pronoun] else 0.0
        if led is not None:
            if led.name:
                points += (2.0 if led.owns else 3.0) if led.name == name else -0.5
            elif led.pronoun == "i":
                points += 2.0 if name == NARRATOR else -0.5
            elif led.pronoun in _SEX and not led.owns:
                points += 1.5 if sex == _SEX[led.pronoun] else -1.5 if sex or name == NARRATOR else 0.0
        if led is not None and led.pronoun in _SEX and self._is_object_before(name, place):
            points -= 1.5
        last = self.mentioned.get(name)
        if last is not None:
            points += max(0.0, 1.0 - 0.1 * (place - last))
        points -= _addressed(name, paragraph.speech)
        if place and self.paragraphs[place - 1].parts:
            points += 0.5 * _addressed(name, self.paragraphs[place - 1].speech)
        return points

    def _is_object_before(self, name: str, place: int) -> bool:
        """Return true if the narration before a speech tells what a pronoun does to somebody: "She took Ann's hand"."""
        before = self.paragraphs[place - 1].text if place and not self.paragraphs[place - 1].parts else ""
        sentence = _SENTENCES.split(before.strip())[-1]
        return any(one.name == name for one in self._mentions(sentence))

    def _points_of_turns(self, name: str, place: int) -> float:
        points = 0.0
        near = [turn for turn in self.turns[-6:] if turn.role]
        roles = [turn.role for turn in near]
        gap = place - near[-1].place if near else 0
        fresh = 1.0 if gap <= 3 else 0.3  # after a long narration the same people need not go on
        if roles and roles[-1] == name:
            points -= 3.0 if gap == 1 else 0.5
        if len(roles) > 1 and roles[-2] == name and roles[-1] != name:
            points += 2.5 * fresh
        if name in roles:
            points += fresh
        return points


def _is_subject(text: str, start: int) -> bool:
    """Return true if a name stands where the subject of a sentence or clause does."""
    before = text[max(0, start - 12) : start].rstrip()
    return (
        not before
        or before[-1] in ".!?,;:—–…"
        or before.split()[-1].lower() in ("and", "but", "as", "here", "when", "then")
    )


def _addressed(name: str, speech: str) -> float:
    """Return how surely a speech calls somebody by name; a little where it only mentions the name."""
    if name == NARRATOR:
        return 0.0
    words = [word for word in re.findall(r"[^\W\d_]+", name) if word[0].isupper()] or [name]
    own = "|".join(map(re.escape, words))
    called = rf"(?:^|[“‘\"]|[,;!?—–]\s*|\b(?:O|Oh|dear|my)\s)(?:\w+\.?\s)?(?:{own})\s*(?:[,.!?;:—–…”’\"]|$)"
    if re.search(called, speech):
        return 4.0
    return 0.7 if re.search(rf"\b(?:{own})\b", speech) else 0.0


def subject_of(sentence: str, cast: Cast) -> _Subject | None:
    """Return who does something in a sentence, by its beginning.

    >>> cast = Cast({"Tom": "Tom"}, {})
    >>> subject_of("Then Tom laughed.", cast), subject_of("His face fell.", cast)
    (_Subject(name='Tom', pronoun='', owns=False), _Subject(name='', pronoun='he', owns=True))
    """
    lead = _LEAD.match(sentence)
    start = lead.end() if lead is not None else 0
    if (match := _PRONOUN.match(sentence, start)) is not None:
        word = match[1].lower()
        return _Subject(pronoun="they" if word == "we" else word)
    first = next(cast.mentions(sentence[start : start + 80]), None)
    if first is not None and first.start <= 3:
        return _Subject(first.name, owns=first.owns)
    if (match := _NOUN_PHRASE.match(sentence, start)) is not None:
        found = _described(sentence[start : start + 60], cast)
        if found is not None:
            return found
    if (match := _OWNER.match(sentence, start)) is not None:
        return _Subject(pronoun=_OWNERS[match[1].lower()], owns=True)
    if first is not None and first.start <= 40 and "," in sentence[start : start + first.start]:
        return _Subject(first.name, owns=first.owns)
    return None


def _described(phrase: str, cast: Cast) -> _Subject | None:
    """Return the person that a noun phrase describes: a known description, or one that names a man or woman."""
    words = re.findall(r"[\w’'-]+", phrase)[:4]
    for length in (4, 3, 2):
        described = f"the {' '.join(words[1:length])}"
        if described in cast.names and words[0].lower() == "the":
            return _Subject(cast.names[described])
    for place, word in enumerate(words[1:4], start=1):
        bare = re.sub(r"[’']s$", "", word)
        if bare in WOMEN or bare in MEN or bare.lower().endswith(("man", "woman")):
            if words[0].lower() == "the":
                return _Subject(f"the {' '.join(words[1 : place + 1])}".removesuffix("’s"), owns=bare != word)
            return _Subject(pronoun="she" if sex_of_words(bare) == "f" else "he", owns=bare != word)
    return None
