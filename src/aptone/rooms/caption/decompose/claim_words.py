"""Small words that decide what a caption claims: denials, hedges, and nouns that say what an adjective is about.

Phrases are written as in `aptone.lexicon.phrases`. The lists are for captions, which describe one recording: a
story may say "if she shouted", a caption does not.
"""

from collections.abc import Mapping

from aptone.ear.describe import Attribute
from aptone.types import Language

DENIALS: Mapping[Language, str] = {
    "en": "not, never, nor, neither, nothing, isn't, aren't, wasn't, weren't, doesn't, don't, didn't, hasn't, haven't, "
    "hadn't, can't, cannot, couldn't, won't, wouldn't, hardly, scarcely, barely, far from, rather than, instead of, "
    "as opposed to, anything but, fail~ to, avoid~",
    "zh": "不，没，并非，而非，绝非，未，从未，毫不，无法，避免，与其",
}
"""After these a caption says what is not so; "and" ends it: "not angry and loud" denies the anger alone."""

LACKS: Mapping[Language, str] = {
    "en": "no, without, lack~, lacking, lack of, absence of, absent of, devoid of, free of, free from, none of, "
    "empty of, void of, sans",
    "zh": "没有，毫无，缺乏，缺少，无，不带，不含，听不出，听不到，看不出，未见，不见",
}
"""The same for lists of things that are not there: "without anger and fear" denies both."""

NO_DENIALS: Mapping[Language, str] = {
    "en": "not only, not just, not merely, not simply, not without, no doubt, nothing but, not least, without doubt, "
    "hardly surprising, cannot help but, cannot help, can't help, couldn't help, no less, without losing, "
    "never stop~, doesn't stop, not surprisingly, nothing less than, nothing short of, can't hide, "
    "cannot hide, couldn't hide, doesn't hide, can't conceal, cannot conceal, can't contain, cannot contain, "
    "can't suppress, cannot suppress",
    "zh": "不仅，不但，不光，不止，不只，不单，不禁，不断，不时，不由，不停，不住，不得不，不过，不同，不失，不乏，"
    "无比，无疑，非常，未来，忍不住，掩饰不住，藏不住，抑制不住，按捺不住，遮掩不住，不无，毫不掩饰，毫无疑问，毫不费力，不免",
}
"""These look like a denial and are none."""

HEDGES: Mapping[Language, str] = {
    "en": "slightly, somewhat, perhaps, maybe, possibly, probably, presumably, apparently, seemingly, seem~, appear~, "
    "might, may, could be, a bit, a little, touch of, hint of, hints of, trace of, traces of, hint~ at, tinge of, "
    "note of, undertone of, suggestion of, kind of, sort of, almost, nearly, faintly, mildly, fairly, rather, "
    "relatively, whether, impossible to tell, tinged with, bordering on, suggest~, suggesting, as if, as though",
    "zh": "略，稍，有点，有些，一点，些许，一丝，几分，似乎，好像，仿佛，像是，可能，也许，或许，大概，微微，隐约，"
    "透着一丝，隐隐，听似，近乎，似",
}
"""What follows these is said with care."""

CONTRASTS: Mapping[Language, frozenset[str]] = {
    "en": frozenset(
        [
            "but",
            "yet",
            "while",
            "whereas",
            "although",
            "though",
            "however",
            "because",
            "so",
            "then",
            "still",
            "with",
            "in",
            "at",
            "as",
            "who",
            "which",
            "where",
            "instead",
            "nonetheless",
            "nevertheless",
            "speaking",
            "sounding",
            "delivering",
            "when",
            "despite",
        ]
    ),
    "zh": frozenset("而但却且是"),
}
"""Words (in Mandarin, characters) behind which a denial holds no longer."""

LINKS = frozenset(
    [
        "is",
        "are",
        "was",
        "were",
        "be",
        "being",
        "remains",
        "remain",
        "stays",
        "stay",
        "becomes",
        "become",
        "sounds",
        "sound",
        "seems",
        "seem",
    ]
)
"""English verbs between a noun and what is said of it."""

DETERMINERS = frozenset(["the", "a", "an", "his", "her", "their", "its", "this", "that"])
"""English words that begin another noun phrase."""

NOUNS: Mapping[Language, Mapping[str, tuple[Attribute, ...]]] = {
    "en": {
        "pitch": ("pitch", "intonation", "pitch_variation"),
        "pitched": ("pitch",),
        "register": ("pitch",),
        "volume": ("volume",),
        "loudness": ("volume",),
        "pace": ("rate",),
        "tempo": ("rate",),
        "speed": ("rate",),
        "rate": ("rate",),
        "paced": ("rate",),
        "intonation": ("intonation", "pitch_variation"),
        "inflection": ("intonation", "pitch_variation"),
        "inflections": ("intonation", "pitch_variation"),
        "contour": ("intonation", "pitch_variation"),
        "melody": ("pitch_variation", "intonation"),
        "variation": ("pitch_variation",),
        "modulation": ("pitch_variation",),
        "rhythm": ("rhythm",),
        "cadence": ("rhythm",),
        "energy": ("rhythm",),
        "delivery": ("rhythm", "intonation", "pitch_variation", "pitch", "volume"),
        "timbre": ("texture",),
        "texture": ("texture",),
        "quality": ("texture", "emotion"),
        "emotion": ("emotion",),
        "mood": ("emotion",),
        "feeling": ("emotion",),
        "affect": ("emotion",),
        "demeanor": ("emotion",),
        "demeanour": ("emotion",),
        "manner": ("emotion", "rhythm"),
        "tone": ("emotion", "pitch", "intonation", "texture", "volume"),
        "voice": ("pitch", "texture", "volume", "pitch_variation", "emotion"),
        "voiced": ("pitch", "texture", "volume"),
    },
    "zh": {
        "音调": ("pitch",),
        "音高": ("pitch",),
        "声调": ("pitch",),
        "音域": ("pitch",),
        "音量": ("volume",),
        "响度": ("volume",),
        "语速": ("rate",),
        "速度": ("rate",),
        "语调": ("intonation", "pitch_variation"),
        "节奏": ("rhythm",),
        "韵律": ("rhythm",),
        "音色": ("texture",),
        "嗓音": ("texture", "pitch", "volume"),
        "情绪": ("emotion",),
        "情感": ("emotion",),
        "心情": ("emotion",),
        "感情": ("emotion",),
        "神情": ("emotion",),
        "语气": ("emotion", "intonation"),
        "音质": ("texture",),
        "声音": ("volume", "pitch", "texture", "emotion"),
    },
}
"""Nouns that say what an adjective is about, and about which attributes they can be, the likeliest first."""

NEEDS_A_NOUN: Mapping[Language, frozenset[str]] = {
    "en": frozenset(
        {"low", "very low", "high", "very high", "moderate", "light", "level", "rising", "falling", "curved"}
    ),
    "zh": frozenset(
        {
            "较低",
            "较高",
            "下降",
            "偏低",
            "偏高",
            "很低",
            "很高",
            "较快",
            "较慢",
            "偏快",
            "偏慢",
            "很快",
            "很慢",
            "较大",
            "较小",
        }
        | {"很大", "很小", "适中", "中等", "正常"}
    ),
}
"""Words that say nothing of a voice unless a noun tells what they are about: "high spirits"."""

NOT_OF_A_VOICE: Mapping[Language, str] = {
    "en": "clear sense, clear sign, clear signs, clear that, clear indication, clear hint, clear intent, clear enough, "
    "clear enunciation, clear articulation, clear diction, clear pronunciation, clear from, deep sense, deep feeling, "
    "deep thought, deep concern, deep affection, quick to, high spirits, high stakes, low spirits, low mood",
    "zh": "其他，他们，她们，他人，压抑着，压抑住",
}
"""Phrases whose words would say something of the voice if they stood alone."""
