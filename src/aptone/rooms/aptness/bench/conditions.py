"""Conditions under which CEAEval evaluates a judge: guide, context size, chain of thought, prompt language."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal, get_args

from aptone.errors import UsageError
from aptone.planner import context_window
from aptone.planner.votes import checked_size
from aptone.types import Json, Language, Sample

Guide = Literal["story", "plan", "given"]
"""Guide of a judge: the raw story, a plan that a planner made from the story, or the plan in the record."""

GUIDES: tuple[Guide, ...] = get_args(Guide)
CONTEXT_SIZES = (0, 5, 10, 15)


@dataclass(frozen=True, slots=True)
class Condition:
    """One column of the benchmark.

    Args:
        guide: material that the judge goes by.
        context_size: lines of the story (CTS); 0 is context-free. ``None`` with a given plan, for which it does not
            matter.
        reasoning: whether the judge reasons in words before it scores (CoT); ``None`` if it has no such switch.
        prompt_language: language of its instructions; ``None`` if it has none.
    """

    guide: Guide
    context_size: int | None = None
    reasoning: bool | None = None
    prompt_language: Language | None = None

    @property
    def slug(self) -> str:
        """Its name as that of a folder.

        >>> Condition("story", 5, reasoning=True, prompt_language="zh").slug
        'story-cts5-cot-zh'
        """
        parts: list[str] = [self.guide]
        if self.context_size is not None:
            parts.append(f"cts{self.context_size}")
        if self.reasoning is not None:
            parts.append("cot" if self.reasoning else "direct")
        if self.prompt_language is not None:
            parts.append(self.prompt_language)
        return "-".join(parts)

    @property
    def without_language(self) -> "Condition":
        """The same condition, whatever the language of the prompts."""
        return replace(self, prompt_language=None)

    def settings(self) -> dict[str, Json]:
        """For the configuration of a run."""
        return {
            "guide": self.guide,
            "context_size": self.context_size,
            "reasoning": self.reasoning,
            "prompt_language": self.prompt_language,
        }

    def apply(self, sample: Sample) -> Sample:
        """Return the sample under this condition: no more of the story than its size, and no plan but a given one.

        The story is cut by appendix B (`context_window`). So the condition holds for every planner and judge, also for
        those that have no option for it. With a given plan the story stays as it is.
        """
        if self.guide == "given" or self.context_size is None:
            return sample
        window = context_window(sample.context, sample.following, size=self.context_size)
        return replace(sample, context=window.before, following=window.after, plan=None)


@dataclass(frozen=True, slots=True)
class Grid:
    """Conditions to evaluate.

    Args:
        guides: material that judges go by.

    Raises:
        UsageError: if one of them is empty, or a value is not one.
    """

    context_sizes: tuple[int, ...] = CONTEXT_SIZES
    guides: tuple[Guide, ...] = GUIDES
    reasoning: tuple[bool, ...] = (False, True)
    prompt_languages: tuple[Language, ...] = ("en", "zh")

    def __post_init__(self) -> None:
        allowed: Mapping[str, tuple[object, ...]] = {
            "guides": GUIDES,
            "reasoning": (False, True),
            "prompt_languages": get_args(Language),
        }
        for size in self.context_sizes:
            checked_size(size)
        for name in self.__slots__:
            values = getattr(self, name)
            if not values:
                raise UsageError(f"the grid has no {name.replace('_', ' ')}; name at least one.")
            if wrong := [value for value in values if value not in allowed.get(name, (value,))]:
                raise UsageError(
                    f"{name.replace('_', ' ')} are {', '.join(map(str, allowed[name]))}, got {wrong[0]!r}."
                )
            object.__setattr__(self, name, tuple(sorted(set(values), key=values.index)))
        object.__setattr__(self, "context_sizes", tuple(sorted(self.context_sizes)))

    @property
    def largest(self) -> int:
        """The largest context size."""
        return self.context_sizes[-1]


def folder_name(name: str) -> str:
    """A name that people chose as that of a folder: other characters than letters, digits, dots and dashes are dashes.

    >>> folder_name("Qwen/Qwen3-Omni 30B"), folder_name("../..")
    ('Qwen-Qwen3-Omni-30B', 'judge')
    """
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "judge"
