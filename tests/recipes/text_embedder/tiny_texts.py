"""A few dialogues and a network of MiniLM's shape, small enough to train on in a test."""

from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

WIDTH = 96
LETTERS = "abcdefghijklmnopqrstuvwxyz!?.,'0123456789"
EMOTIONS = ("joy", "anger", "neutral", "sadness")
ENGLISH = ("great fun", "get out", "it is four", "so sad")
MANDARIN = (("太好了", "happy"), ("滚出去", "anger"), ("四点了", "neutral"), ("别担心", "worried"))


def write_minilm(folder: Path) -> Path:
    """One random layer under the names of MiniLM."""
    folder.mkdir(parents=True)
    vocabulary = ["[UNK]", "[CLS]", "[SEP]", *LETTERS, *(f"##{letter}" for letter in LETTERS), "great", "fun", "sad"]
    (folder / "vocab.txt").write_text("\n".join(vocabulary), encoding="utf-8")
    generator = np.random.default_rng(0)

    def random(*shape: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
        return generator.normal(scale=0.1, size=shape).astype(np.float32)

    weights = {
        "embeddings.word_embeddings.weight": random(len(vocabulary), WIDTH),
        "embeddings.position_embeddings.weight": random(64, WIDTH),
        "embeddings.token_type_embeddings.weight": random(2, WIDTH),
    }
    layer = "encoder.layer.0"
    for name in ("embeddings", f"{layer}.attention.output", f"{layer}.output"):
        weights[f"{name}.LayerNorm.weight"] = 1 + random(WIDTH)
        weights[f"{name}.LayerNorm.bias"] = random(WIDTH)
    for name, outputs, inputs in (
        *((f"attention.self.{part}", WIDTH, WIDTH) for part in ("query", "key", "value")),
        ("attention.output.dense", WIDTH, WIDTH),
        ("intermediate.dense", 2 * WIDTH, WIDTH),
        ("output.dense", WIDTH, 2 * WIDTH),
    ):
        weights[f"{layer}.{name}.weight"] = random(outputs, inputs)
        weights[f"{layer}.{name}.bias"] = random(outputs)
    save_file(weights, folder / "model.safetensors")
    return folder


def write_texts(folder: Path) -> Path:
    """The four sets in the shape of their releases."""
    for name in ("meld", "cped", "goemotions", "emobank"):
        (folder / name).mkdir(parents=True)
    for part in ("train", "dev", "test"):
        rows = ["Utterance,Speaker,Emotion,Dialogue_ID,Utterance_ID"]
        rows += [f"{ENGLISH[k % 4]},{'AB'[k % 2]},{EMOTIONS[k % 4]},{k // 4},{k % 4}" for k in range(16)]
        (folder / "meld" / f"{part}.csv").write_text("\n".join(rows), encoding="utf-8")
        comments = [f"{text}\t{number}\tid" for text, number in zip(ENGLISH, ("3", "0,1", "4", "5"), strict=True)]
        (folder / "goemotions" / f"{part}.tsv").write_text("\n".join(comments), encoding="utf-8")
    for part, series in (("valid", ("32", "45")), ("test", ("27", "28"))):
        rows = ["TV_ID,Dialogue_ID,Speaker,Emotion,Utterance"]
        rows += [
            f"{one},{one}_0,{'甲乙'[k % 2]},{MANDARIN[k % 4][1]},{MANDARIN[k % 4][0]}"
            for one in series
            for k in range(8)
        ]
        (folder / "cped" / f"{part}.csv").write_text("\ufeff" + "\n".join(rows), encoding="utf-8")
    labels = "anger disgust fear joy neutral sadness surprise"
    (folder / "goemotions" / "labels.txt").write_text("\n".join(labels.split()), encoding="utf-8")
    sentences = ["id,split,V,A,D,text", *(f"{k},train,{k},3,3.4,{text}" for k, text in enumerate(ENGLISH, start=1))]
    (folder / "emobank" / "emobank.csv").write_text("\n".join(sentences), encoding="utf-8")
    return folder
