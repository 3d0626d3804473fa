"""A small S3Bench, built from tones by the grammar."""

from collections.abc import Callable
from pathlib import Path

from aptone.rooms.style.build.descriptions import Expansion, GrammarWriter
from aptone.rooms.style.build.s3bench import BuildResult, S3Settings, build_s3bench
from aptone.rooms.style.data import StylePair
from aptone.run import Budget, Ended, RunConfig, run_items
from tests.rooms.style.voices import LetterEmbedder, ToneEmbedder

SMALL = S3Settings(seeds=4, clusters=3, descriptions=24, pairs=20, bins=5, nearest=4)


def carried_out(budget: Budget | None = None) -> Callable[[Expansion, Path], Ended]:
    def carry_out(expansion: Expansion, folder: Path, /) -> Ended:
        config = RunConfig("build s3bench", "grammar", {"expansion": expansion.signature})
        return run_items(expansion.rounds(), expansion, folder=folder, config=config, budget=budget)

    return carry_out


def build(corpus: list[StylePair], folder: Path, *, budget: Budget | None = None, **changed: object) -> BuildResult:
    given: dict[str, object] = {
        "embedder": ToneEmbedder(),
        "text_embedder": LetterEmbedder(),
        "writer": GrammarWriter(),
        "carry_out": carried_out(budget),
        **changed,
    }
    return build_s3bench(corpus, SMALL, folder=folder, **given)  # type: ignore[arg-type]
