"""Why a caption scores as it does, in a sentence or two for people."""

from collections.abc import Sequence

from aptone.ear.claims.verification import Verdict
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
    wrong = _named([unit for unit, one in pairs if one.verdict is Verdict.FALSE], language)
    unsure = _named([unit for unit, one in pairs if one.verdict is Verdict.UNDECIDED], language)
    left_out = _named(missed, language)
    if language == "zh":
        said = f"{len(units)} 条说法中有 {true} 条属实。"
        said += f"{wrong}与录音不符。" if wrong else ""
        said += f"无法判断{unsure}。" if unsure else ""
        return said + (f"描述遗漏了{left_out}。" if left_out else "")
    parts = [f"{true} of {len(units)} claims hold."]
    if wrong:
        parts.append(f"The recording speaks against {wrong}.")
    if unsure:
        parts.append(f"Undecided: {unsure}.")
    if left_out:
        parts.append(f"The caption leaves out {left_out}.")
    return " ".join(parts)


def _named(units: Sequence[Unit], language: Language) -> str:
    """The words of some units, each once, with whether there are others."""
    denied = {"en": "not ", "zh": "否定的"}[language]
    said = dict.fromkeys(f"{denied if unit.is_denied else ''}“{' '.join(unit.evidence.split())}”" for unit in units)
    quoted = {"en": ", ", "zh": "、"}[language].join(list(said)[:MOST_NAMED])
    return quoted + ({"en": " and others", "zh": "等"}[language] if len(said) > MOST_NAMED else "")
