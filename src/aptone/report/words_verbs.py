"""What single verbs say beside the page: compare, doctor, hear, dialogue, plan, rank, books and calibrate."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase

VERBS: Mapping[str, Phrase] = {
    # comparison and doctor, on the terminal
    "difference": Phrase("Difference ({second} – {first})", "差值（{second} – {first}）"),
    "p_value": Phrase("p = {value}", "p = {value}"),
    "no_sure_change": Phrase("No sure change: the 95 % interval holds 0.", "没有可靠的变化：95 % 区间包含 0。"),
    "no_sure_test": Phrase(
        "No sure change: swapping the runs at random does as much too often (p = {value}, above 0.05).",
        "没有可靠的变化：随机交换两次运行也常有这么大的差（p = {value}，高于 0.05）。",
    ),
    "surely_other": Phrase("{name} differs: the 95 % interval leaves out 0.", "{name} 有差异：95 % 区间不含 0。"),
    "surely_better": Phrase("{name} is better: the 95 % interval leaves out 0.", "{name} 更好：95 % 区间不含 0。"),
    "surely_worse": Phrase("{name} is worse: the 95 % interval leaves out 0.", "{name} 更差：95 % 区间不含 0。"),
    "only_one_scored": Phrase("Only {name} scored {count}: {ids}", "仅 {name} 评了 {count} 个：{ids}"),
    "gate_difference": Phrase(
        "{second} is {gained} {change} than {first}; the gate asks for at least {asked} better.",
        "{second} 比 {first} {change} {gained}；门槛要求至少好 {asked}。",
    ),
    "gate_lost": Phrase(
        "{count} items that {first} scored have no score in {second}.",
        "{first} 评过的 {count} 个条目在 {second} 中没有评分。",
    ),
    "gate_judges": Phrase(
        "{first} and {second} were not scored by the same judge.", "{first} 与 {second} 的评审不同。"
    ),
    "better": Phrase("better", "更好"),
    "worse": Phrase("worse", "更差"),
    "same": Phrase("same", "相同"),
    "change": Phrase("Change", "变化"),
    "further_rows": Phrase("{count} more rows", "另有 {count} 行"),
    "check": Phrase("Check", "检查项"),
    "optional": Phrase("optional", "可选"),
    "finding": Phrase("Finding", "结果"),
    "next_steps": Phrase("What to do where something is missing:", "尚不可用的项目，下一步："),
    "sends_audio": Phrase("Sends audio to {machines}.", "会把录音发送到 {machines}。"),
    "and_between": Phrase(" and ", " 和 "),
    "weights_under": Phrase("Weights: {licence}.", "权重：{licence}。"),
    "ear_named": Phrase("ear: {name}", "听觉模型：{name}"),
    "model_named": Phrase("{kind}: {name}", "{kind}：{name}"),
    "kind_speaker": Phrase("speaker", "语音合成"),
    "kind_style_embedder": Phrase("style embedder", "嗓音向量"),
    "kind_text_embedder": Phrase("text embedder", "文本向量"),
    "kind_transcriber": Phrase("transcriber", "转写"),
    # what an ear hears
    "clip": Phrase("Clip", "音频"),
    "length": Phrase("Length", "时长"),
    "error": Phrase("error: {why}", "错误：{why}"),
    "delivery": Phrase("Delivery", "表达"),
    "pitch": Phrase("Pitch", "音高"),
    "tempo": Phrase("Tempo", "语速与停顿"),
    "loudness": Phrase("Loudness", "响度"),
    "texture": Phrase("Texture", "音质"),
    "voice": Phrase("Voice", "嗓音"),
    "recording": Phrase("Recording", "录音"),
    "events": Phrase("Sounds", "非语言声音"),
    "ear": Phrase("Ear", "听觉模型"),
    "signature": Phrase("signature", "签名"),
    "licence": Phrase("licence", "许可"),
    "comma": Phrase(", ", "、"),
    "no_emotion": Phrase("No emotion was judged: {why}", "未判断情感：{why}"),
    "speech_share": Phrase("{share} speech", "语音占 {share}"),
    "speech_covers": Phrase("{speech} of {all}, {share}", "{all} 中的 {speech}，占 {share}"),
    "with_music": Phrase("music {share}", "背景音乐 {share}"),
    "music_heard": Phrase("present, {share}", "有，{share}"),
    "no_music_heard": Phrase("not heard, {share}", "未听到，{share}"),
    "natural": Phrase("naturalness {value} / 5", "自然度 {value} / 5"),
    "further_events": Phrase("and {count} more", "另有 {count} 个"),
    "heard_by": Phrase("What the ear heard", "听到了什么"),
    "waveform_panel": Phrase("Waveform, peak {peak} dBFS; speech is shaded", "波形，峰值 {peak} dBFS；阴影为语音"),
    "silent_panel": Phrase("Waveform: digital silence", "波形：数字静音"),
    "events_panel": Phrase("Sounds besides words", "非语言声音"),
    "pitch_panel": Phrase("Pitch (Hz, and notes)", "音高（Hz 与音名）"),
    "loudness_panel": Phrase("Loudness (dBFS)", "响度（dBFS）"),
    "vad_panel": Phrase("Emotion over time", "情感变化"),
    "nothing_here": Phrase("nothing to draw here", "没有可画出的内容"),
    "time_axis": Phrase("time", "时间"),
    "no_sound": Phrase("Without sound: {why}", "不含声音：{why}"),
    # a dialogue
    "trajectories_of": Phrase("Feelings over time: {name}", "情感轨迹：{name}"),
    "trajectories_note": Phrase(
        "One row a turn of the user (solid) and the answer to it (dashed), in seconds of their own. Thin lines join "
        "the points that dynamic time warping compares. Shaded is where a user counts as extreme, darker where this "
        "one's mean lies there; the dotted line is then where balancing would put the answer.",
        "每行为用户的一轮（实线）及其回答（虚线），时间各自从零开始。细线连接动态时间规整所比较的点。"
        "阴影为用户情感极端的区域，该轮均值落入时颜色较深；此时点线为平衡后回答应处的位置。",
    ),
    "turns_left_out": Phrase("{count} further turns are not drawn.", "另有 {count} 轮未画出。"),
    "turn": Phrase("turn {number}", "第 {number} 轮"),
    "role_user": Phrase("user", "用户"),
    "role_agent": Phrase("agent", "系统"),
    "balanced": Phrase("balanced", "平衡目标"),
    "not_needed": Phrase("not needed", "不需要"),
    "systems": Phrase("Systems compared", "系统比较"),
    "system": Phrase("System", "系统"),
    "dialogues": Phrase("Dialogues", "对话数"),
    "scored_of": Phrase("{scored} of {count} scored", "{count} 段中 {scored} 段有评分"),
    "dialogues_unscored": Phrase(
        "{system}: {count} without a score, left out of the means: {why}",
        "{system}：{count} 段对话没有评分，不计入均值：{why}",
    ),
    "scores_missing": Phrase(
        "{system}, {scores}: no number in {count} of the scored dialogues: {why}",
        "{system}，{scores}：有评分的对话中 {count} 段缺少数值：{why}",
    ),
    "scores_missing_variously": Phrase(
        "{system}, {scores}: no number in {count} of the scored dialogues, for instance: {why}",
        "{system}，{scores}：有评分的对话中 {count} 段缺少数值，例如：{why}",
    ),
    "systems_note": Phrase(
        "Means over dialogues with bootstrap intervals (95 %, dialogues drawn anew); EBS and CT-EBS over the turns "
        "that needed balancing only. Dialogues without a number are left out of a mean.",
        "各对话的均值及自助法区间（95%，对话重抽样）；EBS 与 CT-EBS 只统计需要平衡的轮次。没有分数的对话不计入均值。",
    ),
    "validation": Phrase("Against people", "与人工评分比较"),
    "all_systems": Phrase("all", "全部"),
    "score": Phrase("Score", "分数"),
    "automatic_minus_people": Phrase("automatic – people", "自动 – 人工"),
    "single_minus_several": Phrase("one turn – several", "单轮 – 多轮"),
    # a plan
    "window": Phrase("Lines", "行数"),
    "votes_share": Phrase("Share", "占比"),
    "votes_entropy": Phrase("Entropy", "熵"),
    "votes_told": Phrase(
        "{share} of the votes are for this plan, entropy {entropy} bits; {asked} of {windows} windows were asked. "
        "Share and entropy in a row count its window and all shorter ones.",
        "该计划得到 {share} 的票，熵为 {entropy} 比特；共 {windows} 个窗口，询问了 {asked} 个。"
        "每行的占比与熵统计该窗口及更短的窗口。",
    ),
    "no_vote": Phrase("no vote: {why}", "弃权：{why}"),
    "valence_arousal_dominance": Phrase("Valence, arousal, dominance", "效价、唤醒度、支配度"),
    "plan": Phrase("Plan", "计划"),
    "plan_not_said": Phrase("the story does not say ({share})", "故事没有交代（{share}）"),
    "plan_unsure": Phrase("the story does not say enough: {listed}", "故事交代得不够：{listed}"),
    "plan_unsaid_share": Phrase("not said {share}", "没有交代 {share}"),
    "plan_how_to_go_on": Phrase(
        'To go on: say it when you score (--plan \'{{"emotion": "…"}}\'), or let a larger planner read the story: '
        "--planner api --set planner.model=NAME --set planner.base_url=URL",
        '可以在评分时用 --plan \'{{"emotion": "…"}}\' 写明情感，或让更大的规划模型来读：'
        "--planner api --set planner.model=NAME --set planner.base_url=URL",
    ),
    "intensity": Phrase("Intensity", "强度"),
    "intensity_faint": Phrase("faint or held back", "微弱或克制"),
    "intensity_clear": Phrase("clear", "明显"),
    "intensity_strong": Phrase("strong", "强烈"),
    "because": Phrase("Because", "依据"),
    "evidence_row": Phrase("“{words}” ({place}): {says}", "“{words}”（{place}）：{says}"),
    "place_tag": Phrase("its tag", "说话标签"),
    "place_direction": Phrase("stage direction", "舞台提示"),
    "place_target": Phrase("the line itself", "台词本身"),
    "place_beside": Phrase("beside it", "旁边"),
    "place_before": Phrase("{count} lines before", "前 {count} 行"),
    "place_before_one": Phrase("the line before", "前一行"),
    "place_after": Phrase("{count} lines after", "后 {count} 行"),
    "place_after_one": Phrase("the line after", "后一行"),
    # takes of a line
    "rank": Phrase("Rank", "名次"),
    "take": Phrase("Take", "录音"),
    "aptness": Phrase("Aptness", "得当程度"),
    # a book
    "chapter": Phrase("Chapter", "章节"),
    "chapters": Phrase("Chapters", "各章"),
    "chapters_note": Phrase(
        "In the order of the book; a title opens the page of its chapter, with its worst lines and players.",
        "按书中顺序；点击标题可打开该章的页面，内有最差的台词和播放器。",
    ),
    "worst_line": Phrase("Worst line", "最差的一句"),
    "book_timeline": Phrase("Aptness over the whole book", "全书的得当程度"),
    "chapter_timeline": Phrase("Aptness over the chapter", "本章的得当程度"),
    "timeline_note": Phrase(
        "A dot is a line; the curve is the median of {count} lines. Time runs from {begin} of the recordings on.",
        "每点为一句，曲线为 {count} 句的中位数；时间从录音的 {begin} 开始。",
    ),
    "timeline_unplaced": Phrase(
        "{count} lines have no place in time: they were not found.", "{count} 句未在录音中找到，没有时间。"
    ),
    "laid_beside": Phrase(
        "{found} of {words} words of the text were heard as they stand ({share}). Lines without sure place: {missing}.",
        "原文 {words} 个词中有 {found} 个照原样听到（{share}）；{missing} 句没有可靠的位置。",
    ),
    "extra_speech": Phrase(
        "Not in the text: {count} stretches of speech, the longest {words} words at {at} of {recording}.",
        "原文之外的语音：{count} 段，最长 {words} 个词，位于 {recording} 的 {at}。",
    ),
    "left_out_overlapping": Phrase(
        "{count} lines are shown at once with another one and were left out; they are still context of the others.",
        "{count} 句与另一句同时出现，未评分；它们仍是其他句子的上下文。",
    ),
    # a calibration
    "calibration_before": Phrase("Before", "校准前"),
    "calibration_after": Phrase("After, held out", "校准后（留出）"),
    "calibration_how": Phrase(
        "{count} ratings; cross-validation prefers {kind}.", "共 {count} 个人工评分；交叉验证选择了{kind}。"
    ),
    "calibration_groups": Phrase(" Each of {count} groups stayed in one fold.", "{count} 个组各自留在同一折中。"),
    "calibration_force": Phrase(
        "No sure gain: the file leaves scores as they are. --force writes {kind} all the same.",
        "没有有把握的改善：校准文件不改变评分。如仍要写入{kind}，请用 --force。",
    ),
    "calibration_written": Phrase("Calibration: {path}", "校准文件：{path}"),
    "kind_identity": Phrase("the score as it is", "原分数"),
    "kind_affine": Phrase("a straight line", "直线"),
    "kind_isotonic": Phrase("a curve that never falls", "单调曲线"),
    "kind_aspects": Phrase("weights for the aspects", "各方面的权重"),
    "too_large": Phrase("the recording is too long to be part of this file", "录音过长，未嵌入本文件"),
}
"""Key to phrase."""
