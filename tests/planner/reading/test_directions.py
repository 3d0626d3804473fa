"""Stage directions and script notes: where they stand, and what a terse note tells."""

from collections import defaultdict

from aptone.planner.fusion import cue_weight
from aptone.planner.passage import Passage
from aptone.planner.reading.cues import FeelingCue, feeling_cues
from aptone.types import Language
from tests.tables import for_each


def read(marked: str, language: Language = "en") -> tuple[str, tuple[FeelingCue, ...]]:
    """The text without marks and the cues of the line between ⟦ and ⟧."""
    start, end = marked.index("⟦"), marked.index("⟧") - 1
    plain = marked.replace("⟦", "").replace("⟧", "")
    return plain, feeling_cues(Passage(plain, start, end, "", ()), language)


def directed(marked: str, language: Language = "en") -> set[str]:
    """The words of the cues in stage directions."""
    plain, found = read(marked, language)
    return {plain[cue.start : cue.end] for cue in found if cue.region == "direction" and cue.meaning.emotions}


def felt(marked: str, language: Language = "en") -> str:
    """The emotion with the most weight; empty without one."""
    sums: defaultdict[str, float] = defaultdict(float)
    for cue in read(marked, language)[1]:
        for emotion, share in cue.meaning.emotions.items():
            sums[str(emotion)] += cue_weight(cue) * share * (-1 if cue.denied else 1)
    name, most = max(sums.items(), key=lambda pair: pair[1], default=("", 0.0))
    return name if most > 0 else ""


def test_a_direction_on_a_tag_behind_the_line_is_its_own() -> None:
    assert directed("“⟦That's every boat,⟧” said Willa [hollow, looking at the water].") == {"hollow"}
    assert directed("“⟦Go,⟧” Mr. Bell asked [furious].") == {"furious"}


def test_a_direction_behind_a_longer_tag_is_not_taken_for_the_line() -> None:
    assert not directed("“⟦Go,⟧” said Willa to the boy and the dog barked [furious].")


def test_a_direction_alone_behind_the_same_name_is_about_the_line_below() -> None:
    assert directed("viktor: *sobbing*\nviktor: ⟦tell my mum⟧") == {"sobbing"}
    assert directed("viktor: *sobbing* *laughing wildly*\nviktor: ⟦tell my mum⟧") >= {"sobbing"}
    assert not directed("omar: *sobbing*\nviktor: ⟦tell my mum⟧")
    assert not directed("viktor: so. *sobbing*\nviktor: ⟦tell my mum⟧")


def test_a_direction_that_ends_the_narration_above_is_about_the_line_below() -> None:
    assert directed("The cart rolls away. LOTTE looks up. (Furious.)\n⟦I was ill in that bed.⟧") == {"Furious"}
    assert not directed("OTTO: Well then. (Furious.)\n⟦I was ill in that bed.⟧")
    assert not directed("“Well then.” (Furious.)\n“⟦I was ill in that bed.⟧”")
    assert not directed("The cart rolls away. (Furious.)\nLOTTE: ⟦I was ill in that bed.⟧")


def test_a_direction_of_several_clauses_is_read() -> None:
    note = "HELENE, one eye on the door, in a terrified whisper. Ten years ago she would have died to hear that voice."
    assert "in a terrified whisper" in directed(f"“⟦Don't call me,⟧” ({note})")


@for_each(
    ("note", "emotion"),
    [
        ("lip curling", "disgust"),
        ("toneless", "neutral"),
        ("hollow", "sad"),
        ("hollow, to the window", "sad"),
        ("voice gone thick", "sad"),
        ("sinking onto the step", "sad"),
        ("hurling the manual across the garage", "angry"),
        ("kicks the crate", "angry"),
        ("bellowing", "angry"),
        ("jaw working", "angry"),
        ("icy", "angry"),
        ("pinching his nose", "disgust"),
        ("holding it away from her by one corner", "disgust"),
        ("nostrils pinched", "disgust"),
        ("slumped, one cheek on the desk", "boredom"),
        ("through a yawn", "boredom"),
        ("chewing gum", "boredom"),
        ("on one note", "boredom"),
        ("barely audible", "fear"),
        ("backing away, hands up", "fear"),
        ("gripping the rail", "fear"),
        ("lips hardly moving", "fear"),
        ("stops dead", "surprise"),
        ("eyes popping", "surprise"),
        ("drops phone", "surprise"),
        ("jumping back", "surprise"),
        ("radiant", "happy"),
        ("both arms up", "happy"),
        ("hopping from foot to foot", "happy"),
        ("flings his hat in the air", "happy"),
        ("mock-solemn", "playful"),
        ("wiggles eyebrows", "playful"),
        ("singsong", "playful"),
        ("bowing low", "playful"),
        ("matter-of-fact", "neutral"),
        ("no inflection", "neutral"),
        ("reading from the form", "neutral"),
        ("slow and easy", "calm"),
        ("a hand on his shoulder", "calm"),
        ("in no hurry at all", "calm"),
    ],
)
def test_a_terse_note_tells_the_delivery(note: str, emotion: str) -> None:
    assert felt(f"ANN ({note}): ⟦We start at nine.⟧") == emotion


@for_each(
    "note",
    ["shouting over the engines", "kicking off her shoes", "hushed", "screaming", "catching her breath", "to Tom"],
)
def test_a_note_that_leaves_the_mood_open_says_nothing_of_it(note: str) -> None:
    assert felt(f"ANN ({note}): ⟦We start at nine.⟧") == ""


@for_each("narration", ["The ground was flat and hollow.", "He was reading from the form.", "She kicked the ball."])
def test_words_of_notes_say_nothing_in_narration(narration: str) -> None:
    assert felt(f"{narration} “⟦We start at nine,⟧” she said.") == ""


@for_each(
    "note",
    ["tries to smile and it goes wrong", "attempts a smile", "a smile that did not come", "with a frozen smile"],
)
def test_a_smile_that_fails_is_no_joy(note: str) -> None:
    assert felt(f"ANN ({note}): ⟦We start at nine.⟧") == "sad"


@for_each(
    ("narration", "emotion"),
    [
        ("Her smile did not reach her eyes.", "sad"),
        ("Her smile wobbled.", "sad"),
        ("He tried to laugh.", "sad"),
        ("He smiled without warmth.", "angry"),
        ("She did not smile.", "angry"),
        ("All the bounce had gone out of him.", "sad"),
        ("There was no more in it than in a timetable.", "neutral"),
    ],
)
def test_a_failed_or_denied_expression_is_read_as_what_it_shows(narration: str, emotion: str) -> None:
    assert felt(f"{narration} “⟦We start at nine.⟧”") == emotion


@for_each(
    ("note", "emotion"),
    [
        ("干呕一声", "disgust"),
        ("捂着口鼻", "disgust"),
        ("一脚踹翻凳子", "angry"),
        ("把菜单摔在桌上", "angry"),
        ("死死抓住她的袖子", "fear"),
        ("缩到墙角", "fear"),
        ("声音哑得厉害", "sad"),
        ("背过身去", "sad"),
        ("筷子掉了", "surprise"),
        ("瞪着屏幕", "surprise"),
        ("又蹦又跳", "happy"),
        ("转圈", "happy"),
        ("挤眼", "playful"),
        ("捏着嗓子", "playful"),
        ("照本宣科", "neutral"),
        ("语气平直", "neutral"),
        ("公事公办", "neutral"),
        ("打着哈欠", "boredom"),
        ("趴在桌上", "boredom"),
        ("像哄小孩", "calm"),
        ("轻轻拍着他的背", "calm"),
    ],
)
def test_a_terse_mandarin_note_tells_the_delivery(note: str, emotion: str) -> None:
    assert felt(f"安：（{note}）⟦九点开始。⟧", "zh") == emotion


@for_each(
    "narration",
    [
        "脸上看不出半分喜色。",
        "她的笑意未达眼底。",
        "她脸上没有一丝笑意。",
        "他勉强挤出一个笑。",
        "她的笑容僵住了。",
        "她怎么也高兴不起来。",
    ],
)
def test_denied_and_failed_joy_in_mandarin_is_no_joy(narration: str) -> None:
    assert felt(f"{narration}“⟦九点开始。⟧”", "zh") == "sad"


@for_each("narration", ["脸上看不到半分喜色。", "他脸上并无半点喜色。", "声音里听不出一点怒气。"])
def test_a_gap_does_not_reach_over_a_mandarin_denial(narration: str) -> None:
    assert felt(f"{narration}“⟦九点开始。⟧”", "zh") == ""
