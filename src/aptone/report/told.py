"""Sentences of ours that runs keep in English, said in the language of the page.

A card and a journal hold details as sentences: why a probe does not apply, why a run stopped, what an ear could not
judge. Those that are fixed, but for numbers and names in them, are known here and said in Mandarin on a Mandarin page.
Whatever is not known, a stranger's engine included, is shown as it is.
"""

import re
from collections.abc import Iterator

from aptone.ear.mandarin_reasons import REASONS, sentence_pattern
from aptone.messages import words
from aptone.report.names import named
from aptone.report.phrase import Phrase
from aptone.report.told_agreement import AGREEMENT_TOLD
from aptone.report.told_machine import MACHINE_TOLD
from aptone.report.told_recordings import RECORDINGS_TOLD
from aptone.types import Language

TOLD: tuple[Phrase, ...] = (
    # probes
    Phrase("the judge hears one clip at a time", "评审一次只听一段录音"),
    Phrase("the engine takes one item at a time", "引擎一次只处理一个条目"),
    Phrase("nothing to compare: {items} items in batches of {size}", "无从比较：{items} 个条目，批大小为 {size}"),
    Phrase("none of the items got a score, alone or in a batch", "无论单独还是成批，都没有条目得到评分"),
    Phrase(
        "each item alone, and in batches of {size} in two orders", "每个条目单独评分，再以 {size} 个一批按两种顺序评分"
    ),
    Phrase(
        "an item was {state_alone} alone and {state_together} in a batch, or other scores were undefined",
        "有条目单独处理时为“{state_alone}”，成批处理时为“{state_together}”，或未定义的评分项不同",
    ),
    Phrase("dialogues are heard one at a time", "一次只听一段对话"),
    Phrase("nothing is chosen between two dialogues", "不在两段对话之间做选择"),
    Phrase("nothing is chosen between two clips", "不在两段录音之间做选择"),
    # voices and descriptions
    Phrase("no voice can be heard in the clip", "音频中听不到人声"),
    Phrase(
        "the model knows none of the words of the description; say it in other words, in English or Mandarin",
        "模型不认识描述中的任何词；请换一种英语或汉语说法",
    ),
    Phrase("there is no transcript", "没有文字转写"),
    Phrase(
        "There is no scale from 0 to 5 for this model: compare its cosines with each other only",
        "该模型没有 0–5 的标尺：余弦值只能彼此比较",
    ),
    # dialogues
    Phrase(
        "emotion over time is the built-in ear's, on the paper's scale by gains that were set on acted speech; "
        "there were no ratings over time to set them by",
        "情感轨迹来自内置听觉模型，按在表演语音上设定的增益换算到论文的尺度；没有可供校准的逐时人工标注",
    ),
    Phrase("balancing not needed: the user is not extreme", "不需要平衡：用户情感不极端"),
    Phrase("the user has no points", "用户没有可比较的点"),
    Phrase("the agent has no points", "系统没有可比较的点"),
    Phrase("the user: {why}", "用户：{why}"),
    Phrase("the agent: {why}", "系统：{why}"),
    Phrase("turn {number}: {why}", "第 {number} 轮：{why}"),
    Phrase("turn {number}, user: {why}", "第 {number} 轮，用户：{why}"),
    Phrase("turn {number}, agent: {why}", "第 {number} 轮，系统：{why}"),
    Phrase(
        "the ear hears {emotion} ({share} %), which the table does not know",
        "听到的是 {emotion}（{share}%），表中没有这种情感",
    ),
    Phrase("there is no label and no recording", "既没有标签也没有录音"),
    # answers
    Phrase("nothing is chosen between two answers", "不在两个回答之间做选择"),
    Phrase("no speech can be heard in the answer", "回答中听不到语音"),
    Phrase("{count} s of speech in the answer, need {needed} s", "回答中只有 {count} 秒语音，至少需要 {needed} 秒"),
    Phrase(
        "the answer lasts {count} s, and at most {longest} s are judged", "回答长 {count} 秒，最多只评 {longest} 秒"
    ),
    Phrase("no words were heard in the answer", "回答中没有听出词"),
    Phrase("no words were heard in the question", "问题中没有听出词"),
    Phrase("the answer is in {spoken}, the question in {asked}", "回答的语言是 {spoken}，问题的语言是 {asked}"),
    Phrase("the system wrote no answer", "系统没有写出回答"),
    Phrase("the question has no recording, so record it", "问题没有录音，请录制"),
    Phrase(
        "the question has no recording, so name a release that has it with {option} DIR",
        "问题没有录音，请用 {option} DIR 指定含有它的语料库",
    ),
    Phrase("the built-in judge of answers was not compared with listeners", "内置的回答评审未与听者对照过"),
    Phrase("the answer has no words that could be judged", "回答没有可评的词"),
    Phrase("an answer of the pair has no fitness", "该对照有回答没有评分"),
    Phrase("an answer was not judged against its twin's way of asking", "有回答没有按另一种提问方式评分"),
    # captions
    Phrase("nothing is chosen between two captions", "不在两条描述之间做选择"),
    Phrase("there is no reference caption", "没有参考描述"),
    Phrase("the caption is empty", "描述为空"),
    Phrase(
        "the caption is neither English nor Mandarin, which the built-in grammar knows; "
        "use --decomposer api with a model that reads it",
        "描述既非英文也非中文，而内置语法只懂这两种；请用 --decomposer api 并指定能读懂它的模型",
    ),
    Phrase("reference: {why}", "参考描述：{why}"),
    Phrase("the caption claims nothing about the recording that could be verified", "描述没有提出任何可以核对的说法"),
    Phrase(
        "the caption claims nothing about how it sounds, only who speaks or how it was recorded",
        "描述没有说明声音听起来如何，只说了谁在说话或怎样录制",
    ),
    Phrase(
        "the reference claims nothing, and nothing beyond it was verified",
        "参考描述没有提出说法，此外也没有说法得到证实",
    ),
    Phrase(
        "the reference claims nothing about how it sounds, and nothing beyond it was verified",
        "参考描述没有说明声音听起来如何，此外也没有说法得到证实",
    ),
    Phrase(
        "{dropped} units were dropped: the words that they rest on are not in the caption",
        "舍弃了 {dropped} 条说法：其依据的文字不在描述中",
    ),
    Phrase(
        "{failures} of {units} answers ({share} %) were neither yes nor no and verify nothing",
        "{units} 个回答中有 {failures} 个（{share}%）既不是“是”也不是“否”，不能证实任何说法",
    ),
    # repeats
    Phrase("no item was judged more than once", "没有条目被评过两次以上"),
    Phrase("{items} items judged up to {times} times", "{items} 个条目，最多各评 {times} 次"),
    Phrase(
        "{changed} of {compared} changed their score ({share})", "{compared} 个条目中 {changed} 个分数有变化（{share}）"
    ),
    Phrase("none got two scores to compare", "没有条目得到两个可比较的分数"),
    Phrase("{mixed} scored in one repeat and not in another", "{mixed} 个仅在部分重复中得分"),
    # why a run ended early
    Phrase("interrupted", "被中断"),
    Phrase("--max-items {limit} reached", "已达到 --max-items {limit}"),
    Phrase("--max-seconds {limit} reached", "已达到 --max-seconds {limit}"),
    Phrase("--max-cost {limit} reached", "已达到 --max-cost {limit}"),
    Phrase("broken off by {error}", "因 {error} 而中止"),
    *AGREEMENT_TOLD,
    *MACHINE_TOLD,
    # scores
    Phrase("no score named {name} among {names}", "没有名为 {name} 的评分项，只有 {names}"),
    Phrase(
        "one dialogue has no spread; two of each kind are needed for an interval",
        "单个对话没有离散度；每种至少两个才能给出区间",
    ),
    Phrase("no item of the group has a number", "该组没有条目得到数值"),
    Phrase("the plan leaves it open", "计划未作要求"),
    Phrase("the ear cannot hear {what}", "听觉模型听不出 {what}"),
    Phrase("the plan asks for nothing", "计划没有任何要求"),
    Phrase("none of the plan's words for the emotion is known", "计划中的情感用词都不认识"),  # in runs of version 0.1
    Phrase(
        "none of the plan's words for the emotion is known; name a feeling such as happy, sad, angry, afraid or calm",
        "计划中的情感用词都不认识；请写一种常见的情感，如高兴、悲伤、愤怒、害怕或平静",
    ),
    Phrase("none of the plan's words for the emotion is known to the judge", "计划中的情感用词评审都不认识"),
    Phrase("the plan names no emotion, and the judge cannot do without", "计划没有写明情感，而评审少不了它"),
    Phrase("the judge knows no such recording condition as the plan's", "评审不认识计划中的录音状态"),
    Phrase(
        "nobody speaks in the recording, and nothing that the caption claims can be checked without a voice",
        "录音中没有人说话，而描述中的说法离开人声都无法核对",
    ),
    Phrase("nobody speaks in the clip", "音频中没有人说话"),
    Phrase("the reply has no score tag", "回复没有评分标签"),
    Phrase("the reply has a score tag without a plain number in it", "回复的评分标签中没有数字"),
    Phrase("the reply gives it no score", "回复没有给它评分"),
    Phrase("the reply begins another score after its last one", "回复在最后一个评分之后又开始了一个评分"),
    Phrase("the reasoning in the reply is not closed", "回复中的推理没有结束"),
    Phrase("the score {count} lies outside 0 to 5", "评分 {count} 不在 0–5 之内"),
    Phrase(
        "the story itself holds a tag with the score {count}, so the reply may quote it",
        "故事本身含有评分为 {count} 的标签，回复可能只是引用",
    ),
    Phrase("the reply has no end after {count} tokens", "回复写到 {count} 个词元仍未结束"),
    Phrase("the score has not one digit and one decimal", "评分不是一位整数加一位小数"),
    Phrase("none of {count} replies holds a score; the first: {why}", "{count} 个回复都没有评分；第一个：{why}"),
    Phrase("neither plan nor line asks for a sound", "计划和台词都没有要求非语言声音"),
    Phrase("too little of the plan can be judged ({count} by weight)", "计划中可评判的部分太少（按权重占 {count}）"),
    Phrase("emotion: {why}", "情感：{why}"),
    Phrase("rhythm: {why}", "节奏：{why}"),
    Phrase("intonation: {why}", "语调：{why}"),
    Phrase("recording condition: {why}", "录音状态：{why}"),
    Phrase("paralinguistics: {why}", "非语言声音：{why}"),
    Phrase("the ear did not judge it", "听觉模型没有判断"),
    # lines of a book
    Phrase("the line has no words", "这一行没有词"),
    Phrase("not found in the recording: nobody seems to read it", "在录音中没有找到：似乎没有人读它"),
    Phrase("only {found} of {words} words were found in the recording", "{words} 个词中只有 {found} 个在录音中找到"),
    Phrase("the beginning of the line was not found in the recording", "这一句的开头没有在录音中找到"),
    Phrase("the end of the line was not found in the recording", "这一句的结尾没有在录音中找到"),
    Phrase("the line runs over from one recording into the next", "这一句跨越了两个录音"),
    Phrase("{count} s without its words lie within the line", "这一句中间有 {count} 秒没有它的词"),
    Phrase("{count} words that are not in the text lie within the line", "这一句中间有 {count} 个不在原文中的词"),
    Phrase(
        "the line lasts {count} s, and a judge listens to {longest} s", "这一句长 {count} 秒，评审只听 {longest} 秒"
    ),
    # lines and works that a set is made of
    Phrase(
        "it would begin at {start} s, and the recording lasts {end} s", "它应从第 {start} 秒开始，而录音只有 {end} 秒"
    ),
    Phrase(
        "only {share} % of the words around it were found, so this may be chance",
        "它前后的词只找到 {share} %，可能是巧合",
    ),
    Phrase("its words were misheard; only its neighbours say where it is", "它的词没有听对，位置只能由相邻的句子推断"),
    Phrase("it would last {count} s", "它只有 {count} 秒"),
    Phrase("it would be said at {count} words a second", "它的语速为每秒 {count} 个词"),
    Phrase("it is shown at once with another line", "它与另一句同时出现"),
    Phrase("nobody says it", "没有人说它"),
    Phrase("nobody speaks in its recordings", "录音中没有人说话"),
    Phrase(
        "text and recordings do not match: {found} words agree, of {words} in the text and {heard} that were heard. "
        "Is it another work, another language or another edition?",
        "文本与录音不符：文本 {words} 个词，听到 {heard} 个词，相符 {found} 个。是否为别的作品、语言或版本？",
    ),
    # what an ear could not judge or measure
    *(Phrase(english, mandarin) for english, mandarin in REASONS),
    # notes
    Phrase(
        "Built-in judge: it compares what its ear hears with the plan. The ear learned from acted speech, the judge's "
        "own numbers were set by hand and fitted to acted clips graded by a formula, and no score was ever compared "
        "with listeners: rank takes of a line with it, and trust a single number little",
        "内置评审：它把听觉模型听到的与计划作比较。听觉模型学自表演语音，评审自身的数值由人设定，"
        "并按公式给表演语音片段打的分拟合过，评分从未与听者对照过：可用来给同一句的多次录音排序，单个分数不宜尽信",
    ),
    Phrase(
        "Miniature judge: it learnt grades that a formula gave to acted clips of a few dozen speakers, never "
        "listeners' scores; it hears at most {count} s, knows seven feelings, and reads English: rank takes of a line "
        "with it, and trust a single number little",
        "微型评审：它学的是公式给几十位说话人的表演语音打的分，从未学过听者的评分；最多听 {count} 秒，只认识七种情感，"
        "只读英文：可用来给同一句的多次录音排序，单个分数不宜尽信",
    ),
    Phrase(
        "Scores are calibrated ({kind}) to {count} ratings; on ratings that it was not fitted to, the mean error fell "
        "from {before} to {after}",
        "评分已按 {count} 个人工评分校准（{kind}）；在未用于拟合的评分上，平均误差从 {before} 降至 {after}",
    ),
    Phrase(
        "Scores are calibrated ({kind}) to {count} ratings by force: on ratings that it was not fitted to, the mean "
        "error went from {before} to {after}, which is no sure gain",
        "评分被强制按 {count} 个人工评分校准（{kind}）：在未用于拟合的评分上，"
        "平均误差从 {before} 变为 {after}，这不算有把握的改善",
    ),
    Phrase(
        "The calibration leaves scores as they are: {count} ratings showed no sure gain",
        "校准未改变评分：{count} 个人工评分未显示有把握的改善",
    ),
    Phrase("The calibration was fitted on plans of another planner", "校准所用的计划来自另一个规划器"),
    Phrase(
        "The built-in planner is a small model. Where a story only implies a feeling it is often wrong; its "
        "probabilities say how sure it is",
        "内置规划器是个小模型。故事只作暗示时它常会判断错，概率说明它有多大把握",
    ),
    Phrase(
        "Only the line was read: what the story around it asks is not known. Give it with --story",
        "只读了这一句台词：上下文有何要求并不清楚。请用 --story 给出故事",
    ),
    Phrase("ear: {ear} ({licence})", "听觉模型：{ear}（{licence}）"),
    Phrase("ear: {ear} ({licence}), {why}", "听觉模型：{ear}（{licence}），{why}"),
    Phrase("style model ({licence}), {why}", "风格模型（{licence}），{why}"),
    Phrase("text embedder ({licence})", "文本向量模型（{licence}）"),
    Phrase("text embedder ({licence}), {why}", "文本向量模型（{licence}），{why}"),
    Phrase("style of answers ({licence}), {why}", "回答风格模型（{licence}），{why}"),
    Phrase("moonshine: {model} ({licence})", "语音转写 Moonshine：{model}（{licence}）"),
    *RECORDINGS_TOLD,
)
"""English as the run keeps it, without the full stop; ``{why}`` is itself such a sentence, ``{state_…}`` a state,
``{emotion}`` and ``{dimension}`` the name of one; others are numbers or single words."""


_PATTERNS = tuple((sentence_pattern(phrase.en), phrase.zh) for phrase in TOLD)

LONGEST_KNOWN = 600
"""Characters beyond which a sentence is not one of ours."""


def told(sentence: str, language: Language) -> str:
    """A sentence in the language of the page, if it is one of ours, or several of ours with semicolons between them.

    >>> told("the judge hears one clip at a time", "zh")
    '评审一次只听一段录音'
    >>> told("4 items judged up to 3 times; none got two scores to compare.", "zh")
    '4 个条目，最多各评 3 次；没有条目得到两个可比较的分数。'
    >>> told("the moon was full", "zh")
    'the moon was full'
    """
    if language == "en" or len(sentence) > LONGEST_KNOWN:
        return sentence
    bare = sentence.removesuffix(".")
    stop = "。" if bare != sentence else ""
    if (whole := _known(bare)) is not None:
        return whole + stop
    parts = [_known(part) for part in bare.split("; ")]
    known = [part for part in parts if part is not None]
    return "；".join(known) + stop if len(known) == len(parts) else sentence


def _known(sentence: str) -> str | None:
    for pattern, mandarin in _PATTERNS:
        if match := pattern.fullmatch(sentence):
            return mandarin.format(**dict(_filled(match)))
    return None


def _filled(match: re.Match[str]) -> Iterator[tuple[str, str]]:
    for name, value in match.groupdict().items():
        if name == "why":
            yield name, told(value, "zh").removesuffix("。")
        elif name in ("emotion", "dimension"):
            yield name, named(value, "zh")
        elif name.startswith("state_") and value in ("done", "unscored", "failed"):
            yield name, words("zh", "report")(f"state_{value}")
        else:
            yield name, value
