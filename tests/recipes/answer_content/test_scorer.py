"""Making the scorer of words: graded answers in, a split without leaks, training that moves every weight, a file."""

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from click.testing import CliRunner

from aptone.models.text.built_in_embedder import load_static_vectors
from aptone.rooms.answer.judge.content_model import FILE, read_content_model
from aptone.stats import pearson
from aptone.stats.logits import sigmoid
from recipes.answer_content import data
from recipes.answer_content.__main__ import answer_content
from recipes.answer_content.augment import denied, echo, made_from, salad, turned
from recipes.answer_content.data import (
    ATTACKS,
    HONEST,
    LANGUAGES,
    NEAR,
    GradedAnswer,
    adversarial_questions,
    by_question,
    clean_lines,
    read_answers,
    split_of,
)
from recipes.answer_content.export import Exported, write_scorer
from recipes.answer_content.network import started
from recipes.answer_content.stack import elsewhere, logistic
from recipes.answer_content.train import (
    TrainingSettings,
    batch_loss,
    batch_of,
    read_all,
    scores_of,
    train,
)

LINE = {
    "question": "My train is late again.",
    "style": "angry",
    "answer": "The next one goes at ten.",
    "kind": "plain",
    "content": 5,
    "fit": 3,
    "harm": False,
}
SMALL = TrainingSettings(epochs=2, questions=2, pool=3, made=2, averaged=0.5)


def some(count: int = 2) -> list[GradedAnswer]:
    """All answers to a few questions of either language."""
    questions = by_question(read_answers())
    chosen = [members for key, members in questions.items() if key[0] == "en"][:count]
    chosen += [members for key, members in questions.items() if key[0] == "zh"][:count]
    return [one for members in chosen for one in members]


def test_lines_that_cannot_be_used_are_left_out_and_counted() -> None:
    broken = [
        "{",
        json.dumps({**LINE, "content": 6}),
        json.dumps({**LINE, "style": "drunk"}),
        json.dumps({**LINE, "kind": "fine"}),
        json.dumps({**LINE, "harm": "no"}),
        json.dumps({**LINE, "fit": True}),
        json.dumps({**LINE, "answer": " "}),
        json.dumps([LINE]),
    ]
    kept, wrong = clean_lines([json.dumps(LINE), json.dumps({**LINE, "extra": 1}), *broken])
    assert [json.loads(line) for line in kept] == [LINE]
    assert wrong.total() == len(broken) + 1
    assert wrong["the same twice"] == 1


def test_files_are_taken_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data, "FOLDER", tmp_path / "kept")
    (tmp_path / "kept").mkdir()
    given = tmp_path / "answers.en.1.jsonl"
    given.write_text(f"{json.dumps(LINE)}\n{{\n", encoding="utf-8")
    done = CliRunner().invoke(answer_content, ["import", str(given), "--json"])
    assert json.loads(done.output)["answers.en.1.jsonl"] == {"kept": 1, "left_out": {"not JSON": 1}}
    assert read_answers(tmp_path / "kept")[0].answer == LINE["answer"]


def test_two_thousand_answers_a_language_are_there_in_all_kinds() -> None:
    answers = read_answers()
    for language in LANGUAGES:
        own = [one for one in answers if one.language == language]
        assert len(own) >= 2000
        assert {one.kind for one in own} == {*HONEST, *ATTACKS}


def test_no_question_nor_its_like_is_in_two_parts_and_the_benchmark_is_not_trained_on() -> None:
    answers = read_answers()
    parts = split_of(answers)
    for language in LANGUAGES:
        own = {question: part for (spoken, question), part in parts.items() if spoken == language}
        texts = list(own)
        vectors = load_static_vectors().embed(texts)
        near = np.argwhere(np.triu(vectors @ vectors.T >= NEAR, k=1))
        assert all(own[texts[one]] == own[texts[other]] for one, other in near.tolist())
        shares = [list(own.values()).count(part) / len(own) for part in ("train", "dev", "test")]
        assert 0.5 < shares[0] < 0.75
        assert 0.15 < shares[2] < 0.3
        asked = load_static_vectors().embed([one["question"] for one in adversarial_questions()[language]])
        trained = load_static_vectors().embed([text for text in texts if own[text] == "train"])
        assert float((asked @ trained.T).max()) < NEAR


def test_bad_answers_are_made_of_good_ones() -> None:
    assert turned("My boss called me.") == "Your boss called you."
    assert denied("The ferry is late.", "en") == "the ferry is not late."
    assert denied("我妈把房子卖了。", "zh") == "你妈没把房子卖。"
    assert denied("Where is it?", "en") == ""
    dice = random.Random(1)
    assert sorted(salad("one two three four five six", "en", dice).lower().rstrip(".").split()) == sorted(
        ["one", "two", "three", "four", "five", "six"]
    )
    assert "your train is late again." in echo(str(LINE["question"]), "en", dice).lower()
    members = [one for one in some(1) if one.language == "en"]
    other = GradedAnswer("en", "Other?", "sad", "Quite another matter.", "good", 5, 5, False)
    made = made_from(members, [other], dice, count=12)
    assert len(made) >= 8
    assert all(one.content == 1 and one.question == members[0].question for one in made)
    assert {one.kind for one in made} <= set(ATTACKS)
    assert all(one.answer == other.answer for one in made if one.kind == "offtopic")


def test_the_loss_prefers_the_right_order_and_ignores_a_fit_that_is_not_known() -> None:
    rows = read_all(some(1)[:2])
    good, bad = (row._replace(answer=replace(row.answer, question="q", language="en", fit=0)) for row in rows)
    good = good._replace(answer=replace(good.answer, content=5))
    bad = bad._replace(answer=replace(bad.answer, content=1))
    kinds = torch.zeros(2, len(data.KINDS))
    right = batch_loss(torch.tensor([[2.0, 0.0, -9.0], [-2.0, 0.0, -9.0]]), kinds, [good, bad], SMALL)
    turned_round = batch_loss(torch.tensor([[-2.0, 0.0, -9.0], [2.0, 0.0, -9.0]]), kinds, [good, bad], SMALL)
    other_fit = batch_loss(torch.tensor([[2.0, 7.0, -9.0], [-2.0, -7.0, -9.0]]), kinds, [good, bad], SMALL)
    assert right < turned_round
    assert torch.equal(right, other_fit)


def test_logistic_regression_meets_its_own_condition() -> None:
    random_rows = np.random.default_rng(0)
    rows = np.column_stack([random_rows.normal(size=(200, 2)), np.ones(200)])
    given = sigmoid(rows @ np.array([1.0, -2.0, 0.5]))
    found = logistic(rows, given, np.ones(200), penalty=0.0)
    assert np.abs(found - [1.0, -2.0, 0.5]).max() < 1e-6  # shares that a line made are found back
    tight = logistic(rows, given, np.ones(200), penalty=50.0)
    slope = rows.T @ (sigmoid(rows @ tight) - given) + np.array([50.0, 50.0, 0.0]) * tight
    assert np.abs(slope).max() < 1e-6


def test_honest_answers_elsewhere_belong_to_other_questions() -> None:
    answers = some(2)
    moved = elsewhere(answers, random.Random(0), count=2)
    own = {(one.question, one.answer) for one in answers}
    assert len(moved) == 2 * sum(one.kind in ("good", "plain") for one in answers)
    assert not [one for one, text in moved if (one.question, text) in own]


@pytest.mark.slow
def test_training_moves_every_weight_and_the_file_says_what_the_network_says(tmp_path: Path) -> None:
    answers = some()
    torch.set_num_threads(1)
    said: list[str] = []
    scorer = train(answers, SMALL, dev=read_all(answers[:6]), log=said.append)
    losses = [float(line.split("loss ")[1].split(",")[0]) for line in said if "loss" in line]
    assert losses[1] < losses[0]
    fresh = dict(started(seed=SMALL.seed).named_parameters())
    still = [name for name, value in scorer.named_parameters() if torch.equal(value, fresh[name])]
    assert still == []
    path = write_scorer(scorer, tmp_path, train=answers, dev=answers, about={"answers": len(answers)}, log=said.append)
    assert path.name == FILE
    assert path.stat().st_size < 6_000_000
    model = read_content_model(path.read_bytes())
    expected = scores_of(scorer, read_all(answers))
    found = [model.features(one.question, one.answer, style=one.style, language=one.language)[:3] for one in answers]
    assert np.abs(sigmoid(np.array(found)) - expected).mean() < 0.1  # eight bits instead of thirty-two, a fresh network
    scores = [model.score(one.question, one.answer, style=one.style, language=one.language) for one in answers]
    assert pearson([one.content for one in scores], [one.content for one in answers]).value > 0.7  # it was stacked here
    with torch.no_grad():
        for row, shares in zip(read_all(answers[:8]), expected, strict=False):
            states, inside, opened, style, _ = batch_of([row])
            whole = torch.sigmoid(Exported(scorer)(states, inside, opened, style))[0].numpy()
            assert np.abs(whole - shares).max() < 1e-5


def test_padding_changes_nothing() -> None:
    scorer = started(seed=0).eval()
    rows = read_all(some(1))
    together = scores_of(scorer, rows)
    alone = np.concatenate([scores_of(scorer, [row]) for row in rows])
    assert np.abs(together - alone).max() < 1e-4
    assert batch_of(rows).known.sum() == sum(len(row.states.inside) for row in rows)
