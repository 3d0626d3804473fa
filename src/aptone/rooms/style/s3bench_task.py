"""The rating task of S3Bench, as data for a room where people listen: what they are told, asked, and held to."""

from collections.abc import Sequence

from aptone.rooms.style.records import HIGHEST, LOWEST, StylePair
from aptone.types import Band, Choice, Control, Qualification, RatingItem, RatingTask, Shown

TASK = "s3bench"
FIT, CONFIDENCE, CLIP, DESCRIPTION = "fit", "confidence", "clip", "description"
RATERS = 5
QUOTA = 250
OUTLIER_DISTANCE = 2.0
"""Points from the mean of the others beyond which a rating is an outlier; the paper names none."""
OUTLIER_SHARE = 0.3
QUALIFYING = 10
TOLERANCE = 1.5
"""Points by which an answer of the test may miss: right pairs are to get 3 or more, wrong ones 2 or less."""
RIGHT, WRONG = 4.5, 0.5

GUIDE = {
    "en": (
        "Listen to the clip and read the description. How much of the description do you hear?\n\n"
        "1. Take the description apart into what it says of the voice: sex, age, pitch, pace, loudness, feeling, tone, "
        "accent, texture (hoarse, breathy …), clearness, fluency.\n"
        "2. Ask of each whether you hear it, how strongly, and for how much of the clip. All count alike, unless your "
        "ear tells you that one carries the impression.\n"
        "3. Choose the number that fits the share of what is right.\n\n"
        "Leave aside how well the clip was recorded, where it is cut, what is said, and pictures that nobody could "
        'hear ("like a letter found in an attic"). A role counts only as far as it has a sound: a sports commentator '
        "does, an office clerk does not. Look up words that you do not know.\n\n"
        "Then say how sure you are."
    ),
    "zh": (
        "请听录音，再读描述：描述中的内容，您听到了多少？\n\n"
        "1. 把描述拆成若干要点：性别、年龄、音高、语速、音量、情绪、语气、口音、音质（如沙哑）、清晰度、流畅度。\n"
        "2. 逐一判断：是否听到？程度如何？占录音的多少？各要点同等重要，除非您听来某一点决定了整体印象。\n"
        "3. 按相符部分所占的比例选择分数。\n\n"
        "请忽略录音质量、截断、说话内容，以及听不出来的比喻（如“像阁楼里找到的信”）。角色只在其有声音特点时才算："
        "体育解说员算，办公室职员不算。遇到不认识的词请查一查。\n\n"
        "最后请说明您有多大把握。"
    ),
}

BANDS = tuple(
    Band(level, level, {"en": english, "zh": mandarin})
    for level, english, mandarin in (
        (5, "Everything fits (100 %).", "全部相符（100 %）。"),
        (4, "Nearly everything; a slip or two do not matter (70–90 %).", "绝大部分相符，小偏差无碍（70–90 %）。"),
        (3, "The main traits fit, something clear does not (40–70 %).", "主要特征相符，有明显不符（40–70 %）。"),
        (2, "A few traits fit, most of the detail does not (20–40 %).", "少数特征相符，细节多不符（20–40 %）。"),
        (1, "One or two traits; the whole is different (10–20 %).", "至多一两处相符，整体不同（10–20 %）。"),
        (0, "Nothing fits (0 %).", "完全不符（0 %）。"),
    )
)


def rating_task(
    pairs: Sequence[StylePair], *, qualifying: Sequence[tuple[StylePair, float]] = (), name: str = TASK
) -> RatingTask:
    """The task: five people a pair, 250 pairs a person, a test of ten pairs first, nothing shown but clip and text.

    Args:
        pairs: to be rated; what else is known of them is hidden.
        qualifying: pairs of the test, and what they should get.
        name: of the task.
    """
    items = [*(_item(pair) for pair in pairs), *(_item(pair, gold=gold) for pair, gold in qualifying)]
    tested = tuple(pair.id for pair, _ in qualifying)
    return RatingTask(
        name=name,
        title={"en": "Does the description fit the voice?", "zh": "描述与声音相符吗？"},
        guide=GUIDE,
        shown=(
            Shown(CLIP, "audio", {"en": "Clip", "zh": "录音"}),
            Shown(DESCRIPTION, "text", {"en": "Description", "zh": "描述"}),
        ),
        controls=(
            Control(
                FIT,
                "scale",
                {"en": "How well does the description fit?", "zh": "描述与录音的相符程度"},
                low=LOWEST,
                high=HIGHEST,
                step=1.0,
                bands=BANDS,
            ),
            Control(
                CONFIDENCE,
                "choice",
                {"en": "How sure are you?", "zh": "您有多大把握？"},
                choices=(
                    Choice("high", {"en": "Sure", "zh": "高：有把握"}),
                    Choice(
                        "medium", {"en": "Something that matters is hard to judge", "zh": "中：有重要的方面难以判断"}
                    ),
                    Choice("low", {"en": "Hardly to be judged at all", "zh": "低：很难判断"}),
                ),
            ),
        ),
        items=tuple(items),
        raters_per_item=RATERS,
        quota_per_rater=QUOTA,
        outlier_distance=OUTLIER_DISTANCE,
        outlier_share=OUTLIER_SHARE,
        qualification=Qualification(tested, tolerance=TOLERANCE, pass_share=1 - OUTLIER_SHARE) if tested else None,
    )


def _item(pair: StylePair, *, gold: float | None = None) -> RatingItem:
    return RatingItem(
        id=pair.id,
        audio={CLIP: pair.audio},
        fields={DESCRIPTION: pair.description},
        hidden={"language": pair.language, **pair.ids},
        gold={} if gold is None else {FIT: gold},
    )
