"""Data behind every weight that ships, and its licence: ``python -m recipes.data_sets`` writes the tables of the cards.

What the ears and the style model are trained on is taken from their recipes. For the others it is listed here. The
table of sets in the `LICENCES.md` beside the weights is made from this; a test compares the two, and looks for each set
in the model card.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from recipes.ear.config import recipe_named
from recipes.style.run import SHARES

SOURCE = Path(__file__).parents[1] / "src" / "aptone"
HEAD = "| made from | licence of the data | files |\n| --- | --- | --- |\n"


@dataclass(frozen=True, slots=True)
class DataSet:
    """A set of data, or a model that others trained, as cards name it, and its licence."""

    name: str
    licence: str

    @property
    def is_non_commercial(self) -> bool:
        """Check that weights trained on it are not for commercial use."""
        return "NC" in self.licence.replace("-", " ").split()


@dataclass(frozen=True, slots=True)
class Weight:
    """A file that ships: its licence, and the names of the sets behind it."""

    licence: str
    sets: tuple[str, ...]


SETS: Mapping[str, DataSet] = {
    "ravdess": DataSet("RAVDESS", "CC BY-NC-SA 4.0"),
    "nemo": DataSet("nEMO", "CC BY-NC-SA 4.0"),
    "emodb": DataSet("EmoDB", "CC BY 4.0"),
    "csemotions": DataSet("CSEMOTIONS", "Apache-2.0"),
    "speechocean": DataSet("speechocean762", "free for any use, stated by its authors"),
    "emogator": DataSet("EmoGator", "Apache-2.0"),
    "synthetic": DataSet("espeak-ng, flite", "free for any use"),
    "esc50": DataSet("ESC-50", "CC BY-NC 3.0"),
    "wesnoth": DataSet("music of Battle for Wesnoth", "GPL-2.0+ / CC BY-SA 4.0"),
    "campplus": DataSet("CAM++", "Apache-2.0"),
    "minilm": DataSet("all-MiniLM-L6-v2", "Apache-2.0"),
    "smollm2": DataSet("SmolLM2-135M", "Apache-2.0"),
    "novels": DataSet("novels in the public domain", "public domain"),
    "goemotions": DataSet("GoEmotions", "Apache-2.0"),
    "cped": DataSet("CPED", "Apache-2.0"),
    "meld": DataSet("MELD", "GPL-3.0"),
    "styletalk": DataSet("StyleTalk", "MIT"),
    "synonyms": DataSet("synonyms 3.10.2", "MIT"),
    "jieba": DataSet("jieba 0.42.1", "MIT"),
    "cldr": DataSet("CLDR 48.2", "Unicode-3.0"),
    "silero": DataSet("Silero VAD", "MIT"),
}
"""Sets by their names in recipes. What we wrote ourselves (labels, descriptions, answers) is no set."""


def _heard_by(recipe: str) -> tuple[str, ...]:
    """Return the sets of a recipe of the ear; music is under the voices of all of them."""
    chosen = recipe_named(recipe, seed=1)
    return ("campplus", *chosen.sets, *chosen.plain, *chosen.sounds, "wesnoth")


_NC = "CC-BY-NC-SA-4.0"
_STYLE = (*SHARES, "esc50", "wesnoth")
_PLANNER = ("minilm", "smollm2", "novels", "goemotions", "cped")
_TEXT = ("minilm", "goemotions", "styletalk", "cped", "synonyms", "jieba", "cldr")

WEIGHTS: Mapping[str, Weight] = {
    "audio/weights/silero_vad_16k.onnx": Weight("MIT", ("silero",)),
    "ear/weights/stem.onnx": Weight("Apache-2.0", ("campplus",)),
    "ear/weights/full.onnx": Weight(_NC, _heard_by("all")),
    "ear/weights/permissive.onnx": Weight("Apache-2.0", _heard_by("permissive")),
    "models/weights/text_embedder.npz": Weight("Apache-2.0", _TEXT),
    "planner/weights/encoder.npz": Weight("Apache-2.0", _PLANNER),
    "planner/weights/pieces.en.npz": Weight("Apache-2.0", ("minilm", "smollm2", "novels", "goemotions")),
    "planner/weights/pieces.zh.npz": Weight("Apache-2.0", ("novels", "cped")),
    "planner/weights/words.en.npz": Weight("Apache-2.0", ("novels",)),
    "planner/weights/words.zh.npz": Weight("Apache-2.0", ("novels",)),
    "planner/weights/fusion.json": Weight("Apache-2.0", ("novels",)),
    "planner/weights/talk.json": Weight("Apache-2.0", ("meld", "cped")),
    "planner/reading/weights/speakers.en.npz": Weight("Apache-2.0", ("novels",)),
    "planner/reading/weights/speakers.zh.npz": Weight("Apache-2.0", ("novels",)),
    "rooms/answer/weights/content.npz": Weight("Apache-2.0", _PLANNER),
    "rooms/answer/weights/style.npz": Weight("Apache-2.0", ("styletalk",)),
    "rooms/style/weights/style_audio.onnx": Weight(_NC, _STYLE),
    "rooms/style/weights/style_text.onnx": Weight(_NC, _STYLE),
    "rooms/style/weights/evidence.json": Weight(_NC, tuple(SHARES)),
    "rooms/style/weights/speakers.npz": Weight(_NC, ("campplus", "emodb", "csemotions", "ravdess", "nemo")),
}
"""Files below `src/aptone` that ship."""
MEASUREMENTS = ("judge/weights/built_in.json",)
"""Numbers fitted to what was measured, in folders of weights: a few dozen that hold nothing of recordings or texts."""


def table(folder: str) -> str:
    """Return the table of the sets behind the weights of a folder, for its `LICENCES.md`."""
    files: dict[str, list[str]] = {}
    for path, weight in WEIGHTS.items():
        if path.startswith(f"{folder}/"):
            for name in weight.sets:
                files.setdefault(name, []).append(f"`{Path(path).name}`")
    return HEAD + "".join(
        f"| {SETS[name].name} | {SETS[name].licence} | {', '.join(files[name])} |\n" for name in SETS if name in files
    )


def folders() -> list[str]:
    """Return the folders of weights."""
    return sorted({str(Path(path).parent) for path in WEIGHTS})


def with_table(text: str, folder: str) -> str:
    """Return a `LICENCES.md` with its table of sets renewed; added at its end where there is none."""
    before, found, after = text.partition(HEAD)
    if not found:
        return f"{text.rstrip()}\n\n## What they were made from\n\n{table(folder)}"
    rows = after.splitlines(keepends=True)
    rest = next((at for at, row in enumerate(rows) if not row.startswith("|")), len(rows))
    return before + table(folder) + "".join(rows[rest:])


def main() -> None:
    """Write the tables."""
    for folder in folders():
        path = SOURCE / folder / "LICENCES.md"
        path.write_text(with_table(path.read_text(encoding="utf-8"), folder), encoding="utf-8")


if __name__ == "__main__":
    main()
