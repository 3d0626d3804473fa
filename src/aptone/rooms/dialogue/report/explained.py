"""Explanations beside the scores: what each one measures, what the headline misses, and cautions about a run."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from aptone.errors import RecordError
from aptone.messages import message, words
from aptone.report.groups import counted_score
from aptone.report.notation import UNDEFINED, figure, score_name
from aptone.rooms.dialogue.hearing.labels import CLEAR
from aptone.rooms.dialogue.verdict import TurnVerdict, dialogue_word
from aptone.types import Entry, Json, Language, Outcome, Score, from_json, to_json

EXPLAINED = ("ECS", "EBS", "ESS", "ERS", "CT-ECS", "CT-EBS", "CT-ESS", "CT-ERS", "categorical", "reaction")
"""Scores that have an explanation, in reading order."""

REACTION = "reaction"


def headline(language: Language) -> str:
    """State what the headline score measures and when it misleads."""
    return words(language, "dialogue")("headline")


def explanations(names: Iterable[str], language: Language) -> tuple[tuple[str, str], ...]:
    """Return the heading and one sentence for each score of ours among the names, with the paper's intent."""
    word, given = words(language, "dialogue"), set(names)
    return tuple(
        (score_name(name, language), word(f"about_{name.lower().replace('-', '_')}"))
        for name in EXPLAINED
        if name in given
    )


def explained_scores(names: Iterable[str], language: Language) -> RenderableType:
    """The headline and the explanations, for the terminal."""
    table = Table.grid(padding=(0, 2, 0, 0))
    table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    for name, sentence in explanations(names, language):
        table.add_row(Text(name, style="bold"), Text(sentence, style="dim"))
    return Group(Text(headline(language), style="bold"), Text(), table, Text())


def verdicts_of(outcome: Outcome) -> tuple[TurnVerdict, ...]:
    """The verdicts in the evidence of an outcome; empty where there are none, as in runs of earlier versions."""
    given = outcome.evidence.get("exchanges")
    if not isinstance(given, Sequence) or isinstance(given, str):
        return ()
    try:
        return tuple(_verdict(one) for one in given)
    except (RecordError, ValueError):
        return ()


def _verdict(exchange: Json) -> TurnVerdict:
    if not isinstance(exchange, Mapping):
        raise RecordError("expected an exchange.")
    return from_json(TurnVerdict, exchange.get("verdict"))


def verdict_cell(entry: Entry, language: Language) -> str:
    """The reaction of a dialogue as a number and a word; a mark behind it where anger meets anger."""
    score, verdicts = counted_score(entry, REACTION), verdicts_of(entry.outcome)
    shown = UNDEFINED if score is None else reaction_shown(score, [one.reaction for one in verdicts], language)
    if any(one.lifts for one in verdicts):
        return words(language, "text")("bracketed", text=shown, within=words(language, "dialogue")("in_kind"))
    return shown


def verdict_json(entry: Entry) -> dict[str, Json]:
    """The verdict on a dialogue for machines: its word, and each turn's reaction, course and caution."""
    score, verdicts = counted_score(entry, REACTION), verdicts_of(entry.outcome)
    word = None if score is None else dialogue_word(score, [one.reaction for one in verdicts])
    return {"verdict": None if word is None else word.value, "turns": [to_json(one) for one in verdicts]}


def reaction_shown(score: Score, turns: Sequence[Score], language: Language) -> str:
    """A reaction as a number and a word; a dash without a number."""
    word = dialogue_word(score, turns)
    if word is None:
        return UNDEFINED
    return f"{figure(round(score.value, 2))} {message_in(word.value, language)}"


def message_in(key: str, language: Language) -> str:
    """A word of the verdict in a language."""
    return words(language, "dialogue")(key)


def dialogue_notes(outcomes: Iterable[Outcome]) -> tuple[str, ...]:
    """Cautions for the trust card: answers in kind that the score rewards, and turns outside the table."""
    verdicts: list[tuple[TurnVerdict, ...]] = []
    sides: list[Mapping[str, Json]] = []
    for outcome in outcomes:
        verdicts.append(verdicts_of(outcome))
        sides += _sides(outcome)
    lifted = sum(any(one.lifts for one in turns) for turns in verdicts)
    forced = sum(side.get("emotion_from") == "forced" for side in sides)
    outside = sum(_is_outside(side) for side in sides)
    notes = []
    if lifted:
        notes.append(message("dialogue.note-in-kind", count=lifted, all=len(verdicts)))
    if outside:
        kind = "dialogue.note-forced" if forced else "dialogue.note-outside"
        notes.append(message(kind, count=outside, all=len(sides)))
    return tuple(notes)


def _is_outside(side: Mapping[str, Json]) -> bool:
    """Check that the table's emotions are less likely together than the others."""
    shares = side.get("shares")
    if not isinstance(shares, Mapping) or not shares:
        return False
    numbers = [share for share in shares.values() if isinstance(share, int | float)]
    return sum(numbers) < CLEAR


def _sides(outcome: Outcome) -> Iterator[Mapping[str, Json]]:
    """What is known of each turn, user and agent."""
    exchanges = outcome.evidence.get("exchanges")
    for exchange in exchanges if isinstance(exchanges, Sequence) and not isinstance(exchanges, str) else ():
        for role in ("user", "agent"):
            side = exchange.get(role) if isinstance(exchange, Mapping) else None
            if isinstance(side, Mapping):
                yield side
