"""``aptone.dialogue``: one dialogue in, its scores out."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import numpy.typing as npt

from aptone.audio import resample
from aptone.ear.perceive import ear_name
from aptone.ear.reference import References
from aptone.ear.referenced import with_reference
from aptone.errors import UsageError
from aptone.rooms.dialogue.config import PAPER, DialogueConfig
from aptone.rooms.dialogue.data import read_dialogues
from aptone.rooms.dialogue.hearing.cser import choose_listener
from aptone.rooms.dialogue.hearing.labels import Labels, labels_named
from aptone.rooms.dialogue.hearing.turns import HEARING_RATE, Listener, hear_turn, turn_audio
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.rooms.dialogue.step import DialogueStep, Spoken, turn_voice
from aptone.types import Audio, AudioRef, Language, Outcome, Trajectory

GivenTurn = str | Path | Audio | Trajectory
"""Input of a turn: the path of a recording, a recording that was read, or a trajectory."""


def dialogue(
    turns: str | Path | Sequence[GivenTurn],
    *,
    ear: str | None = None,
    trajectory_model: str | Path | None = None,
    step: float | None = None,
    config: DialogueConfig | None = None,
    language: Language = "en",
    reference: References | str | Path | None = None,
    labels: Literal["clear", "forced"] = "clear",
) -> Outcome:
    """Score one dialogue: does the agent react to the user's feeling?

    Args:
        turns: the turns, the user first and then in turn; or the path of one dialogue: a stereo recording with the
            user left and the agent right, or a folder with a recording a turn.
        ear: name of the ear: ``"full"`` or ``"permissive"``; ``None`` for the one that ``APTONE_EAR`` names, or
            ``"full"``.
        trajectory_model: folder of a model of emotion over time that is heard with instead of the ear; made by
            ``aptone train cser``.
        step: seconds between two points of a trajectory; by default 1, which the paper's constants are made for.
        config: other constants than the paper's.
        language: language of the rationale.
        reference: what the voices usually sound like (`aptone.reference`), or a folder of at least 8 recordings; the
            voices are ``user`` and ``agent``.
        labels: label of a turn in which the ear mostly hears emotions that the paper's table does not know: none, or
            the likeliest of the table's.

    Returns:
        The outcome. ``scores["ERS"]`` and the others are at most 1; EBS is not needed where the user is not extreme.
        ``scores["reaction"]`` is the verdict by the paper's table: ERS rewards following an angry user, it does not.

    Raises:
        AptoneError: if a recording or a trajectory cannot be used.

    >>> calm = Trajectory(1.0, (0.2, 0.2), (0.1, 0.1), (0.3, 0.3))
    >>> dialogue([calm, calm]).scores["ERS"].value
    1.0
    """
    folder = None if trajectory_model is None else Path(trajectory_model)
    listener = with_reference(choose_listener(ear_name(ear), folder, step), reference)
    scoring = DialogueStep(listener, config or PAPER, labels=labels_named(labels))
    if isinstance(turns, str | Path):
        found = read_dialogues(Path(turns), step=scoring.listener.step)
        if len(found) != 1:
            raise UsageError(f"{turns}: holds {len(found)} dialogues; score them with: aptone dialogue {turns}")
        return scoring.judge(*scoring.listen(found[0]), language=language)
    spoken = [_given(turn, number, scoring) for number, turn in enumerate(turns)]
    if len(spoken) < 2:
        raise UsageError(f"a dialogue has a turn of the user and one of the agent, got {len(spoken)} turns.")
    agents = spoken[1::2]
    return scoring.judge(spoken[0::2][: len(agents)], agents, language=language)


def _given(turn: GivenTurn, number: int, scoring: DialogueStep) -> Spoken:
    role = Role.AGENT if number % 2 else Role.USER
    voice = turn_voice(role)
    if isinstance(turn, Audio):
        audio = resample(turn, rate=HEARING_RATE)
        heard = scoring.listener.hear(audio, labels=tuple(scoring.config.table), voice=voice)
        return Spoken(heard.forced() if scoring.labels is Labels.FORCED else heard, audio)
    known = Turn(role, trajectory=turn) if isinstance(turn, Trajectory) else Turn(role, audio=AudioRef(str(turn)))
    return scoring.hear(known, turn_audio(known), f"turn {number + 1}", voice=voice)


def turn_points(dialogues: Sequence[Dialogue], listener: Listener) -> Iterator[npt.NDArray[np.float64]]:
    """The trajectory of every turn of a corpus, one after the other, for `aptone.rooms.dialogue.config`."""
    for one in dialogues:
        for turn in one.turns:
            yield hear_turn(turn, turn_audio(turn), listener, table=PAPER.table).points
