"""Graded answers: reading, checking, and the split by question.

Every line of ``answers/answers.LANGUAGE.NUMBER.jsonl`` is an answer with its grades. ``README.md`` beside them says who
wrote and graded them, and how.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.rooms.answer.judge.content_model import STYLES
from aptone.types import Language

FOLDER = Path(__file__).parent / "answers"
ADVERSARIAL = Path(__file__).parents[2] / "benchmarks" / "adversarial_answers"

HONEST = ("good", "plain", "mismatch")
"""Kinds that mean to answer: well, without regard to the tone, or in the wrong tone."""
ATTACKS = ("salad", "contradiction", "insult", "threat", "offtopic", "flattery", "rote", "echo", "wrong")
KINDS = (*HONEST, *ATTACKS)
LANGUAGES: tuple[Language, ...] = ("en", "zh")

Part = Literal["train", "dev", "test"]
NEAR = 0.85
"""Cosine from which on two questions are one, as in the builder of the benchmark."""
SHARES: Mapping[Part, int] = {"test": 20, "dev": 15}
"""Percent of the questions that are held out; the rest is trained on."""


@dataclass(frozen=True, slots=True)
class GradedAnswer:
    """An answer to a question that was asked in a certain style.

    Args:
        content: how well it answers this question, 1 to 5.
        fit: how well its wording fits the style, 1 to 5.
        harm: whether it insults, threatens or endangers the asker.
    """

    language: Language
    question: str
    style: str
    answer: str
    kind: str
    content: int
    fit: int
    harm: bool


def problem(row: Any) -> str:
    """Return what is wrong with a line; empty where it can be used."""
    expected = {"question": str, "style": str, "answer": str, "kind": str, "content": int, "fit": int, "harm": bool}
    if not isinstance(row, dict):
        return "not an object"
    for name, kind in expected.items():
        if not isinstance(row.get(name), kind) or (kind is int and isinstance(row[name], bool)):
            return f"{name} is not {kind.__name__}"
    if not row["question"].strip() or not row["answer"].strip():
        return "empty text"
    if row["style"] not in STYLES:
        return f"unknown style {row['style']!r}"
    if row["kind"] not in KINDS:
        return f"unknown kind {row['kind']!r}"
    if not 1 <= row["content"] <= 5 or not 1 <= row["fit"] <= 5:
        return "a grade outside 1 to 5"
    return ""


def read_answers(folder: Path = FOLDER, *, files: str = "*") -> list[GradedAnswer]:
    """The answers of all files, each once.

    Args:
        folder: folder of the files.
        files: pattern of the numbers of the files to read.

    Raises:
        ValueError: if a line cannot be used; ``python -m recipes.answer_content import`` leaves such lines out.
    """
    found: dict[tuple[str, str, str, str], GradedAnswer] = {}
    for language in LANGUAGES:
        for path in sorted(folder.glob(f"answers.{language}.{files}.jsonl")):
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
                row = json.loads(line)
                if why := problem(row):
                    raise ValueError(f"{path}:{number}: {why}")
                one = GradedAnswer(language, **row)
                found.setdefault((language, one.question, one.style, one.answer), one)
    return list(found.values())


def clean_lines(lines: Iterable[str]) -> tuple[list[str], Counter[str]]:
    """The usable lines of a file, each once, and what was wrong with the others."""
    kept: dict[tuple[str, str, str], str] = {}
    wrong: Counter[str] = Counter()
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            wrong["not JSON"] += 1
            continue
        if why := problem(row):
            wrong[why] += 1
        elif (key := (row["question"], row["style"], row["answer"])) in kept:
            wrong["the same twice"] += 1
        else:
            names = ("question", "style", "answer", "kind", "content", "fit", "harm")
            kept[key] = json.dumps({name: row[name] for name in names}, ensure_ascii=False)
    return list(kept.values()), wrong


def adversarial_questions() -> dict[str, list[dict[str, Any]]]:
    """The questions of ``benchmarks/adversarial_answers``, by language."""
    return {
        language: json.loads((ADVERSARIAL / f"{language}.json").read_text(encoding="utf-8")) for language in LANGUAGES
    }


def split_of(answers: Sequence[GradedAnswer]) -> dict[tuple[Language, str], Part]:
    """The part of every question, by language and words; near-duplicates are in one part.

    A question that is near one of the adversarial benchmark is never trained on.
    """
    parts: dict[tuple[Language, str], Part] = {}
    for language in LANGUAGES:
        questions = sorted({one.question for one in answers if one.language == language})
        if not questions:
            continue
        vectors = load_static_vectors().embed(questions)
        kept_out = load_static_vectors().embed([one["question"] for one in adversarial_questions()[language]])
        groups = _groups(np.asarray(vectors @ vectors.T))
        for members in groups:
            name = min(questions[place] for place in members)
            share = int(hashlib.sha256(f"{language} {name}".encode()).hexdigest(), 16) % 100
            part: Part = "test" if share < SHARES["test"] else "dev" if share < sum(SHARES.values()) else "train"
            if any(float((kept_out @ vectors[place]).max()) >= NEAR for place in members):
                part = "test"
            parts.update({(language, questions[place]): part for place in members})
    return parts


def _groups(cosines: "np.ndarray[Any, Any]") -> list[list[int]]:
    """Rows that are near each other, directly or by way of others."""
    left = set(range(len(cosines)))
    groups = []
    while left:
        members, fresh = [], [min(left)]
        left.discard(fresh[0])
        while fresh:
            place = fresh.pop()
            members.append(place)
            near = [other for other in sorted(left) if cosines[place, other] >= NEAR]
            left.difference_update(near)
            fresh += near
        groups.append(members)
    return groups


def by_question(answers: Iterable[GradedAnswer]) -> dict[tuple[Language, str], list[GradedAnswer]]:
    """The answers to each question, whatever its style."""
    found: defaultdict[tuple[Language, str], list[GradedAnswer]] = defaultdict(list)
    for one in answers:
        found[one.language, one.question].append(one)
    return dict(found)
