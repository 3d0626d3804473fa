"""What can be said about the example's clips: six lines of one story, each read aptly, flatly and wrongly.

The voices are synthetic and their rate, pitch, melody and loudness were set, so what is said here is known to be true.
The ready project of the studio makes its items from it.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Reading:
    """One clip of the example.

    Args:
        clip: its name in the example's manifest.
        description: the voice, as someone would describe it who knows nothing of the story.
        caption: the clip, as a captioning system would put it.
        feeling: that one hears in it.
        fits: how well it suits its place in the story, 0 to 5, by what was set when it was made.
    """

    clip: str
    description: str
    caption: str
    feeling: str
    fits: float

    @property
    def line(self) -> str:
        """Name of the line that is read."""
        return self.clip.rpartition("-")[0]

    @property
    def is_mandarin(self) -> bool:
        """Whether it is spoken, and described, in Mandarin."""
        return self.line.endswith("-zh")

    @property
    def manner(self) -> str:
        """How it is read: apt, flat or wrong."""
        return self.clip.rpartition("-")[2]


READINGS = (
    Reading(
        "wall-apt",
        "A woman calls out, loud, high and fast, with a melody that leaps.",
        "A frightened woman shouts a warning. Her voice is high, loud and hurried.",
        "terrified",
        4.4,
    ),
    Reading(
        "wall-flat",
        "A woman speaks on one note at an even pace.",
        "A woman reads a sentence in a monotone, without any feeling.",
        "indifferent",
        1.6,
    ),
    Reading(
        "wall-wrong",
        "A woman murmurs, slow, low and very quiet.",
        "A drowsy woman speaks slowly under her breath, as if to herself.",
        "drowsy",
        0.7,
    ),
    Reading(
        "anybody-apt",
        "A woman asks something quickly; her voice climbs steeply towards the end.",
        "A nervous woman asks a short question, quick and rising, hoping for an answer.",
        "anxious",
        4.1,
    ),
    Reading(
        "anybody-flat",
        "A woman asks something in a flat voice at an ordinary pace.",
        "A woman asks a question without much interest in the answer.",
        "indifferent",
        1.9,
    ),
    Reading(
        "anybody-wrong",
        "A woman speaks slowly and quietly; her voice sinks towards the end.",
        "A tired woman says a few words, falling and slow, as if she had given up.",
        "weary",
        1.2,
    ),
    Reading(
        "keeper-apt",
        "A man speaks slowly and gravely over a telephone line.",
        "A man with a deep, serious voice gives an instruction over the telephone, slowly and firmly.",
        "grave",
        4.3,
    ),
    Reading(
        "keeper-flat",
        "A man speaks on one note, close to the microphone.",
        "A man reads two short sentences in a monotone in a quiet room.",
        "indifferent",
        2.2,
    ),
    Reading(
        "keeper-wrong",
        "A man speaks fast and high, with a lively melody, close to the microphone.",
        "A cheerful man chatters quickly in a bright voice.",
        "cheerful",
        0.8,
    ),
    Reading(
        "sleep-apt",
        "A woman speaks slowly and softly, and her voice falls at the end.",
        "A woman soothes somebody with a soft, slow and tired voice.",
        "tender",
        4.2,
    ),
    Reading(
        "sleep-flat",
        "A woman speaks on one note at an ordinary pace.",
        "A woman states something in a plain, even voice.",
        "indifferent",
        2.6,
    ),
    Reading(
        "sleep-wrong",
        "A woman calls out, high, loud and very fast.",
        "An excited woman shouts at somebody in a shrill voice.",
        "excited",
        0.5,
    ),
    Reading("wall-zh-apt", "女声高声呼喊，音调高，语速偏快。", "一位女性惊恐地高声示警，声音又高又急。", "惊恐", 4.2),
    Reading("wall-zh-flat", "女声语调平直，语速平稳。", "一位女性平淡地念出一句话，没有感情。", "平淡", 1.8),
    Reading("wall-zh-wrong", "女声低沉缓慢，声音很轻。", "一位女性有气无力地慢慢低语。", "困倦", 0.9),
    Reading("sleep-zh-apt", "女声轻柔缓慢，句尾下降。", "一位女性用疲惫而温柔的声音轻声安慰别人。", "温柔", 4.0),
    Reading("sleep-zh-flat", "女声语调平直，语速平常。", "一位女性平静地陈述一件事。", "平淡", 2.7),
    Reading("sleep-zh-wrong", "女声响亮急促，音调上扬。", "一位女性激动地大声喊叫，语速很快。", "激动", 0.6),
)
