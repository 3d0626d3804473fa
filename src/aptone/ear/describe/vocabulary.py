"""Words that other people use for the same values: understood when read, never said by our grammar.

Words that can mean several things are in `aptone.ear.describe.ambiguous`.
"""

from collections.abc import Mapping

from aptone.ear.describe.attributes import (
    Intensity,
    Music,
    Pitch,
    PitchVariation,
    Rate,
    Texture,
    VocalEvent,
    Volume,
)
from aptone.types import AgeBand, ClosedSet, Emotion, Intonation, Language, RecordingCondition, Rhythm, Sex

# Each line: values that all hold, and the words, separated by commas.
ALSO: Mapping[Language, tuple[tuple[tuple[ClosedSet, ...], str], ...]] = {
    "en": (
        ((Sex.FEMALE,), "female, woman, women, lady, girl, actress, girls, females"),
        ((Sex.MALE,), "male, man, men, gentleman, guy, boy, lad, fellow, chap, boys, males"),
        ((AgeBand.CHILD,), "child, children, kid, childlike, childish, kids, toddler"),
        ((AgeBand.TEENAGER,), "teen, teenage, teenager, adolescent, in his teens, in her teens"),
        ((AgeBand.YOUNG_ADULT,), "young, youthful, young adult, young-sounding, in her twenties, in his twenties"),
        (
            (AgeBand.MIDDLE_AGED,),
            "middle-aged, mature, middle age, in her forties, in his forties, in her fifties, in his fifties",
        ),
        ((AgeBand.ELDERLY,), "elderly, old, aged, senior, elder, ageing, aging"),
        ((Pitch.VERY_LOW,), "very low voice, very low tone, very low in pitch, extremely low-pitched, very deep voice"),
        (
            (Pitch.LOW,),
            "low voice, low tone, lower pitch, low in pitch, rumbling, bass, baritone, low register, lower register, "
            "lower-pitched, deep-voiced, deepened, bassy, lowered pitch",
        ),
        ((Pitch.MEDIUM,), "moderate pitch, normal pitch, mid-range pitch, moderately pitched"),
        (
            (Pitch.HIGH,),
            "high voice, high tone, higher pitch, high in pitch, high register, higher register, upper register, "
            "higher-pitched, elevated pitch, raised pitch",
        ),
        ((Pitch.VERY_HIGH,), "very high voice, very high in pitch, shrill, squeaky, piercing, falsetto, shrilly"),
        (
            (PitchVariation.MONOTONE,),
            "little pitch variation, little variation in pitch, uninflected, flat delivery, monotonously, monotonic, "
            "droning, little inflection, minimal inflection, without inflection, minimal pitch variation, "
            "minimal variation in pitch, narrow pitch range, unvarying, little variation, lacks variation",
        ),
        ((PitchVariation.MODERATE,), "moderate pitch variation, some variation in pitch"),
        (
            (PitchVariation.LIVELY,),
            "expressive, animated, dynamic, sing-song, wide pitch range, much pitch variation, "
            "much variation in pitch, expressively, animatedly, dynamically, lilting, lilt, musical, varied pitch, "
            "varied intonation, wide pitch variation, well-modulated, pitch swings, wide pitch swings, "
            "large pitch range",
        ),
        (
            (Rate.VERY_SLOW,),
            "very slow pace, very slow tempo, very slow rate, sluggish, dragging, sluggishly, painfully slow",
        ),
        (
            (Rate.SLOW,),
            "slow pace, slow tempo, slow rate, slower, drawn-out, deliberate, measured, slow-paced, slow speech, "
            "unhurriedly, measured pace, deliberately, leisurely pace, drawl, drawling, lingering, "
            "moderately slow",
        ),
        (
            (Rate.MODERATE,),
            "moderate pace, moderate tempo, moderate speed, normal pace, normal speed, steady pace, even pace, "
            "steady tempo, natural pace, conversational pace, average pace, medium pace, normal rate, moderate rate, "
            "regular pace, average speed",
        ),
        (
            (Rate.FAST,),
            "fast pace, fast tempo, fast rate, fast-paced, faster, rushed, hurried, hasty, swift, swiftly, "
            "quick pace, rapid pace, quickened, hurriedly, hastily, rushing, in a hurry, speedy, quick-paced, "
            "accelerated, fast-talking, moderately fast, moderately quick",
        ),
        (
            (Rate.VERY_FAST,),
            "very fast pace, very fast tempo, very rapidly, very quick, frantic, breakneck, rapid-fire, frantically, "
            "very quick pace",
        ),
        (
            (Volume.VERY_SOFT,),
            "barely audible, very low in volume, very faint, hardly audible, barely above a whisper, inaudibly, "
            "almost inaudible, nearly inaudible",
        ),
        (
            (Volume.SOFT,),
            "hushed, low volume, murmurs, murmuring, mutters, muttering, subdued volume, faint, soft-spoken, softer, "
            "quieter, muted, lowered voice, under her breath, under his breath, weak voice, reduced volume, softened",
        ),
        (
            (Volume.MEDIUM,),
            "moderate volume, normal volume, normal loudness, moderate loudness, conversational volume, "
            "average volume, medium volume, comfortable volume, moderate in volume, even volume",
        ),
        (
            (Volume.LOUD,),
            "high volume, forceful, booming, raised voice, projecting loudly, louder, powerful, powerfully, "
            "strong voice, raised volume, raises her voice, raises his voice, loudness is high, forcefully, "
            "elevated volume, increased volume",
        ),
        (
            (Volume.VERY_LOUD,),
            "very high volume, shouts, shouting, yells, yelling, bellows, bellowing, deafening, shout, shouted, yell, "
            "yelled, bellow, bellowed, thunderous, roar, roars, roaring, hollering, blaring, at the top of her lungs, "
            "at the top of his lungs",
        ),
        (
            (Texture.CLEAR,),
            "crisp, clean voice, clear voice, silky, clean, clarity, velvety, mellow, smoothly, polished, smoothness",
        ),
        ((Texture.BREATHY,), "breathiness, breathily, airiness, aspirated, wispy"),
        (
            (Texture.ROUGH,),
            "roughness, hoarseness, gruff, croaky, harsh, scratchy, coarse, grating, gravel, growl, growls, growling, "
            "guttural, gritty, grainy, raspiness, rasp, rasping, throaty, hoarsely, gruffly, harshly, harshness",
        ),
        (
            (Texture.PRESSED,),
            "tense voice, constricted, squeezed, strain, tightness, tightened, pinched, clenched, strangled",
        ),
        ((Texture.WHISPERED,), "whisper, whispers, whispering, in a whisper"),
        ((Rhythm.BRISK,), "brisk delivery, lively rhythm, brisk type, peppy, sprightly, snappy"),
        ((Rhythm.HEAVY,), "solemn, solemn rhythm, heavy delivery, ponderous, weighty, solemnly, gravely"),
        ((Rhythm.LOW_PACED,), "low-paced, low-paced delivery, lethargic, low-energy"),
        (
            (Rhythm.HIGH_ENERGY,),
            "high-energy, energetic, vigorous, energetically, high energy, vigorously, passionate, passionately, "
            "impassioned, fiery, boisterous, full of energy",
        ),
        (
            (Rhythm.RELAXED,),
            "relaxed, laid-back, relaxed delivery, soothing rhythm, easygoing, easy-going, at ease, casual, casually",
        ),
        ((Rhythm.TENSE,), "nervous rhythm, tense delivery, tense rhythm, staccato, on edge"),
        ((Intonation.FLAT,), "flat tone, level tone, intonation is flat"),
        (
            (Intonation.RISING,),
            "rising tone, upward inflection, rising inflection, intonation is rising, rising pitch, rises at the end, "
            "question-like, pitch rises, pitch goes up, rise in pitch, rises in pitch, rising in pitch, "
            "rising at the end, rising note",
        ),
        (
            (Intonation.CURVED,),
            "curved tone, undulating intonation, intonation is curved, rise and fall, rises and falls, "
            "pitch rises and falls, rises and falls in pitch",
        ),
        (
            (Intonation.FALLING,),
            "falling tone, downward inflection, falling inflection, intonation is falling, falling pitch, "
            "falls at the end, trails off, trailing off, descending, pitch falls, pitch drops, pitch goes down, "
            "drop in pitch, drops in pitch, fall in pitch, falls in pitch, dropping in pitch, falling in pitch, "
            "drops at the end, dropping at the end, falling at the end, falling note",
        ),
        (
            (RecordingCondition.NORMAL,),
            "clean recording, clear recording, studio recording, good recording, clean audio, clear audio, "
            "high-quality recording, studio-quality",
        ),
        (
            (RecordingCondition.PHONE,),
            "phone, telephone, phone call, phone line, telephone-like, telephonic, crackling phone, "
            "crackling phone line, crackling telephone line, crackling line",
        ),
        (
            (RecordingCondition.FAR_FIELD,),
            "far-field, distant, far away, faraway, reverberant, echoing, echo, echoey, reverb, reverberation",
        ),
        ((RecordingCondition.INTERMITTENT,), "intermittent, drop-outs, dropouts, choppy, cuts in and out, cutting out"),
        (
            (RecordingCondition.NOISY,),
            "noisy, background noise, noise, static, hiss, crackling, background chatter, background hum, "
            "faint background noise, faint background hum, faint noise, faint hum, faint hiss, faint static, "
            "soft background noise, loud background noise, low background noise, low hum, electrical hum",
        ),
        (
            (RecordingCondition.INNER_MONOLOGUE,),
            "inner monologue, inner voice, thinking to herself, thinking to himself",
        ),
        (
            (Music.PRESENT,),
            "background music, over background music, music, music in the background, musical accompaniment, "
            "soundtrack, soft music, soft background music, faint music, faint background music, gentle music, "
            "gentle background music, quiet music, quiet background music, loud music, loud background music, "
            "calm music, calm background music, sad music, slow music, upbeat music, upbeat background music",
        ),
        ((Music.ABSENT,), "no music, without music, no background music, no music in the background"),
        (
            (VocalEvent.LAUGHTER,),
            "laugh, laughs, laughed, chuckle, chuckles, chuckling, giggle, giggles, giggling, chuckled, giggled, "
            "laughing voice, laughingly, snickers, snickering",
        ),
        (
            (VocalEvent.BREATH,),
            "breath, breaths, breathing, breathes, panting, pants, inhales, exhales, gasp, gasps, deep breath, "
            "deep breaths, heavy breathing, heavy breath, audible breath, audible breaths, inhale, exhale, gasping, "
            "gasped, breathless, breathlessly, breathing is heavy, breathing heavy, heavy breaths, rapid breathing, "
            "rapid breaths, quick breath, quick breaths, breathing is rapid, breathing is fast, breathing is quick, "
            "fast breathing, slow breath, slow breathing",
        ),
        ((VocalEvent.COUGH,), "coughs, coughed"),
        ((VocalEvent.SNEEZE,), "sneezes, sneezed"),
        ((VocalEvent.CRYING_BABY,), "baby's cry, baby cries, infant crying, crying infant"),
        ((VocalEvent.SIGH,), "sighs, sighed, heavy sigh, deep sigh"),
        (
            (VocalEvent.SOB,),
            "sob, cry, cries, crying, weeps, weeping, sobbed, cried, weep, wept, whimper, whimpers, whimpering, wail, "
            "wails, wailing, in tears",
        ),
        (
            (VocalEvent.SCREAM,),
            "screams, screamed, shriek, shrieks, shrieking, shrieked, screech, screeches, screeching",
        ),
        (
            (VocalEvent.THROAT_CLEARING,),
            "clears her throat, clears his throat, clears their throat, clears the throat, clearing her throat, "
            "clearing his throat",
        ),
        ((VocalEvent.YAWN,), "yawns, yawned"),
        ((VocalEvent.SNIFF,), "sniffs, sniffed, sniffle, sniffles, sniffling"),
        (
            (VocalEvent.SINGING,),
            "sings, sung, song, humming, hums, operatic, sing, sang, song-like, hum, croons, crooning, chants, "
            "chanting",
        ),
        (
            (Emotion.NEUTRAL,),
            "emotionless, no emotion, without emotion, neutrally, neutrality, matter-of-factly, neutral tone, "
            "dispassionate, detached, impassive, deadpan, expressionless, stoic, no strong emotion, "
            "no clear emotion, little emotion, lack of emotion, devoid of emotion, without any emotion, "
            "lacking emotion, without strong emotion",
        ),
        (
            (Emotion.CALM,),
            "calmly, calm tone, composed, composure, tranquil, peacefully, placid, calming, serenely, tranquility, "
            "collected, unruffled, reassuring, comforting",
        ),
        (
            (Emotion.HAPPY,),
            "happily, cheerfully, cheery, joyfully, joyous, glad, upbeat, delighted, delight, merry, bright mood, "
            "positivity, enthusiastic, enthusiasm, excited, excitement, cheerfulness, gleeful, glee, exuberant, "
            "exuberance, bubbly, light-hearted, lighthearted, optimistic, optimism, jovial, jolly, excitedly, "
            "enthusiastically, cheer, pleasure, contentment",
        ),
        (
            (Emotion.SAD,),
            "sadly, sorrowfully, mournful, melancholy, melancholic, gloomy, depressed, dejected, tearful, "
            "unhappiness, mournfully, mourning, grieving, despondent, despondency, disheartened, dejection, gloom, "
            "glum, forlorn, disappointed, disappointment, regretful, regret, crestfallen, hopeless, hopelessness, "
            "plaintive, miserable, misery, heartache, resigned, resignation, on the verge of tears, "
            "close to tears, near tears",
        ),
        (
            (Emotion.ANGRY,),
            "angrily, mad, hostile, aggressive, hostility, aggression, wrath, resentful, indignant, angered, "
            "aggressively, threatening, menacing, irritable, frustrated, frustration, exasperated, exasperation, "
            "resentment, indignation, belligerent, confrontational, fierce, fiercely, scolding, accusatory",
        ),
        (
            (Emotion.FEAR,),
            "afraid, fearfully, anxious, anxiety, dread, worried, worry, fright, anxiously, nervousness, nervously, "
            "timid, timidly, alarm, alarmed, apprehension, worriedly, vulnerable, vulnerability, trepidation",
        ),
        (
            (Emotion.DISGUST,),
            "disgustedly, repulsed, repulsion, contemptuous, contempt, loathing, distaste, contemptuously, disdain, "
            "disdainful, disdainfully, scorn, scornful, sneer, sneering, repugnance, nauseated",
        ),
        (
            (Emotion.SURPRISE,),
            "startled, taken aback, in disbelief, surprisedly, incredulous, incredulity, disbelief, bewildered, "
            "bewilderment, awe, awestruck",
        ),
        (
            (Emotion.BOREDOM,),
            "boredly, listless, weary of it, disinterested, apathetic, apathy, dull, tedium, lackluster, lacklustre, "
            "unenthusiastic, disengaged, ennui",
        ),
        (
            (Emotion.PLAYFUL,),
            "playfully, teasing, teasingly, jokingly, mischievously, impish, cheeky, whimsical, humorous, joking, "
            "amused, amusement, flirtatious, banter, cheekily",
        ),
        (
            (Emotion.HAPPY, Intensity.STRONG),
            "ecstatic, jubilant, thrilled, exhilarated, euphoric, euphoria, ecstatically",
        ),
        (
            (Emotion.SAD, Intensity.STRONG),
            "devastated, despairing, deeply sad, desolate, anguish, anguished, inconsolable, heart-wrenching, "
            "heartbreaking",
        ),
        (
            (Emotion.ANGRY, Intensity.STRONG),
            "outraged, raging, livid, seething, intensely angry, furiously, fuming, infuriated",
        ),
        ((Emotion.FEAR, Intensity.STRONG), "horrified, panicked, panicky, petrified, panicking, horror"),
        ((Emotion.SURPRISE, Intensity.STRONG), "shocked, shock, astounded, flabbergasted, dumbfounded"),
    ),
    "zh": (
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
        (
            (PitchVariation.LIVELY,),
            "起伏很大，富于变化，音调起伏明显，音调富于变化，富有表现力，生动，绘声绘色，声情并茂",
        ),
        ((Rate.VERY_SLOW,), "语速很慢，说得很慢，节奏极慢，慢吞吞"),
        (
            (Rate.SLOW,),
            "语速慢，语速中等偏慢，中等偏慢，慢慢地，缓缓地，不紧不慢，慢条斯理，语速放缓，语速平缓，放慢语速，缓缓，徐徐，慢悠悠",
        ),
        ((Rate.MODERATE,), "语速正常，语速平稳，不快不慢，语速均匀，语速中速"),
        (
            (Rate.FAST,),
            "语速快，语速中等偏快，中等偏快，语速急促，急促，说得快，匆忙，语速加快，快速，迅速，匆匆，急匆匆",
        ),
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
        (
            (Rhythm.HIGH_ENERGY,),
            "高亢，高亢型，激昂，高亢的节奏，慷慨激昂，充满活力，精力充沛，充满激情，激情澎湃，有力",
        ),
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
    ),
}
