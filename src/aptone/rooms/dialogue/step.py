"""Scoring step for dialogues: a system under test, an ear, the formulas, scores."""

import asyncio
import contextlib
import math
from collections.abc import Awaitable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from aptone.audio import Channel
from aptone.ear.reference import Clip
from aptone.errors import AudioError, RecordError, UsageError
from aptone.messages import known_name, message
from aptone.models import About
from aptone.rooms.dialogue.config import PAPER, DialogueConfig
from aptone.rooms.dialogue.hearing.labels import Labels
from aptone.rooms.dialogue.hearing.turns import Heard, Listener, ServedRecogniser, hear_turn, turn_audio
from aptone.rooms.dialogue.rationale import rationale
from aptone.rooms.dialogue.records import Dialogue, Role, Turn
from aptone.rooms.dialogue.score import NO_POINTS, SEVERAL, TurnScores, across_turns, categorical, mean_turn, score_turn
from aptone.rooms.dialogue.verdict import Side, TurnVerdict, mean_reaction, turn_verdict
from aptone.run import Call
from aptone.run.system import RECORDED, Asked, FolderSystem, System, kept_answer
from aptone.types import (
    Audio,
    AudioRef,
    Item,
    Json,
    Language,
    Outcome,
    Score,
    State,
    from_json,
    signature,
    to_json,
)

GIVEN = signature("given-trajectories", {})
"""Stands in signatures where no turn was heard."""

ASKED = "dialogue"
"""Under this key of the ids stands the dialogue that several systems answer."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """Perception of a turn with its recording, if it is a file.

    Args:
        is_labelled: whether the emotion was known beforehand.
        is_recognised: whether a recogniser named it.
    """

    heard: Heard
    audio: Audio | None = None
    ref: AudioRef | None = None
    is_labelled: bool = False
    is_recognised: bool = False


@dataclass(frozen=True, slots=True)
class Sources:
    """What the turns of a run come with, so that a run names what it really used.

    Args:
        turns: turns with a recording or a trajectory, answers of systems under test included.
        given: those whose trajectory is given.
        heard: those that the listener hears, for a trajectory or for a label.
    """

    turns: int
    given: int
    heard: int

    @classmethod
    def of(cls, dialogues: Iterable[Dialogue], systems: Collection[str] = ()) -> "Sources":
        """Return the sources of dialogues, of which those of `systems` are answered during the run."""
        turns = given = heard = 0
        for one in dialogues:
            asked = len(one.user_turns) if one.ids.get("system") in systems else 0
            turns += len(one.turns) + asked
            given += sum(turn.trajectory is not None for turn in one.turns)
            needs_ear = (turn.audio is not None and not (turn.trajectory and turn.emotion) for turn in one.turns)
            heard += sum(needs_ear) + asked
        return cls(turns, given, heard)

    @property
    def note(self) -> str:
        """Sentence about given trajectories; empty where there are none."""
        return message("dialogue.note-given", count=self.given, all=self.turns) if self.given else ""


@dataclass(frozen=True, slots=True)
class DialogueStep:
    """Dialogue → answers of the system, where it is to be asked → what is heard → scores.

    Every dialogue gets ECS, EBS, ESS and ERS, as means over its turns, the categorical score and the reaction; one of
    two turns or more also gets the four scores across turns.

    Args:
        recogniser: says the emotions instead of the listener.
        systems: by name, what answers the turns of the dialogues that name it; the others have recorded answers.
        language: language of the rationales; ``None`` for the one that each dialogue is spoken in.
        labels: labels of turns in which the ear mostly hears emotions that the table does not know.
        sources: what the turns come with; ``None`` where that is not known beforehand.

    Raises:
        UsageError: if a system is given without a folder for its answers.
    """

    listener: Listener
    config: DialogueConfig = PAPER
    recogniser: ServedRecogniser | None = None
    systems: Mapping[str, System] = field(default_factory=dict)
    answers: Path | None = None
    main: str = "ERS"
    language: Language | None = None
    labels: Labels = Labels.CLEAR
    sources: Sources | None = None

    def __post_init__(self) -> None:
        if self.systems and self.answers is None:
            raise UsageError("the answers of a system are kept in a run folder; name one with -o.")

    def __call__(self, item: Item, call: Call, /) -> Outcome | Awaitable[Outcome]:
        """The outcome of one item whose payload is a `Dialogue`."""
        dialogue = from_json(Dialogue, item.payload)
        if self.recogniser is None:
            return self.judge(*self.listen(dialogue), language=self.language or dialogue.language)
        return self._with_labels(dialogue, self.recogniser, call)

    def listen(self, dialogue: Dialogue) -> tuple[list[Spoken], list[Spoken]]:
        """Hear the user's turns and the agent's, answers of the system included.

        Raises:
            AptoneError: if a recording cannot be used, or the system does not answer.
        """
        users, agents = [], []
        name = dialogue.ids.get("system", "")
        answered, system, voice = dialogue.agent_turns, self.systems.get(name), turn_voice(Role.AGENT, name)
        if system is None and not answered:
            raise RecordError("there is no answer in this dialogue; record some, or name a system with --system.")
        for number, turn in enumerate(dialogue.user_turns, start=1):
            if system is None and number > len(answered):
                break
            audio = turn_audio(turn)
            users.append(self.hear(turn, audio, f"turn {number} of the user", voice=turn_voice(Role.USER)))
            if system is None:
                answer = answered[number - 1]
            else:
                asked = Asked(dialogue.ids.get(ASKED, dialogue.id), number, len(dialogue.user_turns))
                answer = self._ask(system, audio, asked)
            agents.append(self.hear(answer, turn_audio(answer), f"turn {number} of the agent", voice=voice))
        return users, agents

    def hear(self, turn: Turn, audio: Audio | None, name: str, *, voice: str = "") -> Spoken:
        """Hear a turn; `name` is how an error calls it, `voice` the speaker.

        Raises:
            RecordError: if what is known of it beforehand cannot be used.
        """
        try:
            heard = hear_turn(turn, audio, self.listener, table=self.config.table, voice=voice)
            heard = heard.forced() if self.labels is Labels.FORCED else heard
            return Spoken(heard, audio, turn.audio, is_labelled=bool(turn.emotion))
        except RecordError as error:
            raise RecordError(f"{name}: {error}") from error

    def _ask(self, system: System, question: Audio | None, asked: Asked) -> Turn:
        if question is None or self.answers is None:
            raise RecordError(f"turn {asked.turn} of the user has no recording that a system could answer.")
        return Turn(Role.AGENT, audio=kept_answer(system, question, asked, folder=self.answers))

    async def _with_labels(self, dialogue: Dialogue, recogniser: ServedRecogniser, call: Call) -> Outcome:
        users, agents = await asyncio.to_thread(self.listen, dialogue)
        language = dialogue.language
        sides = [[await self._label(one, recogniser, call, language) for one in side] for side in (users, agents)]
        return self.judge(*sides, language=self.language or language)

    async def _label(self, spoken: Spoken, recogniser: ServedRecogniser, call: Call, language: Language) -> Spoken:
        if spoken.is_labelled or spoken.audio is None:
            return spoken
        emotion = await recogniser.recognise(spoken.audio, call, language=language)
        label = emotion if emotion in self.config.table else ""
        if label:
            heard = replace(spoken.heard, emotion=label, no_emotion="", shares={}, is_forced=False)
        else:
            unknown = message("dialogue.recogniser-unknown", emotion=known_name(emotion))
            why = unknown if emotion else message("dialogue.recogniser-unsure")
            heard = replace(spoken.heard, emotion="", no_emotion=why, shares={}, is_forced=False)
        return replace(spoken, heard=heard, is_recognised=True)

    def judge(self, users: Sequence[Spoken], agents: Sequence[Spoken], *, language: Language = "en") -> Outcome:
        """The scores of turns that were heard."""
        heard = [(user.heard, agent.heard) for user, agent in zip(users, agents, strict=True)]
        turns = [
            _explained(score_turn(one.points, other.points, config=self.config), one, other) for one, other in heard
        ]
        verdicts = [
            turn_verdict(_side(one), _side(other), turn, config=self.config)
            for (one, other), turn in zip(heard, turns, strict=True)
        ]
        scores = mean_turn(turns, config=self.config).by_name()
        if len(turns) >= SEVERAL:
            scores |= across_turns(turns, [agent.heard.points for agent in agents], config=self.config).by_name()
        scores["categorical"] = self._categorical(users, agents)
        scores["reaction"] = mean_reaction(verdicts, config=self.config)
        made_by = self._made_by([*users, *agents])
        signed = {name: replace(score, signature=made_by) for name, score in scores.items()}
        emotions = [(user.likeliest, agent.likeliest) for user, agent in heard]
        return Outcome(
            State.DONE,
            signed,
            main_score=self.main if self.main in signed else "ERS",
            rationale=rationale(turns, verdicts, emotions, reaction=scores["reaction"], language=language),
            evidence=self._evidence(users, agents, turns, verdicts),
            signature=made_by,
        )

    def _categorical(self, users: Sequence[Spoken], agents: Sequence[Spoken]) -> Score:
        pairs = list(zip(users, agents, strict=True))
        for number, pair in enumerate(pairs, start=1):
            for role, spoken in zip(Role, pair, strict=True):
                if not spoken.heard.emotion:
                    why = message(f"dialogue.turn-{role.value}", number=number, why=spoken.heard.no_emotion)
                    return Score(math.nan, range=self.config.table_range, reason=why)
        return categorical([(user.heard.emotion, agent.heard.emotion) for user, agent in pairs], config=self.config)

    def _evidence(
        self,
        users: Sequence[Spoken],
        agents: Sequence[Spoken],
        turns: Sequence[TurnScores],
        verdicts: Sequence[TurnVerdict],
    ) -> dict[str, Json]:
        exchanges: list[Json] = [
            {
                "user": _shown(user),
                "agent": _shown(agent),
                "extreme": turn.extreme,
                "scores": {name: to_json(score) for name, score in turn.by_name().items()},
                "verdict": to_json(verdict),
            }
            for user, agent, turn, verdict in zip(users, agents, turns, verdicts, strict=True)
        ]
        evidence: dict[str, Json] = {
            "exchanges": exchanges,
            "extreme": to_json(self.config.extreme),
            "shift": to_json(self.config.shift),
        }
        if self.systems:
            evidence["answers"] = [to_json(agent.ref) for agent in agents if agent.ref is not None]
        return evidence

    @property
    def signature(self) -> str:
        """Everything that the score of given answers depends on, as far as it is known beforehand."""
        listens = self.sources is None or self.sources.heard
        parts = (self.config.signature, self.listener.signature if listens else GIVEN, *self._label_signatures())
        return " + ".join(parts)

    def _made_by(self, turns: Sequence[Spoken]) -> str:
        """The signature of what was really used for these turns."""
        listener = self.listener.signature if any(turn.heard.listened for turn in turns) else GIVEN
        recognised = any(turn.is_recognised for turn in turns)
        return " + ".join((self.config.signature, listener, *self._label_signatures(recognised=recognised)))

    def _label_signatures(self, *, recognised: bool = True) -> list[str]:
        forced = [signature("labels", {"kind": self.labels.value})] if self.labels is not Labels.CLEAR else []
        return [*forced, *([self.recogniser.signature] if self.recogniser is not None and recognised else [])]

    def settings(self) -> dict[str, Json]:
        """Settings that a score depends on, for the configuration of a run."""
        return {
            "constants": to_json(self.config),
            "listener": self.listener.signature if self.sources is None or self.sources.heard else "",
            **({} if self.labels is Labels.CLEAR else {"labels": self.labels.value}),
            "recogniser": self.recogniser.signature if self.recogniser else "",
            "systems": {name: system.signature for name, system in self.systems.items()},
            "main": self.main,
        }

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        known = About() if self.sources is not None and not self.sources.heard else self.listener.about
        if self.sources is not None and self.sources.note:
            known = About(notes=(self.sources.note,)) + known
        if self.recogniser is not None:
            known = known + self.recogniser.about
        for system in self.systems.values():
            known = known + About(sends_audio_to=system.sends_audio_to)
        return known


def turn_voice(role: Role, system: str = "") -> str:
    """The voice of a turn, for references: the user in all dialogues, or the agent of a system.

    A turn of the user sounds the same whichever system answers it.

    >>> turn_voice(Role.USER, "mine"), turn_voice(Role.AGENT, "mine"), turn_voice(Role.AGENT)
    ('user', 'mine', 'agent')
    """
    return role.value if role is Role.USER or not system else system


def voice_clips(dialogues: Iterable[Dialogue], systems: Mapping[str, System]) -> list[Clip]:
    """Turns with a recording as clips of a collection, with their voices; of `systems`, folders bring their answers."""
    found = []
    for one in dialogues:
        name = one.ids.get("system", "")
        for number, turn in enumerate(one.turns, start=1):
            if turn.audio is not None:
                channel: Channel = "mix" if turn.channel is None else turn.channel
                found.append(Clip(turn_voice(turn.role, name), f"{one.id} {number}", turn.audio, channel))
        if isinstance(system := systems.get(name), FolderSystem):
            for number in range(1, len(one.user_turns) + 1):
                with contextlib.suppress(AudioError):  # a missing answer is reported by the run
                    path = system.find(Asked(one.ids.get(ASKED, one.id), number, len(one.user_turns)))
                    found.append(Clip(name, f"{one.id} answer {number}", AudioRef(str(path))))
    return found


def main_score(dialogues: Sequence[Dialogue], *, systems: Collection[str] = ()) -> str:
    """The score to rank a run by: CT-ERS where every dialogue has several turns (`systems` answer all), else ERS."""
    counts = [len(one.user_turns) if one.ids.get("system") in systems else one.exchanges for one in dialogues]
    return "CT-ERS" if min(counts, default=0) >= SEVERAL else "ERS"


def answered_by(dialogues: Sequence[Dialogue], systems: Collection[str]) -> list[Dialogue]:
    """The user's side of every dialogue once for each system, behind those with recorded answers: the topline."""
    recorded = [_named(one, one.ids.get("system", RECORDED)) for one in dialogues if one.agent_turns]
    unanswered = [replace(one, turns=one.user_turns, human_score=math.nan, ratings={}) for one in dialogues]
    return recorded + [_named(one, name) for name in systems for one in unanswered]


def _named(one: Dialogue, system: str) -> Dialogue:
    return replace(one, id=f"{system}/{one.id}", ids={**one.ids, "system": system, ASKED: one.id})


def _explained(turn: TurnScores, user: Heard, agent: Heard) -> TurnScores:
    """The scores of a turn, whose reasons say why there are no points."""

    def explain(score: Score) -> Score:
        for who, heard in (("user", user), ("agent", agent)):
            if score.reason == NO_POINTS[who] and heard.no_trajectory:
                return replace(score, reason=message(f"dialogue.the-{who}", why=heard.no_trajectory))
        return score

    return TurnScores(explain(turn.ecs), explain(turn.ebs), explain(turn.ess), explain(turn.ers), turn.extreme)


def _side(heard: Heard) -> Side:
    return Side(heard.points, heard.likely, heard.likeliest, heard.no_emotion)


def _shown(spoken: Spoken) -> dict[str, Json]:
    heard = spoken.heard
    return {
        "trajectory": None if heard.trajectory is None else to_json(heard.trajectory),
        "trajectory_from": "given" if heard.is_given else "heard" if heard.trajectory is not None else "",
        "no_trajectory": heard.no_trajectory,
        "emotion": heard.emotion,
        "emotion_from": _origin(spoken) if heard.emotion else "",
        "no_emotion": heard.no_emotion,
        "shares": {name: round(share, 4) for name, share in heard.shares.items()},
    }


def _origin(spoken: Spoken) -> str:
    if spoken.is_labelled:
        return "given"
    return "recognised" if spoken.is_recognised else "forced" if spoken.heard.is_forced else "heard"
