"""Narration of the speaker's face, body and voice: what it shows, and where it leaves the feeling open."""

from tests.planner.reading.test_directions import felt, read
from tests.tables import for_each


@for_each(
    ("narration", "emotion"),
    [
        # hair, skin, teeth, limbs, hands
        ("The hair stood up along her arms.", "fear"),
        ("Her scalp prickled.", "fear"),
        ("Her teeth had begun to chatter.", "fear"),
        ("Her knees had started knocking.", "fear"),
        ("She had gone the colour of milk.", "fear"),
        ("Her eyes kept going to the door.", "fear"),
        ("She backed away.", "fear"),
        # blood, veins, blows
        ("Heat climbed her neck.", "angry"),
        ("Two red spots had come up on her cheeks.", "angry"),
        ("A vein stood out on her temple.", "angry"),
        ("She kicked the bin across the room.", "angry"),
        ("She slammed the lid down.", "angry"),
        ("She flung the ladle against the wall.", "angry"),
        # lips, nostrils, distance
        ("Her lip had curled clear of her teeth.", "disgust"),
        ("Her nostrils had pinched white.", "disgust"),
        ("She lifted the sock between finger and thumb.", "disgust"),
        ("She breathed through her sleeve.", "disgust"),
        # eyes, jaw, things that stop and fall
        ("Her eyes went as round as saucers.", "surprise"),
        ("Her jaw simply hung.", "surprise"),
        ("Her pencil stopped in the air.", "surprise"),
        ("The cup slipped from her hand.", "surprise"),
        # light, limbs, leaps
        ("Her whole face lit up.", "happy"),
        ("She flung both arms up.", "happy"),
        ("She danced on the spot.", "happy"),
        ("She could not stop grinning.", "happy"),
        # eyebrows, corners of the mouth
        ("She waggled her eyebrows at him.", "playful"),
        ("One corner of her mouth kept getting away from her.", "playful"),
        ("She bit back a grin.", "playful"),
        # quiet
        ("She was in no hurry.", "calm"),
        ("A great quiet had come over her.", "calm"),
        # throat, chin, weight
        ("Her throat had closed.", "sad"),
        ("Her chin had started to go.", "sad"),
        ("Her face had crumpled.", "sad"),
        ("All the stuffing had gone out of her.", "sad"),
        # eyelids, yawns
        ("Her eyelids were at half mast.", ""),
        ("She sat there with her eyelids at half mast.", "boredom"),
        ("Her chin was on her fist; she smothered a yawn.", "boredom"),
        # nothing either way
        ("She read the list with no more expression than a clock.", "neutral"),
        ("She was neither pleased nor cross.", "neutral"),
    ],
)
def test_a_body_shows_a_feeling(narration: str, emotion: str) -> None:
    assert felt(f"{narration} “⟦We start at nine.⟧”") == emotion


@for_each(
    ("tag", "emotion"),
    [
        ("she said matter-of-factly", "neutral"),
        ("she said evenly", "neutral"),
        ("she said listlessly", "boredom"),
        ("she said through a yawn", "boredom"),
        ("she said with a shudder", "disgust"),
        ("she whimpered", "fear"),
        ("she purred", "playful"),
        ("she bellowed", "angry"),
        ("she said, mock-solemn", "playful"),
        ("she said, bouncing on her heels", "happy"),
    ],
)
def test_a_tag_says_how(tag: str, emotion: str) -> None:
    assert felt(f"“⟦We start at nine,⟧” {tag}.") == emotion


@for_each(
    "narration",
    ["She blew her nose.", "She threw the ball to the boy.", "She kicked off her shoes.", "She counted the chairs."],
)
def test_a_deed_that_may_mean_anything_says_nothing(narration: str) -> None:
    assert felt(f"{narration} “⟦We start at nine.⟧”") == ""


def test_news_that_is_breathed_is_not_fear() -> None:
    assert felt("“⟦It's a girl,⟧” she breathed.") == ""
    assert felt("“⟦It's a girl,⟧” she breathed, beaming.") == "happy"


def test_tears_and_shaking_are_what_the_phrase_decides() -> None:
    assert felt("She wiped her eyes. She was overjoyed. “⟦We start at nine.⟧”") == "happy"
    assert felt("Tears of joy ran down her cheeks. “⟦We start at nine.⟧”") == "happy"
    assert felt("She blew her nose, relieved. “⟦It is over.⟧”") == "happy"
    assert felt("She was shaking with laughter. “⟦We start at nine.⟧”") == "happy"
    assert felt("She was shaking with rage. “⟦We start at nine.⟧”") == "angry"


@for_each(
    ("narration", "emotion"),
    [
        ("她后颈一阵阵发凉。", "fear"),
        ("她脸上没有一丝血色。", "fear"),
        ("她的牙关直打架。", "fear"),
        ("她脖子上的筋都绷起来了。", "angry"),
        ("血直往她头上涌，她把茶碗往桌上一墩。", "angry"),
        ("她的胃里一阵翻腾。", "disgust"),
        ("她的五官皱成一团。", "disgust"),
        ("她的嘴张着，忘了合上。", "surprise"),
        ("她愣在门口。", "surprise"),
        ("她的嘴咧得收不回来。", "happy"),
        ("她又笑又跳。", "happy"),
        ("她眼睛里全是坏水。", "playful"),
        ("她鼻尖通红，喉头一直在动。", "sad"),
        ("她的肩头一抽一抽。", "sad"),
        ("她的口气没有半点起伏。", "neutral"),
        ("她呼吸很匀。", "calm"),
        ("她的眼皮直打架。", "boredom"),
    ],
)
def test_a_body_shows_a_feeling_in_mandarin(narration: str, emotion: str) -> None:
    assert felt(f"{narration}“⟦九点开始。⟧”", "zh") == emotion


@for_each("narration", ["她又看了一遍账本。", "她转了转手里的笔。", "她擤了擤鼻子。"])
def test_a_deed_that_may_mean_anything_says_nothing_in_mandarin(narration: str) -> None:
    assert felt(f"{narration}“⟦九点开始。⟧”", "zh") == ""


@for_each(
    ("narration", "voices"),
    [
        ("他轻轻带上门，站了一会儿。", set()),
        ("她的眼圈慢慢红了。", {"choked"}),
        ("他轻轻地说。", {"whisper", "soft"}),
        ("她缓缓开口。", {"slow"}),
    ],
)
def test_a_slow_or_gentle_deed_is_no_slow_or_gentle_voice(narration: str, voices: set[str]) -> None:
    cues = read(f"{narration}“⟦来了。⟧”", "zh")[1]
    assert {voice for cue in cues for voice in cue.meaning.voice} == voices
