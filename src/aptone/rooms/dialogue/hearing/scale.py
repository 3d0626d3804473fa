"""From the built-in ear's scale of emotion to the one that EMO-Reasoning's constants are made for.

The ear was taught with acted emotions: neutral speech lies at 0, acted anger at an arousal of 0.5 and calm at -0.2.
The paper's thresholds and shifts come from people talking in podcasts, where nobody goes that far: its mean talk,
threshold plus shift, has a valence of 0.14, an arousal of 0.24 and a dominance of 0.31, and its balanced answer to an
aroused user is only 0.1 less aroused. Taken as they are, the ear's numbers would make a calm answer to anger a worse
balance than an angry one. So neutral speech is put where mean talk is, and what differs from it is made smaller.

The three gains were chosen on RAVDESS's actors 19 and 20 so that anger, fear and most sadness count as extreme;
neutral, calm and most happy speech do not; and calm and neutral answers to anger balance better than angry ones. There
is no truth to set them by. Whoever has a corpus estimates constants of their own
(`aptone.rooms.dialogue.build.thresholds`).
"""

import numpy as np

from aptone.rooms.dialogue.config import EXTREME, SHIFT
from aptone.types import Trajectory, Vad

MEAN_TALK = Vad(EXTREME.valence + SHIFT.valence, EXTREME.arousal + SHIFT.arousal, EXTREME.dominance + SHIFT.dominance)
GAIN = Vad(0.7, 0.2, 0.5)


def to_paper_scale(trajectory: Trajectory) -> Trajectory:
    """What the ear heard, on the scale of the paper: ``mean talk + gain · value`` in each dimension, within -1 to 1.

    >>> to_paper_scale(Trajectory(1.0, (0.0,), (0.5,), (0.0,))).arousal  # 0.24 + 0.2 · 0.5
    (0.34,)
    """

    def scaled(values: tuple[float, ...], centre: float, gain: float) -> tuple[float, ...]:
        moved = np.clip(centre + gain * np.array(values, dtype=np.float64), -1.0, 1.0)
        return tuple(moved.round(9).tolist())

    return Trajectory(
        trajectory.step,
        scaled(trajectory.valence, MEAN_TALK.valence, GAIN.valence),
        scaled(trajectory.arousal, MEAN_TALK.arousal, GAIN.arousal),
        scaled(trajectory.dominance, MEAN_TALK.dominance, GAIN.dominance),
    )
