"""Why a task file is none that the studio can use, in Mandarin beside its English.

Whoever reads the file names the field (``RatingTask.items[3].audio``) and says what was expected. Fields keep their
names, for they stand in the file.
"""

from aptone.report.phrase import Phrase

TASK_FILES: tuple[Phrase, ...] = (
    Phrase("A task file is of the type {names}", "任务文件的类型须为 {names}"),
    Phrase("Mend the task file and send it again", "请修正任务文件后重新上传"),
    Phrase("the task file: {why}", "任务文件：{why}"),
    Phrase("the task file, line {number}: not valid YAML ({why})", "任务文件第 {number} 行：不是有效的 YAML（{why}）"),
    Phrase("not valid YAML ({why})", "不是有效的 YAML（{why}）"),
    Phrase("aliases (*name) are not read; write it out", "不读取别名（*name）；请完整写出"),
    Phrase("nested too deeply", "嵌套过深"),
    Phrase("the keys of an object are text, got {name}", "对象的键须为文本，得到 {name}"),
    Phrase("{name} comes twice", "{name} 出现两次"),
    Phrase("not UTF-8 text ({what}); save the task as UTF-8", "不是 UTF-8 文本（{what}）；请把任务存为 UTF-8"),
    # fields
    Phrase("RatingTask: {why}", "RatingTask：{why}"),
    Phrase("RatingTask{name}: {why}", "RatingTask{name}：{why}"),
    Phrase("missing", "缺失"),
    Phrase("unknown field {names}; did you mean {what}?", "未知字段 {names}；是否想写 {what}？"),
    Phrase("unknown field {names}", "未知字段 {names}"),
    Phrase("expected a finite number, got {what}", "应为有限的数，得到 {what}"),
    Phrase("expected a number, got {what}", "应为数字，得到 {what}"),
    Phrase("expected a whole number of 64 bits, got {what}", "应为 64 位以内的整数，得到 {what}"),
    Phrase("expected an object, got {what}", "应为对象，得到 {what}"),
    Phrase("expected a list, got {what}", "应为列表，得到 {what}"),
    Phrase("expected {count} entries, got {given}", "应有 {count} 项，得到 {given} 项"),
    Phrase("expected one of {names}, got {what}", "应为 {names} 之一，得到 {what}"),
    Phrase(
        "expected schema {name}, got {what}; was it made by another version of aptone?",
        "schema 应为 {name}，得到 {what}；是否由另一版本的 aptone 生成？",
    ),
    Phrase("expected {type}, got {what}", "应为{type}，得到 {what}"),
    Phrase("nested deeper than {count} levels", "嵌套超过 {count} 层"),
    Phrase("the keys of a JSON object are text", "JSON 对象的键须为文本"),
    Phrase("an infinite number has no JSON form", "无穷大没有 JSON 形式"),
    Phrase("{type} has no JSON form", "{type} 没有 JSON 形式"),
    Phrase("{what} is too long to be written", "{what} 太长，无法写出"),
    # clips
    Phrase("the path of a recording is empty", "录音的路径为空"),
    Phrase("{name}: a clip cannot start at {start} s", "{name}：片段不能从 {start} 秒开始"),
    Phrase(
        "{name}: a clip that starts at {start} s cannot end at {end} s",
        "{name}：从 {start} 秒开始的片段不能在 {end} 秒结束",
    ),
    # questions
    Phrase("control {name}: {why}", "问题 {name}：{why}"),
    Phrase("a scale needs low < high and a positive step", "量表须有 low < high 和正的 step"),
    Phrase("a closed question needs at least two choices", "选择题至少要有两个选项"),
    Phrase("an edit needs the field that fills it", "修改题须指明填入内容的字段"),
    Phrase("a name is one line without control signs", "名称为一行，不含控制字符"),
    Phrase(
        "a preference needs the field that names the two clips (prefill)", "偏好题须有指明两段录音的字段（prefill）"
    ),
    # the task
    Phrase(
        "the name of a task is up to {limit} letters, digits, hyphens, dots and underscores",
        "任务名最多 {limit} 个字符，可用字母、数字、连字符、点和下划线",
    ),
    Phrase("task {name}, item {what}: {why}", "任务 {name}，条目 {what}：{why}"),
    Phrase("task {name} has answers, and item {what} is another now", "任务 {name} 已有回答，而条目 {what} 已改变"),
    Phrase("task {name} has answers, and what is asked is another now", "任务 {name} 已有回答，而所问的内容已改变"),
    Phrase("Add items only, or give the changed task a name of its own", "请只添加条目，或给改动后的任务另起名称"),
    Phrase("task {name}: {why}", "任务 {name}：{why}"),
    Phrase("at least one rater an item, got {count}", "每个条目至少一位评分者，得到 {count}"),
    Phrase("two items have the same id, {name}; give each its own", "两个条目的 id 相同：{name}；请各用各的"),
    Phrase("two controls have the same name", "两个问题同名"),
    Phrase("attention_every is a number of items, got {count}", "attention_every 是条目数，得到 {count}"),
    Phrase("no item has the id {name}", "没有 id 为 {name} 的条目"),
    Phrase("no control is named {name}", "没有名为 {name} 的问题"),
    Phrase(
        "an outlier rule needs the distance that makes an answer an outlier",
        "离群规则须给出离群的距离（outlier_distance）",
    ),
    # items
    Phrase("no field {name} to show", "没有要显示的字段 {name}"),
    Phrase("{name} does not name two of its clips", "{name} 没有指明它的两段录音"),
    Phrase("{name} names no clip of the item: {what}", "{name} 指的不是该条目的录音：{what}"),
    Phrase("an id is one line of up to {limit} signs", "id 为一行，最多 {limit} 个字符"),
    Phrase(
        "items of the test and attention checks need a right answer (gold)",
        "测试与注意力检查的条目须有正确答案（gold）",
    ),
    Phrase(
        "the name of a clip is one line without control signs, got {name}", "录音名为一行，不含控制字符，得到 {name}"
    ),
    Phrase("its right answer (gold) cannot be {what}: {why}", "它的正确答案（gold）不能是 {what}：{why}"),
    Phrase("{what} is not the file that the task names", "{what} 不是任务所指的文件"),
    Phrase(
        "{what} lasts {seconds} s, the clip runs from {start} to {end}",
        "{what} 长 {seconds} 秒，而片段为 {start} 至 {end} 秒",
    ),
    Phrase("{what} lasts {seconds} s, and a clip at most {limit}", "{what} 长 {seconds} 秒，而一段录音最多 {limit} 秒"),
    Phrase("Cut it into clips, or name a part of it by start and end", "请切成片段，或用 start 和 end 指明其中一段"),
    Phrase("'{name}': {why}", "'{name}'：{why}"),
    Phrase("a story is {what}", "故事的形式为 {what}"),
    Phrase("text, role and clip of a story's line are text", "故事中每行的 text、role 和 clip 都是文本"),
    Phrase("the target of a story is the index of one of its {count} lines", "故事的 target 是其 {count} 行之一的序号"),
)
"""English without its full stop, and what Mandarin says; blanks as in `aptone.report.told`."""
