"""Why a dialogue scores as it does, in a sentence or two for people."""

from collections.abc import Sequence

from aptone.rooms.dialogue.score import TurnScores
from aptone.types import Language, Score

_MANDARIN = {"valence": "效价", "arousal": "唤醒度", "dominance": "支配度"}


def rationale(turns: Sequence[TurnScores], *, language: Language) -> str:
    """How many turns needed balancing, and which answer is the weakest.

    Args:
        turns: the scores of each turn.
        language: of the sentences.
    """
    needed = sum(bool(turn.extreme) for turn in turns)
    scored = [(turn.ers.value, number) for number, turn in enumerate(turns, start=1) if turn.ers.is_defined]
    if language == "zh":
        said = f"{len(turns)} 轮中有 {needed} 轮的用户情感极端，需要平衡。"
        return said + (_weakest_zh(turns, *min(scored)) if scored else "")
    said = f"In {needed} of {len(turns)} turns the user is extreme and needs balancing."
    return f"{said} {_weakest_en(turns, *min(scored))}" if scored else said


def _weakest_en(turns: Sequence[TurnScores], value: float, number: int) -> str:
    turn = turns[number - 1]
    parts = f"contagion {_number(turn.ecs)}, balancing {_number(turn.ebs, 'not needed')}, stability {_number(turn.ess)}"
    extreme = f"; extreme: {', '.join(turn.extreme)}" if turn.extreme else ""
    weakest = "The answer" if len(turns) == 1 else f"The weakest answer is that of turn {number}, which"
    return f"{weakest} scores {value:.2f} ({parts}{extreme})."


def _weakest_zh(turns: Sequence[TurnScores], value: float, number: int) -> str:
    turn = turns[number - 1]
    parts = f"感染 {_number(turn.ecs)}，平衡 {_number(turn.ebs, '不需要')}，稳定 {_number(turn.ess)}"
    extreme = f"；极端维度：{'、'.join(_MANDARIN[name] for name in turn.extreme)}" if turn.extreme else ""
    weakest = "该回答" if len(turns) == 1 else f"最弱的是第 {number} 轮的回答，"
    return f"{weakest}得分 {value:.2f}（{parts}{extreme}）。"


def _number(score: Score, otherwise: str = "–") -> str:
    return f"{score.value:.2f}" if score.is_defined else otherwise
