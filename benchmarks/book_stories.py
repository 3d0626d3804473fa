"""Hand-made stories with their truth, for `books_text.py`: pieces of paragraphs with kind and speaker."""

from typing import NamedTuple


class Piece(NamedTuple):
    """Piece of a paragraph: its kind, its words, and who says it."""

    kind: str
    text: str
    role: str = ""


def _h(text: str) -> list[Piece]:
    return [Piece("heading", text)]


def _n(text: str) -> list[Piece]:
    return [Piece("narration", text)]


def _s(text: str, role: str) -> Piece:
    return Piece("speech", text, role)


def _t(text: str) -> Piece:
    return Piece("tag", text)


HARBOUR: list[list[Piece]] = [
    _h("Chapter 1"),
    _n("The harbour lay still that morning, and the gulls sat on the posts as though somebody had painted them there."),
    [_s("You are late,", "Tom"), _t("said Tom.")],
    [_s("I am never late,", "Ann"), _t("Ann answered."), _s("The boat is early.", "Ann")],
    [_s("It is the same boat as every day.", "Tom")],
    [_s("Then it is you who are early!", "Ann")],
    [_t("Tom laughed."), _s("Have it your way.", "Tom")],
    _n("Behind them the keeper came down the steps with his lantern, although it had been light for an hour and more."),
    [_s("Is anybody going out today?", "the keeper"), _t("asked the keeper.")],
    [
        _s("Not with this wind,", "Tom"),
        _t("said Tom."),
        Piece(
            "narration", "He looked along the quay, where the nets hung in long brown rows and dried in the cold air."
        ),
    ],
    [_s("My mother always said ‘never on a Friday’, and she was right.", "Ann"), _t("Ann said.")],
    _h("Chapter 2"),
    _n("In the evening the lamp was lit, and the whole town could be seen from the hill above the church."),
    [_t("At last the keeper said:"), _s("It will rain before midnight.", "the keeper")],
    [_s("Let it rain,", "Ann"), _t("whispered Ann.")],
    _n("They called it “the long summer” ever after, and nobody could have said why."),
]
RIVER: list[list[Piece]] = [
    _h("第一章 雨"),
    _n("雨下了一整夜，院子里的水没过了脚踝，屋檐下的灯笼被风吹得摇来摇去。"),
    [_t("老周喊道："), _s("都起来！河堤要垮了！", "老周")],
    [_s("什么时候的事？", "陈雨"), _t("陈雨问。")],
    [_t("老周说："), _s("刚刚，广播里说的。", "老周")],
    _n("谁也没有再说话，只听见远处的水声一阵紧似一阵，像有人在黑暗里不停地敲着一面大鼓。"),
    [_s("我去叫奶奶。", "陈雨"), _t("陈雨咬着牙说。")],
    _h("第二章 桥"),
    [_t("奶奶慢慢地说："), _s("你们走吧，我哪儿也不去。", "奶奶")],
    [_s("奶奶，您别说气话。", "陈雨"), _t("陈雨哭着说。")],
    _n("桥那边的人家都已经点起了火把，一长串的光沿着山路慢慢地往上移动，像一条发亮的绳子。"),
]
SCRIPT: list[list[Piece]] = [
    _h("INT. KITCHEN - NIGHT"),
    _n("Rain against the window. TOM sits at the table with a letter in front of him."),
    [_s("She knew. She knew all the time.", "TOM")],
    [_s("Of course she knew.", "ANN")],
    _n("Ann takes the letter out of his hand and reads it by the light of the stove."),
    [_s("Burn it.", "ANN")],
    [_s("Not yet.", "TOM")],
    _h("EXT. QUAY - DAWN"),
    _n("The boats are gone. TOM stands alone at the end of the pier."),
    [_s("You are late.", "ANN")],
    [_s("I am never late.", "TOM")],
]
CUES: list[Piece] = [
    _s("You are late.", "TOM"),
    _s("I am never late.", "ANN"),
    _s("The boat is early.", "ANN"),
    _s("It is the same boat as every day.", "TOM"),
    _s("Is anybody there?", ""),
]


def prose(story: list[list[Piece]], *, opening: str = "“", closing: str = "”") -> list[tuple[str, str]]:
    """Return the paragraphs of a story, each with "heading" or "paragraph"."""
    found = []
    for paragraph in story:
        parts = [f"{opening}{one.text}{closing}" if one.kind == "speech" else one.text for one in paragraph]
        chinese = any("\u4e00" <= character <= "\u9fff" for character in parts[0])
        kind = "heading" if paragraph[0].kind == "heading" else "paragraph"
        found.append((kind, ("" if chinese else " ").join(parts)))
    return found
