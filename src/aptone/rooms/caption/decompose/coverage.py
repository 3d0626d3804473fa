"""Coverage of a caption: which of its words were read into claims, and which content words were not.

Function words, and words that any caption uses without claiming anything ("voice", "speaker", "sounds", 说话人), count
nowhere. All other words do: those that units rest on, and those that were understood without a claim (denials, people
who are not the speaker), are read; what is left over is unread. In Mandarin characters take the place of words.

    coverage = read / (read + unread)

A caption is fully read where every unread word is known to be harmless (``harmless.en.txt``, ``harmless.zh.txt``):
any other may be a claim that nobody verified, so that a perfect score of what was read is no perfect caption.
"""

import functools
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from importlib.resources import files

from aptone.lexicon.phrases import PhraseBook, Tokens, tokens
from aptone.messages import message
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.score import is_descriptive
from aptone.types import Language

LEAST_READ = 0.4
"""Share of the content words below which a caption is not scored."""
FEWEST_UNREAD = {"en": 3, "zh": 6}
"""Unread words (in Mandarin, characters) without which no caption is too little read."""
MOST_NAMED = 5
"""Unread words that a reason names."""

_FUNCTION_WORDS = (
    "a an the this that these those some any no every each either neither both all most more much many few less least "
    "other another such own same one ones first two three i me my mine myself you your yours yourself he him his "
    "himself she her hers herself it its itself we us our ours they them their theirs themselves who whom whose which "
    "what where when why how whatever whoever there here then now just only also too very quite rather pretty fairly "
    "somewhat really so as at by for from in into of off on onto out over to toward towards under up upon with within "
    "without about above across after against along among around before behind below beneath beside besides between "
    "beyond down during near past since through throughout till until via and or but nor yet if because although "
    "though while whereas unless than is am are was were be been being do does did doing done have has had having will "
    "would shall should can could may might must ought not never ever always often sometimes usually again still even "
    "almost nearly perhaps maybe possibly probably however therefore thus otherwise instead like s t d ll re ve m let "
    "lets per etc else enough already once twice ago away back apart together etc something anything nothing "
    "everything "
    "someone somebody anyone anybody everyone everybody nobody none thing things way ways kind sort bit lot lots "
    "quite go goes going went gone get gets getting got gotten make makes making made take takes taking took taken "
    "come "
    "comes coming came give gives giving gave given keep keeps keeping kept put puts say says saying said tell tells "
    "telling told seem seems seemed seeming appear appears know knows knew think thinks thought feel feels feeling "
    "felt "
    "hear hears hearing heard listen listens listening call calls called calling want wants find finds found see sees "
    "look looks looking leave leaves leaving left use uses used using try tries trying let throughout overall whole "
    "entire entirely total totally fully completely utterly absolutely definitely certainly surely simply merely "
    "actually indeed truly perfectly particularly especially generally mostly mainly largely slightly little touch "
    "hint "
    "trace note notes edge air sense tinge shade layer quality qualities amount degree level part side end middle "
    "beginning start rest point moment second seconds time times minute day today one's another's upon i'd i'll i'm "
    "i've you'd you'll you're you've he'd he's she'd she's it's that's there's what's who's they're we're let's"
)
_CAPTION_WORDS = (
    "voice voices vocal vocals vocally voiced speaker speakers speak speaks speaking spoke spoken speech utterance "
    "utterances utter utters uttered uttering sentence sentences line lines phrase phrases word words wording syllable "
    "syllables vowel vowels consonant consonants clip clips recording recordings audio sample track file talk talks "
    "talking talked sound sounds sounding sounded tone tones tonal pitch pitched register range melody melodic "
    "intonation inflection delivery deliver delivers delivered delivering pace paced tempo rate speed rhythm cadence "
    "volume loudness timbre texture mood emotion emotions emotional emotionally feeling feelings affect expression "
    "expressions express expresses expressed expressing convey conveys conveyed conveying carry carries carrying "
    "manner style read reads reading narrator narration actor actress performer person people individual human adult "
    "listener listeners ear ears audience hearing impression overall clearly said answer answers reply replies remark "
    "remarks statement statements state states stating question message text language accent word's somebody's "
    "describe describes described describing character performance performs performing performed reciting recites "
    "recite pronounces pronounce pronounced pronunciation articulation articulated enunciated diction breath breaths "
    "throat mouth chest lips tongue vocal cords level levels ups downs movement moves contour variation varies vary "
    "varying varied modulation stays stay staying remains remain sits sit sitting holds hold holding runs run running "
    "comes across suggest suggests suggesting indicate indicates indicating betray betrays reveal reveals show shows "
    "displays display display's average normal ordinary typical usual neutral-ish natural naturally guess suppose "
    "reckon swear bet imagine picture"
)
_QUIET_PHRASES = (
    "说话人，说话者，说话的人，发言者，发言人，讲话者，讲话人，声音，嗓音，嗓子，声线，声调，音调，音高，音量，音色，音质，语速，速度，"
    "语气，语调，口吻，口气，腔调，调子，调门，节奏，情绪，情感，感情，心情，语音，音频，录音，片段，这段，这条，这句，这句话，那句话，"
    "一句话，句子，话语，台词，字句，每个字，说话，讲话，开口，说出，说着，说完，说道，说得，讲述，讲着，讲完，念着，念完，念出，朗读，"
    "读着，读完，表达，表现，呈现，流露，流露出，透露，透着，透出，带着，带有，带点，夹着，夹杂，充满，听起来，听上去，听着，听得出，"
    "听见，听到，听来，听了，一听，整体，整段，整个，全程，从头到尾，始终，一直，大概，或许，也许，可能，似乎，好像，仿佛，像是，"
    "如同，一般，似的，一样，那样，这样，那种，这种，这个，那个，一个，一位，一名，一段，一股，一种，一丝，一些，有些，有点，"
    "几分，十分，非常，很，挺，相当，比较，较为，略带，略，稍，稍微，稍稍，颇，颇为，极，格外，特别，尤其，显得，显示，表明，"
    "就是，只是，不过，但是，可是，然而，而且，并且，因此，所以，因为，虽然，尽管，如果，即使，哪怕，于是，同时，其中，其实，"
    "实在，确实，完全，根本，简直，几乎，差不多，已经，正在，正，在，刚，刚刚，又，再，还，还是，也，都，却，倒，反而，反倒，"
    "的，地，得，了，着，过，是，有，和，与，及，或，把，被，将，让，使，令，叫，给，对，向，从，由，到，以，用，于，为，为了，"
    "之，其，此，该，各，每，某，上，下，里，中，内，外，前，后，时，时候，起来，下来，出来，过来，下去，这，那，哪，谁，什么，怎么，"
    "我，你，他，她，它，我们，你们，自己，大家，人，个，位，名，段，句，种，股，点，些，说，讲，听，话，像，就，才，只，会，能，要，想，"
    "可以，可，不，没，没有，别，无，未，非，吧，呢，啊，吗，嘛，呀，哦，一，两，三，几，多，少，性，感，感觉，觉得，认为，"
    "描述，属于，具有，处于，保持，维持，属，且，而，则，便，所，者，般，间，出，来，去，完，成，做，当，跟，同，比，更，最，太"
)

_READ, _FREE, _UNDERSTOOD = 1, 2, 3


@dataclass(frozen=True, slots=True)
class Coverage:
    """Coverage of a caption.

    Args:
        share: share of the content words that were read; NaN where there are none.
        read: number of them (in Mandarin, of characters).
        unread: places of the content words that were not read; neighbours stand together.
        doubtful: those of them that are not known to be harmless, and so may be claims.
    """

    share: float
    read: int
    unread: tuple[tuple[int, int], ...]
    doubtful: tuple[tuple[int, int], ...] = ()

    @property
    def is_complete(self) -> bool:
        """True if no word is left over that may be a claim."""
        return not self.doubtful

    def words(self, caption: str) -> list[str]:
        """Return the unread words."""
        return [caption[start:end] for start, end in self.unread]


def coverage(
    caption: str,
    units: Iterable[Unit],
    *,
    language: Language,
    understood: Iterable[tuple[int, int]] = (),
    quoted: Iterable[tuple[int, int]] = (),
) -> Coverage:
    """Return which words of a caption were read.

    Args:
        units: claims of the caption.
        understood: places of words that were read without making a claim.
        quoted: places of what the speaker says, which count nowhere.
    """
    marks = bytearray(len(caption))
    for start, end in quoted:
        marks[start:end] = bytes([_FREE]) * (end - start)
    for start, end in understood:
        marks[start:end] = bytes([_UNDERSTOOD]) * (end - start)
    for unit in units:
        marks[unit.start : unit.end] = bytes([_READ]) * (unit.end - unit.start)
    words = tokens(caption, language)
    free = _free_tokens(words.words) if language == "zh" else None
    read, unread, places = 0, 0, []
    for number, (word, (start, end)) in enumerate(zip(words.words, words.places, strict=True)):
        if not word[:1].isalnum() or marks[start] == _FREE:
            continue
        is_plain = number in free if free is not None else word in _plain_words() or word.isdigit()
        if is_plain and marks[start] != _READ:
            continue
        if marks[start]:
            read += 1
        else:
            unread += 1
            places.append((start, end))
    share = read / (read + unread) if read + unread else math.nan
    harmless = _harmless_places(words, language)
    doubtful = [place for place in places if place not in harmless]
    return Coverage(share, read, tuple(_joined(caption, places, language)), tuple(_joined(caption, doubtful, language)))


def too_little(found: Coverage, units: Sequence[Unit], caption: str, *, language: Language) -> str:
    """Return the reason why a caption is not scored; empty where enough of it was read.

    It is not where less than `LEAST_READ` of its content words were read, or where nothing of how it sounds was read
    ("this man is about to …" gives only that a man speaks) and words are left over.
    """
    unread = found.words(caption)
    size = sum(len(word) for word in unread) if language == "zh" else len(unread)
    silent = not any(map(is_descriptive, units))
    if size < FEWEST_UNREAD[language] and not (silent and size):
        return ""
    named = {"en": ", ", "zh": "、"}[language].join(dict.fromkeys(word for word in unread[:MOST_NAMED]))
    if silent:
        return message("caption.nothing-read-about-sound", words=named)
    if found.share < LEAST_READ:
        return message("caption.too-little-read", share=100.0 * found.share, words=named)
    return ""


def _joined(caption: str, places: Sequence[tuple[int, int]], language: Language) -> Iterable[tuple[int, int]]:
    """Yield neighbouring places of characters as one; English words stay apart."""
    if language == "en":
        yield from places
        return
    begin = end = -1
    for start, stop in places:
        if start != end and begin >= 0:
            yield begin, end
        if start != end:
            begin = start
        end = stop
    if begin >= 0:
        yield begin, end


def _harmless_places(words: Tokens, language: Language) -> set[tuple[int, int]]:
    """Return the places of words that are known to claim nothing."""
    found = _harmless_book(language).find(words)
    return {words.places[number] for hit in found for number in range(hit.start, hit.end)}


@functools.cache
def _harmless_book(language: Language) -> PhraseBook:
    text = (files("aptone.rooms.caption") / "decompose" / f"harmless.{language}.txt").read_text(encoding="utf-8")
    words = [word for line in text.splitlines() if not line.startswith("#") for word in line.split()]
    return PhraseBook([{"en": ", ", "zh": "，"}[language].join(words)], families={}, language=language)


@functools.cache
def _plain_words() -> frozenset[str]:
    return frozenset(_FUNCTION_WORDS.split()) | frozenset(_CAPTION_WORDS.split())


def _free_tokens(words: Sequence[str]) -> set[int]:
    """Return the characters of function words and of what every caption says."""
    found = _quiet_book().find(Tokens(tuple(words), tuple((0, 0) for _ in words)))
    return {number for hit in found for number in range(hit.start, hit.end)}


@functools.cache
def _quiet_book() -> PhraseBook:
    return PhraseBook([_QUIET_PHRASES], families={}, language="zh")
