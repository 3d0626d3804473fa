"""Everything that the scorer's training needs, as arrays: initial weights, turns of dialogues, graded answers.

The training machine needs neither the texts nor Aptone.
"""

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.planner.encoder import load_encoder
from aptone.planner.pairs import pieces_of_pair
from aptone.rooms.answer.judge.content_model import STYLES
from aptone.types import Language
from recipes.answer_content.augment import is_attack, is_telling, made_from
from recipes.answer_content.data import KINDS, LANGUAGES, GradedAnswer, by_question, read_answers, split_of
from recipes.answer_content.network import PARTS, SHIPPED
from recipes.answer_content.shipped import shipped_scorer
from recipes.answer_content.turns import turns_of
from recipes.planner.layers import encoder_layers, encoder_norm
from recipes.planner.packed_weights import packed

Arrays = dict[str, npt.NDArray[Any]]
TURNS = {"en": 250_000, "zh": 180_000}
MADE = 30
"""Bad answers that are made from the graded ones of each training question."""
NEAREST = 60
"""Questions whose answers are put to a training question as off-topic ones: those nearest to it."""
SEED = 0


def start_arrays() -> Arrays:
    """Return the initial weights: the planner's encoder, layer by layer."""
    arrays: Arrays = {
        f"layers.{number}.{name}": value.astype(np.float16)
        for number, layer in enumerate(encoder_layers())
        for name, value in layer.items()
    }
    return arrays | {f"norm.{name}": value for name, value in encoder_norm().items()}


def embedding_arrays() -> Arrays:
    """Return the embeddings of the inputs, those of the planner's encoder."""
    arrays: Arrays = {}
    for language in LANGUAGES:
        encoder = load_encoder(language)
        arrays[f"words.{language}"] = encoder.embedded(range(len(encoder.vocabulary))).astype(np.float16)
    nothing = np.zeros((252, encoder.width), dtype=np.float32)
    arrays["places"] = encoder.placed(nothing, np.zeros(len(nothing), dtype=np.float32))
    arrays["target"] = (encoder.placed(nothing, np.ones(len(nothing), dtype=np.float32)) - arrays["places"])[0]
    return arrays


def answer_arrays(answers: Sequence[GradedAnswer]) -> Arrays:
    """Return the pairs of all parts, and bad answers made from those of the training questions."""
    parts = split_of(answers)
    rows = [(one, parts[one.language, one.question]) for one in answers]
    train = [one for one, part in rows if part == "train"]
    dice = random.Random(SEED)
    made = []
    for language in LANGUAGES:
        own = by_question(one for one in train if one.language == language)
        for (_, question), members in own.items():
            near = near_answers(question, own, language)
            telling, attacks = ([one for one in near if test(one)] for test in (is_telling, is_attack))
            made += made_from(members, telling, attacks, dice, count=MADE)
    numbered: dict[tuple[str, str], int] = {}
    stream: list[int] = []
    places, labels = [], []
    for one, part in [*rows, *((one, "made") for one in made)]:
        first, second = pieces_of_pair(one.question, one.answer, one.language)
        places.append((len(stream), len(first), len(second)))
        stream += [*first, *second]
        number = numbered.setdefault((one.language, one.question), len(numbered))
        labels.append(
            (
                LANGUAGES.index(one.language),
                PARTS.index(part),
                number,
                STYLES.index(one.style),
                KINDS.index(one.kind),
                one.content,
                one.fit,
                int(one.harm),
            )
        )
    return {
        "answers.stream": np.array(stream, dtype=np.uint16),
        "answers.places": np.array(places, dtype=np.int32),
        "answers.labels": np.array(labels, dtype=np.int32),
    }


def near_answers(
    question: str, own: Mapping[tuple[Language, str], Sequence[GradedAnswer]], language: Language
) -> list[GradedAnswer]:
    """Return the answers to the questions that are nearest to a question: beside the point, but not far from it."""
    questions = [other for _, other in own if other != question]
    if not questions:
        return []
    vectors = load_static_vectors()
    cosines = vectors.embed(questions) @ vectors.embed([question])[0]
    nearest = [questions[place] for place in np.argsort(-cosines)[:NEAREST]]
    return [one for other in nearest for one in own[language, other]]


def shipped_arrays(path: Path) -> Arrays:
    """Return what a training needs that goes on from a shipped scorer."""
    weights = packed(dict(shipped_scorer(path).state_dict()))
    arrays = {f"{SHIPPED}{name}": value for name, value in weights.items()}
    return arrays | embedding_arrays() | answer_arrays(read_answers())


def prepare(data: Path) -> Arrays:
    """Return all arrays; `data` holds ``fiction/`` and ``cped/``."""
    arrays = start_arrays() | embedding_arrays() | answer_arrays(read_answers())
    for language in LANGUAGES:
        turns = turns_of(data, language, count=TURNS[language], seed=SEED)
        arrays |= {f"turns.{language}.{name}": value for name, value in turns._asdict().items()}
    return arrays
