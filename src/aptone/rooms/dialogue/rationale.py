"""Sentences about a scored dialogue: the verdict first, then what the scores rest on."""

from collections.abc import Sequence

from aptone.messages import joined, known_name, message, translate
from aptone.rooms.dialogue.score import TurnScores
from aptone.rooms.dialogue.verdict import Course, Fit, TurnVerdict, dialogue_word, fit_word
from aptone.types import Language, Score

Emotions = tuple[str, str]
"""Likeliest emotions of user and agent in a turn, empty where nothing is known."""


def rationale(
    turns: Sequence[TurnScores],
    verdicts: Sequence[TurnVerdict],
    emotions: Sequence[Emotions],
    *,
    reaction: Score,
    language: Language,
) -> str:
    """State the verdict, answers in kind, how many turns needed balancing, and which answer is the weakest."""
    parts = [_verdict(verdicts, emotions, reaction)]
    if lifted := [number for number, one in enumerate(verdicts, start=1) if one.lifts]:
        parts.append(message("dialogue.in-kind", turns=_listed(lifted)))
    needed = sum(bool(turn.extreme) for turn in turns)
    followed = sum(one.course is Course.FOLLOWS for one in verdicts)
    if needed:
        parts.append(message("dialogue.needed", needed=needed, all=len(turns), followed=followed))
    else:
        parts.append(message("dialogue.none-needed"))
    scored = [(turn.ers.value, number) for number, turn in enumerate(turns, start=1) if turn.ers.is_defined]
    if scored:
        parts.append(_weakest(turns, *min(scored)))
    return translate(joined(parts, "text.space"), language)


def _verdict(verdicts: Sequence[TurnVerdict], emotions: Sequence[Emotions], reaction: Score) -> str:
    word = dialogue_word(reaction, [one.reaction for one in verdicts])
    if word is None:
        return message("dialogue.no-verdict", why=reaction.reason)
    poor = [
        message("dialogue.misfit", number=number, user=known_name(pair[0]), agent=known_name(pair[1]))
        for number, (one, pair) in enumerate(zip(verdicts, emotions, strict=True), start=1)
        if fit_word(one.reaction) is Fit.MISFITS
    ]
    said = message(f"dialogue.{word.value}")
    if not poor:
        return message("dialogue.verdict", word=said, value=reaction.value)
    return message("dialogue.verdict-but", word=said, value=reaction.value, turns=joined(poor, "text.comma"))


def _weakest(turns: Sequence[TurnScores], value: float, number: int) -> str:
    turn = turns[number - 1]
    parts = {"ecs": _number(turn.ecs), "ebs": _number(turn.ebs), "ess": _number(turn.ess)}
    extreme = joined(map(known_name, turn.extreme), "text.comma") if turn.extreme else message("dialogue.nothing")
    if len(turns) == 1:
        return message("dialogue.only-answer", value=value, extreme=extreme, **parts)
    return message("dialogue.weakest-answer", number=number, value=value, extreme=extreme, **parts)


def _number(score: Score) -> str:
    return f"{score.value:.2f}" if score.is_defined else message("dialogue.no-number")


def _listed(numbers: Sequence[int]) -> str:
    return joined(map(str, numbers), "text.comma")
