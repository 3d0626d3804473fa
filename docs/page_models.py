"""Small models with random weights, for the pages on training and on models of your own.

python -m docs.page_models

They have the form of the real ones and are trained in seconds on a CPU; what they score means nothing, and the pages
say so.
"""

import json
from dataclasses import replace
from pathlib import Path

from aptone.train.judge.dataset import write_examples
from tests.models.local_claps import save_laion_clap
from tests.models.local_models import save_omni
from tests.models.local_speech_models import save_sentence_encoder
from tests.train.judge.tiny_judges import example, save_base, save_shards
from tests.train.style_shards import style_shards

BRIEF = {"batch_size": 2, "steps": 1}


def main(folder: Path = Path()) -> None:
    """Write the models and shards into a folder."""
    save_base(folder / "base")
    save_shards(folder / "rated-shards", 12)
    said = [replace(example(number), reply="A calm voice.", kind="caption") for number in range(4)]
    write_examples(folder / "captions", said)
    save_shards(folder / "held-out", 4)
    (folder / "judge").mkdir()
    save_omni(folder / "judge", scores=True)
    save_laion_clap(folder / "audio-encoder")
    (folder / "text-encoder").mkdir()
    save_sentence_encoder(folder / "text-encoder", pooling="pooling_mode_lasttoken")
    style_shards(folder / "style-shards", 10)
    style_shards(folder / "style-held-out", 4)
    config = {
        "base": "base",
        "captions": "captions",
        "train_data": {"vote": "rated-shards"},
        "eval_data": {"dev": {"none": "held-out", "vote": "held-out"}},
        "distil": BRIEF,
        "sft": BRIEF,
        "grpo": BRIEF,
        "max_new_tokens": 16,
        "num_generations": 2,
    }
    (folder / "ablation.json").write_text(json.dumps(config), encoding="utf-8")


if __name__ == "__main__":
    main()
