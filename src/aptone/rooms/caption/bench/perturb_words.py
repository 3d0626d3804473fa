"""Grammatical form of the words that a perturbation exchanges, and words of the same form for another value.

English words stand in one of seven forms, by their endings and by what stands around them: an adjective ("furious"), a
noun ("with fury"), an adverb ("furiously"), a verb that says so in one of three forms ("loses his temper", "losing his
temper", "about to lose his temper"), or a phrase behind a preposition ("at breakneck speed"). An idiom becomes a plain
verb with an adjective: "is about to blow a fuse" → "is about to sound cheerful".
"""

import re
from collections.abc import Mapping
from typing import Literal

from aptone.ear.describe import Attribute, Pitch, PitchVariation, Rate, Volume
from aptone.ear.describe import english as english_words
from aptone.types import ClosedSet, Emotion

Form = Literal["adjective", "noun", "adverb", "finite verb", "participle", "infinitive", "preposition"]

ADVERBS: Mapping[Emotion, str] = {
    Emotion.NEUTRAL: "neutrally",
    Emotion.CALM: "calmly",
    Emotion.HAPPY: "happily",
    Emotion.SAD: "sadly",
    Emotion.ANGRY: "angrily",
    Emotion.FEAR: "fearfully",
    Emotion.DISGUST: "disgustedly",
    Emotion.SURPRISE: "in surprise",
    Emotion.BOREDOM: "in a bored way",
    Emotion.PLAYFUL: "playfully",
}
LEVELS: Mapping[ClosedSet, str] = {
    **dict(zip(Pitch, ("very low", "low", "medium", "high", "very high"), strict=True)),
    **dict(zip(Rate, ("very slow", "slow", "moderate", "fast", "very fast"), strict=True)),
    **dict(zip(Volume, ("very low", "low", "normal", "high", "very high"), strict=True)),
    **dict(zip(PitchVariation, ("flat", "moderate", "lively"), strict=True)),
}
ADVERBIALS: Mapping[ClosedSet, str] = {
    **dict(zip(Rate, ("very slowly", "slowly", "at a moderate pace", "quickly", "very quickly"), strict=True)),
    **dict(zip(Volume, ("very softly", "softly", "at a normal volume", "loudly", "very loudly"), strict=True)),
    **{value: f"at a {LEVELS[value]} pitch" for value in Pitch},
    PitchVariation.MONOTONE: "in a monotone",
    PitchVariation.MODERATE: "with moderate melody",
    PitchVariation.LIVELY: "with a lively melody",
}
HEADS: Mapping[str, str] = {"pitch": "pitch", "rate": "pace", "volume": "volume", "pitch_variation": "melody"}
_HEAD_NOUNS = re.compile(
    r"\b(?:pitch|register|range|pace|tempo|speed|rate|clip|volume|loudness|level|melody|variation|inflection|movement|"
    r"contour|modulation|ups and downs|rise and fall)$"
)
_CLAUSE = re.compile(
    r"\b(?:is|are|stays?|remains?|sits?|lies|hovers|moves?|varies|jumps|climbs|drops|goes|never|barely)\b"
)
_PREPOSITION = re.compile(r"^(?:at|in|under|on|through|to|with|from|without|beside|over)\b")
_MARKS = ",;:.!?—–()，。；：！？、"
_COPULA = re.compile(
    r"\b(?:is|was|are|were|be|being|been|sounds?|sounded|sounding|seems?|seemed|feels?|looks?|stays?|remains?|as)"
    r"(?:\s+(?:pretty|rather|quite|very|so|really|clearly|totally|utterly|all|just|simply|plainly|perhaps|somewhat))*\s*$",
    re.IGNORECASE,
)
_SUBJECT = re.compile(
    r"(?:^|\s)(?:he|she|they|who|man|woman|speaker|voice|guy|lady|girl|boy|fellow|chap|gentleman)\s*$", re.IGNORECASE
)
_INFINITIVE = re.compile(r"\b(?:to|would|could|might|will|can|must)\s*$", re.IGNORECASE)
_NOUN_BEFORE = re.compile(
    r"\b(?:with|of|by|from|into|carr\w+|convey\w*|express\w*|radiat\w+|show\w*|betray\w*|in|such|pure|sheer)\s+"
    r"(?:(?:\w+(?:ed|ing|ful|ous|ent|ant|al|ic|ive|less|en|ense|able)|deep|great|strong|quiet|raw|real|mild|slight|clear|"
    r"much|some)\s+)*$",
    re.IGNORECASE,
)
_HEAD_AFTER = re.compile(
    r"^(?:[\s,-]+(?:(?:and|but|yet|or)\s+)?[\w-]+){0,3}?[\s,-]+(?:tone|voice|mood|manner|delivery|way|style|note|quality|"
    r"energy|woman|man|lady|guy|speaker|girl|boy|fellow|chap|male|female|person|reading|speech|performance|sound|utterance|"
    r"attitude|sounding|narrator|gentleman|dude)\b",
    re.IGNORECASE,
)
_OPENING = re.compile(r"^\s*(?:(?:and|but|then|yet)\s+)?$", re.IGNORECASE)
_GOES_ON = re.compile(r"^\s*(?:$|(?:and|but|yet|or|with|in|at|while|as)\b)", re.IGNORECASE)
_TOPIC = re.compile(r"\b(?:pitch|melody|tune|volume|loudness|pace|tempo|voice|level)\s+$", re.IGNORECASE)
_TOPIC_NEAR = re.compile(r"\b(?:pitch|volume|loudness|pace|tempo|level)\s+(?:[\w-]+\s+){0,2}$", re.IGNORECASE)
_NOUN_ENDINGS = ("ness", "ment", "tion", "sion", "ance", "ence", "ism", "ity", "ship", "hood")


def form_of(plain: str, before: str, after: str) -> Form | None:
    """Return the form of a word or phrase in its sentence; ``None`` where no other words could take its place safely.

    >>> form_of("furious", "A ", " voice"), form_of("enthusiasm", "brimming with confident ", ".")
    ('adjective', 'noun')
    >>> form_of("loses his temper", "Then he ", "."), form_of("losing his temper", "", ",")
    ('finite verb', 'participle')
    >>> form_of("won the raffle", "as if he had just ", " and had to tell everybody") is None
    True
    """
    left, right = _clause_before(before), _clause_after(after)
    first, _, rest = plain.partition(" ")
    ends = bool(_GOES_ON.match(right))
    if _COPULA.search(left) and (ends or _HEAD_AFTER.match(after)):
        return "adjective"
    if _PREPOSITION.match(plain) and rest:
        return "preposition" if ends and not _OPENING.match(left) else "adjective" if ends else None
    if plain.endswith("ly") and not rest:
        return "adverb"
    if _INFINITIVE.search(left):
        return "infinitive" if ends else None
    if first.endswith("ing"):
        return "participle" if ends and _OPENING.match(left) else "adjective" if _HEAD_AFTER.match(after) else None
    if first.endswith("s") and not first.endswith(("ss", "ous", "ness")) and _SUBJECT.search(left):
        return "finite verb" if ends else None
    if plain.endswith(_NOUN_ENDINGS) or (_NOUN_BEFORE.search(left) and not _HEAD_AFTER.match(after)):
        return "noun"
    if rest:
        return "adjective" if (ends and _OPENING.match(left)) or _HEAD_AFTER.match(after) else None
    return "adjective" if ends or _HEAD_AFTER.match(after) else None


def _clause_before(before: str) -> str:
    return before[max(map(before.rfind, _MARKS)) + 1 :]


def _clause_after(after: str) -> str:
    return after[: min((place for sign in _MARKS if (place := after.find(sign)) >= 0), default=len(after))]


def emotion_words(emotion: Emotion, adjectives: tuple[str, ...], nouns: tuple[str, ...], form: Form) -> str:
    """Return words for an emotion in a form.

    Args:
        adjectives, nouns: words for it, by strength.
    """
    if form == "adverb":
        return ADVERBS[emotion]
    if form == "noun":
        return re.sub(r"^an? ", "", nouns[0])
    if form == "preposition":
        return f"with {re.sub(r'^an? ', '', nouns[0])}"
    verb = {"finite verb": "sounds ", "participle": "sounding ", "infinitive": "sound "}.get(form, "")
    return verb + adjectives[0]


def is_scale(attribute: Attribute) -> bool:
    """Return True for the attributes that `scale_words` has words for."""
    return attribute in HEADS


def scale_words(plain: str, attribute: Attribute, value: ClosedSet, form: Form, before: str = "") -> str:
    """Return words for a value of a scale in the form of the old ones; empty where it has none of ours.

    >>> scale_words("at breakneck speed", "rate", Rate.SLOW, "preposition")
    'slowly'
    >>> scale_words("mid-range pitch", "pitch", Pitch.HIGH, "adjective")
    'high pitch'
    """
    if attribute not in HEADS or value not in LEVELS:
        return ""
    head = HEADS[attribute]
    if _CLAUSE.search(plain) and form not in ("finite verb", "participle", "preposition"):
        return f"is {LEVELS[value]}" if _TOPIC.search(before) else f"{head} is {LEVELS[value]}"
    if _HEAD_NOUNS.search(plain) and form not in ("preposition", "finite verb", "participle", "infinitive"):
        return f"{LEVELS[value]} {head}"
    if form in ("preposition", "adverb"):
        return ADVERBIALS[value]
    verb = {"finite verb": "speaks", "participle": "speaking", "infinitive": "speak"}.get(form)
    if verb:
        return f"{verb} {ADVERBIALS[value]}"
    if _TOPIC_NEAR.search(before):
        return LEVELS[value]
    adjectives = english_words.WORDS[attribute][value].adjectives
    return adjectives[0] if adjectives else ""
