"""S3Bench from a corpus: seeds → descriptions → pairs → a rating task; each step resumes where a kill stopped it.

======================  ==============================================================================================
file                    what it is
======================  ==============================================================================================
``seeds.jsonl``         style seeds; look through them, and give what they lack with ``--seeds`` in another folder
``descriptions.jsonl``  the whole pool, seeds and those that were made
``expansion/``          the run of self-instruct rounds, with examples, candidates and refusals
``pairs.jsonl``         the benchmark: what ``aptone bench s3bench`` reads
``clips/``              its recordings, under names that say nothing
``task.json``           the rating task
``ratings.jsonl``       what people gave, once it is imported
``build.json``          settings and yields of each step
======================  ==============================================================================================
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Protocol

import numpy as np

from aptone.errors import RunError, UsageError
from aptone.models import StyleEmbedder, TextEmbedder
from aptone.models.parts import Vectors
from aptone.rooms.style.build.descriptions import DescriptionWriter, Expansion
from aptone.rooms.style.build.s3bench_files import (
    EXPANSION,
    POOL_FILE,
    QUALIFYING,
    RIGHT,
    SEED_FILE,
    TASK_FILE,
    WRONG,
    agree_on_settings,
    rating_task,
    task_near,
    with_clips,
    write_descriptions,
    write_yields,
)
from aptone.rooms.style.build.sampling import (
    BINS,
    CLUSTERS,
    KEPT,
    NEAREST,
    SEEDS,
    DescriptionPool,
    SampledPair,
    candidate_pairs,
    draw_evenly,
    style_seeds,
)
from aptone.rooms.style.data import PAIRS, StylePair, write_pairs
from aptone.rooms.style.embedding.vectors import (
    VectorFile,
    clip_keys,
    embed_clips,
    embed_descriptions,
    embed_texts,
    text_vectors_size,
)
from aptone.run import Display, Ended, load_run, write_whole
from aptone.run.attempts import run_to_the_end
from aptone.types import Entry, Json, Language, State, dumps, to_json

DESCRIPTIONS, PAIR_COUNT = 1000, 1000


@dataclass(frozen=True, slots=True)
class S3Settings:
    """Settings of a build; the paper's counts by default.

    Args:
        languages: languages of the benchmark; counts below that are for all are split evenly among them.
        descriptions: total number, seeds included.
        kept: share of retrieved pairs that are not shuffled; the paper shuffles all.

    Raises:
        UsageError: if nothing would be built.
    """

    languages: tuple[Language, ...] = ("en", "zh")
    seeds: int = SEEDS
    clusters: int = CLUSTERS
    descriptions: int = DESCRIPTIONS
    pairs: int = PAIR_COUNT
    bins: int = BINS
    nearest: int = NEAREST
    kept: float = KEPT
    seed: int = 0

    def __post_init__(self) -> None:
        if not self.languages or min(self.seeds, self.clusters, self.descriptions, self.pairs, self.bins) < 1:
            raise UsageError("a benchmark has a language, a seed, a cluster, a description, a pair and a bin or more.")

    def share(self, count: int, language: Language) -> int:
        """Return a language's share of a total count.

        >>> S3Settings(languages=("en", "zh")).share(7, "en"), S3Settings(languages=("en", "zh")).share(7, "zh")
        (4, 3)
        """
        whole, rest = divmod(count, len(self.languages))
        return whole + (self.languages.index(language) < rest)


class CarryOut(Protocol):
    """Runs the rounds of self-instruct, with the limits of a command."""

    def __call__(self, expansion: Expansion, folder: Path, /) -> Ended:
        """Run the rounds and return how the run ended."""
        ...


@dataclass(frozen=True, slots=True)
class BuildResult:
    """Result of a build.

    Args:
        stopped: reason why it ended before pairs were sampled; empty if it did not.
        problems: clip to the reason why it cannot be used.
        lacking: number of descriptions that are lacking, by language.
    """

    pairs: int
    yields: Mapping[str, Mapping[str, int]]
    stopped: str = ""
    problems: Mapping[str, str] = field(default_factory=dict)
    lacking: Mapping[str, int] = field(default_factory=dict)


def build_s3bench(
    corpus: Sequence[StylePair],
    settings: S3Settings,
    *,
    embedder: StyleEmbedder,
    text_embedder: TextEmbedder,
    writer: DescriptionWriter,
    folder: Path,
    carry_out: CarryOut,
    by_hand: Mapping[Language, Sequence[str]] | None = None,
    left_out: Mapping[str, str] | None = None,
    shows: Callable[[str], Display] | None = None,
) -> BuildResult:
    """Build the benchmark in a folder, or go on with it.

    Args:
        embedder: the preliminary model (Clap* in the paper); it decides what is rated, never how.
        carry_out: runs the rounds of self-instruct.
        by_hand: seeds that somebody wrote, by language.
        left_out: rows of the corpus that have no description, by file, and why.

    Raises:
        AptoneError: if something cannot be read, written or done.
    """
    keys = clip_keys([pair.audio for pair in corpus])
    about: dict[str, Json] = {
        **asdict(settings),
        "languages": list(settings.languages),
        "embedder": embedder.signature,
        "text_embedder": text_embedder.signature,
        "writer": writer.signature,
    }
    by_hand = by_hand or {}
    material = [*(pair.description for pair in corpus), *(key.hex() for key in keys)]
    material += [text for language in settings.languages for text in by_hand.get(language, ())]
    about["material"] = hashlib.sha256(dumps(material).encode()).hexdigest()
    agree_on_settings(folder, about)
    signature, size = embedder.signature, embedder.size
    voice_file = VectorFile(folder / "voices.vectors", signature=signature, size=size)
    refs = dict(zip(keys, (pair.audio for pair in corpus), strict=True))
    problems = embed_clips(voice_file, refs, embedder, display=shows("voices") if shows else None)
    voices = voice_file.rows(keys)
    seeds = _seeds(corpus, voices, settings, by_hand)
    write_descriptions(folder / SEED_FILE, seeds)
    ended, pools = _expand(seeds, settings, text_embedder, writer, folder, carry_out)
    write_descriptions(folder / POOL_FILE, {language: pool.texts for language, pool in pools.items()})
    yields = _yields(corpus, voices, seeds, pools, ended)
    if left_out:
        yields["corpus"]["left out"] = len(left_out)
    unread = {**{refs[key].path: why for key, why in problems.items()}, **(left_out or {})}
    targets = {language: settings.share(settings.descriptions, language) for language in settings.languages}
    lacking: dict[str, int] = {
        name: short for name, count in targets.items() if (short := count - len(pools[name].texts)) > 0
    }
    stopped = ended.stopped or (_failure(ended) if lacking else "")
    if stopped:  # pairs are drawn once, from the whole pool
        write_yields(folder, about, yields)
        return BuildResult(0, yields, stopped, unread, lacking)
    texts_file = VectorFile(folder / "texts.vectors", signature=signature, size=size)
    made: list[StylePair] = []
    tested: list[tuple[StylePair, float]] = []
    for language in settings.languages:
        places = [place for place, pair in enumerate(corpus) if pair.language == language]
        texts = embed_descriptions(texts_file, pools[language].texts, embedder)
        similarities = texts.astype(np.float64) @ voices[places].astype(np.float64).T
        candidates = candidate_pairs(similarities, nearest=settings.nearest, kept=settings.kept, seed=settings.seed)
        scores = np.array([similarities[pair] for pair in candidates])
        count = settings.share(settings.pairs, language)
        drawn = draw_evenly(candidates, scores, count=count, bins=settings.bins, seed=settings.seed)
        yields["pairs"][f"candidates {language}"] = len(candidates)
        made += _pairs(drawn, [corpus[place] for place in places], pools[language].texts, language)
        share = settings.share(QUALIFYING, language)
        tested += _test([corpus[place] for place in places], voices[places], embedder, texts_file, share, settings.seed)
    yields["pairs"]["drawn"] = len(made)
    named = [replace(pair, id=f"pair-{number:04}") for number, pair in enumerate(made, start=1)]
    named_test = [(replace(pair, id=f"test-{n:02}"), gold) for n, (pair, gold) in enumerate(tested, start=1)]
    pairs = with_clips(named, folder)
    test = list(zip(with_clips([pair for pair, _ in named_test], folder), (gold for _, gold in tested), strict=True))
    write_pairs(folder / PAIRS, pairs)
    write_whole(
        folder / TASK_FILE, dumps(to_json(task_near(rating_task(pairs, qualifying=test), folder)), indent=1) + "\n"
    )
    write_yields(folder, about, yields)
    return BuildResult(len(pairs), yields, problems=unread, lacking=lacking)


def _seeds(
    corpus: Sequence[StylePair], voices: Vectors, settings: S3Settings, by_hand: Mapping[Language, Sequence[str]]
) -> dict[Language, list[str]]:
    found: dict[Language, list[str]] = {}
    for language in settings.languages:
        places = [place for place, pair in enumerate(corpus) if pair.language == language]
        found[language] = style_seeds(
            [corpus[place].description for place in places],
            voices[places],
            by_hand=by_hand.get(language, ()),
            count=min(settings.seeds, settings.share(settings.descriptions, language)),
            clusters=settings.clusters,
            seed=settings.seed,
        )
        if not found[language]:
            raise UsageError(
                f"the corpus has no clip with a description in {language!r}; name those that it has with --language."
            )
    return found


def _expand(
    seeds: Mapping[Language, list[str]],
    settings: S3Settings,
    text_embedder: TextEmbedder,
    writer: DescriptionWriter,
    folder: Path,
    carry_out: CarryOut,
) -> tuple[Ended, dict[Language, DescriptionPool]]:
    size = text_vectors_size(text_embedder)
    file = VectorFile(folder / "seeds.vectors", signature=text_embedder.signature, size=size)
    pools = {
        language: DescriptionPool(texts, embed_texts(file, texts, text_embedder)) for language, texts in seeds.items()
    }
    targets = {language: settings.share(settings.descriptions, language) for language in settings.languages}
    expansion = Expansion(pools, targets, writer, text_embedder, _rounds_before(folder / EXPANSION))
    run_to_the_end(expansion.begin())
    return carry_out(expansion, folder / EXPANSION), pools


def _failure(ended: Ended) -> str:
    """Return the reason why rounds failed, a server that was away for instance; empty if none did."""
    failed = [entry.outcome.reason for entry in ended.run.entries if entry.outcome.state is State.FAILED]
    return f"{len(failed)} rounds failed: {failed[-1]}" if failed else ""


def _rounds_before(folder: Path) -> dict[str, Entry]:
    try:
        return {entry.item.id: entry for entry in load_run(folder).entries}
    except RunError:
        return {}


def _yields(
    corpus: Sequence[StylePair],
    voices: Vectors,
    seeds: Mapping[Language, Sequence[str]],
    pools: Mapping[Language, DescriptionPool],
    ended: Ended,
) -> dict[str, dict[str, int]]:
    counted = [entry.outcome.evidence for entry in ended.run.entries if entry.repeat == 0]
    refused = sum(len(listed) for one in counted if isinstance(listed := one.get("refused"), Sequence))
    return {
        "corpus": {"clips": len(corpus), "heard": int((~np.isnan(voices).any(axis=1)).sum())},
        "seeds": {language: len(texts) for language, texts in seeds.items()},
        "expansion": {"rounds": len(counted), "refused": refused},
        "descriptions": {language: len(pool.texts) for language, pool in pools.items()},
        "pairs": {},
    }


def _pairs(
    drawn: Sequence[SampledPair], clips: Sequence[StylePair], texts: Sequence[str], language: Language
) -> list[StylePair]:
    return [
        StylePair(
            "drawn",
            clips[one.clip].audio,
            texts[one.description],
            language,
            clips[one.clip].transcript,
            ids={"bin": str(one.bin), "preliminary": f"{one.score:.4f}", "clip": clips[one.clip].id},
        )
        for one in drawn
    ]


def _test(
    clips: Sequence[StylePair], voices: Vectors, embedder: StyleEmbedder, file: VectorFile, count: int, seed: int
) -> list[tuple[StylePair, float]]:
    """Pairs whose fit is known by the way they are made.

    Half are clips with their own descriptions, half with the description that fits them least by the preliminary model.
    """
    chosen = np.random.default_rng([seed, 1]).permutation(np.flatnonzero(~np.isnan(voices).any(axis=1)))[:count]
    own = embed_descriptions(file, [clip.description for clip in clips], embedder)
    made = []
    for place, clip in enumerate(int(one) for one in chosen):
        if place % 2:
            worst = int(np.argmin(np.nan_to_num(own @ voices[clip], nan=np.inf)))
            made.append((replace(clips[clip], description=clips[worst].description, ids={}), WRONG))
        else:
            made.append((replace(clips[clip], ids={}), RIGHT))
    return made
