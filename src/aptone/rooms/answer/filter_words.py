"""Words by which the built-in filters judge a sentence: what gives a way of asking away, and what cannot be asked so.

Lists that a person can read and extend. English entries are whole words or phrases, ``*`` at the end stands for any
ending; Mandarin ones are looked for as they are.
"""

import functools
import re
from collections.abc import Mapping

from aptone.rooms.answer.records import Dimension
from aptone.types import Language

Listed = Mapping[str, str]
"""Category to words, separated by commas."""

REVEALING: Mapping[Language, Mapping[Dimension, Listed]] = {
    "en": {
        Dimension.EMOTION: {
            "happy": "happy, happily, glad, delighted, overjoyed, thrilled, hooray, yay, fantastic, wonderful, luckily, "
            "thank god, i love, best day, so proud, excited, cheerful, joy, at last we won",
            "surprised": "surprised, surprising*, astonish*, unbelievable, wow, never expected, out of nowhere, "
            "can't believe, cannot believe, who would have thought",
            "sad": "sad, sadly, unfortunately, heartbroken, crying, cried, tears, miss her, miss him, miss them, lonely, "
            "grief, mourn*, i wish he were, i wish she were, passed away",
            "angry": "angry, furious, outrageous, damn*, i hate, how dare, fed up, sick of, mad at, shut up, unacceptable, "
            "idiot*, stupid people",
            "fear": "afraid, scared, frightened, terrified, terrifying, help me, panic*, horrified, i dread, save me",
            "disgust": "disgusting, disgusted, gross, revolting, yuck, ew, eww, nauseating, foul, stinks, vomit*, vile",
        },
        Dimension.SARCASM: {
            "sincere": "seriously though, no joke, from the bottom of my heart, i am not joking, without irony",
            "sarcastic": "yeah right, as if, oh joy, big surprise, thanks for nothing, thanks a lot for nothing, "
            "broke down, broken, crashed, stolen, cancelled, canceled, fired, failed, flat tyre, flat tire, leak*, "
            "ruined, spilled, lost my, missed the, worst, terrible, awful, died, sick again, on fire, flooded",
        },
        Dimension.AGE: {
            "adult": "my wife, my husband, my kids, my children, my son, my daughter, mortgage, my salary, my boss, "
            "colleague*, beer, wine, whisky, divorce*, tax return, driving licence, my car, grandchild*, my employer, "
            "my pension, my retirement, as a parent, my tenant*, my degree",
            "child": "mummy, mommy, daddy, my mum, my mom, my dad, teddy, pocket money, piggy bank, kindergarten, homework, "
            "playground, school bag, class trip, when i grow up, my class teacher, recess, my babysitter, grandma's, "
            "my toys, too early for me, my school",
        },
        Dimension.GENDER: {
            "male": "beard, moustache, mustache, as a man, my wife, my girlfriend, prostate, men's, barber's, fatherhood, "
            "as a father, my tuxedo, guys like me, testosterone",
            "female": "as a woman, my husband, my boyfriend, pregnant, pregnancy, my period, bra, lipstick, skirt, "
            "women's, motherhood, as a mother, mascara, my dress, bikini, girls like me, ladies' night, cosmetics",
        },
    },
    "zh": {
        Dimension.EMOTION: {
            "happy": "高兴, 开心, 太好了, 太棒了, 幸福, 真幸运, 快乐, 激动, 哈哈, 我爱",
            "surprised": "惊讶, 吃惊, 没想到, 难以置信, 居然, 竟然, 天哪, 哇",
            "sad": "难过, 伤心, 可惜, 遗憾, 哭, 眼泪, 想念, 孤独, 去世",
            "angry": "生气, 愤怒, 气死, 可恶, 该死, 讨厌, 受够, 岂有此理, 混蛋, 凭什么",
            "fear": "害怕, 恐怖, 吓死, 吓人, 救命, 恐慌, 担心死",
            "disgust": "恶心, 呕, 臭死, 肮脏, 令人作呕",
        },
        Dimension.SARCASM: {
            "sincere": "说正经的, 不开玩笑, 发自内心",
            "sarcastic": "才怪, 呵呵, 坏了, 撞了, 被偷, 取消, 开除, 不及格, 漏水, 糟糕, 最差, 死了, 着火, 倒霉",
        },
        Dimension.AGE: {
            "adult": "我老婆, 我老公, 我太太, 我先生, 我儿子, 我女儿, 房贷, 我的工资, 我老板, 同事, 啤酒, 离婚, 报税, 驾照, 我的车",
            "child": "零花钱, 存钱罐, 幼儿园, 作业, 书包, 等我长大, 我们班主任, 玩具, 爸爸妈妈, 小朋友",
        },
        Dimension.GENDER: {
            "male": "胡子, 作为男人, 我老婆, 我太太, 我女朋友, 前列腺, 男士, 当爸爸",
            "female": "作为女人, 我老公, 我先生, 我男朋友, 怀孕, 月经, 内衣, 口红, 裙子, 女士, 当妈妈, 比基尼",
        },
    },
}
"""What gives a way of asking away."""

UNFIT: Mapping[Language, Mapping[str, str]] = {
    "en": {
        "happy": "condolences, funeral speech, tumour, cancer, suicide",
        "angry": "lullaby, good night, sleep well, sweet dreams, hush",
        "sad": "hip hip, cheers to, congratulations",
        "disgust": "bless, holy, sacred, prayer, pray, hymn",
        "sarcastic": "condolences, funeral, cancer, tumour, suicide, died, hospice",
        "child": "beer, wine, whisky, vodka, casino, cigarette*, tobacco, nightclub, mortgage, divorce*, gun, dating site, "
        "life insurance, my pension, parental leave",
    },
    "zh": {
        "happy": "节哀, 悼词, 肿瘤, 癌症, 自杀",
        "angry": "摇篮曲, 晚安, 好好睡, 做个好梦",
        "sad": "干杯, 恭喜",
        "disgust": "保佑, 神圣, 祷告, 祈祷, 念经",
        "sarcastic": "节哀, 葬礼, 癌症, 肿瘤, 自杀, 去世",
        "child": "啤酒, 白酒, 红酒, 赌场, 香烟, 夜总会, 房贷, 离婚, 手枪, 人寿保险",
    },
}
"""What nobody asks in that way."""

PRAISE: Mapping[Language, str] = {
    "en": "great, lovely, wonderful, perfect, brilliant, fantastic, splendid, excellent, super, marvellous, good, nice, fine, "
    "beautiful, love, adore, enjoy*, treasure, glad, happy, pleased, thrilled, delighted, excited, overjoyed, honoured, "
    "lucky, proud, blessed, touched, relieved, thank*, thanks, bravo, congratulations, well done, clever, kind, sweet, "
    "generous, thoughtful, romantic, talent, gift, genius, dream, joy, pleasure, treat, privilege, best, funniest, finest, "
    "success, magic, wonders, saint, angel, peaceful, relaxing, charming, fascinating, gripping, fun, bargain, of course, "
    "certainly, sure, naturally, absolutely, clearly, obviously, by all means, gladly, happily, wise, efficient, "
    "helpful, stylish, brave, suits you, fair, reasonable, modest, attractive, friend, original, exciting, speechless, "
    "modern, lively, humble, moving, bold, unusual, timeless, practical, comfortable, flattering, gentle, delicious, "
    "humble, refreshing, heavenly, uplifting, better, fitter, so well, in top form, artist, visionary, listener, clear, "
    "improvement, time saver, so easy, so calm, so short, so simple, child's play, page-turner, highlight, model of order, "
    "an ear, an eye, bless you, worship, live for, look forward, worth, promised, praise, help, subtle, natural, golden, "
    "on top of things, thorough, quick, early, early riser, gentleman, cook, driver, delight, something, modest, right, "
    "expert, welcome, view, breakfast, ray of sunshine, famous, comedian, mood, stories, thrifty, far-sighted, light",
    "zh": "太好了, 太棒了, 真好, 真是, 喜欢, 最爱, 乐意, 谢谢, 恭喜, 天赋, 眼光, 精彩, 了不起, 天才, 大方, 有远见, 引人入胜, 生动, 感人, 脾气, "
    "浪漫, 贴心, 好听众, 大厨, 耐心, 多好, 艺术, 神奇, 灵验, 放松, 温柔, 好喝, 简短, 风趣, 慷慨, 适合你, 大胆, 特别, 实用, 舒服, 聪明, 方便, "
    "清楚, 难得, 这么高, 意外, 当然",
}
"""What sarcasm turns round: without it, a sentence cannot be meant the other way."""

SELF: Mapping[Language, str] = {
    "en": "i, me, my, mine, myself, i'm, i'd, i've, we, us, our",
    "zh": "我, 咱",
}
"""Words by which a sentence is about who asks."""

FACT: Mapping[Language, re.Pattern[str]] = {
    "en": re.compile(
        r"^(?:what|which|who|whose|when|where|why|how)\b|^(?:is|are|was|were|do|does|did|can|could|will|would) "
        r"(?:the|a|an|there)\b",
        re.IGNORECASE,
    ),
    "zh": re.compile(r"什么是|几点|多少|哪一年|哪里是|谁是|为什么|是什么"),
}
"""How a request for a fact begins, which is answered alike however it is asked."""


def found_word(text: str, words: str, *, language: Language) -> str:
    """The first listed word that stands in a text; empty if none does.

    >>> found_word("Thanks for nothing.", "oh joy, thanks for nothing", language="en")
    'thanks for nothing'
    """
    match = _pattern(words, language).search(text.replace("’", "'"))
    return match.group().lower() if match else ""


@functools.cache
def _pattern(words: str, language: Language) -> re.Pattern[str]:
    entries = [entry.strip() for entry in words.split(",")]
    if language == "zh":
        return re.compile("|".join(map(re.escape, entries)))
    parts = [re.escape(entry).replace(r"\*", r"\w*") for entry in sorted(entries, key=len, reverse=True)]
    return re.compile(rf"(?<![\w'])(?:{'|'.join(parts)})(?![\w'])", re.IGNORECASE)
