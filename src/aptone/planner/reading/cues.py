"""Cues of delivery and recording: "over the phone", 心想, shouted, whispered, far away.

The target itself is searched, and the narration next to it: text outside quotation marks in the target's own line, its
stage directions, its tag at the beginning of the next line ("she whispered."), and narration in the nearest two lines
of context. A tag of another line tells the recording condition, which may go on, but not the delivery of this one.
Speech of other roles is not searched, since "I will phone you" is no recording; nor do wishes, similes, negations and
what is over count: "did not shout", "as if over the phone", "hung up". Each cue carries the words that gave it.

Cues of the feeling and the voice (`feeling_cues`) are phrases of `aptone.lexicon.feelings` about the speaker.
"""

import functools
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from aptone.lexicon import english_cues, mandarin_cues
from aptone.lexicon.feelings import Meaning, felt_phrases
from aptone.lexicon.negation import negations, taken_back
from aptone.lexicon.phrases import SENTENCE_ENDS, CueList, Found, PhraseBook, Value, tokens
from aptone.lexicon.plan_words import STAGE_DIRECTION, stage_directions
from aptone.planner.passage import Passage
from aptone.planner.reading.persons import Persons, persons_of
from aptone.planner.reading.scene import Region, Scene, Sentence, scene_of
from aptone.types import Intonation, Language, Line, RecordingCondition, Rhythm

_SENTENCE_END = re.compile(r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)[.!?…]+(?=\s|$)|\n")
_OPENS_SMALL = re.compile(
    r"[\s—–-]*(?:he|she|they|we|it|the|an?|his|her|my|our|their|(?:\w+ed|said|says|sang|began|spoke|came)\s+"
    r"(?:[A-Z]|he|she|they|the|an?|his|her|my|our|their)[\w’'-]*)\b"
)
"""A pronoun or a description without a capital, or a verb before its subject: the sentence began in the speech. What
only goes on without a capital may be a text with short rows."""
_MANDARIN_TAG = re.compile(
    r"\s*[^，。！？：；,!?:;\n]{0,16}?(?:[说问喊叫嚷吼骂答哭笑叹]|道|低语|自语|惊呼)(?:着|了一句|了一声|了)?"
    r"(?:[。！？…]+|，[^。！？：:\n]{0,60}[。！？…]+|$)"
)


def tag_end(narration: str, *, language: Language, behind: str = "") -> int:
    """Return the length of the tag, in characters, with which a narration continues the speech before it; 0 for none.

    >>> tag_end("she screamed in terror. Nobody answered.", language="en")
    23
    >>> tag_end("Nobody answered.", language="en"), tag_end("Tom said softly.", language="en", behind="Come,")
    (0, 16)
    >>> tag_end("她喊道。没有人回答。", language="zh"), tag_end("她喊道：", language="zh")
    (4, 0)

    A tag that ends in a comma is counted whole: it stands between two parts of one speech.

    Args:
        behind: speech before it, where known; an English one that ends in a comma has its tag behind it.
    """
    if language == "zh":
        found = _MANDARIN_TAG.match(narration)
        return found.end() if found else 0
    if not (_OPENS_SMALL.match(narration) or behind.rstrip("”’\"' ").endswith(",")):
        return 0
    end = _SENTENCE_END.search(narration)
    return end.end() if end else len(narration)


def ends_a_sentence(tag: str) -> bool:
    """Return true if the speech ends with its tag: ``she said.``, and not ``she said,`` between two parts of it."""
    return tag.rstrip()[-1:] in tuple(".!?…。！？")


NARRATION_REACH = 2
"""Lines before the target that may hold narration about it."""
LONGEST_LINE = 8000
"""Last characters of a line, quotations included, that are searched."""
LONGEST_NARRATION = 2000
"""Characters of a narration that are searched: those nearest to the line."""


@dataclass(frozen=True, slots=True)
class Cue:
    """Cue for the delivery of a line; `place`: whether it stands in the target or in the narration around it."""

    value: Value
    words: str
    place: Literal["line", "narration"]


_QUOTED = re.compile(
    r"“[^”]*(?:”|$)|「[^」]*(?:」|$)|『[^』]*(?:』|$)|\"[^\"]*(?:\"|$)"
    r"|‘[^‘]*?’(?!\w)|(?<!\w)'(?:[^']|(?<=\w)'(?=\w)){1,600}?(?<=[,.!?…—-])'(?!\w)"
)
_UNQUOTED = " | "
"""Placeholder of a quotation: a mark, so that no phrase reaches across it."""
_ADDRESS: dict[Language, str] = {"en": r"\b[Yy]ou(r|rs|rself)?\b", "zh": r"[你您咱]"}
"""Second person, which narration does not use: a line without a role that does comes from subtitles."""
_QUOTES = "“”「」『』‘’\"'"
_CLOSING = _QUOTES + ") \t\n"
_ONE_WIDTH = str.maketrans("？！。", "?!.")
_SAID: tuple[tuple[Value, dict[Language, str]], ...] = (
    (
        RecordingCondition.PHONE,
        {
            "en": r"^[Hh]ello\?|[Yy]ou['’]re breaking up|[Dd]o you copy|[Oo]ver and out"
            r"|[Tt]his is [\w ]{1,20} (speaking|calling)",
            "zh": r"^喂[,，?？]|收到请回答|声后留言|您(拨打|呼叫)的|(信号|线路)(不好|太差|不太好)",
        },
    ),
    (
        RecordingCondition.INNER_MONOLOGUE,
        {
            "en": r"[,.?!…] (he|she|they|[A-Z]\w+) (thought|wondered|mused)( to \w+)?[.,]?$",
            "zh": r"[，。？！…]\w{1,3}[心暗]想[。.]?$",
        },
    ),
    (Rhythm.TENSE, {"en": r"\b([BCDFGKLMNPSTW])-(?i:\1)\w|\b([bcdfgklmnpstw])-\2\w", "zh": r"(\w)(、|…+|—+)\1\w"}),
)
"""Patterns of speech into a device, of a thought's tag without quotation marks, and of stammering."""


def cues(
    context: Sequence[Line], target: Line, *, language: Language, following: Sequence[Line] = ()
) -> tuple[Cue, ...]:
    """Return the cues in a line and the narration around it, the most telling first.

    >>> found = cues([Line("She whispered into the phone.")], Line("Where are you?", "Ann"), language="en")
    >>> [cue.words for cue in found]
    ['into the phone', 'whispered', '?']
    >>> cues([Line("She did not shout; it was as if over the phone.")], Line("Yes.", "Ann"), language="en")
    ()
    >>> [cue.words for cue in cues([], Line("Yes,", "Ann"), language="en", following=[Line("she whispered.")])]
    ['whispered']

    Args:
        following: lines after the target; the first may begin with its tag.
    """
    found: list[Cue] = []
    text = target.text[-LONGEST_LINE:]
    own = _QUOTED.sub(_UNQUOTED, text)
    for direction in stage_directions(f"{own} {target.role}"):
        found += _narrated(direction, language, direction=True)[0]
    if own != text:
        found += _narrated(own[:LONGEST_NARRATION], language)[0]
    if behind := _narration(following[0])[:LONGEST_NARRATION] if following else "":
        found += _narrated(behind[: tag_end(behind, language=language, behind=text)], language)[0]
    over: frozenset[Value] = frozenset()
    for place in reversed(range(max(0, len(context) - NARRATION_REACH), len(context))):
        narration = _narration(context[place])[-LONGEST_NARRATION:]
        if narration and not re.search(_ADDRESS[language], narration):
            narrated, ended = _narrated(narration, language, before=True)
            narrated = _of_this_line(
                narrated, narration, language, follows_speech=place > 0 and bool(context[place - 1].role)
            )
            found += (cue for cue in narrated if cue.value not in over)
            over |= ended
    spoken = _spoken(text)
    found += (
        Cue(value, match.group().strip(), "line")
        for value, patterns in _SAID
        if (match := re.search(patterns[language], spoken))
    )
    found += (Cue(value, words, "line") for value, words in _marks(spoken))
    return tuple(found)


def _narration(line: Line) -> str:
    """Return a line without its quotations; empty for a line that is speech."""
    return "" if line.role else _QUOTED.sub(_UNQUOTED, line.text[-LONGEST_LINE:])


def _of_this_line(
    narrated: tuple[Cue, ...], narration: str, language: Language, *, follows_speech: bool
) -> tuple[Cue, ...]:
    """Return the narration before a line that is about it, without the tag of an earlier speech.

    Without earlier speech, 她低声说道。 announces the line.
    """
    _, quoted, rest = narration.rpartition(_UNQUOTED.strip())
    end = tag_end(rest, language=language) if quoted or follows_speech else 0
    if not end or not ends_a_sentence(rest[:end]):
        return narrated
    heard = tuple(cue for cue in narrated if isinstance(cue.value, RecordingCondition))
    spoken = _narrated(rest[end:], language, before=True)[0]
    return (*heard, *(cue for cue in spoken if not isinstance(cue.value, RecordingCondition)))


def _spoken(text: str) -> str:
    """Return the speech of a line: its quotations, or everything but stage directions."""
    quoted = [quote.strip(_QUOTES) for quote in _QUOTED.findall(text)]
    return ("\n".join(quoted) or STAGE_DIRECTION.sub(" ", text)).strip()


def _marks(spoken: str) -> Iterator[tuple[Value, str]]:
    """Return the cues of a line's punctuation."""
    plain = spoken.translate(_ONE_WIDTH)
    said = plain.rstrip(_CLOSING)
    mixed = max(plain.find("?!"), plain.find("!?"))
    if mixed >= 0:
        yield Intonation.CURVED, spoken[mixed : mixed + 2]
    elif said.endswith("?"):
        yield Intonation.RISING, spoken[len(said) - 1]
    elif (asked := said.rstrip(".!")).endswith("吗"):
        yield Intonation.RISING, spoken[len(asked) - 1]
    elif said.endswith("!"):
        yield Intonation.FALLING, spoken[len(said) - 1]
    loud = plain.find("!!")
    if loud >= 0:
        yield Rhythm.HIGH_ENERGY, spoken[loud : loud + 2]
    for ellipsis in ("...", "…"):
        if spoken.startswith(ellipsis) or spoken.endswith(ellipsis):
            yield Rhythm.LOW_PACED, ellipsis


class _Lists(NamedTuple):
    """Phrase lists of one language; the number of a list in `book` is its index in the other fields."""

    book: PhraseBook
    listed: tuple[CueList, ...]
    directions: int
    ended: tuple[tuple[Value, ...], ...]

    def numbers(self) -> tuple[int, int, int]:
        """Offsets of the words before a phrase, those after one, and those of what is over."""
        count = len(self.listed)
        return count, 2 * count, 3 * count


@functools.cache
def _lists(language: Language) -> _Lists:
    words = mandarin_cues if language == "zh" else english_cues
    listed = (*words.LISTS, *words.DIRECTIONS)
    texts = [
        *(one.phrases for one in listed),
        *(one.not_after for one in listed),
        *(one.not_before for one in listed),
        *(phrases for _, phrases in words.ENDED),
    ]
    book = PhraseBook(texts, families=words.FAMILIES, language=language)
    return _Lists(book, listed, len(words.LISTS), tuple(values for values, _ in words.ENDED))


@functools.lru_cache(maxsize=256)
def _narrated(
    text: str, language: Language, *, before: bool = False, direction: bool = False
) -> tuple[tuple[Cue, ...], frozenset[Value]]:
    """Return the cues of a narration beside the line, and the conditions that are over at its end.

    Args:
        before: true if the line follows it, so that its last sentence is the nearest.
        direction: true for a stage direction, in which a single word tells the delivery.
    """
    lists = _lists(language)
    words = tokens(text, language)
    hits: dict[int, list[Found]] = {}
    for hit in lists.book.find(words):
        hits.setdefault(hit.key, []).append(hit)
    after, behind, ends = lists.numbers()
    last = {
        value: hit.end
        for number, values in enumerate(lists.ended)
        for hit in hits.get(ends + number, ())
        for value in values
        if before
    }
    kept = [
        hit
        for key in range(len(lists.listed) if direction else lists.directions)
        for hit in hits.get(key, ())
        if hit.start >= last.get(lists.listed[key].value, 0)
        and not any(0 <= hit.start - other.end <= 1 for other in hits.get(after + key, ()))
        and not any(other.start == hit.end for other in hits.get(behind + key, ()))
    ]
    if kept:
        denials = negations(words, language)
        kept = [hit for hit in kept if not any(one.start <= hit.start < one.end for one in denials)]
    sentences = [0]
    for word in words.words:
        sentences.append(sentences[-1] + (word[0] in SENTENCE_ENDS))
    kinds, nearer = (RecordingCondition, Rhythm, Intonation), -1 if before else 1
    kept.sort(key=lambda hit: (kinds.index(type(lists.listed[hit.key].value)), nearer * sentences[hit.start], hit.key))
    found: dict[Value, Cue] = {}
    for hit in kept:
        value = lists.listed[hit.key].value
        start, end = words.places[hit.start][0], words.places[hit.end - 1][1]
        found.setdefault(value, Cue(value, text[start:end], "narration"))
    return tuple(found.values()), frozenset(last)


FAINTEST = 0.3
"""Least certainty that a phrase is about the speaker."""


@dataclass(frozen=True, slots=True)
class FeelingCue:
    """Phrase about the target, `distance` paragraphs away; `sure`, up to 1, that it is about the speaker."""

    start: int
    end: int
    meaning: Meaning
    region: Region
    distance: int
    sure: float
    denied: bool


def feeling_cues(passage: Passage, language: Language) -> tuple[FeelingCue, ...]:
    """Return the phrases around a target about its delivery, by their regions.

    >>> from aptone.planner.passage import passage_around
    >>> from aptone.types import Line
    >>> after = Line("she sobbed, her hands shaking.", continues=True)
    >>> cues = feeling_cues(passage_around([], Line("Go!"), [after]), "en")
    >>> [(cue.region, [str(name) for name in cue.meaning.emotions]) for cue in cues if cue.meaning.emotions]
    [('tag', ['sad']), ('tag', ['fear'])]
    """
    scene = scene_of(passage, language)
    persons = persons_of(scene)
    return tuple(cue for sentence in scene.sentences for cue in _cues(scene, sentence, persons))


def _cues(scene: Scene, sentence: Sentence, persons: Persons) -> list[FeelingCue]:
    source = scene.text(sentence)
    text = tokens(source, scene.language)
    phrases = list(felt_phrases(text, scene.language, direction=sentence.region == "direction"))
    if not phrases:
        return []
    taken = taken_back(text, scene.language)
    found = []
    for phrase in phrases:
        sure = persons.tells_of_speaker(sentence, text, source, phrase)
        if sure < FAINTEST:
            continue
        start, end = text.places[phrase.start][0], text.places[phrase.end - 1][1]
        found.append(
            FeelingCue(
                sentence.start + start,
                sentence.start + end,
                phrase.meaning,
                sentence.region,
                sentence.distance,
                sure,
                denied=any(one.takes(phrase.start, phrase.end) for one in taken),
            )
        )
    return found
