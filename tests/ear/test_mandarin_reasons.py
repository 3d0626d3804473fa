"""Every reason of the ear is said in Mandarin too."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import aptone.ear
from aptone.ear import load_ear
from aptone.ear.mandarin_reasons import LONGEST_REASON, mandarin_reason
from aptone.ear.measures.rhythm import REQUIRED
from aptone.ear.perceive import NEVER_TAUGHT
from aptone.types import Audio

FOLDER = Path(aptone.ear.__file__).parent
RATE = 16_000


def _texts(node: ast.expr) -> Iterator[str]:
    """What an expression may say, with a 7 for every number that is filled in."""
    if isinstance(node, ast.IfExp):
        yield from _texts(node.body)
        yield from _texts(node.orelse)
    elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value:
        yield node.value
    elif isinstance(node, ast.JoinedStr):
        yield "".join(str(part.value) if isinstance(part, ast.Constant) else "7" for part in node.values)


def _said(node: ast.AST) -> Iterator[str]:
    """The reasons that a piece of source gives."""
    if isinstance(node, ast.keyword) and node.arg == "reason":
        yield from _texts(node.value)
    elif isinstance(node, ast.Assign):
        names = {ast.unparse(target).partition("[")[0] for target in node.targets}
        if names & {"reason", "NO_SPEECH", "found"}:
            yield from _texts(node.value)
    elif isinstance(node, ast.FunctionDef) and node.name in ("_too_few", "_reason"):
        for one in ast.walk(node):
            if isinstance(one, ast.Return) and one.value:
                yield from _texts(one.value)


def _reasons() -> set[str]:
    found = set(NEVER_TAUGHT.values())
    for path in FOLDER.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            found |= set(_said(node))
    # a rhythm names the measure that it lacks
    return {
        re.sub("^7: 7$", f"{REQUIRED[0]}: no speech found", one).replace("7: ", f"{REQUIRED[0]}: ") for one in found
    }


def test_the_source_gives_many_reasons() -> None:
    assert {"the clip is silent", "no speech found", "7 s of voice, need 7 s"} <= _reasons()
    assert len(_reasons()) >= 15


@pytest.mark.parametrize("reason", sorted(_reasons()))
def test_every_reason_in_the_source_of_the_ear_has_mandarin_words(reason: str) -> None:
    said = mandarin_reason(reason)
    assert said is not None
    assert re.search("[\u4e00-\u9fff]", said)
    assert not re.search("[a-z]{4}", said)


@pytest.mark.parametrize("name", REQUIRED)
def test_a_measure_that_a_rhythm_needs_is_named(name: str) -> None:
    assert "没有找到语音" in (mandarin_reason(f"{name}: no speech found") or "")


@pytest.mark.parametrize("seconds", [0.1, 1.0])
def test_what_a_real_ear_says_is_known(seconds: float) -> None:
    noise = np.random.default_rng(1).normal(0.0, 0.05, round(RATE * seconds)).astype(np.float32)
    heard = load_ear("permissive").perceive(Audio(noise, rate=RATE))
    assert heard.unjudged
    assert all(mandarin_reason(reason) for reason in heard.unjudged.values())


def test_what_is_not_the_ears_is_not_known() -> None:
    assert mandarin_reason("the moon was full") is None
    assert mandarin_reason("pitch level: " * LONGEST_REASON + "no speech found") is None
    assert mandarin_reason("pitch level: the moon was full") == "音高水平：the moon was full"
