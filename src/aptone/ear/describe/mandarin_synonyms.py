"""Mandarin words that other people use for the same values: understood when read, never said by our grammar.

Words that can mean several things are in `aptone.ear.describe.lexicon`.
"""

from aptone.ear.describe.attributes import Intensity, Music, Pitch, PitchVariation, Rate, Texture, VocalEvent, Volume
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, RecordingCondition, Rhythm, Sex

# Each line: values that all hold, and the words, separated by commas.
ALSO: tuple[tuple[tuple[ClosedSet, ...], str], ...] = (
    ((Sex.FEMALE,), "女声，女性，女子，女士，女人，女孩，女生，女的"),
    ((Sex.MALE,), "男声，男性，男子，男士，男人，男孩，男生，男的"),
    ((AgeBand.CHILD,), "儿童，小孩，孩童，稚嫩"),
    ((AgeBand.TEENAGER,), "少年，十几岁"),
    ((AgeBand.YOUNG_ADULT,), "年轻，青年人"),
    ((AgeBand.MIDDLE_AGED,), "中年"),
    ((AgeBand.ELDERLY,), "老年，年迈，苍老，年老"),
    ((Pitch.VERY_LOW,), "音调很低，音高很低，音调非常低沉"),
    ((Pitch.LOW,), "音调低，音高较低，音调低沉，嗓音低沉，浑厚，低音调，音调压低"),
    ((Pitch.MEDIUM,), "音高中等，音高适中，音调正常"),
    ((Pitch.HIGH,), "音调高，音高较高，音调高昂，高音"),
    ((Pitch.VERY_HIGH,), "音调很高，音高很高，尖细，尖锐，刺耳，尖利"),
    ((PitchVariation.MONOTONE,), "音调单一，音调单调，没有起伏，缺乏起伏，毫无起伏，平铺直叙"),
    ((PitchVariation.MODERATE,), "音调起伏适中，音调略有起伏"),
    ((PitchVariation.LIVELY,), "起伏很大，富于变化，音调起伏明显，音调富于变化，富有表现力，生动，绘声绘色，声情并茂"),
    ((Rate.VERY_SLOW,), "语速很慢，说得很慢，节奏极慢，慢吞吞"),
    (
        (Rate.SLOW,),
        "语速慢，语速中等偏慢，中等偏慢，慢慢地，缓缓地，不紧不慢，慢条斯理，语速放缓，语速平缓，放慢语速，缓缓，徐徐，慢悠悠",
    ),
    ((Rate.MODERATE,), "语速正常，语速平稳，不快不慢，语速均匀，语速中速"),
    ((Rate.FAST,), "语速快，语速中等偏快，中等偏快，语速急促，急促，说得快，匆忙，语速加快，快速，迅速，匆匆，急匆匆"),
    ((Rate.VERY_FAST,), "语速很快，说得很快，连珠炮"),
    ((Volume.VERY_SOFT,), "声音很轻，音量很小，音量很低，几乎听不见，细若蚊蝇"),
    (
        (Volume.SOFT,),
        "轻声，小声，音量小，音量低，声音轻柔，低声，轻轻地，轻声细语，细声细语，音量偏低，音量偏小，微弱，压低声音，压低嗓音，声音较小",
    ),
    ((Volume.MEDIUM,), "音量正常，声音适中"),
    (
        (Volume.LOUD,),
        "大声，音量大，音量高，洪亮，高声，音量偏大，音量偏高，嗓门大，提高音量，提高嗓门，声音较大，声音洪亮，铿锵有力",
    ),
    ((Volume.VERY_LOUD,), "音量很大，声音很大，大喊，大吼，吼叫，震耳欲聋，高喊，呐喊，喊叫，大叫，咆哮，吼道"),
    ((Texture.CLEAR,), "嗓音清晰，音色清晰，声音清澈，清澈，清脆，圆润，音色清亮"),
    ((Texture.BREATHY,), "气声，气息声重，带气声，气息感"),
    ((Texture.ROUGH,), "嘶哑，粗糙，粗哑，沙沙的，低哑，粗犷，干涩"),
    ((Texture.PRESSED,), "声音发紧，声音紧绷，挤压，压迫感，绷紧"),
    ((Texture.WHISPERED,), "耳语，悄声，窃窃私语，低语"),
    ((Rhythm.BRISK,), "轻快，轻快型，欢快的节奏，轻快的节奏，明快"),
    ((Rhythm.HEAVY,), "凝重，凝重型，沉重，凝重的节奏，庄重，庄严，肃穆"),
    ((Rhythm.LOW_PACED,), "低沉型，低沉的节奏"),
    ((Rhythm.HIGH_ENERGY,), "高亢，高亢型，激昂，高亢的节奏，慷慨激昂，充满活力，精力充沛，充满激情，激情澎湃，有力"),
    ((Rhythm.RELAXED,), "舒缓，舒缓型，舒缓的节奏，松弛，从容，悠闲，轻松，放松，闲适"),
    ((Rhythm.TENSE,), "紧张型，紧张的节奏，节奏紧凑，紧迫，急迫"),
    ((Intonation.FLAT,), "平直调，平调，语调平缓，语调平淡"),
    ((Intonation.RISING,), "上扬调，升调，语调上升，尾音上扬"),
    ((Intonation.CURVED,), "弯曲调，曲折调，语调起伏"),
    ((Intonation.FALLING,), "下降调，降调，语调下沉，尾音下降"),
    ((RecordingCondition.NORMAL,), "录音清晰，录音干净，正常说话"),
    ((RecordingCondition.PHONE,), "电话，电话转录，电话音"),
    ((RecordingCondition.FAR_FIELD,), "远场，远处，回声，混响"),
    ((RecordingCondition.INTERMITTENT,), "卡顿，断续"),
    ((RecordingCondition.NOISY,), "嘈杂，噪声，噪音，杂音"),
    ((RecordingCondition.INNER_MONOLOGUE,), "内心独白，心理独白，自言自语"),
    (
        (Music.PRESENT,),
        "音乐，背景音乐，有背景音乐，背景有音乐，背景中有音乐，配乐，"
        "轻柔的音乐，轻柔的背景音乐，舒缓的音乐，舒缓的背景音乐，欢快的音乐，欢快的背景音乐，悲伤的音乐，悲伤的背景音乐",
    ),
    ((Music.ABSENT,), "没有音乐，无背景音乐，无音乐，背景没有音乐"),
    ((VocalEvent.LAUGHTER,), "笑着，大笑，轻笑，笑了，笑出声，笑道，咯咯笑"),
    (
        (VocalEvent.BREATH,),
        "喘气，喘息，喘气声，吸气声，换气声，深吸一口气，深呼吸，喘着气，喘着粗气，倒吸一口气，"
        "呼吸急促，急促的呼吸，呼吸沉重，沉重的呼吸，呼吸粗重",
    ),
    ((VocalEvent.COUGH,), "咳嗽，咳了"),
    ((VocalEvent.SNEEZE,), "喷嚏，打喷嚏"),
    ((VocalEvent.CRYING_BABY,), "婴儿的哭声，婴儿啼哭，婴儿哭"),
    ((VocalEvent.SIGH,), "叹气，叹息，叹了口气，叹了一口气，长叹"),
    ((VocalEvent.SOB,), "抽泣，哭泣，哭声，哽咽，啜泣，哭腔，哭着，哭诉，呜咽，流泪，痛哭"),
    ((VocalEvent.SCREAM,), "尖叫，喊叫声，惨叫，惊叫"),
    ((VocalEvent.THROAT_CLEARING,), "清嗓子，清了清嗓子"),
    ((VocalEvent.YAWN,), "哈欠，打哈欠"),
    ((VocalEvent.SNIFF,), "吸鼻子，抽鼻子"),
    ((VocalEvent.SINGING,), "唱歌，歌唱，唱着，哼唱，演唱，唱道，唱出，唱着歌"),
    (
        (Emotion.NEUTRAL,),
        "平淡，没有情绪，毫无感情，情绪平淡，没有明显情绪，中性的情绪，不带感情，面无表情，中立，没有强烈的情绪，没有强烈情绪，缺乏情感，没有感情，没有情绪波动，没有明显的情绪波动，没有情感波动，"
        "没有明显的情感波动",
    ),
    ((Emotion.CALM,), "冷静，安详，沉稳，心平气和，淡定，从容不迫，镇静，沉着"),
    ((Emotion.HAPPY,), "高兴地，欢快，欢乐，欣喜，兴奋，愉悦，欢喜，热情，快活，喜气洋洋，乐观，欢欣，开朗"),
    (
        (Emotion.SAD,),
        "忧伤，忧郁，伤感，沮丧，哀愁，悲哀，低落，哀怨，凄凉，忧愁，失落，失望，悲凉，惆怅，无奈，快要哭",
    ),
    (
        (Emotion.ANGRY,),
        "生气，怒火，恼火，怒意，不满，怒气冲冲，气恼，暴躁，愤慨，愤恨，敌意，咄咄逼人，烦躁，责备，指责",
    ),
    ((Emotion.FEAR,), "惊恐，恐慌，不安，焦虑，惧怕，惊慌，担忧，胆怯，慌张，慌乱，忐忑，畏惧，惶恐"),
    ((Emotion.DISGUST,), "嫌恶，恶心，鄙夷，嫌弃，轻蔑，鄙视，蔑视，不屑"),
    ((Emotion.SURPRISE,), "惊奇，诧异，惊喜，意外，难以置信，惊诧，错愕，惊愕"),
    ((Emotion.BOREDOM,), "不耐烦，乏味，倦怠，无精打采，枯燥，慵懒，懒洋洋"),
    ((Emotion.PLAYFUL,), "顽皮，戏谑，逗趣，打趣，淘气，诙谐，幽默，调侃，撒娇"),
    ((Emotion.HAPPY, Intensity.STRONG), "狂喜，喜出望外"),
    ((Emotion.SAD, Intensity.STRONG), "悲痛，悲恸，绝望，心碎，哀痛，痛苦"),
    ((Emotion.ANGRY, Intensity.STRONG), "狂怒，勃然大怒，怒吼"),
    ((Emotion.FEAR, Intensity.STRONG), "惊恐不已，魂飞魄散"),
    ((Emotion.SURPRISE, Intensity.STRONG), "震惊，大吃一惊"),
)
