"""What a planner is asked: prompts in files, filled with a window of the story and the line."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from aptone.models.asking.guard import guard
from aptone.models.asking.prompts import PromptSet, load_prompts
from aptone.models.chat import Message
from aptone.planner.reading.quotations import find_quotations
from aptone.planner.windows import Window
from aptone.types import ClosedSet, Intonation, Language, Line, RecordingCondition, Rhythm

PROMPTS = Path(__file__).parent / "prompts"
CHOICES: Mapping[str, type[ClosedSet]] = {
    "rhythms": Rhythm,
    "intonations": Intonation,
    "conditions": RecordingCondition,
}
PLACES: Mapping[str, tuple[str, ...]] = {"task": tuple(CHOICES), "material": ("passage", "line")}
"""The prompts of a set, and the places that each has."""

NO_PASSAGE = {"en": "(nothing is known of it)", "zh": "（没有上下文）"}
HERE = {"en": "(Here the line is spoken.)", "zh": "（这句话在此处。）"}
SAYS = {"en": "{role}: {text}", "zh": "{role}：{text}"}
DIRECTED = {"en": " ({direction})", "zh": "（{direction}）"}
BETWEEN = {"en": ", ", "zh": "、"}


def planner_prompts(folder: str | Path | None = None) -> PromptSet:
    """The prompts of a user's folder, or ours.

    Raises:
        UsageError: if a file is missing, cannot be read, or has other places than `PLACES`.
    """
    return load_prompts(PROMPTS if folder is None else Path(folder), places=PLACES)


def plan_messages(prompts: PromptSet, window: Window, target: Line, *, language: Language) -> list[Message]:
    """The conversation that asks how a line should sound; words of the story can neither open nor close a region."""
    choices = {name: _names(known, language) for name, known in CHOICES.items()}
    material = {"passage": _passage(window, language), "line": _said(target, language)}
    return [
        Message("system", prompts.fill("task", language, choices)),
        Message("user", prompts.fill("material", language, material)),
    ]


def _names(known: type[ClosedSet], language: Language) -> str:
    return BETWEEN[language].join(member.label(language) for member in known)


def _passage(window: Window, language: Language) -> str:
    if not window.size:
        return NO_PASSAGE[language]
    here = [HERE[language]] if window.after else []
    return "\n".join([*_all_said(window.before, language), *here, *_all_said(window.after, language)])


def _all_said(lines: Sequence[Line], language: Language) -> list[str]:
    return [_said(line, language) for line in lines]


def _said(line: Line, language: Language) -> str:
    text, role, direction = guard(line.text), guard(line.role), guard(line.direction)
    label = role if role not in text else ""  # "“Go,” said Tom." needs no second name
    if direction:
        label = f"{role}{DIRECTED[language].format(direction=direction)}".strip()
    if line.speech and not label and not find_quotations(text):
        text = f"“{text}”"
    return SAYS[language].format(role=label, text=text) if label else text
