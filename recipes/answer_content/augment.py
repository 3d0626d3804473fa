"""Further bad answers, made from the graded ones of the training questions: cheap to make, known to be bad.

- **off-topic**: a good answer to another question, or its rest behind the first sentence of a good one;
- **salad**: the words of a good answer in any order, all of them or the longest ones;
- **echo**: the question itself, or a part of it twice;
- **denial**: a good answer that goes on to deny what the asker has said;
- **half salad**: a good beginning with a shuffled rest;
- **beside**: an attack on another question (a fact, an insult, a threat, flattery, empty consolation), alone or, where
  the asker tells something and asks nothing, behind the first sentence of a good answer.

A denial is the question turned to its speaker with its verb negated by a few rules; where none applies, there is none.
"""

import random
import re
from collections.abc import Sequence

from aptone.types import Language
from recipes.answer_content.data import GradedAnswer

TELLING = {"en": 45, "zh": 14}
"""Characters from which on a good answer is taken to suit its own question only; "Oh no, when?" suits many."""

WAYS = {"offtopic": 2, "half-offtopic": 1, "beside": 5, "salad": 1, "half-salad": 1, "echo": 1, "denial": 2}
"""Ways to make a bad answer, by how often each is tried."""

_SENTENCES = re.compile(r"(?<=[.!?。！？；;])\s*")
_TURNED = {
    "i": "you", "me": "you", "my": "your", "mine": "yours", "myself": "yourself", "am": "are", "i'm": "you are",
    "i've": "you have", "i'll": "you will", "i'd": "you would", "we": "you", "us": "you", "our": "your",
}  # fmt: skip
_AUXILIARY = re.compile(
    r"\b(is|are|was|were|has|have|had|will|would|can|could|should|must|do|does|did)\b(?! not)", re.IGNORECASE
)
_PAST = re.compile(r"\b(\w{2,}ed|got|went|came|left|gave|took|told|said|put|cut|lost|found|broke|saw|made|ate)\b")
_BASE = {
    "got": "get", "went": "go", "came": "come", "left": "leave", "gave": "give", "took": "take", "told": "tell",
    "said": "say", "lost": "lose", "found": "find", "broke": "break", "saw": "see", "made": "make", "ate": "eat",
}  # fmt: skip
_LINKS = {
    "en": ("But", "And of course", "Luckily", "Though in fact", "Then again,", "And since"),
    "zh": ("不过", "可是其实", "好在", "但是", "话说回来，", "反正"),
}
_NEGATED = (
    ("没有", "有"),
    ("不是", "是"),
    ("没", "了"),
    ("不会", "会"),
    ("不要", "要"),
    ("不能", "能"),
    ("不想", "想"),
    ("不在", "在"),
)


def sentences(text: str) -> list[str]:
    """Sentences of a text.

    >>> sentences("Oh no. Call them!")
    ['Oh no.', 'Call them!']
    """
    return [part for part in _SENTENCES.split(text) if part.strip()]


def salad(text: str, language: Language, dice: random.Random) -> str:
    """The words of a text in another order, without most of its marks."""
    words: list[str] = re.findall(r"[\u4e00-\u9fff]{1,2}" if language == "zh" else r"[\w']+", text.lower())
    if dice.random() < 0.4 and len(words) > 10:
        words = [word for word in words if language == "zh" or len(word) > 3]
    dice.shuffle(words)
    words = words[: dice.randint(6, max(7, len(words)))]
    between = "" if language == "zh" and dice.random() < 0.6 else " "
    mixed = between.join(words)
    if dice.random() < 0.5:
        mixed = mixed[:1].upper() + mixed[1:] + ("。" if language == "zh" else ".")
    return mixed


def echo(question: str, language: Language, dice: random.Random) -> str:
    """The question said back, once or with a part of it twice."""
    said = turned(question) if language == "en" else question.replace("我们", "你们").replace("我", "你")
    if dice.random() < 0.5:
        return said
    openings = {"en": ("So", "I see,", "You are saying that", "Okay,"), "zh": ("嗯，", "哦，", "你是说", "所以")}
    start = dice.choice(openings[language])
    again = said if dice.random() < 0.3 else ""
    return f"{start}{'' if language == 'zh' else ' '}{said[:1].lower()}{said[1:]} {again}".strip()


def turned(text: str) -> str:
    """A text turned to its speaker.

    >>> turned("My boss called me.")
    'Your boss called you.'
    """
    found = re.sub(r"[A-Za-z']+", lambda word: _TURNED.get(word[0].lower(), word[0]), text.strip())
    return found[:1].upper() + found[1:]


def denied(question: str, language: Language) -> str:
    """The question turned to its speaker and negated; empty where no rule applies.

    >>> denied("My boss called me.", "en"), denied("我丢了钱包。", "zh")
    ('your boss did not call you.', '你没丢钱包。')
    """
    if _is_asked(question):
        return ""
    if language == "zh":
        return _denied_mandarin(question)
    text = turned(sentences(question)[0])
    text = text[:1].lower() + text[1:]
    if found := _AUXILIARY.search(text):
        return f"{text[: found.end()]} not{text[found.end() :]}"
    if found := _PAST.search(text):
        verb = found[1]
        base = _BASE.get(verb) or (verb if verb in ("put", "cut") else _base_form(verb))
        return f"{text[: found.start()]}did not {base}{text[found.end() :]}"
    return ""


def _base_form(verb: str) -> str:
    stem = verb[:-2]
    if stem.endswith("i"):
        return f"{stem[:-1]}y"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "ls":
        return stem[:-1]
    if stem.endswith(("c", "g", "v", "s", "z", "u")) or (len(stem) < 5 and re.search(r"[aeiou][rtdkpmnb]$", stem)):
        return f"{stem}e"
    return stem


def _denied_mandarin(question: str) -> str:
    text = re.split(r"[，。！；]", question.replace("我们", "你们").replace("我", "你"))[0]
    if "把" in text and text.endswith("了"):
        return f"{text[:-1].replace('把', '没把', 1)}。"
    if found := re.search(r"([\u4e00-\u9fff])了(?!吗)", text):
        plain = text[: found.start()] + "没" + found[1] + text[found.end() :]
        return f"{plain}。"
    for negative, positive in _NEGATED:
        if positive != "了" and positive in text and negative not in text:
            return f"{text.replace(positive, negative, 1)}。"
    return ""


def is_telling(answer: GradedAnswer) -> bool:
    """Whether a good answer says so much that it can hardly be one to another question as well."""
    return answer.kind == "good" and answer.content == 5 and len(answer.answer) >= TELLING[answer.language]


def is_attack(answer: GradedAnswer) -> bool:
    """Whether an attack is one on another question as well, unlike salad, echo and contradiction."""
    return answer.kind in ("offtopic", "insult", "threat", "flattery", "rote") and answer.content < 3


def made_from(
    members: Sequence[GradedAnswer],
    others: Sequence[GradedAnswer],
    attacks: Sequence[GradedAnswer],
    dice: random.Random,
    *,
    count: int,
) -> list[GradedAnswer]:
    """Bad answers to a question, made from its own graded answers and from those of other questions.

    Args:
        members: graded answers to one question.
        others: telling answers to other questions in the same language, see `is_telling`.
        attacks: attacks on other questions in the same language.
        count: number of answers to make.
    """
    good = [one for one in members if one.kind == "good"]
    makers = [name for name, share in WAYS.items() for _ in range(share)]
    made: list[GradedAnswer] = []
    for _ in range(3 * count):
        if len(made) == count or not good:
            break
        source, way = dice.choice(good), dice.choice(makers)
        if way == "beside":
            found = _beside(source, attacks, dice)
        elif way in ("offtopic", "half-offtopic"):
            found = _off_topic(source, others, dice, half=way == "half-offtopic")
        else:
            found = _turned_bad(source, way, dice)
        made += [found] if found else []
    return made


def _beside(source: GradedAnswer, attacks: Sequence[GradedAnswer], dice: random.Random) -> GradedAnswer | None:
    if not attacks:
        return None
    attack = dice.choice(attacks)
    text = attack.answer
    if not _is_asked(source.question) and dice.random() < 0.5:
        text = _joined(source.language, sentences(source.answer)[0], text)
    return _bad(source, text, attack.kind, harm=attack.harm)


def _off_topic(
    source: GradedAnswer, others: Sequence[GradedAnswer], dice: random.Random, *, half: bool
) -> GradedAnswer | None:
    if not others:
        return None
    text = dice.choice(others).answer
    if half:
        rest = sentences(text)
        text = _joined(source.language, sentences(source.answer)[0], *(rest[1:] or rest))
    return _bad(source, text, "offtopic")


def _turned_bad(source: GradedAnswer, way: str, dice: random.Random) -> GradedAnswer | None:
    language, parts = source.language, sentences(source.answer)
    if way == "salad":
        return _bad(source, salad(source.answer, language, dice), "salad", fit=1)
    if way == "echo":
        return _bad(source, echo(source.question, language, dice), "echo", fit=1)
    if way == "half-salad" and len(parts) > 1:
        return _bad(source, f"{parts[0]} {salad(' '.join(parts[1:]), language, dice)}", "salad", fit=1)
    if way == "denial" and (denial := denied(source.question, language)):
        said = _joined(language, dice.choice(_LINKS[language]), denial)
        both = (parts[0], said) if dice.random() < 0.6 else (said, parts[0])
        return _bad(source, _joined(language, *both), "contradiction")
    return None


def _bad(source: GradedAnswer, text: str, kind: str, *, fit: int = 0, harm: bool = False) -> GradedAnswer:
    return GradedAnswer(source.language, source.question, source.style, text, kind, 1, fit, harm)


def _joined(language: Language, *parts: str) -> str:
    return ("" if language == "zh" else " ").join(parts)


def _is_asked(question: str) -> bool:
    return question.rstrip().endswith(("?", "？"))
