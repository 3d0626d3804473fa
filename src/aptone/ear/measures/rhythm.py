"""Tempo, energy and stress taken together: six rhythms, with a probability for each.

The classes are those of CEAEval, after Zhang (2003), *Chinese broadcasting announcing*; the paper says that they
reflect "differences in speech tempo, energy, and stress distribution" and prints no more. Handbooks of that school
describe them by the drift of the voice (up or down), its weight (light or heavy), its flow (pauses) and its pace:

- **brisk** (轻快): more up than down, more light than heavy, dense, few pauses -> fast, high, melodious, soft, flowing;
- **heavy** (凝重): more down than up, more heavy than light, steady, many pauses -> slow, pausing, strong, low, even;
- **low-paced** (低沉): dark, weighed down, sinking, slow -> low, soft, slow, even;
- **high-energy** (高亢): bright and high, wave upon wave, rather quick -> high, strong, melodious, a little fast;
- **relaxed** (舒缓): light and clear, a little high but without force, unhurried -> slow and soft, not low;
- **tense** (紧张): more heavy than light, short of breath, dense, brief pauses -> fast, strong, flowing, rather even.

Five terms carry that, each in spreads from the norm of the speaker's sex and language (`aptone.ear.measures.norms`):

- *tempo*: articulation rate, so that pauses do not count twice;
- *pauses*: the mean of pause share and longest pause, above the norm only: a short line has no room for pauses, so
  their absence says nothing;
- *force*: how hard the voice works. The level of a recording says little about it, since people turn knobs; the
  balance of the voice's own spectrum stays with the voice. So force is the spectral tilt, and loudness is added only
  where it points the same way;
- *pitch*: pitch level;
- *melody*: pitch range.

Each rhythm has a prototype, a point in these five dimensions, and its evidence is that of a normal distribution with
unit variance around it: ``p · t - |p|² / 2``, a sum over the terms. No set with rhythm labels is free to use, so the
prototypes are written from the descriptions and were never fitted to listeners; what was checked is that manipulated
speech moves as it should (``benchmarks/ear_rules.py``).
"""

from collections.abc import Mapping

from aptone.ear.measures import norms
from aptone.ear.measures.evidence import Judgement, Term, Wording, explain, weigh
from aptone.ear.measures.norms import Sexes
from aptone.messages import known_name, message
from aptone.types import Rhythm, Score

REQUIRED = ("articulation rate", "pitch level")
"""Measures without which nothing is said; each other one that is undefined counts as ordinary."""

WORDING: Wording = {
    "tempo": ({"en": "fast", "zh": "语速快"}, {"en": "slow", "zh": "语速慢"}),
    "pauses": ({"en": "long pauses", "zh": "停顿长"},),
    "force": ({"en": "strong", "zh": "用力"}, {"en": "soft", "zh": "轻柔"}),
    "pitch": ({"en": "high", "zh": "音调高"}, {"en": "low", "zh": "音调低"}),
    "melody": ({"en": "melodious", "zh": "起伏大"}, {"en": "even", "zh": "起伏小"}),
}


def rhythm(measures: Mapping[str, Score], *, sex: Sexes = None, language: str | None = None) -> Judgement[Rhythm]:
    """Probabilities of the six rhythms.

    Args:
        measures: by name, as `aptone.ear.measures.summary.measure` gives them.
        sex: of the voice: one, or the probability of each, which weighs their norms; ``None`` when it is not known.
        language: a code such as ``zh`` or ``en-GB``; unknown ones share a norm.

    Returns:
        The distribution, or the reason why there is none: tempo or pitch could not be measured.
    """
    reason = _reason(measures)
    if reason:
        return Judgement(reason=reason)
    return Judgement(weigh(rhythm_terms(measures, sex=sex, language=language), norms.RHYTHM))


def explain_rhythm(
    measures: Mapping[str, Score], *, sex: Sexes = None, language: str | None = None
) -> dict[Rhythm, tuple[Term, ...]]:
    """Why `rhythm` says what it says: for each class its terms, the weightiest first. Empty where it says nothing."""
    if _reason(measures):
        return {}
    return explain(rhythm_terms(measures, sex=sex, language=language), norms.RHYTHM, WORDING)


def rhythm_terms(measures: Mapping[str, Score], *, sex: Sexes = None, language: str | None = None) -> dict[str, float]:
    """The five terms, in spreads from the norm and within `norms.LIMITS`; one that was not measured is left out."""
    spreads = {
        name: norms.spreads_from_norm(name, score.value, sex=sex, language=language)
        for name, score in measures.items()
        if name in norms.MEASURES and score.is_defined
    }
    terms: dict[str, float] = {}
    for term, name in (("tempo", "articulation rate"), ("pitch", "pitch level"), ("melody", "pitch range")):
        if name in spreads:
            terms[term] = spreads[name]
    pauses = [spreads[name] for name in ("pause share", "longest pause") if name in spreads]
    if pauses:
        terms["pauses"] = max(0.0, sum(pauses) / len(pauses))
    if "spectral tilt" in spreads:
        force, loudness = spreads["spectral tilt"], spreads.get("loudness", 0.0)
        terms["force"] = force + (norms.LOUDNESS_SHARE * loudness if force * loudness > 0 else 0.0)
    return {name: max(-norms.LIMITS[name], min(norms.LIMITS[name], value)) for name, value in terms.items()}


def _reason(measures: Mapping[str, Score]) -> str:
    for name in REQUIRED:
        if name not in measures:
            return message("ear.measure-undefined", measure=known_name(name), why=message("ear.not-measured"))
        if not measures[name].is_defined:
            return message("ear.measure-undefined", measure=known_name(name), why=measures[name].reason)
    return ""
