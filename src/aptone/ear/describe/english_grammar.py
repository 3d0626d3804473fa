"""English descriptions: how the words of a style become a phrase, a sentence, or a caption of up to four sentences."""

from collections.abc import Sequence
from typing import cast

from aptone.ear.describe.attributes import Attribute, Chooser, Style, Words
from aptone.ear.describe.english import OWNERS, PERSONS, WORDS, emotion_adjectives, emotion_nouns
from aptone.types import ClosedSet, Emotion, Sex

SUBJECTS = {Sex.FEMALE: "she", Sex.MALE: "he", None: "the speaker"}
VOICE: tuple[Attribute, ...] = ("pitch", "pitch_variation", "texture", "volume")
OWNED = {Sex.FEMALE: "her", Sex.MALE: "his", None: "the"}


class English:
    """Puts one style into English. Each choice among phrasings is made by the chooser, under the attribute's name."""

    def __init__(self, style: Style, choose: Chooser) -> None:
        self.style = style
        self.choose = choose

    # the three lengths

    def phrase(self) -> str:
        """Such as "a slow, gravelly, sad male voice"."""
        style = self.style
        adjectives = self._adjectives("rate", "volume", "pitch", "pitch_variation", "texture")
        if style.emotion:
            adjectives.append(self._emotion_adjective())
        owner = self.choose("owner", OWNERS[style.age, style.sex])
        noun = f"{owner} voice" if owner else "voice"
        behind = self._nouns("rhythm", "intonation") + self._events()
        parts = [_with_article(", ".join(adjectives) + " " + noun if adjectives else noun)]
        if behind:
            parts.append(f"with {_listed(behind)}")
        parts += self._adverbs("recording_condition", "music")
        return " ".join(parts)

    def sentence(self) -> str:
        """One sentence: who speaks, in what manner and voice, and what else is heard."""
        style = self.style
        emotional = style.emotion is not None
        shapes = [self._plain_sentence]
        if emotional:
            neutral = style.emotion is Emotion.NEUTRAL  # nobody calls a person neutral; as many shapes all the same
            shapes += [self._sounding_sentence, self._noun_sentence]
            shapes.append(self._plain_sentence if neutral else self._feeling_sentence)
        if emotional or style.pitch or style.pitch_variation or style.texture:
            shapes.append(self._voice_first_sentence)
        body = self.choose("shape", shapes)()
        heard = self._events()
        return _sentence(f"{body}, and {_listed(heard)} can be heard" if heard else body)

    def caption(self) -> str:
        """Up to four sentences: who and in what mood, the voice, the delivery, the surroundings."""
        parts = [self._about_voice(), self._about_delivery()]
        if self.choose("order", (False, True)):
            parts.reverse()
        parts = [self._about_speaker(), *parts, self._about_surroundings()]
        return " ".join([_sentence(part) for part in parts if part]) or "Someone is speaking."

    # the shapes of a sentence

    def _plain_sentence(self) -> str:
        emotion = [self._emotion_adjective()] if self.style.emotion else []
        return self._speaking(self._who(), self._manner() + self._voice(emotion) + self._with())

    def _sounding_sentence(self) -> str:
        sounds = f"{self._who()} sounds {self._emotion_adjective()}"
        return self._finished(f"{sounds}, speaking", sounds, self._manner() + self._voice([]) + self._with())

    def _feeling_sentence(self) -> str:
        return self._speaking(self._who(self._emotion_adjective()), self._manner() + self._voice([]) + self._with())

    def _noun_sentence(self) -> str:
        return self._speaking(self._who(), self._manner() + self._voice([]) + self._with(self._emotion_noun()))

    def _voice_first_sentence(self) -> str:
        emotion = [self._emotion_adjective()] if self.style.emotion else []
        voice = self._voice(emotion).strip()
        return f"{voice}, {self._speaking(self._who(), self._manner() + self._with())}"

    def _speaking(self, who: str, how: str) -> str:
        return self._finished(f"{who} {_verb(who)}", _heard(who), how)

    def _finished(self, opening: str, alone: str, how: str) -> str:
        """The opening and how it is done, or what stands alone if nothing more is known; then the surroundings."""
        around = self._adverbs("recording_condition", "music")
        if not how and around:
            how = f" {around.pop(0)}"
        return ", ".join([f"{opening}{how}" if how else alone, *around])

    def _who(self, feeling: str = "") -> str:
        style = self.style
        if not (style.age or style.sex or feeling):
            return "someone"
        person = self.choose("person", PERSONS[style.age, style.sex])
        return _with_article(f"{feeling} {person}" if feeling else person)

    def _manner(self) -> str:
        adverbs = self._adverbs("rate", "volume")
        return f" {_listed(adverbs)}" if adverbs else ""

    def _voice(self, more: list[str]) -> str:
        adjectives = self._adjectives("pitch", "pitch_variation", "texture") + more
        return f" in {_with_article(', '.join(adjectives))} voice" if adjectives else ""

    def _with(self, *first: str) -> str:
        nouns = [*first, *self._nouns("rhythm", "intonation")]
        return f" with {_listed(nouns)}" if nouns else ""

    # the parts of a caption

    def _about_speaker(self) -> str:
        style = self.style
        if not (style.age or style.sex):
            return self._about_mood() if style.emotion else ""
        who = self._who()
        called_speaker = who.endswith("speaker")
        if not style.emotion:
            return _heard(who) if called_speaker else self.choose("known", (f"the speaker is {who}", _heard(who)))
        adjective = self._emotion_adjective()
        sounds = f"{who} sounds {adjective}"
        shapes = (
            sounds,
            f"{who} {_verb(who)} with {self._emotion_noun()}",
            sounds if called_speaker else f"the speaker is {who} who sounds {adjective}",
            sounds if style.emotion is Emotion.NEUTRAL else _heard(self._who(adjective)),
        )
        return self.choose("introduction", shapes)

    def _about_mood(self) -> str:
        adjective = self._emotion_adjective()
        shapes = (
            f"the speaker sounds {adjective}",
            f"the tone is {adjective}",
            f"the speech carries {self._emotion_noun()}",
        )
        return self.choose("introduction", shapes)

    def _about_voice(self) -> str:
        style = self.style
        owner = OWNED[style.sex]
        attributes: list[Attribute] = [name for name in VOICE if getattr(style, name)]
        if not attributes:
            return ""
        shape = self.choose("voice", ("is", "has", "with", "clauses"))
        if shape == "has":
            return f"{owner} voice has {_listed(self._nouns(*attributes))}"
        if shape == "clauses":
            return self._clauses(owner, *attributes)
        if shape == "with" and style.pitch_variation and len(attributes) > 1:
            rest = _listed(self._adjectives("texture", "volume", "pitch"))
            return f"{owner} voice is {rest}, with {self._nouns('pitch_variation')[0]}"
        return f"{owner} voice is {_listed(self._adjectives(*attributes))}"

    def _about_delivery(self) -> str:
        style = self.style
        if not (style.rate or style.rhythm or style.intonation):
            return ""
        if self.choose("delivery", ("speaks", "clauses")) == "clauses":
            return self._clauses(OWNED[style.sex], "rate", "rhythm", "intonation")
        subject = SUBJECTS[style.sex]
        if style.rate:
            how = f" {self._word('rate', 'adverbs')}"
            return (
                f"{subject} {_verb(subject)}{how},{self._with()}"
                if self._with()
                else f"{subject} {_verb(subject)}{how}"
            )
        if style.sex is None:
            return f"the delivery has {_listed(self._nouns('rhythm', 'intonation'))}"
        return f"{subject} speaks{self._with()}"

    def _about_surroundings(self) -> str:
        style = self.style
        clauses = [self._word(name, "clauses") for name in ("recording_condition", "music") if getattr(style, name)]
        heard = self._events()
        if heard:
            clauses.append(f"{_listed(heard)} can be heard")
        return _listed_clauses(clauses) if clauses else ""

    def _clauses(self, owner: str, *attributes: Attribute) -> str:
        clauses = [self._word(name, "clauses") for name in attributes if getattr(self.style, name)]
        return _listed_clauses([f"{owner} {clauses[0]}", *(f"the {clause}" for clause in clauses[1:])])

    # the words

    def _word(self, attribute: str, form: str) -> str:
        name = cast("Attribute", attribute)
        value = cast("ClosedSet", getattr(self.style, name))
        words: Words = WORDS[name][value]
        return self.choose(name, cast("tuple[str, ...]", getattr(words, form)))

    def _adjectives(self, *attributes: Attribute) -> list[str]:
        return [self._word(name, "adjectives") for name in attributes if getattr(self.style, name)]

    def _adverbs(self, *attributes: Attribute) -> list[str]:
        return [self._word(name, "adverbs") for name in attributes if getattr(self.style, name)]

    def _nouns(self, *attributes: Attribute) -> list[str]:
        return [self._word(name, "nouns") for name in attributes if getattr(self.style, name)]

    def _events(self) -> list[str]:
        return [self.choose(f"events {event}", WORDS["events"][event].nouns) for event in self.style.events]

    def _emotion_adjective(self) -> str:
        return self.choose("emotion", emotion_adjectives(cast("Emotion", self.style.emotion), self.style.intensity))

    def _emotion_noun(self) -> str:
        return self.choose("emotion", emotion_nouns(cast("Emotion", self.style.emotion), self.style.intensity))


def _with_article(text: str) -> str:
    # Right for our own words: none begins with a silent h or with a u that is spoken as in "unit".
    return f"an {text}" if text[0] in "aeiou" else f"a {text}"


def _verb(who: str) -> str:
    return "talks" if who.endswith("speaker") else "speaks"


def _heard(who: str) -> str:
    return f"{who} is heard" if who.endswith("speaker") else f"{who} is speaking"


def _listed(items: Sequence[str]) -> str:
    return " and ".join((", ".join(items[:-1]), items[-1])) if len(items) > 1 else items[0]


def _listed_clauses(clauses: Sequence[str]) -> str:
    return ", and ".join((", ".join(clauses[:-1]), clauses[-1])) if len(clauses) > 1 else clauses[0]


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."
