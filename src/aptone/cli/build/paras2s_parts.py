"""The parts of ``aptone build paras2s``, from what is typed."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from aptone.errors import UsageError
from aptone.models import Transcriber
from aptone.models.speakers.cloning import CloningSpeaker
from aptone.models.parts import make_part
from aptone.models.transcriber import OFFLINE, REPEATABLE
from aptone.models.speakers.voices import Voices
from aptone.rooms.answer.build.run import BuildSettings
from aptone.rooms.answer.build.casting import FEMALE, MALE, PARTS, Cast, CastByDimension, CloneCast, VoiceCast
from aptone.rooms.answer.data import AnswerSample
from aptone.rooms.answer.build.disjoint import TrainingSet, speaker_collision
from aptone.rooms.answer.bench.real import read_ids, read_iemocap, read_meld
from aptone.rooms.answer.records import Dimension
from aptone.rooms.answer.build.voice_pools import PoolVoice, read_pool
from aptone.run.event_loop import run_to_the_end
from aptone.types import Json, Language

SPEAKERS: Mapping[Language, str] = {"en": "flite", "zh": "espeak-ng"}
"""Who speaks where nobody says: what needs no server."""
NOBODY = "none"


def make_cast(
    voices: Voices, cloner: str, pool: Sequence[PoolVoice], options: Mapping[str, Json], chosen: BuildSettings
) -> Cast:
    """Who asks, and how: one speaker for all, or another that clones voices for age and sex.

    Raises:
        UsageError: if nobody can speak so; the message says what is missing.
    """
    told_voices = VoiceCast(voices)
    if bool(cloner) != bool(pool):
        raise UsageError("cloning takes who clones (--cloner cosyvoice) and whose voices (--pool librispeech=DIR).")
    if not cloner:
        _try_out(voices, chosen.language, PARTS)
        return told_voices
    own = {f"speaker.{name.partition('.')[2]}": value for name, value in options.items() if name.startswith("cloner.")}
    made = make_part("speaker", cloner, own)
    if not isinstance(made, CloningSpeaker):
        raise UsageError(f"{cloner} cannot clone a voice; use cosyvoice, or api with a model that can.")
    cloned = CloneCast(made, pool)
    cloned.require(chosen.dimensions)
    cloned.about.require(f"cloner {cloner!r}")
    if {Dimension.EMOTION, Dimension.SARCASM} & set(chosen.dimensions):
        _try_out(voices, chosen.language, (MALE, FEMALE))
    return CastByDimension(told_voices, cloned)


def _try_out(voices: Voices, language: Language, everybody: Iterable[str]) -> None:
    voices.about.require(f"speaker {voices.speaker!r}")
    run_to_the_end(voices.try_out(language, everybody))


def make_pool(pools: Sequence[str], training: TrainingSet) -> list[PoolVoice]:
    """The voices of all pools, ``NAME=DIR`` each, but those of people who are trained on.

    Raises:
        UsageError: if there is no such pool.
        RecordError: if it holds no voice.
    """
    found: list[PoolVoice] = []
    for typed in pools:
        name, equals, place = typed.partition("=")
        if not equals:
            raise UsageError(f"--pool {typed}: expected NAME=DIR, as librispeech=LibriSpeech/.")
        found += read_pool(name, Path(place))
    return [one for one in found if not speaker_collision([one.speaker], training)]


def make_transcriber(name: str | None, language: Language, options: Mapping[str, Json]) -> Transcriber | None:
    """Who checks the words: the one of that name, or what needs no server where it is installed; ``None`` for nobody.

    Raises:
        MissingExtraError: if it cannot run here.
    """
    if name == NOBODY:
        return None
    chosen = name or OFFLINE.get(language)
    if chosen is None:
        return None
    made: Transcriber = make_part("transcriber", chosen, {**REPEATABLE.get(chosen, {}), **options})
    if name is None and made.about.missing:
        return None
    made.about.require(f"transcriber {chosen!r}")
    return made


def make_real(
    iemocap: Path | None, iemocap_ids: Path | None, meld: Path | None, meld_ids: Path | None, meld_split: str
) -> list[AnswerSample]:
    """The lines of real speech, of the releases that the user has.

    Raises:
        RecordError: if a release cannot be understood.
        UsageError: if ids come without their release.
    """
    for ids, release, name in ((iemocap_ids, iemocap, "iemocap"), (meld_ids, meld, "meld")):
        if ids is not None and release is None:
            raise UsageError(f"--{name}-ids needs the release that they are of: --{name} DIR.")
    samples: list[AnswerSample] = []
    if iemocap is not None:
        samples += read_iemocap(iemocap, ids=read_ids(iemocap_ids) if iemocap_ids else None)
    if meld is not None:
        samples += read_meld(meld, split=meld_split, ids=read_ids(meld_ids) if meld_ids else None)
    return samples
