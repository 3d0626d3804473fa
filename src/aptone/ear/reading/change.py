"""Changes over time in a caption: "starts calm and ends furious", 由震惊转为平静.

Two mentions of one attribute with different values make a change where a turn stands between them ("gives way to"), or
where one is placed at the beginning and the other at the end. The first of them may have been stated before, for
itself; what the turn leads to is no claim about the whole clip.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from aptone.ear.describe import Attribute
from aptone.ear.reading.scope import Place
from aptone.lexicon.feelings import TURNS
from aptone.lexicon.phrases import Found, PhraseBook, Tokens
from aptone.types import ClosedSet, Emotion, Language

CHANGING: frozenset[Attribute] = frozenset(("emotion", "pitch", "rate", "volume"))
"""Attributes whose changes over time are read."""

_STARTS: Mapping[Language, str] = {
    "en": "start~, start~ off, start~ out, begin, begins, began, beginning, begin~ with, opens, open~ with, opening, "
    "at first, initially, to begin with, at the start, at the outset, at the beginning, first half, from, go~ from, "
    "goes from, went from, move~ from, swing~ from, first, set~ out, sets out, setting out, early on, was <was>, "
    "had been",
    "zh": "由，从，起初，一开始，刚开始，开始时，开始还，开头，先是，前半，起先，最初，本来，原本，前面，先还，"
    "上一秒，前一秒，"
    "刚才还，方才还，起头，一开头，前几个字还，先前，开口时，前半截，上来还",
}
"""Words before what holds at the beginning."""
_ENDS: Mapping[Language, str] = {
    "en": "end~, ends up, ending up, by the end, by the last word, by the close, by the finish, at the end, "
    "in the end, "
    "toward the end, towards the end, finish~, finish~ up, closes, closing, later, finally, eventually, at last, "
    "second half, afterwards, afterward, towards the close, toward the close, out of nowhere, bit by bit, by then, "
    "halfway, half way, midway, before, until, then, after that, only to, wind~ up",
    "zh": "最后，末尾，后来，后半，后面，结尾，收尾，到最后，到后来，末了，最终，到头来，临了，说到最后，下一秒，"
    "转眼，转眼间，"
    "说着说着，听着听着，越往后越，说到一半，念到一半，话说到一半，中途，半途，到后面，到末尾，后头，随即，一会儿又，"
    "没多久，片刻后，半晌",
}
"""Words before what holds at the end."""
_TURNS: Mapping[Language, str] = {
    "en": f"{TURNS[0]}, turn~, turn~ into, turn~ to, turns, shift~, shift~ to, shift~ into, slid~ into, slide~ into, "
    "slides into, sliding into, melt~ into, fade~ into, dissolve~ into, collapse~ into, break~ into, soften~ into, "
    "harden~ into, tip~ into, tips over into, boil~ over into, build~ to, build~ into, builds to, morph~ into, "
    "switch~ to, switches to, move~ to, moves into, drift~ into, drop~ into, sink~ into, descend~ into, grow~, "
    "grows, growing, gets, getting, warm~ into, cool~ into, spill~ over into, give~ way to, gave way to, "
    "gives way to, giving way to, make~ way for, replaced by, becomes, becoming, became, all the way to, into",
    "zh": f"{TURNS[1]}，滑向，过渡到，过渡为，变作，渐变为，渐渐，逐渐，慢慢变，慢慢地变，一点点变，转到，跌入，"
    f"跌进，陷入，"
    "涌上，升为，演变，演变成，化成，换成，一路滑向，竟，竟然，居然，越说越，越讲越，越来越，翻脸",
}
"""Words between a value and the one that takes its place."""
_ALONE: Mapping[Language, str] = {
    "en": "grow~ increasingly, growing increasingly, grows increasingly, increasingly, more and more, gradually, "
    "little by little, progressively, by degrees, gets more and more, becomes more and more",
    "zh": "越说越，越讲越，越来越，渐渐，逐渐，一点点变得，慢慢变得",
}
"""Words before a value that was not there from the beginning, whatever was."""
_BECOMING: Mapping[Language, str] = {
    "en": "settles, settled, settling, settles down, settling down, settled down, calms, calmed, calming down, calms "
    "down, calmed down, cools, cooled, cools off, cooled off, simmer~ down, mellows, softens, relaxes, collects, "
    "regain~, cheer~ up, brighten~, perk~ up, lighten~ up, liven~ up, lights up, flare~, boil~ over, boil~ up, "
    "erupt~, explodes, exploding, snaps, blow~ up, lose~ <his> temper, loses heart, losing heart, lost heart, "
    "break~ down, broke down, crumple~, crumble~, deflates, wilts, panics, freezes, sours, hardens, stiffens, "
    "bursts into, burst into, bursting into, lapses into, sinks into, come~ to <his> senses, pull~ <himself> "
    "together, get~ a grip, recover~",
    "zh": "起来，了起来，下来，了下来，上来，了上来",
}
"""Words that say that a value was not there before: verbs with the value in them; in Mandarin, endings behind it."""
_VANISHING: Mapping[Language, str] = {
    "en": "dissolv~, dissolve~, evaporat~, evaporate~, subsid~, subside~, melts away, melted away, melting away, "
    "drains away, drained away, ebbs away, ebbs, ebbed, ebbing, wears off, wore off, wearing off, blows over, "
    "blew over, "
    "dies down, died down, dying down, dies away, died away, lets up, let up, vanish~, fades away, faded away, "
    "fading away, disappear~, goes away, went away, lifts in the end, cools off, cooled off",
    "zh": "渐渐消散，渐渐消失，渐渐散去，慢慢消散，慢慢消失，慢慢散去，逐渐消散，逐渐消失，逐渐散去，渐渐平息，"
    "慢慢平息，逐渐平息，"
    "渐渐退去，慢慢退去，渐渐淡去，慢慢淡去，逐渐淡去，渐渐没了，慢慢没了，烟消云散，一点点散去，一点点消散，消退了，"
    "渐消",
}
"""Words behind a value that does not last until the end."""
_START, _END, _TURN, _GROWING, _BECOME, _VANISH = range(6)
_GROW = "grow grows grew growing get gets got getting become becomes became becoming turn turns"
GROW = frozenset(_GROW.split())
"""Verbs of which a comparative says that something was less so before: "grows angrier"."""
NEAR = {"en": 6, "zh": 8}
"""Words (in Mandarin, characters) between such words and the value that they place."""
WITHIN = {"en": 24, "zh": 34}
"""Most words (in Mandarin, characters) between the two values."""
_SENTENCE_ENDS = frozenset(".!?。！？")
ORDINARY: Mapping[Attribute, ClosedSet] = {"emotion": Emotion.NEUTRAL}
"""Value at the beginning where only the end is named."""


class Candidate(NamedTuple):
    """A mention that may be a part of a change.

    Args:
        number: of the mention.
        place: its tokens.
    """

    number: int
    place: Place
    attribute: Attribute
    value: ClosedSet


class ReadChange(NamedTuple):
    """A change: the mentions that make it, its first and last token, and which mentions it leaves no other claim.

    Args:
        first: mention of the value at the beginning; ``None`` where only the end is named.
        last: mention of the value at the end.
        start, end: tokens that tell it.
        replaced: mentions that claim nothing else.
    """

    attribute: Attribute
    before: ClosedSet
    after: ClosedSet
    first: int | None
    last: int
    start: int
    end: int
    replaced: frozenset[int]


def read_changes(words: Tokens, candidates: Sequence[Candidate], language: Language) -> list[ReadChange]:
    """Find the changes among mentions, given from left to right; each mention is a part of one at the most."""
    cues = sorted(_book(language).find(words), key=lambda hit: hit.start)
    if not cues:
        return []
    found: list[ReadChange] = []
    last: dict[Attribute, Candidate] = {}
    used: set[int] = set()
    for one in candidates:
        gone = _vanished(words, cues, one, language)
        if gone is not None:
            found.append(gone)
            used.add(one.number)
            continue
        before = last.get(one.attribute)
        last[one.attribute] = one
        if before is not None and before.value is not one.value and before.number not in used:
            change = _between(words, before, one, cues, language)
            if change is not None:
                found.append(change)
                used |= {before.number, one.number}
                continue
        if one.number not in used and one.attribute in ORDINARY and one.value is not ORDINARY[one.attribute]:
            growing = [
                hit
                for hit in cues
                if (hit.key == _GROWING and _leads(words, hit, one.place, language, near=2))
                or (hit.key == _TURN and hit.end == one.place.start and _is_more(words.words, hit, one.place))
            ]
            if growing:
                start, ordinary = growing[0].start, ORDINARY[one.attribute]
                found.append(
                    ReadChange(
                        one.attribute, ordinary, one.value, None, one.number, start, one.place.end,
                        frozenset({one.number}),
                    )
                )  # fmt: skip
                used.add(one.number)
    return found


def _is_more(words: Sequence[str], turn: Found, place: Place) -> bool:
    """Return True for "grows angrier" and "becoming ever calmer"."""
    return words[turn.end - 1] in GROW and words[place.start].endswith("er")


def _vanished(words: Tokens, cues: Sequence[Found], one: Candidate, language: Language) -> ReadChange | None:
    """Return the change that takes a value away: "his anger dissolves", 怒气渐渐消散."""
    ordinary = ORDINARY.get(one.attribute)
    if ordinary is None or one.value is ordinary:
        return None
    for hit in cues:
        gap = words.words[one.place.end : hit.start]
        if hit.key == _VANISH and one.place.end <= hit.start <= one.place.end + 2 and all(w[:1].isalnum() for w in gap):
            return ReadChange(
                one.attribute, one.value, ordinary, one.number, one.number, one.place.start, hit.end,
                frozenset({one.number}),
            )  # fmt: skip
    return None


def _between(
    words: Tokens, one: Candidate, other: Candidate, cues: Sequence[Found], language: Language
) -> ReadChange | None:
    gap = words.words[one.place.end : other.place.start]
    if len(gap) > WITHIN[language] or sum(word in _SENTENCE_ENDS for word in gap) > 1:
        return None
    starts_one, starts_other = (
        _led(words, cues, _START, part.place, language) or _followed(cues, part.place) for part in (one, other)
    )
    ends_one, ends_other = (_led(words, cues, _END, part.place, language) for part in (one, other))
    turn = next(
        (
            hit
            for hit in cues
            if hit.key in (_TURN, _GROWING)
            and one.place.end <= hit.start
            and _leads(words, hit, other.place, language, near=NEAR[language])
        ),
        _become(cues, one.place.end, other.place, language),
    )
    if ends_one is not None and starts_other is not None and one.place.end <= starts_other.start:
        first, last = other, one  # "by the end livid, though it had started out serene"
        start, end = min(ends_one.start, one.place.start), other.place.end
        replaced = {first.number}
    elif starts_one is not None and (ends_other is not None or turn is not None or _from_to(words, starts_one, gap)):
        first, last = one, other
        start, end = min(starts_one.start, one.place.start), other.place.end
        replaced = {first.number, last.number}
    elif turn is not None or (ends_other is not None and ends_other.start >= one.place.end):
        first, last = one, other
        start, end = one.place.start, other.place.end
        replaced = {last.number}
    else:
        return None
    return ReadChange(
        one.attribute, first.value, last.value, first.number, last.number, start, end, frozenset(replaced)
    )


def _become(cues: Sequence[Found], after: int, place: Place, language: Language) -> Found | None:
    """Return the word that says that a value arises: "settles", 镇定下来; it stands in the value or right behind it."""
    for hit in cues:
        if hit.key == _BECOME and hit.start >= after:
            is_within = place.start <= hit.start < place.end
            if (is_within and language == "en") or (
                language == "zh" and place.start < hit.start <= place.end < hit.end
            ):
                return hit
    return None


def _from_to(words: Tokens, start: Found, gap: Sequence[str]) -> bool:
    """Return True for "from fright to cheer" and 从若无其事说到勃然大怒."""
    return words.words[start.end - 1] in ("from", "从", "由") and any(word in ("to", "到", "变", "转") for word in gap)


def _led(words: Tokens, cues: Sequence[Found], key: int, place: Place, language: Language) -> Found | None:
    """Return the nearest word of a kind before a value, in the same clause."""
    fitting = [hit for hit in cues if hit.key == key and _leads(words, hit, place, language, near=NEAR[language])]
    return fitting[-1] if fitting else None


def _followed(cues: Sequence[Found], place: Place) -> Found | None:
    """Return the words right behind a value that place it at the beginning: "panicky at first"."""
    behind = (hit for hit in cues if hit.key == _START and hit.start == place.end and hit.end - hit.start > 1)
    return next(behind, None)


def _leads(words: Tokens, hit: Found, place: Place, language: Language, *, near: int) -> bool:
    """Return True if a phrase stands shortly before a place, with at most one comma between."""
    if hit.end > place.start or place.start - hit.end > near:
        return False
    between = words.words[hit.end : place.start]
    marks = sum(not word[:1].isalnum() for word in between)
    return marks <= (1 if language == "zh" else 0) and not any(word in _SENTENCE_ENDS for word in between)


@functools.cache
def _book(language: Language) -> PhraseBook:
    lists = [listed[language] for listed in (_STARTS, _ENDS, _TURNS, _ALONE, _BECOMING, _VANISHING)]
    families = {"was": "was, were, is", "his": "his, her, their", "himself": "himself, herself, themselves"}
    return PhraseBook(lists, families=families, language=language)
