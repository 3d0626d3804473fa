"""Every sentence that a report of agreement can hold is said in Mandarin, too."""

import ast
import re
from dataclasses import replace
from pathlib import Path

import pytest
from aptone.report.told import told
from aptone.studio.agreement_words import in_mandarin, sentences
from hypothesis import given, settings
from hypothesis import strategies as st

import aptone
from aptone.studio.agreement.overview import agreement_report
from aptone.types import Json, Qualification, Rating, RatingTask, to_json
from tests.studio.compared import rated, rating, task_of

PACKAGE = Path(aptone.__file__).parent
SOURCES = [
    *sorted((PACKAGE / "studio").glob("agreement*.py")),
    *(PACKAGE / "stats" / f"{name}.py" for name in ("alpha", "cosine", "icc", "intervals", "majority")),
    PACKAGE / "report" / "people.py",
]
SAYING = {"about", "about_interval", "how", "method", "reason", "remark", "why"}
"""What such a sentence is called where it is made."""


def made_in(path: Path) -> list[str]:
    """The sentences that a file gives such a name, or that stand beside NaN, each blank filled with a seven."""
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
            found += spoken(node.value) if SAYING & set(names) else []
        elif isinstance(node, ast.keyword) and node.arg in SAYING:
            found += spoken(node.value)
        elif isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple):
            found += spoken(node.value.elts[-1])
    return sorted({sentence for sentence in found if " " in sentence.strip()})


def spoken(node: ast.expr) -> list[str]:
    """The texts of an expression, whole ones only."""
    if isinstance(node, ast.Constant):
        return [node.value] if isinstance(node.value, str) else []
    if isinstance(node, ast.JoinedStr):
        return ["".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)]
    if isinstance(node, ast.IfExp):
        return [*spoken(node.body), *spoken(node.orelse)]
    if isinstance(node, ast.BoolOp):
        return [text for value in node.values for text in spoken(value)]
    if isinstance(node, ast.Call):
        return [text for value in node.args for text in spoken(value)]
    return []


COMPOSED = ("pairs of raters: 77", "all ratings are equal7", "left out: fewer than two ratings7", "raters7", "7; 7")
"""Of sentences whose blanks hold other sentences or parts of one; the reports that are drawn hold them."""
MADE = [
    (path.name, sentence)
    for path in SOURCES
    for sentence in made_in(path)
    if not any(part in sentence for part in COMPOSED)
]


def test_the_sentences_are_found_where_they_are_made() -> None:
    assert len(MADE) > 30
    assert ("icc.py", "no interval: agreement is perfect") in MADE


@pytest.mark.parametrize(("path", "sentence"), MADE, ids=[sentence[:50] for _, sentence in MADE])
def test_every_sentence_that_is_made_has_one_in_mandarin(path: str, sentence: str) -> None:
    assert told(sentence, "zh") != sentence


RULES = {"qualification": Qualification(("i0",), tolerance=0.5), "outlier_distance": 1.0, "outlier_share": 0.2}


@settings(max_examples=60, deadline=None)
@given(drawn=rated(), ruled=st.booleans(), shared=st.booleans())
def test_no_sentence_of_a_report_is_left_in_english(
    drawn: tuple[RatingTask, list[Rating]], ruled: bool, shared: bool
) -> None:
    task, ratings = drawn
    if ruled:
        gold = replace(task.items[0], gold={"score": 5})
        task = replace(task, items=(gold, *task.items[1:]), **RULES)  # type: ignore[arg-type]
    if shared:
        task = replace(task, calibration=(task.items[-1].id,))
    report = to_json(agreement_report(task, ratings))
    assert isinstance(report, dict)
    table = in_mandarin(report)
    for sentence in sentences(report):
        said = table[sentence]
        assert not re.search(r"(?!ICC|Fisher|McGraw|Wong|Bonett|Wright|Wilson)\b[A-Za-z]{3,}", said), sentence


def test_a_crowd_and_a_judge_on_another_scale_are_told_too() -> None:
    ratings = [
        rating(f"i{n}", f"r{k:02}", {"score": (n + k % 3) % 6}) for n in range(30) for k in range(40) if n != k % 30
    ]
    task = task_of(30)
    items = tuple(replace(item, hidden={"judge": 10.0 * n}) for n, item in enumerate(task.items))
    report: Json = to_json(agreement_report(replace(task, items=items), ratings))
    assert isinstance(report, dict)
    said = set(in_mandarin(report).values())
    assert "自动评判的量表不同：10 不在 0 至 5 之间" in said
    assert any(one.startswith("780 对评分者中共有条目最多的 400 对") for one in said)
    assert set(sentences(report)) == set(in_mandarin(report))
