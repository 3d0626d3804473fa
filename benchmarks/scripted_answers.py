"""Three scripted systems under test for the room answer: an adaptive one, one that has to hear, and a style-blind one.

Each answers a recorded question with a spoken answer by flite, in the form of a program:

    aptone answer MANIFEST -o RUN --system adaptive='python -m benchmarks.scripted_answers told
        {input} {output} --asked {dialogue} --manifest MANIFEST'

- ``told`` adapts its words and its delivery to how the question was asked, which it is told: a scripted oracle;
- ``heard`` does the same, but listens with the built-in ear for feelings and for the sex of the voice. Sarcasm and a
  child's voice, which that ear was not trained on, it is still told;
- ``blind`` says the same words in the same voice however it was asked.

All three are told the words of the question and which of the four dimensions they are in; they turn the words back to
who said them, as a listener does. What they say and how is common sense about listening: join in joy, be calm and slow
with anger and fear, gentle with sadness, dry with sarcasm, simple with a child. It was written before anything of what
a judge here expects was there to be read.
"""

import argparse
import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import aptone
from aptone.audio import write
from aptone.models.parts import make_part
from aptone.models.speakers.delivery import Delivery, engine_options, louder
from aptone.rooms.answer.data import AnswerSample, read_manifest
from aptone.rooms.answer.step import asked_as
from aptone.run.system import Asked
from aptone.types import Audio, signature

Manner = Literal["told", "heard", "blind"]
VOICE = "slt"
PLAIN = Delivery()


@dataclass(frozen=True, slots=True)
class Way:
    """A good listener's answer to one way of asking.

    Args:
        before: what is said before the words are turned back.
        after: what is said after them.
        delivery: how it is said.
    """

    before: str
    after: str
    delivery: Delivery = PLAIN


BLIND = Way("I see.", "Thank you for telling me. What would you like to do next?")

WAYS: Mapping[str, Way] = {
    "happy": Way(
        "Oh, how lovely, I am so happy for you!",
        "That is great news. Enjoy every bit of it!",
        Delivery(rate=1.12, pitch=1.18, range=1.5, decibels=2.0),
    ),
    "surprised": Way(
        "Wow, really? I did not expect that either!",
        "What a surprise. Tell me more, how did that happen?",
        Delivery(rate=1.1, pitch=1.2, range=1.6, decibels=2.0),
    ),
    "sad": Way(
        "I am so sorry. That sounds hard.",
        "Take all the time you need. I am here, and I am listening.",
        Delivery(rate=0.82, pitch=0.92, range=0.7, decibels=-4.0),
    ),
    "angry": Way(
        "I understand why you are angry, and I am sorry about it.",
        "Let us look at it calmly, one step at a time, and put it right.",
        Delivery(rate=0.88, pitch=0.92, range=0.75, decibels=-2.0),
    ),
    "fear": Way(
        "It is all right. You are safe, and I am with you.",
        "Take a slow breath. There is no need to be afraid, we will get through this together.",
        Delivery(rate=0.86, pitch=0.95, range=0.8, decibels=-2.0),
    ),
    "disgust": Way(
        "Ugh, I understand, that does sound unpleasant.",
        "You do not have to put up with it. Let us find something better.",
        Delivery(rate=0.95, pitch=0.95, range=0.85, decibels=-1.0),
    ),
    "sincere": Way(
        "That is really nice to hear, and I am glad.",
        "You can be proud of that. I wish you all the best with it.",
        Delivery(rate=1.03, pitch=1.1, range=1.3, decibels=1.0),
    ),
    "sarcastic": Way(
        "Right, I can hear how thrilled you are.",
        "Sounds annoying, to be honest. Shall we see how to get out of it?",
        Delivery(rate=0.96, pitch=0.95, range=0.6, decibels=-1.0),
    ),
    "adult": Way(
        "Certainly.",
        "It depends on your budget and on your schedule. I can compare the options and send you the details.",
    ),
    "child": Way(
        "Hi there! What a good question.",
        "Let me say it in easy words. Ask your mum or your dad or your teacher to help you, and then it will be fun!",
        Delivery(rate=0.86, pitch=1.15, range=1.4, decibels=0.0),
    ),
    "male": Way(
        "Sure, sir.",
        "For a man, I would look at what is made for men, and ask other men, a friend or your brother, what worked.",
    ),
    "female": Way(
        "Sure, madam.",
        "For a woman, I would look at what is made for women, and ask other women, a friend or your sister, what "
        "worked.",
    ),
}
"""Words and delivery for each way of asking."""

HEARD_AS: Mapping[str, str] = {
    "happy": "happy",
    "surprise": "surprised",
    "sad": "sad",
    "angry": "angry",
    "fear": "fear",
    "disgust": "disgust",
    "male": "male",
    "female": "female",
}
"""Names of feelings and sexes: the ear's to the benchmark's."""

TURNED = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "am": "are", "i'm": "you are",
    "i've": "you have", "i'll": "you will", "i'd": "you would", "we": "you", "us": "you", "our": "your",
    "ours": "yours", "you": "I", "your": "my",
}  # fmt: skip


def turned_back(words: str) -> str:
    """The words of a question, said back to who said them.

    >>> turned_back("My sister just called me.")
    'Your sister just called you.'
    >>> turned_back("Which size should I buy?")
    'You are asking, which size should you buy?'
    """
    turned = re.sub(r"[A-Za-z']+", lambda word: TURNED.get(word[0].lower(), word[0]), words.strip())
    if words.rstrip().endswith("?"):
        return f"You are asking, {turned[:1].lower()}{turned[1:]}"
    return turned[:1].upper() + turned[1:]


@dataclass(frozen=True, slots=True)
class Scripted:
    """One of the three systems.

    Args:
        manner: told, heard or blind.
        questions: what it is told of each question, by the name under which it is asked: content, dimension, category.
    """

    manner: Manner
    questions: Mapping[str, Mapping[str, str]]

    @property
    def signature(self) -> str:
        """Its manner."""
        return signature("scripted-answers", {"manner": self.manner})

    @property
    def sends_audio_to(self) -> tuple[str, ...]:
        """None."""
        return ()

    def respond(self, question: Audio, asked: Asked, /) -> Audio:
        """The spoken answer."""
        told = self.questions[asked.name]
        way = BLIND if self.manner == "blind" else WAYS[self._asked_how(question, told)]
        return spoken(f"{way.before} {turned_back(told['content'])} {way.after}", way.delivery)

    def _asked_how(self, question: Audio, told: Mapping[str, str]) -> str:
        if self.manner == "told" or told["dimension"] not in ("emotion", "gender"):
            return told["category"]
        heard = aptone.hear(question.samples, rate=question.rate)
        chances = {**heard.emotion} if told["dimension"] == "emotion" else {**heard.sex}
        known = {HEARD_AS[name]: chance for name, chance in chances.items() if name in HEARD_AS}
        return max(known, key=lambda name: known[name]) if known else told["category"]


def spoken(text: str, delivery: Delivery) -> Audio:
    """A text, said by flite in a certain way."""
    told = engine_options("flite", delivery, voice=VOICE)
    speaker = make_part("speaker", "flite", {"speaker.options": list(told.options)})
    audio: Audio = asyncio.run(speaker.speak(text, language="en", voice=VOICE, speed=delivery.rate))
    return louder(audio, delivery.decibels)


def questions_of(samples: Sequence[AnswerSample]) -> dict[str, dict[str, str]]:
    """Return content, dimension and category of the questions, by the name under which each is asked."""
    return {
        asked_as(one.prompt).name: {
            "content": one.prompt.content,
            "dimension": one.prompt.dimension.value,
            "category": one.prompt.category,
        }
        for one in samples
    }


def main() -> None:
    """Read a question, write an answer."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("manner", choices=get_args(Manner))
    parser.add_argument("input", type=Path)
    parser.add_argument("output", type=Path)
    parser.add_argument("--asked", required=True, help="name of the question, as {dialogue} gives it")
    parser.add_argument("--manifest", type=Path, required=True, help="of the benchmark")
    options = parser.parse_args()
    told = questions_of(read_manifest(options.manifest))
    if options.asked not in told:
        parser.error(f"{options.manifest}: there is no question {options.asked!r}.")
    system = Scripted(options.manner, {"asked-1": told[options.asked]})
    write(options.output, system.respond(aptone.read_audio(options.input, rate=None), Asked("asked")))


if __name__ == "__main__":
    main()
