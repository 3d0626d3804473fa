"""Nouns that mean a person, a man, a woman or a group, and capitalised words that are no names.

The English nouns are those that speech tags of at least three authors name ("said the landlord"), and everyday ones of today.
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


WOMEN = _words(
    "mrs ms miss mother mom mum mama mamma grandmother grandma aunt sister daughter wife girl woman lady queen "
    "princess waitress nurse madam madame duchess actress niece widow bride witch nun landlady hostess countess "
    "maid housekeeper"
)
MEN = _words(
    "mr sir father dad papa grandfather grandpa uncle brother son husband boy man gentleman king prince lord duke "
    "nephew monk landlord bishop widower groom waiter priest clergyman parson fellow butler knight baron emperor "
    "lad"
)
ALSO_WOMEN = _words(
    "mistress baroness governess matron maiden dame spinster hag heroine housemaid handmaiden ladyship mommy mummy "
    "stepmother girlfriend schoolgirl policewoman stewardess empress heiress goddess nanny matriarch sister-in-law "
    "mother-in-law granddaughter stepsister gran granny nana auntie barmaid seamstress priestess abbess lass ma "
    "businesswoman saleswoman chairwoman spokeswoman congresswoman"
)
ALSO_MEN = _words(
    "count vicar earl squire friar abbot wizard barber footman policeman constable sheriff dwarf lordship coachman "
    "chap guy bloke grandson stepfather boyfriend godfather daddy pa youth herr monsieur señor nobleman huntsman "
    "countryman frenchman englishman irishman scotsman dutchman indian chinaman patriarch lieutenant colonel captain "
    "sergeant admiral major skipper boatswain schoolboy father-in-law brother-in-law stepbrother host sultan "
    "caliph khan hero grandad granddad handyman salesman businessman chairman spokesman congressman fisherman cowboy"
)
EITHER = _words(
    "doctor stranger lawyer officer professor detective chief child inspector clerk companion farmer friend driver "
    "soldier master judge servant general merchant hunter cook keeper leader painter secretary porter coroner "
    "president editor steward surgeon banker teacher student reporter chemist solicitor physician manager cousin "
    "sailor superintendent prisoner guide official preacher innkeeper mate messenger purser artist agent peasant "
    "bailiff newcomer foreman proprietor guard rider overseer pirate engineer jailer guardian attendant "
    "millionaire chauffeur outlaw person invalid chancellor patient gardener traveller traveler owner "
    "gaoler philosopher poet gamekeeper cripple shepherd neighbour neighbor bartender commander veteran operator client "
    "ruffian conductor workman warrior monster gambler giant orator quartermaster tutor photographer passenger beauty "
    "grandmother scientist sage foreigner intruder comrade commissioner sentry villain courtier hermit collector "
    "watchman dealer spouse parent expert kinsman relative kid toddler teenager boss colleague roommate partner "
    "receptionist barista bouncer paramedic firefighter principal coach cop therapist cashier janitor librarian "
    "pilot candidate minister mayor governor senator dragon robot android creature ghost figure newcomer critic "
    "dentist counselor counsellor interviewer interpreter translator trainer tourist guest visitor customer baby "
    "apprentice assistant accountant attorney prosecutor marshal ranger warden monarch tramp gypsy hostler groom "
    "housewife lover tyrant victim elder elf goblin wolf fox bear lion cat dog monkey parrot orphan eldest youngest "
    "nobody-else magistrate landowner storekeeper shopkeeper curate rector deacon lodger tenant boarder boatman cabman "
    "ferryman fireman seaman postman milkman headmaster headmistress schoolmaster cabbie caller buyer seller"
)
WOMEN_NOUNS, MEN_NOUNS = WOMEN | ALSO_WOMEN, MEN | ALSO_MEN
GROUPS = _words(
    "men women people children boys girls others crowd soldiers guests sisters brothers parents ladies gentlemen "
    "sailors policemen officers guards kids twins couple family audience chorus neighbours neighbors students "
    "villagers workers servants friends passengers strangers cousins daughters sons jury pack gang crew police"
)
PERSONS = WOMEN_NOUNS | MEN_NOUNS | EITHER | GROUPS
VOICES = frozenset(("voice", "voices"))
"""They speak, but who has one is somebody else."""

NO_NAMES = _words(
    "the a an and but or so then when while as if in on at to of for from with by not no yes oh well i it he she "
    "they we you his her their my our your this that these those there here what who why how where which nobody "
    "somebody everyone everybody someone nothing something mr mrs ms dr sir miss monday tuesday wednesday thursday "
    "friday saturday sunday january february march april may june july august september october november december "
    "god english french german chinese after before behind outside inside later now still only even just one two "
    "three all both each every another suddenly finally slowly chapter book part once again presently meanwhile "
    "perhaps thus yet indeed never nor neither either such some any many few more most other others christ heaven "
    "heavens lord american americans indian indians european paris london england america france christmas easter "
    "at-last"
)
MANDARIN_WOMEN = _words(
    "妈妈 母亲 妈 娘 奶奶 姥姥 外婆 婆婆 姐姐 妹妹 姑姑 姨妈 舅妈 婶婶 嫂子 嫂嫂 妻子 太太 夫人 老太太 老夫人 小姐 姑娘 女儿 女孩 "
    "女人 女子 妇人 少妇 老妇 老妇人 丫头 丫鬟 丫环 侍女 侍妾 宫女 婆子 老婆子 老婆婆 老妈子 媒婆 妈子 奶娘 大娘 大妈 阿姨 大婶 大嫂 "
    "尼姑 老尼 道姑 公主 皇后 太后 王后 娘娘 贵妃 王妃 女王 女士 女生 少女 老板娘 女老师 空姐 女仆 女佣 寡妇 新娘 仙女 美人 母 媳妇 老婆 "
    "姨娘 奶妈 姊姊 女郎 外祖母 祖母 老母 岳母 婆母 儿媳"
)
MANDARIN_MEN = _words(
    "爸爸 父亲 爸 爹 爷爷 公公 外公 姥爷 哥哥 弟弟 叔叔 伯伯 舅舅 姑父 姐夫 丈夫 老公 儿子 男孩 男人 男子 男的 汉子 大汉 老头 老头子 "
    "老头儿 老汉 老者 老翁 老儿 少年 青年 小伙子 小伙 先生 老爷 少爷 公子 相公 员外 秀才 和尚 老僧 僧人 道士 道人 老道 长老 法师 太监 "
    "皇帝 皇上 天子 国王 太子 王子 王爷 大王 驸马 丞相 太师 元帅 将军 知县 知府 太守 县令 州官 统领 圣上 寡人 太上皇 巡抚 抚台 大人 老伯 大爷 大叔 大伯 大哥 大夫 "
    "店小二 小二 酒保 樵夫 渔翁 车夫 轿夫 马夫 差官 差人 公差 公人 汉 老丈 丈人 岳父 祖父 外祖父 家丁 书生 绅士 男生 新郎 小僧 行者 "
    "庄客 小厮 小童 童子 书童 军官 士兵 军士 小军 牧师 神父 老人 老人家 叔父 伯父"
)
MANDARIN_EITHER = _words(
    "孩子 老师 医生 护士 经理 老板 主任 警察 警官 司机 服务员 店主 店主人 店家 主人 客人 船家 船夫 仆人 佣人 家人 门上 门公 同学 同事 "
    "朋友 邻居 律师 记者 教授 校长 校工 班长 队长 局长 市长 司令 团长 连长 营长 排长 政委 房东 导演 主持人 秘书 助理 前台 保安 保镖 "
    "店员 乘客 患者 病人 病者 来客 使者 来使 探子 报子 管家 总管 掌柜 掌柜的 掌柜 伙计 学生 教员 学者 诗人 画家 作家 工人 农民 乡下人 "
    "此人 那妇人 那女子 那汉子 王爷 文官 武将 号房 更夫 仆欧 马夫 苍头 老苍头 小蛮 长班 强盗 喽罗 喽啰 头目 响马 贼人 狱卒 禁子 牢头 门子 书办 师爷 幕友 通事 翻译 那人 这人 来人 陌生人 年轻人 中年人 主考 考官 师父 师傅 "
    "徒弟 师兄 师弟 师姐 师妹 巫婆 神仙 仙人 妖怪 妖精 小妖 老妖 鬼 判官 阎王 土地 侍者 侍卫 卫士 园丁 厨子 厨师 裁缝 木匠 铁匠 铁匠 "
    "县官 法官 官员 军医 看护 会长 社长 总理 总统 首长 老乡 队员 教练 队友 店东 东家"
)
MANDARIN_GROUPS = _words(
    "众人 大家 众官 众将 众位 诸将 众军 群臣 众臣 百官 左右 三位大王 众女 众僧 众仙 诸人 众兵 众妖 众客 众姊妹 众丫头 众丫鬟 众家人 众公差 "
    "众强盗 众喽罗 众弟兄 众兄弟 两人 二人 三人 四人 五人 四将 众女 诸姬 三个 四个 孩子们 同学们 人们 人群 士兵们 男人们 女人们 姑娘们 家人们 众英雄 众百姓 百姓 大众 众宾客"
)
MANDARIN_NOUNS = MANDARIN_WOMEN | MANDARIN_MEN | MANDARIN_EITHER | MANDARIN_GROUPS
MANDARIN_NO_NAMES = _words(
    "人 连忙 明日 出来 连夜 毕竟 勉强 高声 进来 连连 何况 越发 一声 附耳 左手 东西 明知 轻轻 平日 里面 何等 明明 莫非 许多 任凭 路上 个人 诸事 "
    "富贵 一边 惊讶 周围 马上 自古 席间 满心 安排 十分 开言 外边 外面 些人 冷笑 话未 心内 左边 连日 拍掌 商议 顺口 上面写 左思右 明月 放声 喝声 "
    "齐声 娇声 古人 何以 高高 家人来 自言自语 平时 常常 安顿 万一 陆续 颜色 上写 递 口内 嘱咐 含泪 何必 胡乱 东边 门外 躬身 思量 仰面 万里 路旁 "
    "东方 连声 明天 俗语 苏州 双手递 商量 齐齐 安放 俯伏 上来 何处 自思 金银 小名 明年 咬牙 越觉 左一 何曾 内中一个 磕头 全无 跌脚 黄金 放下 "
    "明早 殷勤 口里乱 放声痛 尤其 摇手 吐舌 插嘴 发话 一会 曾经 余外 发狠 一路 改口 咕哝 关上 一手 水陆 齐来 大骇 后面 心中一 自忖 举手 个个 "
    "拦住 一时 吩咐 外头 一壁 寻思 古今 迎上来 外面人 口内喊 丫头来 清风 近前 施礼 高叫 鼓掌 传旨 打个 称谢 叉手 省悟 怒目 何尝 踌躇 左右一声 "
    "信上 香火 应该 交代 一会儿 广东 哀求 低低地 哈哈地 陈设 出班 厉声 常与 顾盼 大叱 哭拜 满口 摇首 安慰 叮咛 下边 满面堆 耳边 细细 称赞 哭诉 "
    "探马来 探子来 大声吆 高声喊 双手奉 来 容貌 连人 笑一 众人见 私下 拜谢 一口 叮嘱 武艺 一路上 何止 奋然 催促 余者 拭泪 一行 拉住 碰头 趁势 "
    "越显 诸如 连叫 仰头 进门 摆手 上头 徐步 任意 何事 嘴里乱 一齐乱 立住脚 心里发 一见面 跪下求 怪 高 挡住 应声 眼中 满面 满眼 解下 前来 大叫 "
    "怒声 出营 管教 林中 古来 解开 哀哀 沉思 发声 睁眼 肚里 泼口 面前 何妨 启口 心内一 一 劈口 半天 简直 连个 一一 暗忖 迎上 文章 车马 房里 喝 "
    "宫中 飞红 上疏 封为 献计 唐朝 常有 哀声 国家 拍桌 齐集 谢恩 大声喝 齐声赞 大声呼 急急地 口口声声 江南 一步一 喝采 高吟 喟然 蹙额 秋风 定定神 "
    "醒悟 喝彩 强颜 更加 房屋 一片声 大喊一声 分忖 房内 谈笑 打躬 双膝 自语 左首 仰天 下令 请罪 东南 打一躬 微微一 口里边 近前来 随口 手下 乘间 "
    "曾有 责之 致意 国号 金鼓 老 元来 一发 醒来 吃一 宋时 广有 拱一 一晚 言毕 归来 三个 越加 心里疑 叹一声 一发吃 口里哼 多 自家 自解 算计 愤然 "
    "枕上 何故 叩谢 打开 打恭 大悦 拂然 愈加 莫认 口中吆 低头 带泪 呆呆 马匹 停一 微笑地 不觉 随口 转 常 用手 起来 高 声 思 乱 报 谢 哀 且 想一 直 "
    "哭 接 喊 走 写 指 在 搭讪着 差 发 奏 想起 送 唱 答 着 微微的 哈哈的 细 埋 吃了一 不胜 地 祝 忖 心上 睁着眼 将手 开 自己 大声"
)
"""Words before a verb of speaking that name nobody: what such a place held in several books."""


def described(first: str, words: str) -> str:
    """Return the role of somebody who is only described.

    >>> described("A", "tall  man"), described("her", "father")
    ('the tall man', 'her father')
    """
    own = first.lower()
    return f"{own if own in ('his', 'her', 'my', 'our', 'their') else 'the'} {' '.join(words.split())}"
