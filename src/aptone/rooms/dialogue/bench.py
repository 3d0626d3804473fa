"""How dialogues flow through a system under test, an ear and the formulas to scores."""

import asyncio
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from aptone.audio import resample
from aptone.ear.perceive import ear_name
from aptone.errors import RecordError, UsageError
from aptone.models import About
from aptone.rooms.dialogue.config import PAPER, DialogueConfig
from aptone.rooms.dialogue.data import read_dialogues
from aptone.rooms.dialogue.hearing import HEARING_RATE, SCORED_STEP, EarListener, Heard, Listener, hear_turn, turn_audio
from aptone.rooms.dialogue.rationale import rationale
from aptone.rooms.dialogue.recogniser import ServedRecogniser
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.rooms.dialogue.score import SEVERAL, TurnScores, across_turns, categorical, mean_turn, score_turn
from aptone.run import Call
from aptone.run.system import Asked, System, kept_answer
from aptone.types import Audio, AudioRef, Item, Json, Language, Outcome, Score, State, Trajectory, from_json, to_json

CATEGORICAL = "categorical"


@dataclass(frozen=True, slots=True)
class Spoken:
    """A turn with what is heard in it, and its recording where it has one."""

    turn: Turn
    heard: Heard
    audio: Audio | None = None


@dataclass(frozen=True, slots=True)
class DialogueStep:
    """Dialogue → answers of the system, where it is to be asked → what is heard → scores.

    Every dialogue gets ECS, EBS, ESS and ERS, as means over its turns, and the categorical score; one of two turns or
    more also gets the four scores across turns.

    Args:
        listener: hears emotion over time.
        config: the constants of the scores.
        recogniser: says the emotions instead of the listener.
        system: answers the user's turns; ``None`` where the answers are recorded.
        answers: folder in which its answers are kept.
        main: the score that items are ranked by.

    Raises:
        UsageError: if a system is given without a folder for its answers.
    """

    listener: Listener
    config: DialogueConfig = PAPER
    recogniser: ServedRecogniser | None = None
    system: System | None = None
    answers: Path | None = None
    main: str = "ERS"

    def __post_init__(self) -> None:
        if self.system is not None and self.answers is None:
            raise UsageError("the answers of a system are kept in a run folder; name one with -o.")

    def __call__(self, item: Item, call: Call, /) -> Outcome | Awaitable[Outcome]:
        """The outcome of one item whose payload is a `Dialogue`."""
        dialogue = from_json(Dialogue, item.payload)
        if self.recogniser is None:
            return self.judge(*self.listen(dialogue), language=dialogue.language)
        return self._with_labels(dialogue, self.recogniser, call)

    def listen(self, dialogue: Dialogue) -> tuple[list[Spoken], list[Spoken]]:
        """What is heard in the user's turns and in the agent's, answers of the system included.

        Raises:
            AptoneError: if a recording cannot be used, or the system does not answer.
        """
        users, agents = [], []
        answered = dialogue.agent_turns
        if self.system is None and not answered:
            raise RecordError("there is no answer in this dialogue; record some, or name a system with --system.")
        for number, turn in enumerate(dialogue.user_turns, start=1):
            if self.system is None and number > len(answered):
                break
            audio = turn_audio(turn)
            users.append(self._hear(turn, audio, f"turn {number} of the user"))
            if self.system is not None:
                asked = Asked(dialogue.id, number, len(dialogue.user_turns))
                answer = self._ask(self.system, audio, asked)
            else:
                answer = answered[number - 1]
            agents.append(self._hear(answer, turn_audio(answer), f"turn {number} of the agent"))
        return users, agents

    def _hear(self, turn: Turn, audio: Audio | None, name: str) -> Spoken:
        try:
            return Spoken(turn, hear_turn(turn, audio, self.listener, table=self.config.table), audio)
        except RecordError as error:
            raise RecordError(f"{name}: {error}") from error

    def _ask(self, system: System, question: Audio | None, asked: Asked) -> Turn:
        if question is None or self.answers is None:
            raise RecordError(f"turn {asked.turn} of the user has no recording that a system could answer.")
        return Turn(Role.AGENT, audio=kept_answer(system, question, asked, folder=self.answers))

    async def _with_labels(self, dialogue: Dialogue, recogniser: ServedRecogniser, call: Call) -> Outcome:
        users, agents = await asyncio.to_thread(self.listen, dialogue)
        labelled = [
            [await self._label(spoken, recogniser, call, dialogue.language) for spoken in side]
            for side in (users, agents)
        ]
        return self.judge(*labelled, language=dialogue.language)

    async def _label(self, spoken: Spoken, recogniser: ServedRecogniser, call: Call, language: Language) -> Spoken:
        if spoken.turn.emotion or spoken.audio is None:
            return spoken
        emotion = await recogniser.recognise(spoken.audio, call, language=language)
        label = emotion if emotion in self.config.table else ""
        said = f"hears {emotion}, which the table does not know" if emotion else "is not sure"
        heard = replace(spoken.heard, emotion=label, no_emotion="" if label else f"the recogniser {said}")
        return replace(spoken, heard=heard)

    def judge(self, users: Sequence[Spoken], agents: Sequence[Spoken], *, language: Language = "en") -> Outcome:
        """The scores of turns that were heard."""
        turns = [
            _explained(score_turn(user.heard.points, agent.heard.points, config=self.config), user.heard, agent.heard)
            for user, agent in zip(users, agents, strict=True)
        ]
        scores = mean_turn(turns, config=self.config).by_name()
        if len(turns) >= SEVERAL:
            scores |= across_turns(turns, [agent.heard.points for agent in agents], config=self.config).by_name()
        scores[CATEGORICAL] = self._categorical(users, agents)
        signed = {name: replace(score, signature=self.signature) for name, score in scores.items()}
        return Outcome(
            State.DONE,
            signed,
            main_score=self.main if self.main in signed else "ERS",
            rationale=rationale(turns, language=language),
            evidence=self._evidence(users, agents, turns),
            signature=self.signature,
        )

    def _categorical(self, users: Sequence[Spoken], agents: Sequence[Spoken]) -> Score:
        for number, pair in enumerate(zip(users, agents, strict=True), start=1):
            for role, spoken in zip(Role, pair, strict=True):
                if not spoken.heard.emotion:
                    why = f"turn {number}, {role.value}: {spoken.heard.no_emotion}"
                    return Score(float("nan"), range=self.config.table_range, reason=why)
        pairs = [(user.heard.emotion, agent.heard.emotion) for user, agent in zip(users, agents, strict=True)]
        return categorical(pairs, config=self.config)

    def _evidence(
        self, users: Sequence[Spoken], agents: Sequence[Spoken], turns: Sequence[TurnScores]
    ) -> dict[str, Json]:
        exchanges: list[Json] = [
            {
                "user": _shown(user.heard),
                "agent": _shown(agent.heard),
                "extreme": turn.extreme,
                "scores": {name: to_json(score) for name, score in turn.by_name().items()},
            }
            for user, agent, turn in zip(users, agents, turns, strict=True)
        ]
        evidence: dict[str, Json] = {
            "exchanges": exchanges,
            "extreme": to_json(self.config.extreme),
            "shift": to_json(self.config.shift),
        }
        if self.system is not None:
            evidence["answers"] = [to_json(agent.turn.audio) for agent in agents if agent.turn.audio is not None]
        return evidence

    @property
    def signature(self) -> str:
        """Everything that a score depends on."""
        parts = [self.config.signature, self.listener.signature]
        parts += [part.signature for part in (self.recogniser, self.system) if part is not None]
        return " + ".join(parts)

    def settings(self) -> dict[str, Json]:
        """What a score depends on, for the configuration of a run."""
        return {
            "constants": to_json(self.config),
            "listener": self.listener.signature,
            "recogniser": self.recogniser.signature if self.recogniser else "",
            "system": self.system.signature if self.system else "",
            "main": self.main,
        }

    @property
    def about(self) -> About:
        """What a user must know before it runs."""
        known = self.listener.about
        if self.recogniser is not None:
            known = known + self.recogniser.about
        if self.system is not None:
            known = known + About(sends_audio_to=self.system.sends_audio_to)
        return known


def main_score(dialogues: Sequence[Dialogue], *, asked: bool) -> str:
    """The score that a run is ranked by: CT-ERS where every dialogue has several turns, else ERS.

    Args:
        dialogues: of the run.
        asked: whether a system answers every turn of the user.
    """
    counts = [len(one.user_turns) if asked else len(one.exchanges) for one in dialogues]
    return "CT-ERS" if min(counts, default=0) >= SEVERAL else "ERS"


def answered_by(dialogues: Sequence[Dialogue], name: str) -> list[Dialogue]:
    """The user's side of dialogues, for a system of that name to answer."""
    return [
        replace(one, turns=one.user_turns, ids={**one.ids, "system": name}, human_score=float("nan"), ratings={})
        for one in dialogues
    ]


def _explained(turn: TurnScores, user: Heard, agent: Heard) -> TurnScores:
    """The scores of a turn, whose reasons say why there are no points."""

    def explain(score: Score) -> Score:
        for who, heard in (("user", user), ("agent", agent)):
            if score.reason == f"the {who} has no points" and heard.no_trajectory:
                return replace(score, reason=f"the {who}: {heard.no_trajectory}")
        return score

    return TurnScores(explain(turn.ecs), explain(turn.ebs), explain(turn.ess), explain(turn.ers), turn.extreme)


def _shown(heard: Heard) -> dict[str, Json]:
    return {
        "trajectory": None if heard.trajectory is None else to_json(heard.trajectory),
        "no_trajectory": heard.no_trajectory,
        "emotion": heard.emotion,
        "no_emotion": heard.no_emotion,
    }


GivenTurn = str | Path | Audio | Trajectory
"""What a turn may be given as: the path of a recording, a recording that was read, or a trajectory."""


def dialogue(
    turns: str | Path | Sequence[GivenTurn],
    *,
    ear: str | None = None,
    step: float = SCORED_STEP,
    config: DialogueConfig | None = None,
    language: Language = "en",
) -> Outcome:
    """Score one dialogue: does the agent react to the user's feeling?

    Args:
        turns: the turns, the user first and then in turn; or the path of one dialogue: a stereo recording with the
            user left and the agent right, or a folder with a recording a turn.
        ear: name of the ear: ``"full"`` or ``"permissive"``; ``None`` for the one that ``APTONE_EAR`` names, or
            ``"full"``.
        step: seconds between two points of a trajectory; the paper's constants are made for 1.
        config: other constants than the paper's.
        language: of the rationale.

    Returns:
        The outcome. ``scores["ERS"]`` and the others are at most 1; EBS is not needed where the user is not extreme.

    Raises:
        AptoneError: if a recording or a trajectory cannot be used.

    >>> calm = Trajectory(1.0, (0.2, 0.2), (0.1, 0.1), (0.3, 0.3))
    >>> dialogue([calm, calm]).scores["ERS"].value
    1.0
    """
    scoring = DialogueStep(EarListener(ear_name(ear), step), config or PAPER)
    if isinstance(turns, str | Path):
        found = read_dialogues(Path(turns), step=step)
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
    if isinstance(turn, Trajectory):
        known = Turn(role, trajectory=turn)
        return scoring._hear(known, None, f"turn {number + 1}")
    if isinstance(turn, Audio):
        audio = resample(turn, rate=HEARING_RATE)
        heard = scoring.listener.hear(audio, labels=tuple(scoring.config.table))
        return Spoken(Turn(role, emotion=heard.emotion or "none"), heard, audio)
    known = Turn(role, audio=AudioRef(str(turn)))
    return scoring._hear(known, turn_audio(known), f"turn {number + 1}")


def turn_points(dialogues: Sequence[Dialogue], listener: Listener) -> list[npt.NDArray[np.float64]]:
    """The trajectory of every turn of a corpus, for `aptone.rooms.dialogue.thresholds`."""
    found = []
    for one in dialogues:
        for turn in one.turns:
            found.append(hear_turn(turn, turn_audio(turn), listener, table=PAPER.table).points)
    return found
