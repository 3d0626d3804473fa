"""A reason, refusal or note is a message from where it arises: no finished sentence stands in its place."""

import ast
from collections.abc import Iterator
from pathlib import Path

import aptone

PACKAGE = Path(aptone.__file__).parent
KEPT = {"reason", "detail", "problem", "why", "how", "method", "note", "notes", "licence", "stopped"}
"""Names of fields and variables that readers are shown."""
GIVING = {"unscored", "failed", "refuse", "lost_entry", "UnusableReplyError", "TransientError"}
"""What gives an item a reason."""
REFUSING = {"AudioError", "MissingExtraError"}
"""Errors that become the reason of an item, wherever they are raised."""
REFUSALS = (
    "Refused",
    "NotSignedIn",
    "NotAllowed",
    "NotFound",
    "NotNow",
    "NotAnAnswer",
    "Busy",
    "NotUnderstood",
    "ForeignRequest",
    "WrongMethod",
    "NotThatType",
    "NoSuchPart",
    "WrongHost",
    "TooOften",
    "Fault",
)
"""What a page of a server shows, by the beginning of its name."""
ONLY_FILES = {
    "rooms/aptness/build/files.py": 1,  # a note in a file of data
    "rooms/style/build/s3bench_files.py": 1,  # likewise
    "studio/exchange/rows.py": 1,  # likewise
    "run/export.py": 1,  # the card of a dataset
    "run/system/command.py": 1,  # part of an error of the command line
}
"""Sentences that no page or table shows: file and how many."""


def is_text(node: ast.expr) -> bool:
    """Whether an expression may be a finished sentence."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and " " in node.value.strip()
    if isinstance(node, ast.JoinedStr):
        fixed = [str(part.value) for part in node.values if isinstance(part, ast.Constant)]
        return any(character.isalpha() for part in fixed for character in part)
    if isinstance(node, ast.IfExp):
        return is_text(node.body) or is_text(node.orelse)
    if isinstance(node, ast.BoolOp):
        return any(map(is_text, node.values))
    return isinstance(node, ast.Tuple) and any(map(is_text, node.elts))


def sentences_of(path: Path) -> Iterator[ast.expr]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.keyword) and node.arg in KEPT | {"next"} and is_text(node.value):
            yield node.value
        elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            if node.targets[0].id.lower() in KEPT and is_text(node.value):
                yield node.value
        elif isinstance(node, ast.Call) and node.args and is_text(node.args[0]):
            name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
            refusal = {"studio", "web"} & set(path.parts) and name.endswith("Error") and name.startswith(REFUSALS)
            if name in GIVING | REFUSING or refusal:
                yield node.args[0]


def test_every_reason_refusal_and_note_is_a_message() -> None:
    found: dict[str, list[str]] = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in sentences_of(path):
            found.setdefault(path.relative_to(PACKAGE).as_posix(), []).append(f"{node.lineno}: {ast.unparse(node)}")
    assert {place: said for place, said in found.items() if len(said) > ONLY_FILES.get(place, 0)} == {}
    assert set(ONLY_FILES) <= set(found), "not needed any more"


def test_a_finished_sentence_is_recognised(tmp_path: Path) -> None:
    source = tmp_path / "studio" / "x.py"
    source.parent.mkdir()
    source.write_text(
        """
raise AudioError(f"{name}: empty")
x = Score(nan, reason="no voice")
y = Outcome.unscored(given or "no plan")
raise NotFoundError("there is none.", next="Ask for it.")
reason = message("ear.no-speech")
raise AudioError(message("audio.file-empty", name=f"{folder}/a.wav"))
z = Score(nan, reason="", method=method)
"""
    )
    assert sorted(node.lineno for node in sentences_of(source)) == [2, 3, 4, 5, 5]
