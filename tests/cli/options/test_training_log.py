"""What a training says while it runs follows the reader's language."""

import ast
from pathlib import Path

import pytest

import aptone
from aptone.cli.options.training import log_to_people
from aptone.messages import labelled, message
from aptone.types import Language

TRAIN = Path(aptone.__file__).parent / "train"
STEP = message("train.step-loss-figures", step=20, loss=0.3125, figures="gate 0.5000")


@pytest.mark.parametrize(
    ("line", "language", "said"),
    [
        (message("train.on-dev", line=STEP, figures="loss 0.2000"), "en",
         "step 20: loss 0.3125, gate 0.5000; on dev loss 0.2000"),
        (message("train.on-dev", line=STEP, figures="loss 0.2000"), "zh",
         "第 20 步：损失 0.3125，gate 0.5000；开发集：loss 0.2000"),
        (labelled("row4", STEP), "zh", "row4：第 20 步：损失 0.3125，gate 0.5000"),
        ("all-seed1: emotion=0.700", "zh", "all-seed1: emotion=0.700"),
    ],
)  # fmt: skip
def test_lines_are_said_in_the_language_of_the_reader(
    line: str, language: Language, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    log_to_people(language)(line)
    assert capsys.readouterr() == ("", f"{said}\n")


def test_every_line_that_a_training_logs_is_a_message() -> None:
    found, plain = 0, []
    for path in sorted(TRAIN.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("log", "self._log") and node.args:
                found += 1
                line = node.args[0]
                if isinstance(line, ast.Constant | ast.BinOp):
                    plain.append(f"{path.name}:{node.lineno}")
                elif isinstance(line, ast.JoinedStr):
                    fixed = [str(part.value) for part in line.values if isinstance(part, ast.Constant)]
                    plain += [f"{path.name}:{node.lineno}"] if any(map(str.isalpha, "".join(fixed))) else []
    assert found > 5
    assert plain == []
