"""Words for a false value in the place of those for a true one, in English and Mandarin, in the same form.

Pronouns, articles and the nouns beside them agree with what is put there; where nothing can take a word's place without
breaking the sentence, `UNSAFE` stands for it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType

from aptone.ear.describe import Attribute, Intensity, Volume
from aptone.ear.describe import english as english_words
from aptone.ear.describe import mandarin as mandarin_words
from aptone.ear.describe.lexicon import Sense
from aptone.rooms.caption.bench.perturb_words import emotion_words, form_of, is_scale, scale_words
from aptone.types import AgeBand, ClosedSet, Emotion, Language, Sex

PRONOUNS: Mapping[str, str] = {
    "she": "he",
    "he": "she",
    "him": "her",
    "hers": "his",
    "herself": "himself",
    "himself": "herself",
}
OBJECT, POSSESSIVE = {"her": "him", "his": "hers"}, {"her": "his", "his": "her"}
_SEXES = {"woman": "man", "women": "men", "lady": "gentleman", "girl": "boy", "female": "male"}
PEOPLE: Mapping[str, str] = {**_SEXES, **{man: woman for woman, man in _SEXES.items()}, "guy": "woman"}
HEADS = ("pitch", "voice", "tone", "pace", "tempo", "rate", "speed", "volume", "loudness")
"""Nouns that stay when the word before them is exchanged."""
AS_A_LEVEL: Mapping[ClosedSet, str] = dict(zip(Volume, ("very low", "low", "normal", "high", "very high"), strict=True))
VERBS: Mapping[ClosedSet, tuple[str, str]] = {
    Volume.VERY_SOFT: ("breathes", "breathing"),
    Volume.SOFT: ("murmurs", "murmuring"),
    Volume.MEDIUM: ("speaks", "speaking"),
    Volume.LOUD: ("calls out", "calling out"),
    Volume.VERY_LOUD: ("shouts", "shouting"),
}
SPOKEN = frozenset({"murmurs", "mutters", "shouts", "yells", "bellows"})
SPEAKING = frozenset({"murmuring", "muttering", "shouting", "yelling", "bellowing"})

UNSAFE = "\0"
"""Stands for words that nothing can take the place of without breaking the sentence."""

_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_DEGREE_BEFORE = re.compile(
    r"\b(?:pretty|rather|quite|very|so|really|totally|utterly|deeply|intense|intensely|mildly|slightly|absolutely|completely|"
    r"strong|clear|clearly|great|extremely|more|too)\s+$",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r"^\s+([a-z]+)", re.IGNORECASE)
_NOT_OWNED = frozenset({"and", "or", "but", "as", "at", "in", "on", "to", "with", "for", "while", "when", "is", "was"})
_MANDARIN_SUBJECT = re.compile("语速|音调|音高|音量|声音|嗓音|音色|说得|调子|调门|声调|嗓门|嗓子|起伏|语调")
_IN_A_CLAUSE = re.compile("(?:很|十分|非常|极其|极|挺|有点|有些|略带|听起来|显得|似乎|情绪|语气|并|既|又)$")


def _english(old: str, senses: Sequence[Sense], targets: Mapping[Attribute, ClosedSet], before: str, after: str) -> str:
    plain = old.lower()
    new = {sense.attribute: targets.get(sense.attribute, sense.value) for sense in senses}
    if isinstance(sex := new.get("sex"), Sex):
        return _person(plain, new.get("age"), sex, after)
    if isinstance(emotion := new.get("emotion"), Emotion):
        return _english_emotion(plain, senses, emotion, new.get("intensity"), before, after)
    ((attribute, value),) = list(new.items())[:1]
    listed = _same_form(plain, senses[0], value, english_words)
    if listed:
        return listed
    if plain in SPOKEN | SPEAKING or not is_scale(attribute) or any(plain.endswith(f" in {head}") for head in HEADS):
        return _other_english(plain, attribute, value)
    form = form_of(plain, before, after)
    return UNSAFE if form is None else scale_words(plain, attribute, value, form, before)


def _person(plain: str, age: ClosedSet | None, sex: Sex, after: str) -> str:
    """The other pronoun, or the same person of the other sex."""
    if plain in PRONOUNS:
        return PRONOUNS[plain]
    if plain in POSSESSIVE:
        following = _NEXT_WORD.match(after)
        owns = following is not None and following[1].lower() not in _NOT_OWNED
        return (POSSESSIVE if owns else OBJECT)[plain]
    if plain in PEOPLE:
        return PEOPLE[plain]
    band = age if isinstance(age, AgeBand) else None
    for table in (english_words.PERSONS, english_words.OWNERS):
        for (_, other), names in table.items():
            bare = [name.removesuffix("'s") for name in names]
            if other is not None and other is not sex and plain in bare:
                options = table[band, sex]
                return options[bare.index(plain) % len(options)].removesuffix("'s")
    return sex.value


def _english_emotion(
    plain: str, senses: Sequence[Sense], emotion: Emotion, degree: ClosedSet | None, before: str, after: str
) -> str:
    graded = degree if isinstance(degree, Intensity) and emotion is not Emotion.NEUTRAL else None
    if _DEGREE_BEFORE.search(before):  # "intense revulsion" stays intense
        graded = None
    adjectives = english_words.emotion_adjectives(emotion, graded)
    nouns = english_words.emotion_nouns(emotion, graded)
    old = {sense.attribute: sense.value for sense in senses}
    own, own_degree = old["emotion"], old.get("intensity")
    assert isinstance(own, Emotion)
    assert own_degree is None or isinstance(own_degree, Intensity)
    keys = [_bare(noun) for noun in english_words.emotion_nouns(own, own_degree)]
    if plain in keys:
        return _bare(nouns[keys.index(plain) % len(nouns)])
    listed = english_words.emotion_adjectives(own, own_degree)
    if plain in listed:
        return adjectives[listed.index(plain) % len(adjectives)]
    form = form_of(plain, before, after)
    return UNSAFE if form is None else emotion_words(emotion, adjectives, nouns, form)


def _other_english(plain: str, attribute: Attribute, value: ClosedSet) -> str:
    """Words for a value in the form of words that our own grammar does not use."""
    words = english_words.WORDS[attribute][value]
    name = AS_A_LEVEL.get(value, value.value)
    tail = next((head for head in HEADS if plain.endswith((f" {head}", f" in {head}"))), "")
    if tail and attribute in ("pitch", "rate", "volume"):
        level = name if tail in ("volume", "loudness", "pitch", "tone") else value.value
        return f"{level} in {tail}" if plain.endswith(f" in {tail}") else f"{level} {tail}"
    if plain in SPOKEN | SPEAKING and value in VERBS:
        return VERBS[value][plain in SPEAKING]
    if plain.endswith("ly") and words.adverbs:
        return words.adverbs[0]
    return (words.adjectives or words.nouns or words.adverbs or words.clauses or (value.value,))[0]


def _mandarin(
    old: str, senses: Sequence[Sense], targets: Mapping[Attribute, ClosedSet], before: str, after: str
) -> str:
    new = {sense.attribute: targets.get(sense.attribute, sense.value) for sense in senses}
    if isinstance(sex := new.get("sex"), Sex):
        return _mandarin_person(old, new.get("age"), sex)
    if isinstance(emotion := new.get("emotion"), Emotion):
        degree = new.get("intensity")
        graded = degree if isinstance(degree, Intensity) and emotion is not Emotion.NEUTRAL else None
        if any(old.startswith(mark) for mark in ("听起来", "语气", "听不出")):
            return mandarin_words.emotion_clauses(emotion, graded)[0]
        nouns = mandarin_words.emotion_nouns(emotion, graded)
        if (
            before.endswith(("带着", "充满", "流露出", "透着", "满是", "夹着", "的", "几分", "一丝", "那股", "那份"))
            and nouns
        ):
            return nouns[0]
        word = mandarin_words.emotion_adjectives(emotion, graded)[0]
        if len(old) <= 2 or after.startswith(("的", "地", "之情")) or _IN_A_CLAUSE.search(before):
            return word
        return word if not after[:1].isalnum() else UNSAFE
    ((attribute, value),) = list(new.items())[:1]
    words = mandarin_words.WORDS[attribute][value]
    listed = _same_form(old, senses[0], value, mandarin_words)
    if listed:
        return listed
    if is_scale(attribute) and not (after.startswith(("的", "地")) or not after[:1].isalnum()):
        return UNSAFE
    return (words.clauses if _MANDARIN_SUBJECT.match(old) or not words.adjectives else words.adjectives)[0]


def _mandarin_person(old: str, age: ClosedSet | None, sex: Sex) -> str:
    swapped = old.translate(str.maketrans("他她男女", "她他女男"))
    if swapped != old and old != "少女":
        return swapped
    band = age if isinstance(age, AgeBand) else None
    return mandarin_words.PERSONS[band, sex][0][1]


def _same_form(old: str, sense: Sense, value: ClosedSet, words: ModuleType) -> str:
    """The words for another value that stand where the old ones stand in the list of their own value; empty if none."""
    own, other = words.WORDS[sense.attribute][sense.value], words.WORDS[sense.attribute][value]
    for form, options in zip(own, other, strict=True):
        keys = [_bare(phrase) for phrase in form]
        if old in keys and options:
            return _bare(options[keys.index(old) % len(options)])
    return ""


def _bare(phrase: str) -> str:
    return re.sub(r"^an? ", "", phrase)


def agreeing(before: str, following: str) -> str:
    """The text before a word, with the article that goes with it."""
    article = "an" if following[0].lower() in "aeiou" else "a"
    return _ARTICLE.sub(lambda found: f"{article.capitalize() if found[1][0].isupper() else article}{found[2]}", before)


WORDINGS: Mapping[Language, Callable[[str, Sequence[Sense], Mapping[Attribute, ClosedSet], str, str], str]] = {
    "en": _english,
    "zh": _mandarin,
}
