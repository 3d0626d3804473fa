from hypothesis import given
from hypothesis import strategies as st

from aptone.ear.claims.feeling import AGAINST, CLEAR, DIRECTIONS, Verdict, check_feeling
from aptone.types import Emotion, Vad

PLAIN = Vad(0.0, 0.0, 0.0)


@given(st.sampled_from(list(DIRECTIONS)), st.floats(-1, 1), st.floats(-1, 1))
def test_the_verdict_follows_from_the_directions(emotion: Emotion, valence: float, arousal: float) -> None:
    verdict = check_feeling(emotion, Vad(valence, arousal, 0.0), PLAIN).verdict
    moved = {"valence": valence, "arousal": arousal}
    ways = {name: moved[name] * direction for name, direction in DIRECTIONS[emotion].items()}
    if any(way < -AGAINST[name] for name, way in ways.items()):
        assert verdict is Verdict.CONTRADICTED
    elif ways and all(way >= CLEAR for way in ways.values()):
        assert verdict is Verdict.HEARD
    else:
        assert verdict is Verdict.UNVERIFIED


def test_what_the_ear_cannot_judge_is_unverified_with_the_reason() -> None:
    check = check_feeling(Emotion.ANGRY, None, PLAIN, why="no speech found")
    assert (check.verdict, check.reason) == (Verdict.UNVERIFIED, "no speech found")
    assert check_feeling(Emotion.NEUTRAL, PLAIN, PLAIN).verdict is Verdict.UNVERIFIED
