"""Making the scorer of words: graded answers in, a split without leaks, training that moves every weight, a file."""

import json
import random
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
from recipes.answer_content.arrays import answer_arrays, embedding_arrays, near_answers, start_arrays
from recipes.answer_content.augment import denied, echo, is_attack, is_telling, made_from, salad, turned
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
from recipes.answer_content.export import Exported, load_scorer, write_scorer
from recipes.answer_content.gpu_job import NOT_SHIPPED
from recipes.answer_content.network import Embeddings, Scorer, padded, started
from recipes.answer_content.shipped import shipped_scorer
from recipes.answer_content.stack import elsewhere, logistic
from recipes.answer_content.train import (
    Answers,
    AnswerSettings,
    ReplySettings,
    Turns,
    answer_loss,
    extremes_loss,
    mean_of,
    scores_of,
    train_on_answers,
    train_on_replies,
)
from recipes.answer_content.turns import dialogues_of_book
from recipes.planner.packed_weights import packed

LINE = {
    "question": "My train is late again.",
    "style": "angry",
    "answer": "The next one goes at ten.",
    "kind": "plain",
    "content": 5,
    "fit": 3,
    "harm": False,
}
SMALL = AnswerSettings(epochs=2, questions=2, made=2, averaged=0.5)
LAYERS = 2
"""Layers of the scorers here; the shipped one has six."""


def some(count: int = 2, *, part: str = "") -> list[GradedAnswer]:
    """All answers to a few questions of either language, of one part if it is named."""
    answers = read_answers()
    parts = split_of(answers) if part else {}
    questions = {key: members for key, members in by_question(answers).items() if parts.get(key, "") == part}
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
    insult = GradedAnswer("en", "Other?", "sad", "You fool.", "insult", 1, 1, True)
    made = made_from(members, [other], [insult], dice, count=24)
    assert len(made) >= 20
    assert all(one.content == 1 and one.question == members[0].question for one in made)
    assert {one.kind for one in made} <= set(ATTACKS)
    assert all(one.answer.endswith(other.answer) for one in made if one.kind == "offtopic")
    insults = [one for one in made if one.kind == "insult"]
    assert insults
    assert all(one.harm and one.answer.endswith("You fool.") for one in insults)
    assert made_from(members, [], [], dice, count=2)  # what needs no other question is left


def test_the_loss_prefers_the_right_order_and_ignores_a_fit_that_is_not_known() -> None:
    # language, part, question, style, kind, content, fit, harm
    labels = torch.tensor([[0, 0, 7, 0, 0, 5, 0, 0], [0, 0, 7, 0, 3, 1, 0, 0]])
    kinds = torch.zeros(2, len(data.KINDS))
    right = answer_loss(torch.tensor([[2.0, 0.0, -9.0], [-2.0, 0.0, -9.0]]), kinds, labels, SMALL)
    turned_round = answer_loss(torch.tensor([[-2.0, 0.0, -9.0], [2.0, 0.0, -9.0]]), kinds, labels, SMALL)
    other_fit = answer_loss(torch.tensor([[2.0, 7.0, -9.0], [-2.0, -7.0, -9.0]]), kinds, labels, SMALL)
    assert right < turned_round
    assert torch.equal(right, other_fit)


def test_the_worst_honest_answer_is_to_lead_the_best_attack_of_its_own_question() -> None:
    # Kinds: 0 good, 1 plain, 2 wrong tone, 3 and on attacks. One honest answer and one attack make soft extremes exact:
    # softplus(-1 - 2 + 1) = log(1 + e^-2) = 0.1269 for the first question; the second has no attack and does not count.
    logits = torch.tensor([2.0, -1.0, 9.0, -9.0])
    question, kind = torch.tensor([5, 5, 5, 6]), torch.tensor([0, 3, 2, 1])
    assert float(extremes_loss(logits, question, kind)) == pytest.approx(0.1269, abs=1e-4)
    assert float(extremes_loss(logits[2:], question[2:], kind[2:])) == 0.0
    # Of several, the extremes decide: a third answer that lies between moves it little, a better attack a lot.
    between = extremes_loss(torch.tensor([2.0, -1.0, -8.0]), torch.tensor([5, 5, 5]), torch.tensor([0, 3, 4]))
    assert float(between) == pytest.approx(0.1269, abs=1e-3)
    better = extremes_loss(torch.tensor([2.0, -1.0, 4.0]), torch.tensor([5, 5, 5]), torch.tensor([0, 3, 4]))
    assert float(better) > 3.0  # softplus(4 - 2 + 1) = 3.05


def test_what_is_put_elsewhere_says_too_much_to_suit_two_questions_and_comes_from_a_near_one() -> None:
    own = GradedAnswer("en", "My cat ran away.", "sad", "Oh no, when?", "good", 5, 5, False)
    other = GradedAnswer(
        "en", "My dog ran away.", "sad", "Ring the shelter; somebody may have brought the dog in.", "good", 5, 5, False
    )
    short = GradedAnswer("en", "My dog ran away.", "sad", "Oh no, when?", "good", 5, 5, False)
    assert is_telling(other)
    assert not is_telling(own)
    insult = GradedAnswer("en", "My dog ran away.", "sad", "You fool.", "insult", 1, 1, True)
    found = near_answers(own.question, by_question([own, other, short, insult]), "en")
    assert found == [other, short, insult]
    assert [one for one in found if is_attack(one)] == [insult]


def test_turns_of_a_book_are_what_is_said_behind_one_another() -> None:
    english = ["“Who is it?” he asked.", "“Me,” she said. “Open!”", "It was cold.", "“Alone.”", "Nobody answered."]
    assert list(dialogues_of_book(english, "en")) == [["Who is it?", "Me, Open!"]]
    mandarin = [
        "张三道：“谁？”李四道：“我。”说着笑了，“开门。”",
        "他开了门。",
        "张三道：“请进。”",
        "夜" * 61,
        "“没人。”",
    ]
    assert list(dialogues_of_book(mandarin, "zh")) == [["谁？", "我。开门。", "请进。"]]


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


@pytest.fixture(scope="module")
def arrays() -> dict[str, np.ndarray]:
    """Initial weights, answers that are all trained on, and turns of a made-up dialogue."""
    made = start_arrays() | embedding_arrays() | answer_arrays(some())
    made["answers.labels"][:, 1] = np.where(made["answers.labels"][:, 1] == 3, 3, 0)
    for language in LANGUAGES:
        dialogue = np.repeat(np.arange(1, 9), 4)
        made[f"turns.{language}.stream"] = np.arange(20, 20 + 96, dtype=np.uint16)
        made[f"turns.{language}.offsets"] = np.arange(0, 97, 3, dtype=np.int32)
        made[f"turns.{language}.dialogue"] = dialogue.astype(np.int32)
    return made


def test_a_reply_is_paired_with_its_line_and_with_another(arrays: dict[str, np.ndarray]) -> None:
    turns = Turns(arrays, "en", "cpu")
    assert turns.train.tolist() == [place for place in range(32) if place % 4 != 3]  # the last of four has no reply
    torch.manual_seed(0)
    batch = turns.pairs(turns.train, Embeddings(arrays))
    assert len(batch.embedded) == 2 * len(turns.train)
    words = torch.tensor(arrays["words.en"].astype(np.float32))
    own = batch.embedded[0, 5] - torch.tensor(arrays["places"][5]) - torch.tensor(arrays["target"])
    assert torch.allclose(own, words[23], atol=1e-5)  # the first piece of the second turn, behind 3 pieces and 2 marks


@pytest.mark.slow
def test_training_moves_every_weight_and_the_file_says_what_the_network_says(
    tmp_path: Path,
    arrays: dict[str, np.ndarray],
) -> None:
    answers = some()
    torch.set_num_threads(1)
    said: list[str] = []
    embeddings = Embeddings(arrays)
    start = started(arrays, seed=0, layers=LAYERS)
    before = {name: value.clone() for name, value in start.named_parameters()}
    settings = ReplySettings(seconds=600.0, steps=2, batch_size=8)
    train_on_replies(start, embeddings, arrays, settings, device="cpu", log=said.append)
    trained = train_on_answers(start, embeddings, arrays, SMALL, device="cpu", log=said.append)
    still = [name for name, value in trained.named_parameters() if torch.equal(value, before[name])]
    assert still == []
    weights = {name: value for name, value in trained.state_dict().items() if not name.startswith(NOT_SHIPPED)}
    np.savez(tmp_path / "weights.npz", **packed(weights))  # type: ignore[arg-type]
    scorer = load_scorer(tmp_path / "weights.npz")
    path = write_scorer(scorer, tmp_path, train=answers, dev=answers, about={"answers": len(answers)}, log=said.append)
    assert path.name == FILE
    model = read_content_model(path.read_bytes())
    own = Answers(arrays, ["train"], "cpu")
    expected = scores_of(scorer, embeddings, own)
    found = [model.features(one.question, one.answer, style=one.style, language=one.language)[:3] for one in answers]
    assert np.abs(sigmoid(np.array(found)) - expected).mean() < 0.1  # eight bits instead of thirty-two, a fresh network
    scores = [model.score(one.question, one.answer, style=one.style, language=one.language) for one in answers]
    assert pearson([one.content for one in scores], [one.content for one in answers]).value > 0.5  # it was stacked here
    with torch.no_grad():
        for row in range(8):
            batch, labels = own.batch(torch.tensor([row]), embeddings)
            whole = torch.sigmoid(Exported(scorer)(batch.embedded, batch.inside, batch.opened, labels[:, 3]))[0]
            assert np.abs(whole.numpy() - expected[row]).max() < 1e-5


@pytest.mark.slow
def test_training_goes_on_from_a_shipped_file_in_one_command(
    tmp_path: Path, arrays: dict[str, np.ndarray], monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = [one for part in ("train", "dev", "test") for one in some(part=part)]
    monkeypatch.setattr(data, "read_answers", lambda: answers)
    torch.set_num_threads(1)
    scorer = started(arrays, seed=0, layers=LAYERS).eval()
    train, dev = (some(part=part) for part in ("train", "dev"))
    start = write_scorer(scorer, tmp_path / "start", train=train, dev=dev, about={}, log=lambda line: None)
    own, embeddings = Answers(arrays, ["train"], "cpu"), Embeddings(arrays)
    again = scores_of(shipped_scorer(start), embeddings, own)
    assert np.abs(again - scores_of(scorer, embeddings, own)).max() < 0.03  # eight bits a weight
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps([{"epochs": 1, "questions": 2, "made": 1, "extremes": 1.0, "averaged": 0.5}]))
    options = ["train", "--start", str(start), "--plan", str(plan), "--out", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(answer_content, options, catch_exceptions=False)
    assert done.exit_code == 0
    trained = shipped_scorer(tmp_path / "out" / FILE)
    assert np.abs(scores_of(trained, embeddings, own) - again).max() > 1e-3
    assert read_content_model((tmp_path / "out" / FILE).read_bytes()).about["questions"] == {
        "train": 4, "dev": 4, "test": 4
    }  # fmt: skip


def test_weights_of_half_a_scorer_are_refused(tmp_path: Path) -> None:
    weights = {name: value for name, value in Scorer(layers=1).state_dict().items() if "pooled" not in name}
    np.savez(tmp_path / "weights.npz", **packed(weights))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="pooled"):
        load_scorer(tmp_path / "weights.npz")


def test_the_mean_of_scorers_is_that_of_their_weights() -> None:
    one, other = Scorer(layers=1), Scorer(layers=1)
    middle = mean_of([one, other])
    assert torch.allclose(middle.outputs.weight, (one.outputs.weight + other.outputs.weight) / 2)


def test_padding_changes_nothing(arrays: dict[str, np.ndarray]) -> None:
    scorer = started(arrays, seed=0, layers=LAYERS).eval()
    embeddings, own = Embeddings(arrays), Answers(arrays, ["train"], "cpu")
    together = scores_of(scorer, embeddings, own)
    with torch.no_grad():
        for row in range(len(together)):
            batch, labels = own.batch(torch.tensor([row]), embeddings)
            assert np.abs(torch.sigmoid(scorer(batch, labels[:, 3])[0])[0].numpy() - together[row]).max() < 1e-4
    assert padded(np.array([7, 8, 9], np.uint16), np.array([0, 1]), np.array([1, 2])).tolist() == [[7, 0], [8, 9]]
