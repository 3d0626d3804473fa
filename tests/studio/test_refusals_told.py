"""Every sentence that the studio refuses with is said in Mandarin, too."""

import ast
import re
import string
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from aptone.report.phrase import Phrase
from aptone.studio.refusal_words import REFUSALS
from aptone.studio.refusals_told import LONGEST_KNOWN, in_mandarin
from aptone.studio.task_file_words import TASK_FILES
from pydantic import ValidationError

import aptone
from aptone.studio.refusals import RefusedError
from aptone.studio.server import bodies
from aptone.studio.server.routing import _told as told_by_pydantic
from aptone.types import Json

PACKAGE = Path(aptone.__file__).parent
NOT_SERVED = ("demo", "feeling_places", "imports", "holding", "splits", "taking")
"""Of the studio, but only for whoever types commands."""
SOURCES = [
    *(path for path in sorted((PACKAGE / "studio").rglob("*.py")) if not path.stem.startswith(NOT_SERVED)),
    PACKAGE / "run" / "yaml_text.py",
    PACKAGE / "types" / "decode.py",
    PACKAGE / "types" / "rating.py",
    *(PACKAGE / "audio" / f"{name}.py" for name in ("decode", "formats", "read", "stream")),
    *sorted((PACKAGE / "audio" / "containers").glob("*.py")),
]


def kinds(kind: type[RefusedError]) -> Iterator[str]:
    yield kind.__name__
    for one in kind.__subclasses__():
        yield from kinds(one)


RAISED = {*kinds(RefusedError), "AudioError", "RecordError", "ValueError", "ComposerError", "ConstructorError"}
BLANKS: Mapping[str, Mapping[str, str]] = {
    "checking.py": {"expected": "one of 7 choices", "what": "task"},
    "decode.py": {"path": "RatingTask.items[7]", "error": "the path of a recording is empty", "hint": "."},
    "formats.py": {"where": " after 7 s"},
    "mpeg.py": {"expected": " of 7"},
    "clips.py": {"error": "the file: the recording holds no samples; record or export it again."},
    "store_tasks.py": {
        "where": "task 'a', item 'b'",
        "what": "item '7'",
        "error": "text, role and clip of a story's line are text.",
        "error.message": "there is no file 'a.wav' in the project folder.",
        "problem": "fit: expected one of 7 choices.",
        "reason": "a.wav: the file is empty (0 bytes); record, export or copy it again.",
    },
    "strict_json.py": {"why": "it nests too deep"},
    "yaml_text.py": {"what": "the task file", "place": ", line 7", "why": "nested too deeply"},
}
"""What stands in blanks that hold more than a name or a number; the others are filled with a seven."""
ELSEWHERE = (
    'expected "schema"',  # a choice between records, of which a task has none
    "7; got 7",  # a closed set, of which a task has none
    "base64",  # samples, of which a task has none
    "rate or channels change on the way",  # stands in brackets within another one
    "7: 7",  # composed of what is returned, which is looked at by itself
)


def spoken(node: ast.expr, blanks: Mapping[str, str]) -> str:
    """The text of an expression, blanks filled; empty for one that is made elsewhere."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else ""
    if not isinstance(node, ast.JoinedStr):
        return ""
    found = ""
    for part in node.values:
        if isinstance(part, ast.FormattedValue):
            found += blanks.get(ast.unparse(part.value), "'7'" if part.conversion == ord("r") else "7")
        elif isinstance(part, ast.Constant):
            found += str(part.value)
    return found


def made_in(path: Path) -> Iterator[str]:
    """The sentences of the refusals and errors that a file raises or gives, and what to do next."""
    blanks = BLANKS.get(path.name, {})
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            if name in RAISED or (name == "__init__" and path.name == "refusals.py"):
                yield from (spoken(one, blanks) for one in node.args)
                yield from (spoken(one.value, blanks) for one in node.keywords if one.arg == "next")
            elif name == "_wrong":
                yield from (f"fit: expected {said}." for one in node.args if (said := spoken(one, blanks)))
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) in ("expected", "next_step"):
            said = spoken(node.value, blanks)
            yield f"fit: expected {said}." if path.name == "checking.py" else said
        elif isinstance(node, ast.Yield) and path.name == "store_tasks.py" and node.value is not None:
            yield spoken(node.value, blanks)
        elif isinstance(node, ast.Return) and path.name == "sniff.py" and node.value is not None:
            yield f"7: {spoken(node.value, blanks)}"


MADE = sorted(
    {
        (path.name, sentence)
        for path in SOURCES
        for sentence in made_in(path)
        if " " in sentence.strip() and not any(part in sentence for part in ELSEWHERE)
    }
)


def test_the_sentences_are_found_where_they_are_made() -> None:
    assert len(MADE) > 180
    assert {
        ("administering.py", "This is you: an admin cannot shut the own account out."),
        ("checking.py", "fit: expected a number from 7 to 7 in steps of 7."),
        ("rating.py", "task '7': two controls have the same name."),
        ("refusals.py", "Wait 7 seconds and try again."),
        ("riff.py", "7: the WAV file holds no samples; record or export it again."),
        ("security.py", "Use the address that the studio printed, or start it with --public-url and this address."),
        ("sniff.py", "7: this is a Git LFS pointer and not the recording; fetch it with: git lfs pull"),
        ("store_tasks.py", "task '7' has answers, and item '7' is another now."),
    } <= set(MADE)


@pytest.mark.parametrize(("path", "sentence"), MADE, ids=[sentence[:50] for _, sentence in MADE])
def test_every_sentence_that_is_made_has_one_in_mandarin(path: str, sentence: str) -> None:
    said = in_mandarin(sentence)
    names = (
        r"\b(RatingTask|items|item|gold|low|high|step|prefill|attention_every|outlier_distance|text|role|clip|target)\b"
    )
    plain = re.sub(names + r"|[:：] [a-z]+ -+.*|ffmpeg .*|lame .*|git lfs pull|start 和 end|max_seconds", "", said)
    assert re.search("[\u4e00-\u9fff]", said)
    assert not re.search(r"[a-z]{3,} [a-z]{2,} [a-z]{2,}", plain), "a part is still English"


@pytest.mark.parametrize("phrase", [*REFUSALS, *TASK_FILES], ids=lambda phrase: phrase.en[:50])
def test_both_languages_fill_in_the_same_things(phrase: Phrase) -> None:
    names = [sorted(name for _, name, _, _ in string.Formatter().parse(text) if name) for text in phrase]
    assert names[0] == names[1] or names[0] == [*names[1], "kind"]  # a class of ours means nothing to readers
    filled = dict.fromkeys(names[0], "7")
    assert in_mandarin(phrase.en.format(**filled)) == phrase.zh.format(**filled)


WRONG: tuple[tuple[type[bodies.Body], Json], ...] = (
    (bodies.TaskBody, {}),
    (bodies.TaskBody, 7),
    (bodies.TaskBody, {"open": "yes"}),
    (bodies.TaskBody, {"open": True, "closed": True}),
    (bodies.InvitationBody, {"role": "king", "name": "Ada"}),
    (bodies.InvitationBody, {"role": "annotator", "name": ""}),
    (bodies.InvitationBody, {"role": "annotator", "name": 7}),
    (bodies.InvitationBody, {"role": "annotator", "name": "A" * 201}),
    (bodies.InvitationBody, {"role": "annotator", "name": "Ada", "days": 0}),
    (bodies.InvitationBody, {"role": "annotator", "name": "Ada", "days": 4000}),
    (bodies.InvitationBody, {"role": "annotator", "name": "Ada", "days": "7"}),
    (bodies.AdjudicationBody, {"answers": []}),
    (bodies.ChangesBody, {"changes": {}}),
    (bodies.ChangesBody, {"changes": [{}] * 1000}),
    (bodies.ChangesBody, {"changes": [{"id": "?", "control": "fit", "value": 1, "sequence": 1}]}),
    (bodies.ChangesBody, {"changes": [{"id": "12345678", "control": "fit", "value": 1, "sequence": -1}]}),
    (bodies.ChangesBody, {"changes": [{"id": "12345678", "control": "fit", "value": 1, "sequence": 1.5}]}),
)


@pytest.mark.parametrize(
    ("body", "wrong"), WRONG, ids=[f"{body.__name__}-{number}" for number, (body, _) in enumerate(WRONG)]
)
def test_what_is_wrong_with_a_field_of_a_request_is_told(body: type[bodies.Body], wrong: Json) -> None:
    with pytest.raises(ValidationError) as error:
        body.model_validate(wrong)
    sentence = told_by_pydantic(error.value)
    said = in_mandarin(sentence)
    assert re.search("[\u4e00-\u9fff]", said), sentence
    assert "Input" not in said


def test_what_is_not_ours_stays_as_it_is() -> None:
    for sentence in ("", "the moon was full.", "{0} {why} {{7*7}}", "this task is closed" * LONGEST_KNOWN):
        assert in_mandarin(sentence) == sentence
    assert in_mandarin("task '{why}', item '{0}': no field '{{x}}' to show.") == (
        "任务 '{why}'，条目 '{0}'：没有要显示的字段 '{{x}}'。"
    )


def test_a_long_sentence_of_somebody_takes_no_time() -> None:
    began = time.process_time()
    in_mandarin("task 'a, item b: " * (LONGEST_KNOWN // 17))
    assert time.process_time() - began < 1.0
