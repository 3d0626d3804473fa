"""Falsehoods in captions that people or models wrote: the words of a claim are exchanged, the rest stays as it is.

The claims of the caption make a style; `aptone.rooms.caption.bench.perturb` makes that false; then every place that
names a changed value gets words for the new one, in the same form (`aptone.rooms.caption.bench.perturb_words`), with
pronouns and articles that agree. Denied claims ("not angry") stay. A made-up event is added as a sentence at the end.

What comes out is read again: of several falsehoods the first is taken whose text claims what was intended and else what
the caption claimed before. `PerturbedCaption.is_coherent` says whether there was one; benchmarks leave the others out.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import ModuleType

from aptone.ear.describe import Attribute, Intensity, Style, Volume
from aptone.ear.describe import english as english_words
from aptone.ear.describe import mandarin as mandarin_words
from aptone.ear.describe.lexicon import Sense
from aptone.errors import UsageError
from aptone.rooms.caption.bench.perturb import COUNTED, Perturbation, PerturbedStyle, perturb, perturb_step
from aptone.rooms.caption.bench.perturb_words import emotion_words, form_of, is_scale, scale_words
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.decompose.built_in import claim_places, decompose
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
HEARD: Mapping[Language, str] = {"en": " {event} can be heard.", "zh": "录音中可以听到{event}。"}

UNSAFE = "\0"
"""Stands for words that nothing can take the place of without breaking the sentence."""

SEEDS_TRIED = 8
"""Falsehoods among which one is looked for that does not contradict the rest of the caption."""

_ARTICLE = re.compile(r"\b(an?)(\s+)$", re.IGNORECASE)
_JOINED = re.compile(r"\s+(?:(?:with|of|and|in|over|by|at|a|an|the|his|her|pure|sheer|such)\s+)*", re.IGNORECASE)
_DEGREE_BEFORE = re.compile(
    r"\b(?:pretty|rather|quite|very|so|really|totally|utterly|deeply|intense|intensely|mildly|slightly|absolutely|completely|"
    r"strong|clear|clearly|great|extremely|more|too)\s+$",
    re.IGNORECASE,
)
_NEXT_WORD = re.compile(r"^\s+([a-z]+)", re.IGNORECASE)
_NOT_OWNED = frozenset({"and", "or", "but", "as", "at", "in", "on", "to", "with", "for", "while", "when", "is", "was"})
_MANDARIN_SUBJECT = re.compile("语速|音调|音高|音量|声音|嗓音|音色|说得|调子|调门|声调|嗓门|嗓子|起伏|语调")
_IN_A_CLAUSE = re.compile("(?:很|十分|非常|极其|极|挺|有点|有些|略带|听起来|显得|似乎|情绪|语气|并|既|又)$")


@dataclass(frozen=True, slots=True)
class Replacement:
    """Words that were exchanged."""

    start: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class PerturbedCaption:
    """A caption that says something else about some attributes, and what was exchanged; added sentences are not.

    Args:
        is_coherent: whether the built-in grammar reads in it what was intended, and the other claims as before.
    """

    caption: str
    changed: tuple[Attribute, ...]
    replacements: tuple[Replacement, ...] = ()
    is_coherent: bool = True


def perturb_caption(
    caption: str, units: Sequence[Unit], kind: Perturbation, *, language: Language, seed: int
) -> PerturbedCaption:
    """A caption with one kind of falsehood in it; not one that the caption denies elsewhere, where there is another.

    Raises:
        UsageError: if the caption claims nothing that could be changed so.
    """
    true = claimed_style(units)
    tried = [perturb(true, kind, seed=seed + more) for more in range(SEEDS_TRIED)]
    denied = [(unit.attribute, unit.known) for unit in units if unit.is_denied]
    fitting = [one for one in tried if not any(getattr(one.style, name) == value for name, value in denied)]
    return _first_coherent(caption, units, true, fitting or tried[:1], language=language)


def _first_coherent(
    caption: str, units: Sequence[Unit], true: Style, tried: Sequence[PerturbedStyle], *, language: Language
) -> PerturbedCaption:
    """Return the first of several falsehoods that is read as it is meant; the first of all where none is."""
    first: PerturbedCaption | None = None
    for one in dict.fromkeys(tried):
        found = _reworded(caption, units, true, one, language=language)
        if found.is_coherent:
            return found
        first = first or found
    assert first is not None
    return first


def perturb_claims(
    caption: str,
    units: Sequence[Unit],
    count: int,
    *,
    language: Language,
    seed: int,
    among: Sequence[Attribute] = COUNTED,
) -> PerturbedCaption:
    """A caption with that many attributes false; see `aptone.rooms.caption.bench.perturb.perturb_step`.

    Raises:
        UsageError: if it claims less.
    """
    true = claimed_style(units)
    found = perturb_step(true, count, seed=seed, among=[name for name in among if name != "events"])
    return _first_coherent(caption, units, true, [found], language=language)


def claimed_style(units: Sequence[Unit]) -> Style:
    """The style that claims add up to: the first value of each attribute; denied ones and other words left out."""
    values: dict[Attribute, ClosedSet] = {}
    for unit in units:
        if not unit.is_denied and unit.known is not None and unit.attribute != "events" and not unit.becomes:
            values.setdefault(unit.attribute, unit.known)
    if values.get("emotion") in (None, Emotion.NEUTRAL):
        values.pop("intensity", None)
    return Style(**values)  # type: ignore[arg-type]


def _reworded(
    caption: str, units: Sequence[Unit], true: Style, false: PerturbedStyle, *, language: Language
) -> PerturbedCaption:
    targets: dict[Attribute, ClosedSet] = {
        name: value
        for name in false.changed
        if name != "events" and getattr(true, name) is not None and (value := getattr(false.style, name)) is not None
    }
    places = _places(caption, units, targets, language)
    intended = _claims(caption, language) - _old(true, targets, language, caption)
    text, done, shift, is_safe = caption, [], 0, True
    for start, end, senses in places:
        before, after = text[: start + shift], text[end + shift :]
        old = caption[start:end]
        new = _WORDINGS[language](old, senses, targets, before, after)
        if new == UNSAFE:
            is_safe = False
            continue
        if new == old:
            continue
        if language == "en":
            new = new[0].upper() + new[1:] if old[0].isupper() else new
            before = _agreeing(before, new)
        text = f"{before}{new}{after}"
        shift = len(text) - len(after) - end
        done.append(Replacement(start, old, new))
    if lost := [name for name in targets if not any(name in _attributes(senses) for *_, senses in places)]:
        raise UsageError(f"no words about the {lost[0]} were found in the caption, so they cannot be exchanged.")
    if fabricated := [event for event in false.style.events if event not in true.events]:
        words: ModuleType = english_words if language == "en" else mandarin_words
        noun = words.WORDS["events"][fabricated[0]].nouns[0]
        text = text.rstrip() + HEARD[language].format(event=noun[0].upper() + noun[1:])
    if not done and not fabricated and false.changed:
        raise UsageError("nothing in the caption could be exchanged without breaking its grammar.")
    changed = (*targets, *(("events",) if fabricated else ()))
    is_coherent = is_safe and _is_coherent(intended, targets, text, language)
    return PerturbedCaption(text, changed, tuple(done), is_coherent)


Claimed = tuple[Attribute, str, bool]


def _claims(caption: str, language: Language) -> frozenset[Claimed]:
    """Return what the built-in grammar reads; changes over time and values in free words left out."""
    units = decompose(caption, language=language)
    return frozenset((unit.attribute, unit.value, unit.is_denied) for unit in units if unit.known and not unit.becomes)


def _old(true: Style, targets: Mapping[Attribute, ClosedSet], language: Language, caption: str) -> frozenset[Claimed]:
    """Return the claims about attributes that change; an intensity may go with its emotion."""
    gone = {*targets, *(["intensity"] if "emotion" in targets else [])}
    return frozenset(claim for claim in _claims(caption, language) if claim[0] in gone and not claim[2])


def _is_coherent(
    intended: frozenset[Claimed], targets: Mapping[Attribute, ClosedSet], text: str, language: Language
) -> bool:
    """Return True if a text claims the new values, no other ones of their attributes, and the rest as before."""
    found = _claims(text, language)
    about = {claim for claim in found if claim[0] in targets and not claim[2]}
    if about != {(name, value.value, False) for name, value in targets.items()}:
        return False
    graded = {claim for claim in found if claim[0] == "intensity"} if "emotion" in targets else set()
    events = {claim for claim in found if claim[0] == "events"} - intended
    return found - about - graded - events == intended - graded


def _places(
    caption: str, units: Sequence[Unit], targets: Mapping[Attribute, ClosedSet], language: Language
) -> list[tuple[int, int, tuple[Sense, ...]]]:
    """Find the places of the caption that name what is to change, with all meanings of the words; no two overlap."""
    denied = [(unit.start, unit.end) for unit in units if unit.is_denied]
    found: dict[tuple[int, int], tuple[Sense, ...]] = {
        (start, end): senses for start, end, senses in claim_places(caption, language=language)
    }
    for unit in units:
        own = (unit.start, unit.end)
        if unit.known is None or unit.becomes:
            continue
        if (own in found and unit.attribute not in _attributes(found[own])) or not any(
            start < own[1] and own[0] < end for start, end in found if found[start, end]
        ):  # the caller knows better what it means
            found[own] = (Sense(unit.attribute, unit.known),)
    chosen = [
        (start, end, senses)
        for (start, end), senses in sorted(found.items())
        if _attributes(senses) & set(targets) and not any(left < end and start < right for left, right in denied)
    ]
    return list(_merged(caption, chosen))


def _merged(
    caption: str, places: Sequence[tuple[int, int, tuple[Sense, ...]]]
) -> Iterator[tuple[int, int, tuple[Sense, ...]]]:
    """Join places of one attribute that only small words part: "boiling over with rage" is said once."""
    for place in places:
        held = place
        break
    else:
        return
    for start, end, senses in places[1:]:
        between = caption[held[1] : start]
        if "emotion" in _attributes(held[2]) & _attributes(senses) and _JOINED.fullmatch(between):
            held = (held[0], end, held[2])
        else:
            yield held
            held = (start, end, senses)
    yield held


def _attributes(senses: Sequence[Sense]) -> set[Attribute]:
    return {sense.attribute for sense in senses}


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


def _agreeing(before: str, following: str) -> str:
    """The text before a word, with the article that goes with it."""
    article = "an" if following[0].lower() in "aeiou" else "a"
    return _ARTICLE.sub(lambda found: f"{article.capitalize() if found[1][0].isupper() else article}{found[2]}", before)


_WORDINGS: Mapping[Language, Callable[[str, Sequence[Sense], Mapping[Attribute, ClosedSet], str, str], str]] = {
    "en": _english,
    "zh": _mandarin,
}
