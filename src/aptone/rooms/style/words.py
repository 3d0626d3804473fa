"""Words of this room's tables and pages, English and Mandarin side by side."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase
from aptone.types import Language

PHRASES: Mapping[str, Phrase] = {
    "style": Phrase("Style", "风格"),
    "rank": Phrase("#", "名次"),
    "description": Phrase("Description", "描述"),
    "clip": Phrase("Clip", "音频"),
    "fit": Phrase("Fit (0–5)", "吻合度（0–5）"),
    "cosine": Phrase("Cosine", "余弦"),
    "uncalibrated": Phrase(
        "There is no scale from 0 to 5 for this model: compare its cosines with each other only.",
        "该模型没有 0–5 的标尺：余弦值只能彼此比较。",
    ),
    "unscored": Phrase("No score: {why}", "没有评分：{why}"),
    "unscored_one": Phrase("No score for “{description}”: {why}", "“{description}”没有评分：{why}"),
    "search": Phrase("Search", "搜索"),
    "search_byline": Phrase(
        "{clips} clips in {folder} · model: {model}", "{folder} 中的 {clips} 段音频 · 模型：{model}"
    ),
    "found": Phrase("Found", "结果"),
    "fitting_best": Phrase("The {count} clips that fit best", "最吻合的 {count} 段音频"),
    "indexed": Phrase(
        "{clips} clips in the index, {embedded} of them new.", "索引中有 {clips} 段音频，其中新增 {embedded} 段。"
    ),
    "left_out": Phrase("{count} files left out:", "略过 {count} 个文件："),
    "left_out_file": Phrase("- {path}: {why}", "- {path}：{why}"),
    "left_out_more": Phrase("- and {count} more; --json names them all", "- 另有 {count} 个；--json 会全部列出"),
    "runs_left_out": Phrase(
        "Folders of runs are not searched: {names}.", "运行结果所在的文件夹不在搜索之列：{names}。"
    ),
    "left_out_one": Phrase("1 file left out, {path}: {why}", "略过 1 个文件：{path}：{why}"),
    "nothing_found": Phrase(
        "There is no voice to be found in {folder}; a search looks for {endings} files there and in folders within it.",
        "{folder} 中没有可搜索的人声；搜索该文件夹及其子文件夹中的 {endings} 文件。",
    ),
    "page": Phrase("Page: {path}", "页面：{path}"),
    # the benchmark
    "s3bench": Phrase("S3Bench on {source}", "S3Bench：{source}"),
    "s3_byline": Phrase(
        "{pairs} pairs, {rated} of them rated · {models} models · seed {seed}",
        "{pairs} 对，其中 {rated} 对有人工评分 · {models} 个模型 · 种子 {seed}",
    ),
    "main": Phrase("Correlation with people", "与人工评分的相关"),
    "main_intro": Phrase(
        "The cosine of clip and description against the mean of people's ratings. Brackets hold 95 % intervals; those "
        "of random rows are the range of their tries.",
        "音频与描述的余弦相似度同人工评分均值的相关。方括号内为 95 % 区间；随机行的区间为多次尝试的范围。",
    ),
    "raw": Phrase("Mean of all ratings", "全部评分的均值"),
    "trimmed": Phrase("Without the highest and the lowest rating", "去掉最高与最低评分"),
    "model": Phrase("Model", "模型"),
    "all": Phrase("all", "全部"),
    "zh": Phrase("zh", "中"),
    "en": Phrase("en", "英"),
    "unscored_pairs": Phrase("no score", "无得分"),
    "agreement": Phrase("Agreement of raters", "评分者间一致性"),
    "agreement_intro": Phrase(
        "Krippendorff's α. Trimming drops the highest and the lowest rating of each pair, which raises α by rule: it "
        "shows how much hangs on single raters, and is no agreement of its own.",
        "Krippendorff α。修剪会去掉每对的最高与最低评分，因而必然提高 α：它只说明个别评分者的影响，本身不是一致性。",
    ),
    "part": Phrase("Part", "部分"),
    "alpha_raw": Phrase("raw", "原始"),
    "alpha_trimmed": Phrase("trimmed", "修剪"),
    "interval": Phrase("α interval", "α（等距）"),
    "ordinal": Phrase("α ordinal", "α（顺序）"),
    "retrieval": Phrase("Retrieval", "检索"),
    "retrieval_intro": Phrase(
        "R@k: the share of queries with a match among the first k answers. A pair is a match if people give it {least} "
        "or more; combinations that nobody rated count as none, so this is a floor.",
        "R@k：前 k 个结果中含匹配项的查询比例。人工评分不低于 {least} 的对算作匹配；无人评分的组合不算，因此这是下限。",
    ),
    "retrieval_unrated": Phrase(
        "R@k: the share of queries with a match among the first k answers. Nothing is rated, so every pair is a match.",
        "R@k：前 k 个结果中含匹配项的查询比例。没有人工评分，因此每一对都算作匹配。",
    ),
    "to_clip": Phrase("description → clip", "描述 → 音频"),
    "to_description": Phrase("clip → description", "音频 → 描述"),
    "classification": Phrase("Classification by prompts", "按提示分类"),
    "classification_intro": Phrase(
        "Nothing was trained on these labels: each clip gets the class whose descriptions fit it best. WA is the share "
        "of clips that are right, UAR the mean over classes. Alone: only the clip is looked at. Among all clips: "
        "how well a class fits is compared with how well it fits the other clips of the set, without their labels.",
        "未在这些标签上训练：每段音频归入描述最吻合的类别。WA 为正确音频的比例，UAR 为各类别召回率的平均。"
        "“单独”：只看该音频。“与全部音频相比”：将某类别的吻合度与它对集合中其他音频的吻合度相比较，不使用其标签。",
    ),
    "alone": Phrase("each clip alone", "单独"),
    "together": Phrase("among all clips", "与全部音频相比"),
    "labelled": Phrase("Set", "数据集"),
    "classes": Phrase("classes", "类别数"),
    "clips": Phrase("clips", "音频数"),
    "set": Phrase("The set", "数据集"),
    "source": Phrase("Source", "来源"),
    "pairs": Phrase("Pairs", "对数"),
    "languages": Phrase("Languages", "语言"),
    "ratings": Phrase("Ratings", "评分"),
    "ratings_are": Phrase("{ratings} by {raters} raters", "{raters} 位评分者，共 {ratings} 个"),
    "levels": Phrase("Pairs by mean rating (rounded)", "各均分（四舍五入）的对数"),
    "others": Phrase("others ({count})", "其他（{count}）"),
    "note_unscored": Phrase("{model}: {count} pairs have no score: {why}", "{model}：{count} 对没有得分：{why}"),
    "note_model": Phrase("{model}: {note}", "{model}：{note}"),
    "note_licence": Phrase("weights: {licence}", "权重：{licence}"),
    "note_unrated": Phrase(
        "{count} pairs are not rated and left out of correlations.", "{count} 对没有人工评分，不计入相关。"
    ),
    "report": Phrase("Report: {path}", "报告：{path}"),
    # building
    "yield": Phrase("{step}: {counts}", "{step}：{counts}"),
    "step_corpus": Phrase("Corpus", "语料"),
    "step_seeds": Phrase("Style seeds", "风格种子"),
    "step_expansion": Phrase("Self-instruct", "自指令扩展"),
    "step_descriptions": Phrase("Descriptions", "描述"),
    "step_pairs": Phrase("Pairs", "配对"),
    "unfinished": Phrase(
        "Not finished ({why}); type the same command to go on.", "尚未完成（{why}）；再次运行同一命令即可继续。"
    ),
    "lacking": Phrase(
        "Fewer descriptions than asked for: {counts} lacking. The writer repeats itself: give seeds of yours, or let a "
        "chat model write (--text api).",
        "描述少于要求：还缺 {counts}。写作者总在重复；请提供自己的种子，或用聊天模型来写（--text api）。",
    ),
    "s3_built": Phrase(
        "{pairs} pairs in {folder}: have task.json answered, then take the answers in with --ratings.",
        "{folder} 中有 {pairs} 对：请让评分者完成 task.json，再用 --ratings 导入结果。",
    ),
    "taken_in": Phrase(
        "{ratings} ratings of {pairs} pairs by {raters} raters.", "{raters} 位评分者对 {pairs} 对的 {ratings} 个评分。"
    ),
    "set_aside": Phrase("Set aside: {rater}: {why}", "不计入：{rater}：{why}"),
    "short": Phrase("{count} pairs have fewer ratings than the task asks for.", "{count} 对的评分数少于任务要求。"),
    "step_segments": Phrase("Segments", "切分"),
    "step_quality": Phrase("Quality", "音质"),
    "step_speakers": Phrase("Speakers", "说话人"),
    "step_captions": Phrase("Captions", "描述"),
    "step_balance": Phrase("Balance", "平衡"),
    "corpus_made": Phrase(
        "{clips} clips, {duration} in all, in {shards}.", "{shards} 中共有 {clips} 段音频，总长 {duration}。"
    ),
}

_COUNTED: Mapping[str, str] = {
    "recordings": "录音",
    "unreadable": "无法读取",
    "without speech": "无人说话",
    "too short": "过短",
    "segments": "片段",
    "measured": "已测量",
    "dropped": "舍去",
    "one": "一人",
    "several": "多人",
    "unknown": "不明",
    "without": "无描述",
    "failed": "失败",
    "clips": "音频",
    "kept": "保留",
    "heard": "听到人声",
    "rounds": "轮次",
    "refused": "拒绝",
    "drawn": "抽取",
    "candidates en": "英语候选",
    "candidates zh": "汉语候选",
    "en": "英语",
    "zh": "汉语",
}


def counted(counts: Mapping[str, int], language: Language) -> str:
    """What a step of a build let through, in words.

    >>> counted({"recordings": 70, "too short": 2}, "en"), counted({"recordings": 70, "too short": 2}, "zh")
    ('recordings 70, too short 2', '录音 70，过短 2')
    """
    if language == "en":
        return ", ".join(f"{name} {count}" for name, count in counts.items())
    return "，".join(f"{_COUNTED.get(name, name)} {count}" for name, count in counts.items())
