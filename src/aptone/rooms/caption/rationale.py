"""Why a caption scores as it does, in a sentence or two for people."""

from collections.abc import Sequence

from aptone.ear.claims import Verdict
from aptone.rooms.caption.data import Unit
from aptone.rooms.caption.verify import Verified
from aptone.types import Language

MOST_NAMED = 3
"""Units that a sentence names; the table and the report show all."""


def rationale(
    units: Sequence[Unit], verdicts: Sequence[Verified], missed: Sequence[Unit], *, language: Language
) -> str:
    """How many claims hold, which do not, and what the caption leaves out.

    Args:
        units: of the caption.
        verdicts: on each of them.
        missed: units of the reference that the caption does not mention.
        language: of the sentences.
    """
    true = sum(one.is_true for one in verdicts)
    pairs = list(zip(units, verdicts, strict=True))
    wrong = [unit.evidence for unit, one in pairs if one.verdict is Verdict.FALSE]
    unsure = [unit.evidence for unit, one in pairs if one.verdict is Verdict.UNDECIDED]
    left_out = [unit.evidence for unit in missed]
    if language == "zh":
        said = f"{len(units)} 条说法中有 {true} 条属实。"
        said += f"录音不支持{_named(wrong, '、', '等')}。" if wrong else ""
        said += f"无法判断{_named(unsure, '、', '等')}。" if unsure else ""
        return said + (f"描述遗漏了{_named(left_out, '、', '等')}。" if left_out else "")
    parts = [f"{true} of {len(units)} claims hold."]
    if wrong:
        parts.append(f"The recording speaks against {_named(wrong, ', ', ' and others')}.")
    if unsure:
        parts.append(f"Undecided: {_named(unsure, ', ', ' and others')}.")
    if left_out:
        parts.append(f"The caption leaves out {_named(left_out, ', ', ' and others')}.")
    return " ".join(parts)


def _named(texts: Sequence[str], between: str, others: str) -> str:
    """Some of the words of a caption, each once, with how it goes on."""
    different = list(dict.fromkeys(" ".join(text.split()) for text in texts))
    quoted = between.join(f"“{text}”" for text in different[:MOST_NAMED])
    return quoted + (others if len(different) > MOST_NAMED else "")
