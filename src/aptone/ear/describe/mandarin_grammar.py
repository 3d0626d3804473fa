"""Mandarin descriptions: how the words of a style become a phrase, a sentence, or a caption of up to four sentences."""

from typing import cast

from aptone.ear.describe.attributes import Attribute, Chooser, Style
from aptone.ear.describe.mandarin import PERSONS, VOICES, WORDS, emotion_adjectives, emotion_clauses
from aptone.types import ClosedSet, Emotion, Sex

SUBJECTS = {Sex.FEMALE: "她", Sex.MALE: "他", None: "说话人"}
VOICE: tuple[Attribute, ...] = ("pitch", "pitch_variation", "texture", "volume")
DELIVERY: tuple[Attribute, ...] = ("rate", "rhythm", "intonation")
SHORT = 3  # up to so many clauses about voice and delivery make one sentence


class Mandarin:
    """Puts one style into Mandarin. Each choice among phrasings is made by the chooser, under the attribute's name."""

    def __init__(self, style: Style, choose: Chooser) -> None:
        self.style = style
        self.choose = choose

    # the three lengths

    def phrase(self) -> str:
        """Such as 语速缓慢、沙哑、悲伤的男声."""
        style = self.style
        before = self._adjectives("recording_condition", "rate", "pitch", "pitch_variation", "volume", "texture")
        before += self._clauses("rhythm", "intonation")
        if style.emotion:
            before.append(self._emotion_adjective())
        before += self._adjectives("music")
        if style.events:
            before.append(f"夹杂着{self._events()}")
        return self._voice(before)

    def sentence(self) -> str:
        """One sentence: who speaks, in what voice and manner, and what else is heard."""
        style = self.style
        shapes = [self._chained_sentence]
        if any(map(self._has, (*VOICE, "rate", "emotion", "age", "sex"))):
            shapes.append(self._heard_sentence)
        if any(map(self._has, VOICE)):
            shapes.append(self._voice_sentence)
        if style.emotion and (style.age or style.sex):
            neutral = style.emotion is Emotion.NEUTRAL  # nobody calls a person neutral; as many shapes all the same
            shapes.append(self._chained_sentence if neutral else self._feeling_sentence)
        return f"{'，'.join([*self.choose('shape', shapes)(), *self._around()])}。"

    def caption(self) -> str:
        """Up to four sentences: who and in what mood, the voice, the delivery, the surroundings."""
        introduction = [self._about_speaker()] if self._has("emotion") or self._has("age") or self._has("sex") else []
        around = self._around("录音中")
        said = [
            *introduction,
            *self._about_speech(introduced=bool(introduction)),
            *(["，".join(around)] if around else []),
        ]
        return "".join(f"{sentence}。" for sentence in said) or "有人在说话。"

    # the shapes of a sentence, as clauses

    def _chained_sentence(self) -> list[str]:
        """As in 一位年轻女性语速缓慢，嗓音沙哑，听起来有些悲伤."""
        clauses = self._clauses(*DELIVERY, *VOICE) + self._emotion_clauses()
        if not clauses:
            return [f"{self._who('有人')}在说话"]
        who = self._who("说话人")
        speaking = "说话" if who != "说话人" and any(map(self._has, DELIVERY)) else ""
        return [f"{who}{speaking}{clauses[0]}", *clauses[1:]]

    def _heard_sentence(self) -> list[str]:
        """As in 这是一个语速缓慢、沙哑的男声，语调下降."""
        before = self._adjectives("rate", "pitch", "pitch_variation", "volume", "texture")
        if self.style.emotion:
            before.append(self._emotion_adjective())
        return [f"这是一个{self._voice(before)}", *self._clauses("rhythm", "intonation")]

    def _voice_sentence(self) -> list[str]:
        """As in 一位年轻女性用沙哑、轻柔的声音说话，语速缓慢."""
        voice = self._adjectives("pitch", "pitch_variation", "volume", "texture")
        opening = f"{self._who('有人')}用{'、'.join(voice)}的声音说话"
        return [opening, *self._clauses(*DELIVERY), *self._emotion_clauses()]

    def _feeling_sentence(self) -> list[str]:
        """As in 一位略显悲伤的年轻女性在说话，语速缓慢."""
        measure, person = self.choose("person", PERSONS[self.style.age, self.style.sex])
        return [f"{measure}{self._emotion_adjective()}的{person}在说话", *self._clauses(*DELIVERY, *VOICE)]

    def _who(self, unknown: str) -> str:
        style = self.style
        return "".join(self.choose("person", PERSONS[style.age, style.sex])) if style.age or style.sex else unknown

    def _voice(self, before: list[str]) -> str:
        noun = self.choose("voice", VOICES[self.style.age, self.style.sex])
        return f"{'、'.join(before)}的{noun}" if before else noun

    # the parts of a caption

    def _about_speaker(self) -> str:
        style = self.style
        if not (style.age or style.sex):
            return f"说话人{self._emotion_clause()}" if style.emotion else ""
        who = self._who("")
        opening = self.choose("introduction", (f"说话人是{who}", f"{who}在说话", f"这是{who}的声音"))
        return f"{opening}，{self._emotion_clause()}" if style.emotion else opening

    def _about_speech(self, *, introduced: bool) -> list[str]:
        """Voice and delivery in two sentences, or in one if there is little to say; the first has the subject."""
        sex = self.style.sex
        subject = SUBJECTS[sex] if sex or not introduced else ""
        voice, delivery = self._clauses(*VOICE), self._clauses(*DELIVERY)
        delivery_first = not voice or self.choose("order", (False, True))
        if delivery and (sex or introduced):
            delivery[0] = f"{'说话' if sex and delivery_first else '说话时'}{delivery[0]}"
        first, second = (delivery, voice) if delivery_first else (voice, delivery)
        if len(first) + len(second) <= SHORT:
            first, second = first + second, []
        sentences = ["，".join(clauses) for clauses in (first, second) if clauses]
        return [subject + sentences[0], *sentences[1:]] if sentences else []

    def _around(self, heard_in: str = "") -> list[str]:
        """Clauses on the recording, on music and on what else is heard; where only the last is known, heard in what."""
        clauses = self._clauses("recording_condition", "music")
        if self.style.events:
            heard = f"{self.choose('heard', ('能听到', '夹杂着'))}{self._events()}"
            clauses.append(heard if clauses else f"{heard_in}{heard}")
        return clauses

    # the words

    def _adjectives(self, *attributes: Attribute) -> list[str]:
        return [self.choose(name, WORDS[name][self._value(name)].adjectives) for name in attributes if self._has(name)]

    def _clauses(self, *attributes: Attribute) -> list[str]:
        return [self.choose(name, WORDS[name][self._value(name)].clauses) for name in attributes if self._has(name)]

    def _has(self, attribute: Attribute) -> bool:
        return getattr(self.style, attribute) is not None

    def _value(self, attribute: Attribute) -> ClosedSet:
        return cast("ClosedSet", getattr(self.style, attribute))

    def _events(self) -> str:
        nouns = [self.choose(f"events {event}", WORDS["events"][event].nouns) for event in self.style.events]
        return f"{'、'.join(nouns[:-1])}和{nouns[-1]}" if len(nouns) > 1 else nouns[0]

    def _emotion_adjective(self) -> str:
        return self.choose("emotion", emotion_adjectives(cast("Emotion", self.style.emotion), self.style.intensity))

    def _emotion_clauses(self) -> list[str]:
        return [self._emotion_clause()] if self.style.emotion else []

    def _emotion_clause(self) -> str:
        return self.choose("emotion", emotion_clauses(cast("Emotion", self.style.emotion), self.style.intensity))
