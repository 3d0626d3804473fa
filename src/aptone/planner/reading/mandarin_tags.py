"""Speech tags of Mandarin: 张三笑着说：, 众人齐声道：, 布怒曰：. Modern prose and the vernacular novels."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence, Set

from aptone.planner.reading.mandarin_nouns import MANDARIN_GROUPS, MANDARIN_NO_NAMES, MANDARIN_NOUNS


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _choice(words: str) -> str:
    return "|".join(sorted(_words(words), key=len, reverse=True))


LONGEST_NAME = 4
"""Most characters of a Chinese name; one that is written with · or in Latin letters may be longer."""

UNKNOWN = "\0"
"""Subject of a tag that names nobody; a pronoun may follow."""

_PRONOUN_TAGS = {"他": "he", "她": "she", "他们": "they", "她们": "they"}

_VERBS = _choice(
    "说道 问道 答道 喊道 叫道 吼道 怒道 骂道 哭道 嚷道 喝道 应道 念道 解释道 回答道 补充道 反问道 追问道 "
    "喃喃道 回道 叹道 笑道 劝道 禀道 奏道 报道 告道 唤道 呼道 想道 暗道 称道 吩咐道 分付道 言道 说 问 答 喊 叫 "
    "嚷 骂 吼 道 曰 云 叱 斥 禀 奏 喝 说声 叫声 骂声 喝声 喃喃自语 自言自语 低语 惊呼 回答 回应 解释 补充 反问 "
    "追问 吩咐 分付 命令 嘟囔 嘀咕 插嘴 开口 催促 提醒 心想 暗想 想 报说 回说 启奏 答应 应声 接口 开言 发话 "
    "传旨 降旨 下令 报 答称 回称 谏 祝 嘱 嘱咐 告诉 劝 叹 哭 笑 大叫 大呼 大喝 高叫 怒喝 厉声 齐声 大骂 暗骂 "
    "大喊 呼 唱 吟 念 读 讲 劝说 争辩 辩解 抱怨 埋怨 责备 招呼"
)
_MANNERS = _choice(
    "笑着 微笑着 苦笑着 冷笑着 大笑着 哭着 流着泪 喘着气 喘息着 红着脸 皱着眉头 皱着眉 皱眉 低着头 低下头 "
    "抬起头 摇着头 摇了摇头 摇摇头 摇头 点了点头 点点头 点头 咬着牙 瞪着眼 想了想 低声地 低声 轻声地 轻声 "
    "大声地 大声 高声 小声地 小声 柔声 厉声 沉声 颤声 朗声 齐声 失声 连声 冷冷地 冷冷 淡淡地 淡淡 缓缓地 缓缓 "
    "慢慢地 轻轻地 静静地 悄悄地 悄悄 悄声 忽然 突然 连忙 急忙 赶紧 赶忙 立刻 马上 终于 又 也 就 便 还 才 却 "
    "再 忍不住 不禁 不由得 接着 继续 忙 笑 苦笑 冷笑 微笑 叹息 叹 惊讶地 好奇地 生气地 愤怒地 温柔地 着急地 "
    "焦急地 认真地 严肃地 平静地 冷静地 高兴地 兴奋地 疑惑地 不解地 无奈地 得意地 害怕地 惊恐地 小心翼翼地 "
    "有气无力地 有气没力的 不耐烦地 没好气地 气呼呼地 怒气冲冲地 若有所思地 怒 大怒 大喜 大惊 大笑 大哭 大 乃 "
    "遂 即 因 亦 方 先 只得 连 急 忽 正色 拱手 起身 上前 向前 跪 跪下 跪奏 叩头 作揖 欠身 含笑 陪笑 笑嘻嘻 "
    "笑嘻嘻的 笑嘻嘻地 仍笑嘻嘻地 呵呵 哈哈 哈哈大笑 呵呵大笑 呵呵笑 嘻嘻 嗔 慌忙 慌 惊 喜 泣 垂泪 流泪 哽咽 "
    "怨 恨 羞 回头 转身 抢着 接口 插口 开口 从旁 在旁 在旁边 一面 一头 暗 暗暗 心中 心里 心下 独自 自 口中 "
    "口里 嘴里 都 俱 各 皆 齐 一齐 同 仰天 长叹 长叹一声 叹了一口气 叹一口气 叹口气 叹了口气 沉吟半晌 沉吟 "
    "半晌 良久 停了一停 想了一想 看了看 接过 故意 假意 果然 当下 登时 随即 随 当即 又复 复 重新 亲自 特意 反 "
    "倒 竟 公然 只 只是 仍 仍旧 依旧 已 早 早已 将来 正 刚 惊喜 惊慌 惊惶 欢喜 喜欢 气愤 愤愤 诧异 愕然 怆然 "
    "黯然 恍然 猛然 慨然 欣然 毅然 勃然 变色 正容 从容 徐徐 徐 款款 婉转 跳起来 站起来 跳起身来 立起身来 "
    "站起身来 指着 拍手 拍案 顿足 跌足 跺脚 捶胸 抚掌 抚膺 捻须 掀髯 冷 微 低低 低低的 悄悄的"
)
LEADS = _choice(
    "这时 此时 那时 忽然 突然 于是 然后 接着 最后 只见 只听 只听得 听到 听见 听得 忽听 忽听得 忽见 忽闻 又听 "
    "又听得 又见 却说 且说 话说 再说 单说 且言 再言 不表 不题 不提 当下 当时 是时 此刻 那边 这边 那里 这里 "
    "早有 当有 便有 内中 其中 有 旁边 忽 正说间 正说着 说着 说罢 说毕 言罢 言毕 道罢 看罢 听罢 想罢 因 因此 "
    "所以 但 但见 可是 不料 谁知 谁想 岂知 原来 果然 次日 一日 一天 这日 那日 今日 到了 后来 随后 须臾 不一时 "
    "不多时 少时 少刻 顷刻 登时 及 及至 等到 那 这 便 又 就 才 连 猛见 猛听 下该 该 令"
)
_PRONOUNS = _words(
    "他 她 它 我 你 您 咱 俺 吾 余 谁 他们 她们 我们 你们 咱们 自己 有人 对方 别人 人家 旁人 "
    "某人 前者 后者 所有人 声音 一人 一个 那个 这个 一个人 内中一人 其一 "
    "其二 底下 上面 下面 彼此 一面 一头 口中 嘴里 心中 心里 心上 口里 只 并 乃 就是 也是 说话 那日 今日 明日 "
    "昨日"
)
NOT_IN_A_NAME = frozenset(
    "的了是在不着这那和就都把被让给又也说道问我你他她它们去走过起到得看听想站坐转回拿指望几某每没，、"
)
NEVER_FIRST = frozenset(
    "把被将与和同对向朝跟替给为因便就又也都却再还忙即遂乃只见听闻道说问答叫喊随从用以于在当正方才已此其之而且若如但是"
)
_KIN = re.compile(
    "[他她我你](?:的)?(?:[老大二三小]?)(?:" + "|".join(sorted(MANDARIN_NOUNS, key=len, reverse=True)) + ")$"
)
_GIVES_ORDERS = re.compile(
    "[又便就还忙即遂乃]*(?:分付|吩咐|嘱咐|告诉|埋怨|责备|安慰|追问|盘问|请问|喝令|喝问|叫|问|命|令|唤)(?=..)"
)
_ONE_CHARACTER = frozenset("娘爹妈爸爷奶")
_ADDRESSED = "(?:[对向朝跟与和同问叫唤谓合指回顾][^，。！？：；“”]{1,8}?)?"
_LED, _MANNERED = f"(?:{LEADS}){{0,4}}", f"(?:{_MANNERS}){{0,4}}"
"""Few: words that can be cut in several ways would else be tried in exponentially many."""
_TAG = re.compile(
    f"^{_LED}(?P<name>[\u4e00-\u9fffA-Za-z·]{{0,12}}?){_ADDRESSED}{_MANNERED}{_ADDRESSED}{_MANNERED}"
    f"(?:{_VERBS})(?:了一句|了一声|一声|了|着|完|起来)?$"
)
ENDS_IN_VERB = re.compile(f"(?:{_VERBS})(?:了一句|了一声|一声|了|着|完|起来)?$")
_GESTURE = re.compile(f"^{_LED}(?P<name>[\u4e00-\u9fff·]{{2,4}}?)(?:{_MANNERS}){{1,4}}$")
AFTER = re.compile(
    f"^[，,—]*(?P<name>[\u4e00-\u9fffA-Za-z·]{{0,8}}?){_ADDRESSED}{_MANNERED}(?:{_VERBS})"
    "(?:了一句|了一声|着|了|完)?(?:[我他她你]们?)?(?=[。，,：:；;！!？?…—]|\\s*$)"
)
_ANNOUNCES = re.compile(r"[^。！？!?；;…]*[：:]\s*$")
_SENTENCE = re.compile(r"[。！？!?；;”』」]")
_CLAUSE = re.compile(r"[，,]")
_REACTS = re.compile(r"(?:听了|听说|听罢|听见|闻言|听得|看了|见了|见他|见说|大怒|大喜|大惊)")
OBJECT_MARKS = frozenset("对向朝跟与和同把被将给替为叫唤令命着见问请谓教让使拉扶抱搂看望指携")


def is_mandarin(text: str) -> bool:
    """Return true if there is a Chinese character in a text."""
    return any("\u4e00" <= character <= "\u9fff" for character in text)


def is_name(name: str) -> bool:
    """Return true if characters before a verb of speaking may be a name."""
    if (
        not name
        or name in _PRONOUNS
        or name in MANDARIN_NO_NAMES
        or set(name) & NOT_IN_A_NAME
        or name[0] in NEVER_FIRST
        or name.endswith("地")
    ):
        return False
    if _GIVES_ORDERS.match(name):
        return False
    if name.startswith(("一面", "一头", "一个", "一位", "一名", "两个", "几个", "有个", "人")):
        return False
    if len(name) == 1:
        return name in _ONE_CHARACTER
    return len(name) <= LONGEST_NAME or not all("\u4e00" <= character <= "\u9fff" for character in name)


def tag_before(narration: str, known: Set[str]) -> str:
    r"""Return the speaker whom narration before a quotation announces; `UNKNOWN` for a tag without a name, or empty.

    >>> tag_before("雨停了。林念蕾笑着说：", set()), tag_before("她轻声道：", set()), tag_before("天黑了。", set())
    ('林念蕾', '\x00she', '')
    """
    words = narration.rstrip(" 　：:，,“‘「『—")
    closes = narration.rstrip(" 　“‘「『").endswith(("：", ":", "，", ","))
    sentences = [one for one in _SENTENCE.split(words) if one.strip()]
    if not sentences:
        return ""
    clauses = [one.strip(" 　：:①②③④⑤()（）") for one in _CLAUSE.split(sentences[-1])]
    match = _TAG.match(clauses[-1])
    if match is None and not (closes and ENDS_IN_VERB.search(clauses[-1])):
        return ""
    if match is not None and (whole := clauses[-1][: match.end("name")]) in MANDARIN_NOUNS:
        return whole
    if clauses[-1].startswith(("有人", "某人", "别人", "旁人")):
        return UNKNOWN + "someone"
    if match is not None and (name := _known_or_plausible(match["name"], known, plain=len(clauses) == 1)):
        return name
    if match is not None and not match["name"] and len(clauses) == 2:
        gesture = _GESTURE.match(clauses[0])
        if gesture is not None and is_name(gesture["name"]):
            return gesture["name"]
    return _unnamed(match["name"] if match is not None else "")


def _unnamed(subject: str) -> str:
    """Return what a tag without a name tells: the narrator, a pronoun behind `UNKNOWN`, or that alone."""
    return "我" if subject in ("我", "俺", "余") else UNKNOWN + _PRONOUN_TAGS.get(subject, "")


def _known_or_plausible(name: str, known: Set[str], *, plain: bool) -> str:
    if name in known or name in MANDARIN_NOUNS:
        return name
    if _KIN.match(name):
        return name.replace("的", "")
    if _GIVES_ORDERS.match(name):
        return ""  # 分付苏邦道: the object
    longest = max((one for one in known if name.startswith(one) and len(one) > 1), key=len, default="")
    if longest and longest not in MANDARIN_NOUNS:
        return longest
    inside = max((one for one in known if len(one) > 1 and name.endswith(one)), key=len, default="")
    if plain and is_name(name) and (not inside or inside in MANDARIN_NOUNS):
        return name
    return inside if inside and name[-len(inside) - 1] not in OBJECT_MARKS else ""


def tag_after(narration: str, known: Set[str]) -> str:
    r"""Return the speaker whom narration behind a quotation names; `UNKNOWN` or empty as for `tag_before`.

    >>> tag_after("张三披上衣服问。", {"张三"}), tag_after("他说。", set()), tag_after("雨停了。", set())
    ('张三', '\x00he', '')
    """
    words = narration.lstrip(" 　”’」』")
    if _ANNOUNCES.match(words):
        return ""  # 孙氏笑道：“…”: the tag of the next speech
    match = AFTER.match(words)
    if match is not None and (match["name"] in known or is_name(match["name"])):
        return match["name"]
    clause = re.split(r"[。，,：:；;！!？?…—]", words.lstrip("，,—"), maxsplit=1)[0]
    named = [name for name in known if name in clause and len(name) > 1]
    if len(named) == 1 and clause.startswith(named[0]) and ENDS_IN_VERB.search(clause):
        return named[0]
    return _unnamed(match["name"]) if match is not None else ""


_SAYS = re.compile(
    f"^{_LED}[，,]?(?P<name>[\u4e00-\u9fffA-Za-z·]{{0,8}}?){_ADDRESSED}{_MANNERED}(?:{_VERBS})[：:]\\s*(?=\\S)"
)


def tag_with_colon(line: str, known: Set[str]) -> tuple[str, int]:
    """Return the speaker of a line without quotation marks, ``张三说：你走吧。``, and where the speech begins."""
    match = _SAYS.match(line)
    if match is None:
        return "", 0
    name = match["name"]
    return (name if name in known or is_name(name) else UNKNOWN), match.end()


def names_before(narrations: Iterable[str]) -> Counter[str]:
    """Return names that plain tags state, with their number: those that recur, or could be nothing else."""
    found: Counter[str] = Counter()
    single: Counter[str] = Counter()
    doubtful: Counter[str] = Counter()
    for narration in narrations:
        words = narration.rstrip(" 　：:，,“‘「『")
        sentence = _SENTENCE.split(words)[-1]
        clauses: Sequence[str] = _CLAUSE.split(sentence)
        first = re.sub(f"^(?:{LEADS})+", "", clauses[0].strip())
        if len(clauses) > 1 and (reacts := _REACTS.search(first)) is not None and is_name(first[: reacts.start()]):
            found[first[: reacts.start()]] += 1
        match = _TAG.match(clauses[-1].strip())
        if match is None:
            continue
        name = match["name"]
        if name and name not in MANDARIN_NO_NAMES and name[0] in NEVER_FIRST and is_name(f"张{name[1:]}"):
            doubtful[name] += 1
        if is_name(name) or name in MANDARIN_GROUPS:
            found[name] += 1
        elif (
            len(name) == 1
            and name not in MANDARIN_NO_NAMES
            and name not in _PRONOUNS
            and name not in NOT_IN_A_NAME
            and name not in NEVER_FIRST
        ):
            single[name] += 1
    names = Counter({name: count for name, count in found.items() if count > 1 or len(name) in (2, 3)})
    names.update({name: count for name, count in doubtful.items() if count > 3 and len(name) in (2, 3)})
    # In the classical novels a second mention is one character: 布曰. Such a name is that of a longer one.
    ends = {name[-1] for name in names if len(name) > 1}
    names.update({name: count for name, count in single.items() if count > 3 and name in ends})
    return names
