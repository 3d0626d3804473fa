"""Scoring step for captions: decomposition, verification, matching, scores."""

import asyncio
import math
from collections.abc import Awaitable, Collection, Sequence
from dataclasses import dataclass, replace

from aptone.audio import find_speech, read_ref, resample
from aptone.ear.claims.verification import Verdict
from aptone.ear.perceive import HEARING_RATE
from aptone.messages import message, translate
from aptone.models import About
from aptone.rooms.caption.data import CaptionSample, Unit
from aptone.rooms.caption.decompose import Decomposer, Decomposition
from aptone.rooms.caption.decompose.readable import coverage_of, too_little
from aptone.rooms.caption.match import Matcher
from aptone.rooms.caption.score import NO_UNITS, Match, emosura, is_descriptive
from aptone.rooms.caption.verify import VerifiedUnit, Verifier
from aptone.run import Call, ReplyStore
from aptone.run.attempts import perform_once
from aptone.types import Audio, AudioRef, Entry, Item, Json, Language, Outcome, State, from_json, to_json

MOST_NAMED = 3
"""Units that a sentence names; the table and the report show all."""


def rationale(
    units: Sequence[Unit],
    verdicts: Sequence[VerifiedUnit],
    missed: Sequence[Unit],
    *,
    language: Language,
    doubts: str = "",
) -> str:
    """State how many claims hold, which do not, why a full score is held back, and what the caption leaves out."""
    true = sum(one.is_true for one in verdicts)
    pairs = list(zip(units, verdicts, strict=True))
    wrong = _named([unit for unit, one in pairs if one.verdict is Verdict.FALSE], language)
    unsure = _named([unit for unit, one in pairs if one.verdict is Verdict.UNDECIDED], language)
    left_out = _named(missed, language)
    held_back = translate(doubts, language) if doubts else ""
    if language == "zh":
        said = f"{len(units)} 条说法中有 {true} 条属实。"
        said += f"{wrong}与录音不符。" if wrong else ""
        said += f"无法判断{unsure}。" if unsure else ""
        said += held_back
        return said + (f"描述遗漏了{left_out}。" if left_out else "")
    said = f"{true} of {len(units)} claims hold."
    said += f" The recording speaks against {wrong}." if wrong else ""
    said += f" Undecided: {unsure}." if unsure else ""
    said += f" {held_back}" if held_back else ""
    return said + (f" The caption leaves out {left_out}." if left_out else "")


def _named(units: Sequence[Unit], language: Language) -> str:
    """The words of some units, each once, with whether there are others."""
    denied = {"en": "not ", "zh": "否定的"}[language]
    said = dict.fromkeys(f"{denied if unit.is_denied else ''}“{' '.join(unit.evidence.split())}”" for unit in units)
    quoted = {"en": ", ", "zh": "、"}[language].join(list(said)[:MOST_NAMED])
    return quoted + ({"en": " and others", "zh": "等"}[language] if len(said) > MOST_NAMED else "")


def doubts(units: Sequence[Unit], verdicts: Sequence[VerifiedUnit], unread: Sequence[str]) -> str:
    """Return why a caption of which all that was read holds may not be all true; empty where it is known to be.

    Args:
        unread: words that were not read and may be claims.
    """
    if not (units and all(one.is_true for one in verdicts)):
        return ""
    if unread:
        return message("caption.held-back-unread", words=", ".join(unread[:MOST_NAMED]))
    passed = [unit for unit, one in zip(units, verdicts, strict=True) if not one.is_sure]
    return message("caption.held-back-unsure", words=_named(passed, "en")) if passed else ""


LONGEST_CLIP = 300.0
"""Seconds beyond which a recording is not what one caption describes."""

EMPTY = message("caption.caption-empty")
NOBODY_SPEAKS = message("caption.nobody-speaks")

WITH_REFERENCE, WITHOUT_REFERENCE = "F", "s_p"
"""Names of the scores that items are ranked by."""


@dataclass(frozen=True, slots=True)
class CaptionStep:
    """Sample → units of the caption → verdicts on the recording → matches with the reference → scores.

    Args:
        main: the score that items are ranked by; ``None`` for F where there is a reference, else s_p.
        language: language of rationales and words for what was measured; ``None`` for that of each caption.
    """

    decomposer: Decomposer
    verifier: Verifier
    matcher: Matcher
    main: str | None = None
    language: Language | None = None

    def __call__(self, item: Item, call: Call, /) -> Awaitable[Outcome]:
        """The outcome of one item whose payload is a `CaptionSample`."""
        return self.on_sample(from_json(CaptionSample, item.payload), call)

    async def on_sample(self, sample: CaptionSample, call: Call) -> Outcome:
        """The outcome of one sample.

        Raises:
            AptoneError: if the recording or a model cannot be used.
        """
        audio = await asyncio.to_thread(heard, sample.audio)  # before any call is paid for
        if not sample.caption.strip():
            return Outcome.unscored(EMPTY, signature=self.signature)
        taken = await self.decomposer.decompose(sample.caption, language=sample.language, call=call)
        covered: Decomposition | None = None
        if sample.reference.strip():
            covered = await self.decomposer.decompose(sample.reference, language=sample.language, call=call)
        if problem := taken.problem or (
            message("caption.reference", why=covered.problem) if covered and covered.problem else ""
        ):
            return Outcome.unscored(problem, signature=self.signature)
        language = self.language or sample.language
        verdicts = await self.verifier.verify(taken.units, audio, sample, call, language=language)
        if taken.units and all(map(_is_unmeasured, verdicts)) and not await asyncio.to_thread(find_speech, audio):
            evidence = _evidence(sample, taken, None, verdicts, ())
            return Outcome.unscored(NOBODY_SPEAKS, evidence=evidence, signature=self.signature)
        matches: Collection[Match] = ()
        if covered is not None:
            matches = await self.matcher.match(taken.units, covered.units, language=sample.language, call=call)
        return self._judge(sample, taken, covered, verdicts, matches, language)

    def _judge(
        self,
        sample: CaptionSample,
        taken: Decomposition,
        covered: Decomposition | None,
        verdicts: Sequence[VerifiedUnit],
        matches: Collection[Match],
        language: Language,
    ) -> Outcome:
        evidence = _evidence(sample, taken, covered, verdicts, matches)
        if not taken.units:
            return Outcome.unscored(NO_UNITS, evidence=evidence, signature=self.signature)
        read = coverage_of(sample.caption, taken, language=sample.language)
        if why := too_little(read, taken.units, sample.caption, language=sample.language):
            return Outcome.unscored(why, evidence=evidence, signature=self.signature)
        reference = None if covered is None else covered.units
        why = doubts(taken.units, verdicts, taken.unread)
        true = [one.is_true for one in verdicts]
        scores = emosura(taken.units, true, reference, matches, is_held_back=bool(why)).by_name()
        matched = {match.reference for match in matches}
        missed = [unit for place, unit in enumerate(reference or ()) if place not in matched]
        return Outcome(
            State.DONE,
            {name: replace(score, signature=self.signature) for name, score in scores.items()},
            main_score=self.main or (WITHOUT_REFERENCE if covered is None else WITH_REFERENCE),
            rationale=rationale(taken.units, verdicts, missed, language=language, doubts=why),
            evidence=evidence,
            signature=self.signature,
        )

    @property
    def signature(self) -> str:
        """Everything that a score depends on besides the sample."""
        return " + ".join((self.decomposer.signature, self.verifier.signature, self.matcher.signature))

    def settings(self) -> dict[str, Json]:
        """Settings that a score depends on, for the configuration of a run."""
        return {
            "decomposer": self.decomposer.signature,
            "verifier": self.verifier.signature,
            "matcher": self.matcher.signature,
            "main": self.main or "",
        }

    @property
    def about(self) -> About:
        """Requirements and licences, shown before it runs."""
        return self.decomposer.about + self.verifier.about + self.matcher.about


def _is_unmeasured(verdict: VerifiedUnit) -> bool:
    """Return True if there was nothing to measure; an unreadable reply of a model is something else."""
    return verdict.verdict is Verdict.UNDECIDED and math.isnan(verdict.support) and not verdict.is_format_failure


def main_score(samples: Sequence[CaptionSample]) -> str:
    """The score that captions can be ranked by together: F if every one has a reference, else s_p."""
    return WITH_REFERENCE if all(sample.reference.strip() for sample in samples) else WITHOUT_REFERENCE


def score_sample(
    sample: CaptionSample, step: CaptionStep, *, seed: int = 0, store: ReplyStore | None = None
) -> Outcome:
    """Score one caption with the runner's care for retries and unreadable replies, but without a run folder.

    Raises:
        AptoneError: if it failed; a reply that could not be read is an unscored outcome instead.
    """
    return judge_sample(sample, step, seed=seed, store=store).outcome


def judge_sample(sample: CaptionSample, step: CaptionStep, *, seed: int = 0, store: ReplyStore | None = None) -> Entry:
    """The same with what it took; the item of the entry has no payload."""
    read = replace(sample, audio=heard(sample.audio))  # a bad recording raises as it is
    return perform_once(lambda call: step.on_sample(read, call), id=sample.id, seed=seed, store=store)


def heard(audio: Audio | AudioRef) -> Audio:
    """The recording at `HEARING_RATE`.

    Raises:
        AudioError: if it cannot be read, or is longer than a clip can be.
    """
    if isinstance(audio, Audio):
        return resample(audio, rate=HEARING_RATE)
    return read_ref(audio, rate=HEARING_RATE, channel="mix", max_seconds=LONGEST_CLIP)


def _evidence(
    sample: CaptionSample,
    taken: Decomposition,
    covered: Decomposition | None,
    verdicts: Sequence[VerifiedUnit],
    matches: Collection[Match],
) -> dict[str, Json]:
    """Return the evidence of the scores, so that a report can mark it in the texts."""
    matching = {match.generated for match in matches}
    matched = {match.reference for match in matches}
    units: list[Json] = [
        {
            **_shown(unit),
            "verdict": one.verdict.value,
            "measured": one.measured,
            "support": one.support,
            "sure": one.is_sure,
            "format_failure": one.is_format_failure,
            "in_reference": place in matching,
        }
        for place, (unit, one) in enumerate(zip(taken.units, verdicts, strict=True))
    ]
    read = coverage_of(sample.caption, taken, language=sample.language)
    evidence: dict[str, Json] = {
        "units": units,
        "coverage": {
            "share": None if math.isnan(read.share) else read.share,
            "read": read.read,
            "unread": [{"words": sample.caption[start:end], "start": start, "end": end} for start, end in read.unread],
            "fully_read": read.is_complete,
            "may_be_claims": [sample.caption[start:end] for start, end in read.doubtful],
        },
        "counts": {verdict.value: sum(one.verdict is verdict for one in verdicts) for verdict in Verdict},
        "dropped_units": taken.dropped + (covered.dropped if covered else 0),
        "format_failures": sum(one.is_format_failure for one in verdicts),
    }
    if covered is not None:
        evidence["reference_units"] = [
            {**_shown(unit), "missed": place not in matched} for place, unit in enumerate(covered.units)
        ]
    return evidence


def _shown(unit: Unit) -> dict[str, Json]:
    fields = {name: value for name, value in to_json(unit).items() if name != "schema"}
    return {**fields, "is_descriptive": is_descriptive(unit)}
