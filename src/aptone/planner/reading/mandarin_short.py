"""Names of short Mandarin stories, where a name may stand once: by its surname and what follows, or by how it is made.

小魏, 老宋 and 阿鲛 are names by their first character, 周小满 by a surname and the verb or particle behind it, 楠楠 by
its doubled character. A word that begins like a name but is ordinary (周围, 小时) is listed.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from aptone.planner.reading.mandarin_nouns import MANDARIN_NO_NAMES, MANDARIN_NOUNS
from aptone.planner.reading.mandarin_tags import NOT_IN_A_NAME


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LONGEST = 8
"""Characters from the beginning of a name that are looked at."""
MOST = 60
"""Most names of a short story."""
_PUNCTUATION = re.compile(r"[，,。！？!?；;：:、“”‘’「」『』（）()【】《》—…\s]+")
_GIVES_PET_NAME = frozenset("小老阿")
SURNAMES = frozenset(
    "李王张刘陈杨赵黄周吴徐孙胡朱高林何郭马罗梁宋郑谢韩唐冯于董萧程曹袁邓许傅沈曾彭吕苏卢蒋蔡贾丁魏薛叶阎余潘杜戴"
    "夏钟汪田任姜范方石姚谭廖邹熊金陆郝孔白崔康毛邱秦江史顾侯邵孟龙万段雷钱汤尹黎易常武乔贺赖龚文庞樊兰殷施陶洪翟"
    "安颜倪严牛温芦季俞章鲁葛伍韦申尤毕聂丛焦向柳邢路岳齐梅莫庄辛管祝左涂谷祁时舒耿牟卜詹关苗凌费纪靳盛童欧甄项曲"
    "成游阳裴席卫查屈鲍位覃霍翁隋植甘景薄单包司柏宁柯阮桂闵解强柴华车冉房边阚蒲穆裘骆尚晏闫郁冷沙滕邬岑佟凤"
)
_AMBIGUOUS = frozenset(
    "高于方石文常易安金白成时向解强车房边位单包司关左游阳万段温华冷沙管武路雷江毛龙牛田叶马钱汤凤尚景项曲丛查植席"
)
"""Surnames with which ordinary words begin so often that a name has to stand twice."""
_ORDINARY = _words(
    "周围 周末 周一 周二 周三 周四 周五 周六 周日 周年 周到 周身 周遭 张开 张嘴 张望 张罗 张口 张着 张贴 林子 林间 "
    "林中 林木 黄昏 黄色 黄瓜 黄油 黄土 黄铜 黄沙 黄豆 黄酒 何必 何况 何时 何处 何止 何尝 苏醒 胡子 胡乱 胡同 胡说 "
    "胡闹 胡椒 方向 方便 方案 方法 方才 方桌 方言 高兴 高声 高高 高速 高个 高原 高处 高考 高中 叶子 江边 江水 江面 "
    "江风 石头 石板 石阶 石碑 石子 梅花 梅雨 白天 白色 白发 白布 白酒 白纸 白板 白衣 白云 马上 马路 马车 马蹄 马儿 "
    "龙头 毛巾 毛衣 毛笔 毛线 夏天 夏夜 夏日 钟声 钟表 钟头 陆续 金色 金子 金属 金黄 田里 田埂 田野 任何 任务 任凭 "
    "严肃 严厉 文件 文章 安静 安全 安排 安慰 安检 康复 常常 武器 雷声 雷雨 钱包 钱币 汤碗 汤勺 于是 关上 关于 关门 "
    "关心 路上 路边 路灯 路过 路口 路人 管子 管事 左手 左边 左右 时间 时候 时针 时不时 盛饭 盛开 盛夏 童年 项目 项链 "
    "曲子 成绩 成了 成年 成功 游戏 游客 阳台 阳光 席间 席上 查房 查票 查询 查看 单子 单位 单车 单独 包里 包子 包括 "
    "包厢 司机 宁可 宁静 解开 解释 解说 强忍 强撑 华灯 车子 车厢 车里 车门 车窗 车站 车灯 车间 车队 房间 房子 房门 "
    "房东 边上 边关 尚未 温度 温柔 温热 温水 冷冷 冷气 冷风 冷笑 沙发 沙子 沙漠 兰花 丁香 丛林 卫生 卫星 卫兵 乔迁 "
    "余下 余光 余生 康乃馨 柳树 柳枝 桂花 柴火 柴房 唐突 许多 许久 许愿 许是 谢谢 谢幕 谢过 谢绝 韩国 曾经 曾是 颜色 "
    "颜料 易拉罐 程序 程度 杜绝 戴着 戴上 戴好 万一 万里 向来 向导 段落 齐声 齐齐 齐刷刷 季节 章程 纪念 费力 费劲 "
    "费用 祝福 祝贺 祝你 申请 尤其 毕竟 毕业 焦急 焦糊 聂耳 席地 童声 牛奶 牛肉 牛皮 汪汪 史书 顾客 顾不 顾不上 侯门 "
    "孔雀 施工 施礼 陶罐 陶瓷 洪水 洪亮 庄重 庄稼 辛苦 莫非 莫名 莫说 温和 温暖 常年 常客 常见 小时 小心 小区 小学 "
    "小说 小声 小路 小巷 小店 小屋 小桌 小船 小雨 小镇 小村 小包 小刀 小门 小院 小楼 小组 小碗 小盒 小狗 小猫 小鸟 "
    "小腿 小手 小脸 小嘴 小费 小吃 小菜 小品 小票 小车 小房 小米 小水 小石 小马 小山 小河 小溪 小瓶 小杯 小块 小片 "
    "小份 小字 小本 小张 小把 小口 小段 小节 小半 小半天 小型 小孩 小伙 小子 小姐 小贩 小丑 小偷 小贼 小妹 小弟 小哥 "
    "小姨 小舅 小叔 小姑 小朋 小女 小男 小老 小年 小名 小号 小事 小小 小提 小夜 小径 小卖 小摊 小剧 小白 小红 小黄 "
    "小绿 小黑 小木 小铁 小布 小纸 小方 小圆 老师 老人 老板 老头 老婆 老公 老家 老房 老路 老车 老花 老实 老是 老远 "
    "老早 老乡 老鼠 老虎 老天 老爷 老太 老伴 老汉 老爸 老妈 老爹 老娘 老友 老兵 老客 老年 老旧 老式 老街 老屋 老树 "
    "老槐 老相 老歌 老宅 老将 老夫 老生 老泪 老茧 老眼 老区 老了 老子 老母 老父 老伯 老翁 老者 老妇 老僧 老道 老猫 "
    "老狗 老马 老牛 老船 老渔 老技 老焊 老连 老班 老支 老管 老校 老主 老店 老厂 老门 邻 老同 老朋 老掌 老棋 老村 "
    "老院 阿姨 阿婆 阿公 阿爷 阿妈 阿爸 阿拉"
)
_MAY_BE_NAMED = _words(
    "小白 小红 小黄 小黑 小方 小张 小马 小石 小米 小山 小雨 小河 小妹 小弟 老马 老牛 老花 老车 老路 老房"
)
"""Of these, names where they stand twice, before a verb."""
_NOT_GIVEN = frozenset(
    "吗吧呢啊呀嘛哦啦喽咯呗与及或而所以为因于个位只条张把件本次天年月日时分秒里外上下前后左右边面头子儿们家门口手"
    "脚眼脸嘴色声气水地很太更最再先刚才正已没还都就便却并但"
)
_BEHIND = frozenset(
    "把将也又就在从对站坐看笑点摇抬低拿端推放走说问没还已正一翻伸捏攥举指盯望听愣叹咬皱挠擦抹揉搓摸拍敲踢跑冲跳蹲"
    "跪躺靠倚扶抱背提拎扛拖拉扯撕打关合收捡捧递接抢扔摔甩掏塞装穿脱戴摘系解披裹哭喊叫骂吼嚷嘟喃念读写画数算想猜记"
    "忘知认觉怕恨等追赶逃躲藏找回进出上下来去过到跟给被让使请劝求刚只却便先再才很不最终忽突连立猛缓慢轻悄默静呆僵"
    "怔红白瞪眯睁闭张咧撇噘抿吐吸呼喘吃喝尝嚼咽用往向朝与和同顺沿的是有要会能可该得着眉眼手脸嘴头鼻喉心声清冷微半"
    "直仰俯弯转侧倒凑挤挪退停住蹭蹬踮踩踏迈跨爬滑掉落摁按拧拔插挂拴捆绑缠绕围堵挡拦搁摆排铺盖遮捂咳哼嗯哈嘿抓握牵"
    "搂拽捶砸劈砍切削剥挑拣洗刷晾晒熨缝补"
)
_DOUBLED = re.compile(r"([\u4e00-\u9fff])\1")
_ORDINARY_DOUBLED = frozenset(
    "慢轻悄常往渐刚偏仅天人个星默静呆紧缓匆连频稍微远高低早好明白黑红绿蓝冷热年月日时处家户样种件条张层片块点滴声"
    "句字步口妈爸爷奶哥姐弟妹叔伯姑舅婆公太娃宝谢看听想说走坐等试问笑哈嘻呵嘿嗯哦啊呀喂汪喵咚叮当嗒哒吱呼沙哗咕噜"
    "滔熙茫皑纷翩徐整"
)


def names_of_short_story(narration: Sequence[str], speech: Iterable[str]) -> Counter[str]:
    """Return likely names of a short story, and how often each stands there.

    >>> sorted(names_of_short_story(["周小满把网页刷新了两遍。", "老宋看了看表。"], ["“阿翔，快来！”"]))
    ['周小满', '老宋', '阿翔']
    """
    found: Counter[str] = Counter()
    everything = _counted([*narration, *(said := list(speech))])
    for text in narration:
        for clause in _PUNCTUATION.split(text):
            for name in _at_beginning(clause):
                found[name] += 1
            for match in re.finditer("[小老阿]", clause):
                if name := _pet_name(clause[match.start() : match.start() + LONGEST], everything):
                    found[name] += 1
    for text in said:
        for chunk in _PUNCTUATION.split(text):
            if _is_whole_name(chunk, everything):
                found[chunk] += 1
    sure = [name for name in found if _is_sure(name, everything[name])]
    return Counter({name: found[name] for name in sorted(sure, key=lambda name: (-found[name], name))[:MOST]})


def _counted(texts: Iterable[str]) -> Counter[str]:
    """Return how often any two or three characters in a row stand in some texts."""
    found: Counter[str] = Counter()
    for text in texts:
        for length in (2, 3):
            found.update(text[start : start + length] for start in range(len(text) - length + 1))
    return found


def _at_beginning(clause: str) -> Iterator[str]:
    """Yield the name with which a clause begins, by its surname and what stands behind it."""
    doubled = _DOUBLED.match(clause)
    if (
        doubled
        and doubled[1] not in _ORDINARY_DOUBLED
        and clause[2:3] in _BEHIND
        and not set(doubled[1]) & NOT_IN_A_NAME
    ):
        yield doubled.group()
    if clause[:1] not in SURNAMES or clause[:2] in _ORDINARY or clause[:2] in MANDARIN_NO_NAMES:
        return
    if any(clause.startswith(noun) for noun in (clause[:2], clause[:3], clause[:4]) if noun in MANDARIN_NOUNS):
        return
    for length in (3, 2):
        name, behind = clause[:length], clause[length : length + 1]
        if _is_full_name(name) and (behind in _BEHIND or (length == 3 and not behind)):
            yield name
            return


def _is_full_name(name: str) -> bool:
    given = name[1:]
    return (
        1 <= len(given) <= 2
        and name[:1] in SURNAMES
        and not set(given) & (NOT_IN_A_NAME | _NOT_GIVEN)
        and not (len(given) == 2 and given[1] in _BEHIND and given[0] in _BEHIND)
        and name[:2] not in _ORDINARY
        and all("\u4e00" <= character <= "\u9fff" for character in name)
    )


def _pet_name(text: str, everything: Counter[str]) -> str:
    """Return 小魏, 老宋 or 阿鲛 with which a text begins; empty without one."""
    name = text[:2]
    if len(name) < 2 or set(name[1]) & (NOT_IN_A_NAME | _NOT_GIVEN) or not "\u4e00" <= name[1] <= "\u9fff":
        return ""
    if any(text.startswith(noun) for noun in (text[:2], text[:3], text[:4]) if noun in MANDARIN_NOUNS):
        return ""
    if name in _MAY_BE_NAMED:
        return name if everything[name] > 1 and text[2:3] in _BEHIND else ""
    if name in _ORDINARY or name in MANDARIN_NO_NAMES:
        return ""
    if name[0] == "阿" or name[1] in SURNAMES or name in ("老大", "老二", "老三", "老四", "老五", "老六"):
        return name
    return name if everything[name] > 1 and (text[2:3] in _BEHIND or not text[2:3]) else ""


def _is_whole_name(chunk: str, everything: Counter[str]) -> bool:
    """Return true if all between two punctuation marks of a speech is a name: somebody is called."""
    if chunk in _ORDINARY or chunk in MANDARIN_NOUNS or chunk in MANDARIN_NO_NAMES:
        return False
    if chunk[:1] in _GIVES_PET_NAME:
        return len(chunk) == 2 and _pet_name(chunk, everything) == chunk
    if len(chunk) == 2 and chunk[0] == chunk[1]:
        return chunk[0] not in _ORDINARY_DOUBLED and not set(chunk) & NOT_IN_A_NAME
    return _is_full_name(chunk) and chunk[0] not in _AMBIGUOUS and (len(chunk) == 3 or everything[chunk] > 1)


def _is_sure(name: str, count: int) -> bool:
    if name[0] in _AMBIGUOUS and len(name) == 2:
        return count > 1
    return count > 1 or name[0] != name[-1]
