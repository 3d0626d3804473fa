"""What a training says while it runs follows the reader's language, every line of it."""

import ast
import re
import string
from collections.abc import Iterator
from pathlib import Path

import pytest
from aptone.report.phrase import Phrase

import aptone
from aptone.cli.train.log import LINES, said_while_training

TRAIN = Path(aptone.__file__).parent / "train"


def spoken(node: ast.expr) -> Iterator[str]:
    """The texts that an expression makes, each blank filled with a seven; what is made elsewhere is one, too."""
    if isinstance(node, ast.Constant):
        yield str(node.value)
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)
    elif isinstance(node, ast.BinOp):
        yield from (left + right for left in spoken(node.left) for right in spoken(node.right))
    elif isinstance(node, ast.IfExp):
        yield from spoken(node.body)
        yield from spoken(node.orelse)
    else:
        yield "7"


def lines_of(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("log", "self._log"):
            yield from spoken(node.args[0])
        elif (
            isinstance(node, ast.Return) and node.value is not None and path.name in ("ablation_verdicts.py", "grpo.py")
        ):
            yield from spoken(node.value)


MADE = sorted({line for path in TRAIN.glob("*.py") for line in lines_of(path) if re.search("[a-z]{2}.* ", line)})


def test_the_lines_are_found_where_they_are_made() -> None:
    assert len(MADE) > 15
    assert {"epoch 7: loss 7, dev 7, best 7", "7 clips to make 7 rows of.", "step 7: loss 777"} <= set(MADE)
    assert "examples by whole score, before and after they were balanced: 7; left out: 7" in MADE


@pytest.mark.parametrize("line", MADE)
def test_every_line_is_said_in_mandarin(line: str) -> None:
    said = said_while_training(line, "zh")
    assert re.search("[\u4e00-\u9fff]", said)
    assert not re.search("[a-z]{2,}", said)
    assert said_while_training(line, "en") == line


@pytest.mark.parametrize("phrase", LINES, ids=lambda phrase: phrase.en[:40])
def test_both_languages_fill_in_the_same_things(phrase: Phrase) -> None:
    names = [sorted(name for _, name, _, _ in string.Formatter().parse(text) if name) for text in phrase]
    assert names[0] == names[1]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("step 20: loss 0.3125, gate 0.5000; on dev loss 0.2000, LCC 0.7000",
         "第 20 步：损失 0.3125，gate 0.5000；开发集：loss 0.2000, LCC 0.7000"),
        ("step 20: 0.100 0.200", "第 20 步：0.100 0.200"),
        ("step 200 of 400, 7 s: loss 0.312 ", "第 200 / 400 步，7 秒：损失 0.312"),
        ("row4: step 20: loss 0.3125, 7 s", "row4：第 20 步：损失 0.3125，7 s"),
        ("all-seed1: emotion=0.700", "all-seed1: emotion=0.700"),
        ("{0} {why}", "{0} {why}"),
    ],
)  # fmt: skip
def test_figures_and_names_stay_as_they_are(line: str, said: str) -> None:
    assert said_while_training(line, "zh") == said
