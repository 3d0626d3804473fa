"""People of a Mandarin story: names, with or without a title, and whoever a noun describes: 那老者, 他父亲, 众人."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from aptone.planner.reading.characters import SHORT
from aptone.planner.reading.mandarin_nouns import (
    MANDARIN_GROUPS,
    MANDARIN_MEN,
    MANDARIN_NO_NAMES,
    MANDARIN_NOUNS,
    MANDARIN_WOMEN,
)
from aptone.planner.reading.mandarin_short import names_of_short_story
from aptone.planner.reading.mandarin_tags import LEADS, NEVER_FIRST, NOT_IN_A_NAME, OBJECT_MARKS
from aptone.planner.reading.mentions import NARRATOR, Kind, Mention, has_narrator

_MANDARIN_PRONOUNS = {
    "他们": "p", "她们": "p", "我们": "p", "咱们": "p", "他": "m", "她": "f", "我": "1", "俺": "1", "余": "1",
}  # fmt: skip
_KIN = frozenset("父母爹娘爸妈爷奶哥姐弟妹叔伯姑姨舅妻夫儿女公婆孙嫂婶")
_LEADING = re.compile(f"(?:{LEADS}){{1,4}}")
_SURNAMES = frozenset(
    "赵钱孙李周吴郑王冯陈褚卫蒋沈韩杨朱秦尤许何吕施张孔曹严华金魏陶姜戚谢邹喻柏水窦章云苏潘葛奚范彭郎鲁韦昌马苗凤花方俞任袁柳鲍史唐费廉岑薛雷贺倪汤"
    "滕殷罗毕郝邬安常乐于傅皮卞齐康伍余元顾孟平黄穆萧尹姚邵湛汪祁毛狄米贝明臧戴谈宋庞熊纪舒屈项祝董梁杜阮蓝闵席季贾路娄江童颜郭梅盛林刁钟徐邱骆高夏"
    "蔡田樊胡凌霍虞万支柯管卢莫房裘缪解应宗丁宣邓洪包诸左石崔吉龚程邢裴陆荣翁荀甄曲封储靳段富焦巴谷车侯全班仰秋仲宫宁仇栾甘厉武符刘景詹束龙叶司黎乔温"
    "庄晏柴阎连习艾容向古易廖耿匡国文寇广东欧沃利蔚越师聂晁敖冷辛那简饶曾关肖白涂蒲邰党闫小老阿"
)
_TITLED_SURNAMES = frozenset(_SURNAMES - set("小老阿全大二三")) | frozenset("羊钮霍荀褚佟那荣瞿")
_TITLED = re.compile(
    "(?:欧阳|司马|上官|诸葛|慕容|司徒|皇甫|尉迟|宇文|东方|西门|独孤|呼延|令狐|公孙|[\u4e00-\u9fff])"
    "(?:大?老爷|[大二三四五六七八]爷|太太|姨太太|夫人|先生|小姐|大人|中堂|统领|道台|知县|太守|抚台|制台|少爷|奶奶|姨娘|妈妈|大娘|大妈|大嫂|大婶|公子|"
    "员外|老师|医生|大夫|经理|老板|主任|队长|局长|处长|科长|部长|院长|校长|班长|警官|律师|教授|秘书|司令|团长|营长|连长|排长|将军|元帅|丞相|太师|国丈|"
    "总管|管家|师傅|师父|师爷|长老|道人|和尚|法师|秀才|举人|翰林|都司|参将|把总|总兵|都督|侍郎|尚书|御史|伯伯|叔叔|阿姨|姑娘|公公|嬷嬷|护士|书记|董事长|"
    "老太太?|老爷子|阿婆|爷爷|奶奶|大姐|大哥|大爷|大叔|大伯|大姨|主管|总监|店长|船长|教练|导演|医师|同学|院士|博士|会计|总(?=[^是算能共会有])|董|哥|姐|叔|婶|姨|嫂|婆(?!婆)|太(?=[^太]))"
)
"""Surname with a title: 王夫人, 李医生."""
_MODIFIER = re.compile(
    "年轻的?|中年|老年|光头|圆脸|方脸|红脸|短发|长发|独眼|白衣|黑衣|红衣|隔壁的?|对面的?|邻桌的?|门口的?|门外的?|最小的|高个子?|矮个子?|戴眼镜的|"
    "[老小大女男胖瘦高矮新副]"
)
CLAUSE = 40
"""Characters before a word that tell whether its clause begins with it."""
_TITLE_BEHIND = re.compile(
    "夫人|太太|母亲|父亲|妻子|丈夫|奶奶|爷爷|妈妈|爸爸|哥哥|姐姐|妹妹|弟弟|妈|爸|娘|他娘|的(?:妻子|母亲|父亲|丈夫|妈妈|爸爸|妹妹|姐姐|弟弟|哥哥|儿子|女儿)"
)


@dataclass(frozen=True, slots=True)
class MandarinPeople:
    """People of a Mandarin story: names, and whoever a noun describes.

    Args:
        names: name to role; a shorter form of a name has the role of the longer one.
        sexes: sex of a role, where pronouns told it.
    """

    names: Mapping[str, str]
    sexes: Mapping[str, str] = field(default_factory=dict)
    first_person: bool = False
    _by_first: dict[str, list[str]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        words = {*self.names, *MANDARIN_NOUNS, *_MANDARIN_PRONOUNS}
        for word in sorted(words, key=lambda one: (-len(one), one)):
            self._by_first.setdefault(word[0], []).append(word)

    def mentions(self, sentence: str) -> list[Mention]:
        """Return the persons that a sentence of narration mentions, in order."""
        return list(self._found(sentence))

    def _found(self, sentence: str) -> Iterator[Mention]:
        place = 0
        while place < len(sentence):
            words = self._by_first.get(sentence[place])
            word = next((one for one in words if sentence.startswith(one, place)), "") if words else ""
            if sentence[place] in _TITLED_SURNAMES and (titled := _TITLED.match(sentence, place)) is not None:
                word = max(word, titled.group(), key=len)
            if (modified := self._modified(sentence, place)) and len(modified) > len(word):
                word = modified
            if not word:
                place += 1
                continue
            start, end = place, place + len(word)
            place = end
            before = sentence[max(0, start - CLAUSE) : start]
            if word in _MANDARIN_PRONOUNS:
                behind = sentence[end : end + 3].lstrip("的")
                if behind and behind[0] in _KIN and any(behind.startswith(one) for one in MANDARIN_NOUNS):
                    continue  # 他父亲
                sex = _MANDARIN_PRONOUNS[word]
                role = NARRATOR["zh"] if sex == "1" and self.first_person else ""
                yield Mention(start, end, role, sex, "pronoun", _begins(before), sentence[end : end + 1] == "的")
                continue
            if word in self.names and (title := _TITLE_BEHIND.match(sentence, end)) is not None:
                end += len(title.group())  # 继之夫人
                place, word = end, sentence[start:end]
            role = self.names.get(word, word)
            is_noun = word in MANDARIN_NOUNS or word == modified
            kind: Kind = "noun" if is_noun and word not in self.names else "name"
            if kind == "noun":
                owner = before[-2:].rstrip("的")[-1:]
                if owner and owner in "他她我" and word[0] in _KIN:
                    role, before = owner + word, before.rstrip("的")[:-1]
                else:
                    before = re.sub("(?:[那这][个位]?|[一两几]?[个位名])$", "", before)
            yield Mention(
                start, end, role, self.sex_of(role), kind, _begins(before), sentence[end : end + 1] in ("的", "之")
            )

    def _modified(self, sentence: str, place: int) -> str:
        """Return a noun with a word before it that tells which one: 胖主管, 年轻警员; empty where there is none."""
        match = _MODIFIER.match(sentence, place)
        if match is None:
            return ""
        noun = next(
            (
                one
                for one in self._by_first.get(sentence[match.end() : match.end() + 1], ())
                if len(one) > 1 and one in MANDARIN_NOUNS and sentence.startswith(one, match.end())
            ),
            "",
        )
        return match.group() + noun if noun else ""

    def called(self, speech: str) -> Iterator[tuple[str, bool]]:
        """Yield the persons whom a speech names, and whether it calls them."""
        for one in self._found(speech):
            if one.kind != "pronoun":
                before = speech[: one.start].rstrip()[-1:]
                is_last = speech[one.end : one.end + 1] in tuple("，,！!？?。：…”")
                yield one.person, is_last and (not before or before in "“「『‘，,。！？!?：；")

    def role_of(self, name: str) -> str:
        """Return the role that a name means."""
        return self.names.get(name, name)

    def sex_of(self, role: str) -> str:
        """Return m, f, p or an empty text."""
        return self.sexes.get(role) or mandarin_sex(role)


def _begins(before: str) -> bool:
    """Return true if the text before a word leaves it the subject of its clause."""
    clause = re.split(r"[，,。！？；：:、“”]", before)[-1].strip()
    return not clause or _LEADING.fullmatch(clause) is not None


def mandarin_sex(role: str) -> str:
    """Return the sex that a role states; p for a group.

    >>> mandarin_sex("王夫人"), mandarin_sex("众人"), mandarin_sex("他父亲"), mandarin_sex("宝玉")
    ('f', 'p', 'm', '')
    """
    if role in MANDARIN_GROUPS or role.startswith("众") or role.endswith("们"):
        return "p"
    for length in (3, 2, 1):
        if role[-length:] in MANDARIN_WOMEN:
            return "f"
        if role[-length:] in MANDARIN_MEN:
            return "m"
    return "f" if role[-1:] in ("氏", "姐", "妈", "娘", "嫂", "婶", "婆", "妃") else ""


def follows_object_mark(sentence: str, start: int) -> bool:
    """Return true if a Mandarin word stands behind one that makes it an object: 对, 向, 把."""
    return sentence[start - 1 : start] in OBJECT_MARKS if start else False


def mandarin_names(narration: Sequence[str], tagged: Counter[str], speech: Sequence[str] = ()) -> dict[str, str]:
    """Return the names of a story with their roles: those of tags, and those with which clauses keep beginning.

    Args:
        narration: all that is no speech, by paragraph.
        tagged: names that tags state, and how often.
        speech: what is said, where people of a short story may be called by name.
    """
    names = Counter({name: 3 * count for name, count in tagged.items() if name not in MANDARIN_NOUNS})
    names.update(_beginning(narration, fewest=3 if len(narration) > SHORT else 2))
    if len(narration) <= SHORT:
        once = names_of_short_story(narration, speech)
        names.update({name: count for name, count in once.items() if name not in MANDARIN_NOUNS})
    kin = {word: 2 * word for word in "妈爸爹娘哥姐弟妹" if any(2 * word in text for text in narration)}
    beside: dict[str, str] = {}  # 贵兴直, 见凤姐: a name with a word beside it
    for name in sorted(names, key=len, reverse=True):
        held = [other for other in names if other != name and len(other) > 1 and _holds(name, other, names)]
        if held:
            beside[name] = max(held, key=len)
            del names[name]
    roles = {name: name for name in names}
    for name in names:
        longer = [other for other in names if len(name) > 1 and other != name and other.endswith(name)]
        longer = [other for other in longer if other[0] in _SURNAMES and len(other) <= len(name) + 2]
        if len(longer) == 1:
            roles[name] = roles[longer[0]] = max(name, longer[0], key=lambda one: names[one])
    for name in reversed(beside):  # the shortest first: what it holds may itself be held
        roles[name] = roles[beside[name]]
    return {**kin, **roles} if len(narration) <= SHORT else roles


def _holds(name: str, other: str, names: Counter[str]) -> bool:
    """Return true if a rare name is a common one with something beside it."""
    if names[name] * 3 > names[other]:
        return False
    if name.startswith(other):
        return not _TITLED.fullmatch(name)
    return name.endswith(other) and name[0] not in _SURNAMES


def _beginning(narration: Iterable[str], *, fewest: int) -> Counter[str]:
    """Return likely names with which clauses begin: two or three characters, by a surname, before many others."""
    counted: Counter[str] = Counter()
    behind: dict[str, set[str]] = {}
    for text in narration:
        for clause in re.split(r"[，,。！？；：:、“”「」『』—…\s]+", text):
            if clause[:1] not in _SURNAMES:
                continue
            for length in (2, 3):
                word = clause[:length]
                if len(word) == length and not set(word) & NOT_IN_A_NAME and word[0] not in NEVER_FIRST:
                    counted[word] += 1
                    behind.setdefault(word, set()).add(clause[length : length + 1])
    found: Counter[str] = Counter()
    for word, count in counted.items():
        if count < fewest or len(behind[word]) < max(fewest, count // 8):
            continue
        if len(word) == 2 and any(
            counted[word + one] > 0.5 * count for one in behind[word] if one and word + one in counted
        ):
            continue
        if len(word) == 3 and counted[word] < 0.5 * counted[word[:2]]:
            continue
        if word not in MANDARIN_NO_NAMES and word[:2] not in MANDARIN_NOUNS | MANDARIN_NO_NAMES:
            found[word] = count
    return found


def mandarin_sexes(people: MandarinPeople, sentences: Sequence[str]) -> dict[str, str]:
    """Return the sex of names by the pronouns that follow them in their sentence."""
    counted: dict[str, Counter[str]] = {}
    for sentence in sentences:
        found = people.mentions(sentence)
        named = {one.person for one in found if one.kind == "name"}
        if len(named) != 1:
            continue
        (name,) = named
        first = next(one.start for one in found if one.person == name)
        for one in found:
            if one.kind == "pronoun" and one.sex in ("m", "f") and one.start > first:
                counted.setdefault(name, Counter())[one.sex] += 1
    if sum(count["f"] for count in counted.values()) == 0:
        return {}  # before 1920, 他 was written for everybody
    return {
        name: ("m" if count["m"] > count["f"] else "f")
        for name, count in counted.items()
        if max(count["m"], count["f"]) >= 2 * min(count["m"], count["f"]) + 1
    }


def mandarin_first_person(sentences: Iterable[str]) -> bool:
    """Return true if narration speaks of 我 often enough to be told by it."""
    return has_narrator(sentences, re.compile(r"我(?!国|军|朝|方)|俺"))
