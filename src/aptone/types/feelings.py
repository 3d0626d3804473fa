"""Positions of emotions in the space of valence, arousal and dominance."""

from aptone.types.closed_sets import Emotion
from aptone.types.story import Vad

TYPICAL_VAD = {
    Emotion.NEUTRAL: Vad(0.0, 0.0, 0.0),
    Emotion.CALM: Vad(0.50, -0.40, 0.05),
    Emotion.HAPPY: Vad(0.81, 0.51, 0.46),
    Emotion.SAD: Vad(-0.63, -0.27, -0.33),
    Emotion.ANGRY: Vad(-0.51, 0.59, 0.25),
    Emotion.FEAR: Vad(-0.64, 0.60, -0.43),
    Emotion.DISGUST: Vad(-0.60, 0.35, 0.11),
    Emotion.SURPRISE: Vad(0.40, 0.67, -0.13),
    Emotion.BOREDOM: Vad(-0.65, -0.62, -0.33),
    Emotion.PLAYFUL: Vad(0.65, 0.43, 0.30),
}
"""In the order of `Emotion`; means of Russell & Mehrabian (1977, *Evidence for a three-factor theory of emotions*).

Calm and playful are not on their list: they are put near "relaxed" and "happy".
"""
