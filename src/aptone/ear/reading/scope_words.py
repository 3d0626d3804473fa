"""Words that a caption's grammar rests on: denials, hedges, contrasts, and the nouns that adjectives go with."""

from collections.abc import Mapping

from aptone.ear.describe import Attribute
from aptone.lexicon.negation import LOOK_ALIKES
from aptone.types import Language

DENIALS: Mapping[Language, str] = {
    "en": "not, never, nor, neither, nothing, isn't, aren't, wasn't, weren't, doesn't, don't, didn't, hasn't, haven't, "
    "hadn't, can't, cannot, couldn't, won't, wouldn't, hardly, scarcely, barely, far from, rather than, instead of, "
    "as opposed to, non, anything but, fail~ to, avoid~, nobody, no one, nowhere, nowhere near, by no means, "
    "in no way, cannot possibly, unlike, stop~ short of, stops short of, short of, too ... to be, "
    "shouldn't, ain't, no longer, isn't it, not a single, "
    "wrong to call, refus~ to, refuse~ to, resist~, never once, zilch, "
    "little in the way of, not exactly, hardly what, you would not, you wouldn't, one would not, "
    "rule~ out, ruling out, whoever calls, anyone who calls, whoever says, no indication of, no signs of, "
    "no suggestion of, never arrives at, never reaches, never tips into, never turns into, never becomes, "
    "stays clear of, steers clear of, steering clear of, keeps clear of, shies away from, shy of, the opposite of, "
    "couldn't be further from, could not be further from, couldn't sound further from, "
    "a far cry from, a long way from, miles from, light years from, worlds away from, a world away from, nothing like, "
    "the last thing, mistaken for, as far from ... as, immune to, proof against",
    "zh": "不，没，并没，没在，没有在，不曾，未曾，绝不，决不，毫无半点，压根不，压根没，根本不，根本没，从来不，"
    "从没，并非，而非，绝非，未，从未，毫不，无法，避免，与其，与其说是，与其说，谁也不会说这是，"
    "谁也不会觉得这是，没人会说这是，不会说这是，多于，盖过，盖过了，压过，压过了，大过，胜过，远比，谈不上，"
    "算不上，称不上，说不上，够不上，没人会，没有人会，谁也不会，"
    "谁都不会，谁听了都不会，不会有人，哪里，哪有，哪儿有，哪会，哪来，何来，绝不是，决不是，绝没有，并没有，并未，"
    "不再，而不是，不是，"
    "不像，不带，不算，不能说，不该，很难说，很难听出，排除，哪是，哪里是，哪里像，哪还，哪里还有，不会以为，"
    "不会觉得，没带，未见，未表现出，不含，难以听出，休想，别以为，别想，一点不，一点也不，一点都不，一点儿也不，"
    "一点儿都不，丝毫不，"
    "丝毫没有，半点不，毫不，从不，比起，相比，哪像，没那么，不那么，少了几分，少了些，少了点，少了一点，不是很，"
    "不是那么，远非",
}
"""After these a caption says what is not so; "and" ends it: "not angry and loud" denies the anger alone."""

LACKS: Mapping[Language, str] = {
    "en": "no, without, lack~, lacking, lack of, absence of, absent of, devoid of, free of, free from, none of, "
    "empty of, void of, sans, zero, minus, not a trace of, not a hint of, not a shred of, not an ounce of, "
    "not a drop of, "
    "not a sign of, no sign of, no trace of, no hint of, little of, nothing of, stripped of, drained of, "
    "absence of any, untroubled by, untroubled by any, unmarred by, untouched by, untainted by, unclouded by, "
    "unburdened by, unencumbered by, undisturbed by, unaffected by, uncoloured by, uncolored by, unspoiled by, "
    "innocent of, clean of, clear of, bereft of, purged of, shorn of, wanting in, bare of, barren of, rid of, "
    "hard to hear any, hard to find any, hard to detect any, hard to make out any, hard to hear much, "
    "difficult to hear any, difficult to find any, difficult to detect any, stretch to say, stretch to call, "
    "stretch to describe, with little, with very little, very little, so little, too little, precious little, "
    "shows little, "
    "show little, showing little, showed little, has little, have little, having little, had little, hear little, "
    "hears little, heard little, holds little, carries little, contains little, conveys little, expresses little, "
    "displays little, reveals little, betrays little, feels little, feel little, there little, is little, was little, "
    "but little, scant, without so much as, without even, "
    "scrubbed of, washed of, cleansed of, bled of, emptied of, minus any, minus the, not a shred of any, "
    "not a whiff of, not a spark of, "
    "not a flicker of, not a scrap of, not a speck of, not a grain of, not an iota of, not a jot of, not one bit of, "
    "not a whisper of, not a glimmer of, not a breath of, not the ghost of, not the faintest, not the slightest, "
    "no shred of, no trace of any, no whiff of, no spark of, no flicker of, no ghost of, no room for, no place for",
    "zh": "没有，毫无，缺乏，缺少，无，不带，不含，听不出，听不到，看不出，未见，不见，没半点，"
    "没一点，没有半点，没有一点，没有一丝，没有丝毫，没有任何，毫不带，全无，绝无，并无，了无，不含，不掺，不夹，"
    "不夹杂，没什么，谈不到，听不出半分，没有半分，没半分，没有一点儿，没有丁点，"
    "没有一丁点，不见半点，不见一丝，看不到，感觉不到，感受不到，不带半点，不带半分，不带一丝，不带丝毫，没有什么，"
    "没啥，未带，不含一丝，"
    "无一丝，无半点，毫无一丝，找不到，找不出，觉察不到，体会不到",
}
"""The same for lists of things that are not there: "without anger and fear" denies both."""

NO_DENIALS: Mapping[Language, str] = {
    "en": "not only, not just, not merely, not simply, not without, no doubt, nothing but, not least, without doubt, "
    "hardly surprising, cannot help but, cannot help, can't help, couldn't help, no less, without losing, "
    "never stop~, doesn't stop, not surprisingly, nothing less than, nothing short of, can't hide, "
    "cannot hide, couldn't hide, doesn't hide, can't conceal, cannot conceal, can't contain, cannot contain, "
    "can't suppress, cannot suppress, couldn't be more, could not be more, couldn't be happier, could not be happier, "
    "couldn't be angrier, couldn't be sadder, couldn't be calmer, could hardly be more, could hardly be happier, "
    "can't get enough, can't wait, cannot wait, couldn't wait, whether or not, not sure, can't tell, cannot tell, "
    "made of stone not to, deaf not to, deaf not to hear, blind not to, have to be deaf not, "
    "couldn't tell, hard not to, difficult not to, impossible not to, not to mention, if not, don't know, do not know, "
    "doesn't know, can't quite, never mind, no matter, no wonder, not to say, not long, no need, why not, "
    "more than a little, no lack of, no shortage of, never without, "
    "barely contain~, barely hide~, barely conceal~, barely suppress~, barely restrain~, hardly contain, hardly hide, "
    "hardly conceal, scarcely contain, scarcely hide, scarcely conceal, "
    "more than anything, more than enough, more than usual, more than once, not for nothing, no question, "
    "there is no mistaking, no mistaking, can't mistake, cannot mistake, couldn't mistake, not bother~ to hide, "
    "doesn't bother to hide, not afraid to, no small, nothing if not, no stranger to, can't keep, cannot keep, "
    "couldn't keep, "
    "don't mind, don't let, do not let, never fails to, not unlike, no secret, makes no secret, make no secret, "
    f"{LOOK_ALIKES['en']}",
    "zh": "不是不，并非不，没有不，不能说不，不仅，不但，不光，不止，不只，不单，不禁，不断，不时，不由，不停，不住，"
    "不得不，不过，不同，不失，不乏，"
    "无比，无疑，非常，未来，忍不住，掩饰不住，藏不住，抑制不住，按捺不住，遮掩不住，不无，毫不掩饰，毫无疑问，"
    "毫不费力，不免，不如说，不如，倒不如，不知，不知道，"
    "说不定，说不清，说不出，说不完，化不开，解不开，道不尽，数不清，散不去，抹不去，挥之不去，放不下，拦不住，"
    "骗不了，没见过，没说完，没放，没上，没过多久，没两样，用不着，看不见，掉不下，拉都拉不住，不一会，不管，不论，"
    "无论，要不是，不得了，得不行，不了，不已，不堪，不可开交，停不下来，差点没，好不容易，不折不扣，不用说，"
    "毫不夸张，除非，莫非，无非，不妨，动不动，恨不得，巴不得，没完，没多久，收不住，盖不住，关不住，无法掩饰，"
    "无法抑制，无法控制，无法掩盖，"
    "难掩，不加掩饰，没藏，藏都藏不住，不说，不信，不得，不料，不光是，不只是，不仅仅，不吐不快，不由自主，巴不，"
    "来不及，不住地，"
    f"没忍住，没绷住，不晓得，挡不住，不敢，{LOOK_ALIKES['zh']}",
}
"""These look like a denial and are none."""

TAKES_BACK: Mapping[Language, str] = {
    "en": "<is> <wholly> absent, <is> <wholly> missing, <is> <wholly> lacking, <is> <wholly> gone, is lacking, "
    "are lacking, "
    "is gone, are gone, has gone, have gone, has vanished, have vanished, has evaporated, has drained, "
    "has disappeared, "
    "is long gone, absent from, missing from, gone from, is absent, are absent, is missing, are missing, is nowhere, "
    "are nowhere, nowhere to be found, "
    "nowhere to be heard, "
    "nowhere in sight, nowhere in evidence, is not there, isn't there, isn't in it, is out of the question, "
    "is the wrong "
    "word, is not the word, isn't the word, would be the wrong word, would be wrong, would be a stretch, "
    "would be a lie, "
    "doesn't come into it, does not come into it, isn't on the menu, never enters, is not present, isn't present, "
    "it is not #, it isn't #, this is not #, this isn't #, it ain't #, they are not #, they aren't #, he is not #, "
    "he isn't #, she is not #, she isn't #, not in sight, not a bit of it, never arrives, never arrived, never comes, "
    "never came, never shows up, never showed up, never turns up, never turned up, never materialises, "
    "never materializes, never surfaces, never appears, never happens, never gets there, fails to show, "
    "fails to show up, fails to arrive, fails to appear, failed to show up, fails to materialise, "
    "fails to materialize, stayed home, stayed at home, stays at home, stays away, stayed away, is on holiday, "
    "is on vacation, has left the building, is nowhere near, is a stranger here, is not invited, was not invited, "
    "isn't invited, wasn't invited, does not enter into it, doesn't enter into it, does not figure, doesn't figure, "
    "does not feature, doesn't feature, is out of the picture, is not in it, : none, : nil, : zero, : absent, "
    "= none, = 0, score zero, scores zero, is nil, is zero, is none, at zero",
    "zh": "也没有#，都没有#，全无#，也无#，荡然无存，无存，不见踪影，无影无踪，不存在，也不见#，都不见#，"
    "也听不出#，都听不出#，也谈不上#，"
    "也算不上#，都谈不上#，都算不上#，也称不上#，才怪，天大的笑话，"
    "就错了，大错特错，可就冤枉，冤枉，纯属误会，"
    "是误会，无关#，不沾边，"
    "沾不上边，无缘，绝缘，两回事，不搭界，毫不沾边，没什么关系，瞎话，都不信，真没听出来，没听出来，那还真没有，"
    "还真没有，是一丁点也没有，一丁点也没有，"
    "就上当了，可就上当，不是那么回事，我看不是，也没有#，都没#，也听不到#，都听不到#，半点没有#，一点没有#，"
    "也找不到#，都找不到#，也没听出#，都没听出#，不着边#，没半点关系，"
    "没关系#，搭不上边，不搭边，八竿子打不着，还差得远，差得远，差远了，"
    "差得老远，相去甚远，早没了，全没了，"
    "消失殆尽",
}
"""Behind something, these say that it is not so."""

AFTERWARDS: Mapping[Language, str] = {
    "en": "not at all #, far from it #, hardly #, no way #, i do not think so, i don't think so, "
    "quite the opposite, on the "
    "contrary #, nothing of the sort, ? no #, ? nope #, ? nah #, ? not here #, ? not her #, ? not him #, "
    "? not this one #, ? never #, ? hardly #, ? not a bit #, ? not remotely #, ? not in the least #, ? far from it #, "
    "? as if #, ? please #, ? wrong #, ? no chance #, ? not a chance #, ? no way #, ? forget it #, ? anything but #, "
    "? you must be kidding #, ? you must be joking #, ? i think not #, ? i doubt it #, ? not really #, ? not quite #, "
    "? not exactly #, ? not so much #, ? not in this clip #, ? i wouldn't say so #, ? i don't think so #, "
    "? i do not think so #, ? nothing of the kind #, ? not by a long shot #, ? not by a mile #, ? absolutely not #, "
    "? certainly not #, ? definitely not #, ? of course not #, ? not even close #, ? not a trace #, ? none #, "
    "? none of it #, ? no sir #, ? no ma'am #",
    "zh": "那还真没有，还真没有，真算不上，真谈不上，倒是没有，倒没有#，一丁点也没有，一点也没有，其实不是，"
    "我第一个不信，第一个不信，我可不信，鬼才信，那是胡说，是胡说，纯属胡说，胡扯，是瞎说，才没有#，才没有呢#，"
    "没有的事#，怎么可能#，想多了#，哪有的事#，才不呢#，？没有#，？不#，？不是#，？才不是，"
    "？别逗了#，"
    "完全不是那么回事，不是那么回事，"
    "那可就上当，就上当了，我看不是，那就错了，可就错了，才不是#，并不是#，绝不是#，根本不是#",
}
"""In the clause behind something, these say that it is not so."""

HEDGES: Mapping[Language, str] = {
    "en": "slightly, somewhat, perhaps, maybe, possibly, probably, presumably, apparently, seemingly, seem~, appear~, "
    "might, may, could be, a bit, a little, touch of, hint of, hints of, trace of, traces of, hint~ at, tinge of, "
    "note of, undertone of, suggestion of, kind of, sort of, almost, nearly, faintly, mildly, fairly, rather, "
    "relatively, whether, impossible to tell, tinged with, bordering on, suggest~, suggesting, as if, as though",
    "zh": "略，稍，有点，有些，一点，些许，一丝，几分，似乎，好像，仿佛，像是，可能，也许，或许，大概，微微，隐约，"
    "透着一丝，隐隐，听似，近乎，似",
}
"""Hedges: the words that follow are said with care."""

UNREAL: Mapping[Language, str] = {
    "en": "supposed to be, supposed to sound, meant to be, meant to sound, intended to be, intended to sound, "
    "ought to be, ought to sound, should be, should sound, should have been, should have sounded, tries to sound, "
    "try to sound, trying to sound, tried to sound, tries to be, trying to be, tried to be, wants to sound, "
    "wanting to sound, attempts to sound, attempting to sound",
    "zh": "本该，本应，本来应该，想装得，试图，原本该",
}
"""Behind these stands what the speaker was to be, which is neither claimed nor denied: "trying to sound cheerful"."""

FAMILIES: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "is": "is, are, was, were, seems, seem, appears, appear, remains, remain, feels",
        "wholly": "completely, entirely, totally, wholly, utterly, quite, simply, altogether, conspicuously, notably, "
        "nearly, almost, plainly, clearly, sorely, strangely, oddly, all but",
    },
    "zh": {},
}
"""Words that stand for each other in these lists."""

_NAMING = (
    "describe described describes describing class classed classify classified count counted label labelled "
    "labeled register registers registered characterise characterize characterised characterized come comes "
    "came coming read reads regard regarded see seen pass passes interpret interpreted hear heard think "
    "thought take taken present presented strike strikes struck portray portrayed"
)
NAMING = frozenset(_NAMING.split())
"""Verbs with "as", behind which a denial goes on: "I would never describe this as cheerful"."""

_CONTRASTS: Mapping[Language, str] = {
    "en": "but yet while whereas although though however because so then still with in at as who which where instead "
    "nonetheless nevertheless speaking sounding delivering when despite only just merely simply",
    "zh": "而 但 却 且 是 倒 反 更 只",
}
CONTRASTS: Mapping[Language, frozenset[str]] = {name: frozenset(words.split()) for name, words in _CONTRASTS.items()}
"""Words (in Mandarin, characters) behind which a denial holds no longer."""

LINKS, DETERMINERS = (
    frozenset(words.split())
    for words in (
        "is are was were be being remains remain stays stay becomes become sounds sound seems seem",
        "the a an his her their its this that",
    )
)
"""English verbs between a noun and what is said of it, and words that begin another noun phrase."""

_NOUNS: Mapping[Language, Mapping[tuple[Attribute, ...], str]] = {
    "en": {
        ("pitch", "intonation", "pitch_variation"): "pitch",
        ("pitch",): "pitched register",
        ("volume",): "volume loudness",
        ("rate",): "pace tempo speed rate paced",
        ("intonation", "pitch_variation"): "intonation inflection inflections contour",
        ("pitch_variation", "intonation"): "melody",
        ("pitch_variation",): "variation modulation",
        ("rhythm",): "rhythm cadence energy",
        ("rhythm", "intonation", "pitch_variation", "pitch", "volume"): "delivery",
        ("texture",): "timbre texture",
        ("texture", "emotion"): "quality",
        ("emotion",): "emotion mood feeling affect demeanor demeanour",
        ("emotion", "rhythm"): "manner",
        ("emotion", "pitch", "intonation", "texture", "volume"): "tone",
        ("pitch", "texture", "volume", "pitch_variation", "emotion"): "voice",
        ("pitch", "texture", "volume"): "voiced",
    },
    "zh": {
        ("pitch",): "音调 音高 声调 音域",
        ("volume",): "音量 响度",
        ("rate",): "语速 速度",
        ("intonation", "pitch_variation"): "语调",
        ("rhythm",): "节奏 韵律",
        ("texture",): "音色 音质",
        ("texture", "pitch", "volume"): "嗓音",
        ("emotion",): "情绪 情感 心情 感情 神情",
        ("emotion", "intonation"): "语气",
        ("volume", "pitch", "texture", "emotion"): "声音",
    },
}
NOUNS: Mapping[Language, Mapping[str, tuple[Attribute, ...]]] = {
    language: {noun: attributes for attributes, nouns in listed.items() for noun in nouns.split()}
    for language, listed in _NOUNS.items()
}
"""Nouns that say what an adjective is about, and about which attributes they can be, the likeliest first."""

_NEEDS_A_NOUN: Mapping[Language, str] = {
    "en": "moderate, light, level, rising, falling, curved",
    "zh": "较低, 较高, 下降, 偏低, 偏高, 很低, 很高, 较快, 较慢, 偏快, 偏慢, 很快, 很慢, 较大, 较小, 很大, 很小, 适中, "
    "中等, 正常",
}
NEEDS_A_NOUN: Mapping[Language, frozenset[str]] = {
    language: frozenset(words.split(", ")) for language, words in _NEEDS_A_NOUN.items()
}
"""Words that say nothing of a voice unless a noun tells what they are about: "high spirits"."""

NOT_OF_A_VOICE: Mapping[Language, str] = {
    "en": "stretch to say, stretch to call, stretch to describe, clear sense, clear sign, clear signs, clear that, "
    "clear indication, clear hint, clear intent, clear enough, "
    "clear enunciation, clear articulation, clear diction, clear pronunciation, clear from, deep sense, deep feeling, "
    "deep thought, deep concern, deep affection, quick to, high stakes",
    "zh": "其他，他们，她们，他人，压抑着，压抑住",
}
"""Phrases whose words would say something of the voice if they stood alone."""
