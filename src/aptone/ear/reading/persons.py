"""People in a caption who are not the speaker: "as if soothing a child", "which surprised me", 像在哄孩子."""

import functools
from collections.abc import Iterable, Mapping, Sequence

from aptone.ear.describe import Mention, english, mandarin
from aptone.ear.reading.scope import Place
from aptone.lexicon.phrases import PhraseBook, Tokens, tokens
from aptone.types import Language, Sex


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TOWARDS: frozenset[str] = _set(
    "to at with for toward towards about between against behind around beside near upon after than before tell "
    "tells told telling ask asks asked asking"
)
"""Words before somebody else; "from", "of" and "by" lead to the speaker ("comes from a woman")."""
_DETERMINERS: frozenset[str] = _set("a an the some one that this another any every each two three several little small")
_POSSESSIVES: frozenset[str] = _set("his her their my your its someone's somebody's")
_LEADS_TO_SPEAKER: frozenset[str] = _set(
    "belong belongs belonging hear hears hearing heard feature features featuring capture captures record "
    "records recorded recording present presents contain contains involve involves involving depict depicts "
    "show shows showing sound sounds sounding sounded being picture pictures picturing imagine imagines "
    "imagining portray portrays portraying playing attributed listen listened listening got"
)
"""Verbs and forms that are about the speaker although somebody follows."""
_VOICE_WORDS: frozenset[str] = _set(
    "voice voices speaker speakers vocal vocals sounding narrator reader actor performer tone tones speech "
    "talker delivery presenter announcer"
)
_OBJECTS = frozenset(("him", "them"))
_NO_NOUN: frozenset[str] = _set(
    "and or but as at in on to with for while when is was are were so too that who which again all by from off "
    "out up down into over"
)
_AGES: frozenset[str] = _set("old young aged mature senior elder ancient youthful aging ageing childlike childish")
_PEOPLE: frozenset[str] = _set(
    "man woman guy lady gentleman girl boy male female person people speaker adult voice fellow chap lad lass "
    "dude bloke men women actor actress narrator soul folk folks couple creature wizard witch king queen crone "
    "geezer gal kid one himself herself"
)
_BE: frozenset[str] = _set(
    "is was are sounds sound sounded seems seem seemed be being been looks very quite rather fairly pretty "
    "really too so relatively probably perhaps maybe somewhat, ,"
)
_MANDARIN_OTHERS: Mapping[str, str] = {
    "before": "对，对着，跟，跟着，给，向，冲着，朝，朝着，哄，哄着，骂，训，训斥，安慰，安抚，逗，逗着，替，"
    "劝，陪，陪着，等着，抱着，怀里的，怀里，拉着，瞪着，催，教，喂，看着，想起，怀念，想念，提起，叮嘱，嘱咐，"
    "告诉，责备，数落，唤，吓唬，怕吵醒，吵醒，惊动，面前的，身边的，旁边的，隔壁的，隔壁，叫醒，欺负，当着",
}
_CHILDREN = ("孩子", "小孩")
_COUNTED = frozenset("个位名这那小是像")
_VOICES = ("的声", "的嗓", "声", "般", "似", "一样", "在说", "说话", "的语")
"""Children whom a caption mentions are the speaker only where they are counted, or have a voice."""
_REACH = 4
"""Characters between such a word and somebody else."""


_LISTENERS = frozenset(("me", "us"))
_MOVED: Mapping[Language, str] = {
    "en": "i kept, i felt, i feel, i was, i am, made me, makes me, make me, left me, leaves me, made us, "
    "makes us, makes you, "
    "make you, leave you, leaves you, i almost, made the listener, makes the listener",
    "zh": "让人，令人，叫人，使人，惹人，听得人，听得我，弄得人，害得人，把我，吓我，我都，让我，叫我，令我，"
    "旁人，听的人，听众，围观的人",
}
"""Words before what is felt by those who listen."""


_VOICE_NAMES = frozenset(("voice", "speaker", "voices", "speakers", "声", "嗓", "音"))


def is_person(mention: Mention) -> bool:
    """Return True if a word names a person by sex or age and nothing else."""
    return bool(mention.entry.means) and all(sense.attribute in ("sex", "age") for sense in mention.entry.means)


def is_voice(words: Sequence[str], place: Place) -> bool:
    """Return True if a word for a person goes with a voice: "the female voice", "and a man"."""
    behind = words[place.end] if place.end < len(words) else ""
    before = words[place.start - 1] if place.start else ""
    last = words[place.end - 1]
    return behind in _VOICE_NAMES or last in _VOICE_NAMES or (before in ("a", "an") and words[place.start - 2] == "and")


_COMPARING = frozenset(("as", "like", "than"))
_LIKE = ("像", "如", "似", "比")


def pronoun_within(words: Tokens, places: Iterable[Place], language: Language) -> tuple[int, Sex] | None:
    """Return the first pronoun of the speaker inside phrases, by its token, and its sex: "at the top of his lungs".

    ``None`` where there is none, or where they are of both sexes.
    """
    found = [
        (token, _pronouns(language)[words.words[token]])
        for place in places
        for token in range(place.start, place.end)
        if words.words[token] in _pronouns(language)
        and not is_somebody_else(words, Place(token, token + 1), language, is_pronoun=True)
    ]
    return found[0] if len({sex for _, sex in found}) == 1 else None


@functools.cache
def _pronouns(language: Language) -> Mapping[str, Sex]:
    """Return the sex of each pronoun that is one token."""
    module = english if language == "en" else mandarin
    listed = ((word, sex) for sex, given in module.PRONOUNS.items() for word in given)
    return {word: sex for word, sex in listed if len(tokens(word, language).words) == 1}


def is_compared(words: Tokens, place: Place, language: Language) -> bool:
    """Return True if the speaker is compared with a person: "serene as a monk", 像个老头."""
    before = words.words[max(0, place.start - 3) : place.start]
    if language == "zh":
        return any(word in _LIKE for word in before)
    return any(word in _COMPARING for word in before) and all(word in _COMPARING | _DETERMINERS for word in before[-2:])


def is_listeners(words: Tokens, place: Place, language: Language) -> bool:
    """Return True if a feeling, by its tokens, is that of those who listen: "which surprised me", 叫人担心."""
    if language == "en":
        behind = words.words[place.end] if place.end < len(words.words) else ""
        before = words.words[place.start - 1] if place.start else ""
        if behind in _LISTENERS or before == "i":
            return True
    begin = max(0, place.start - 5)
    part = Tokens(tuple(words.words[begin : place.start]), tuple((0, 0) for _ in range(begin, place.start)))
    return any(len(part.words) - hit.end <= (0 if language == "en" else 1) for hit in _moved(language).find(part))


@functools.cache
def _moved(language: Language) -> PhraseBook:
    return PhraseBook([_MOVED[language]], families={}, language=language)


def is_somebody_else(words: Tokens, place: Place, language: Language, *, is_pronoun: bool) -> bool:
    """Return True if a word for a person or an age, by its tokens, is not about the speaker."""
    if language == "zh":
        return not is_pronoun and _mandarin(words.words, place)
    return _english_pronoun(words.words, place) if is_pronoun else _english(words.words, place)


def _english_pronoun(words: Sequence[str], place: Place) -> bool:
    before = words[place.start - 1] if place.start else ""
    if before not in _TOWARDS:
        return False
    if words[place.start] in _OBJECTS:
        return True
    behind = words[place.end] if place.end < len(words) else "."
    return words[place.start] == "her" and (not behind[:1].isalnum() or behind in _NO_NOUN)


def _english(words: Sequence[str], place: Place) -> bool:
    behind = words[place.end : place.end + 2]
    if any(word in _VOICE_WORDS for word in behind[:1]):
        return False
    if place.end - place.start == 1 and words[place.start] in _AGES:
        before = words[place.start - 1] if place.start else ""
        if not (behind and behind[0] in _PEOPLE) and before not in _BE:
            return bool(behind) and behind[0][:1].isalnum() and behind[0] not in _NO_NOUN
    start = place.start - 1
    while start >= 0 and (words[start] in _DETERMINERS or words[start] in _AGES):
        start -= 1
    if start < 0:
        return False
    if start > 1 and words[start - 1] in _DETERMINERS and words[start - 2] in _TOWARDS and words[start][:1].isalpha():
        start -= 2  # "to a disobedient child"
    lead = words[start]
    if lead in _POSSESSIVES:
        return True
    if lead in _LEADS_TO_SPEAKER or (start and words[start - 1] in _LEADS_TO_SPEAKER and lead in ("to", "like", "of")):
        return False
    if lead == "like":
        return False
    return lead in _TOWARDS or (lead.endswith("ing") and start < place.start - 1 and lead not in _LEADS_TO_SPEAKER)


def _mandarin(words: Sequence[str], place: Place) -> bool:
    if "".join(words[place.start : place.end]) in _CHILDREN:
        before = words[place.start - 1] if place.start else "，"
        behind = "".join(words[place.end : place.end + 3])
        return before not in _COUNTED and not behind.startswith(_VOICES)
    begin = max(0, place.start - _REACH - 3)
    part = Tokens(tuple(words[begin : place.start]), tuple((0, 0) for _ in words[begin : place.start]))
    for hit in _book().find(part):
        between = part.words[hit.end :]
        if len(between) <= _REACH and all(word[:1].isalnum() for word in between) and "是" not in between:
            return True
    return False


@functools.cache
def _book() -> PhraseBook:
    return PhraseBook([_MANDARIN_OTHERS["before"]], families={}, language="zh")
