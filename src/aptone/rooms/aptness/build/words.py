"""Words in which a build of CEAEval-D tells what it has done, English and Mandarin side by side."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase

PHRASES: Mapping[str, Phrase] = {
    "works": Phrase("Works: {out} of {in_}.", "作品：{in_} 部中 {out} 部可用。"),
    "speech": Phrase(
        "Recordings: {minutes} min, of which {spoken} min are speech.", "录音：{minutes} 分钟，其中语音 {spoken} 分钟。"
    ),
    "transcript": Phrase(
        "Words: {found} of {words} in the texts were heard; {heard} were heard in all, and {extras} stretches are not "
        "in the texts.",
        "词：文本的 {words} 个词中听到 {found} 个；共听到 {heard} 个，另有 {extras} 段不在文本中。",
    ),
    "lines": Phrase("Lines with a clip: {out} of {in_}.", "有录音片段的台词：{in_} 句中 {out} 句。"),
    "described": Phrase(
        "Described: {out} of {in_}, {silent} of them without a caption.",
        "已描述：{in_} 句中 {out} 句，其中 {silent} 句没有文字描述。",
    ),
    "task": Phrase(
        "For people: {lines} lines, {minutes} min; {calibration_lines} of them, {calibration} min, for calibration.",
        "供人标注：{lines} 句，{minutes} 分钟；其中 {calibration_lines} 句（{calibration} 分钟）用于校准。",
    ),
    "fell": Phrase("Fell: {count} × {reason}", "未采用：{count} × {reason}"),
    "work_fell": Phrase("Work {work} fell ({stage}): {reason}", "作品 {work} 未采用（{stage}）：{reason}"),
    "stage_text": Phrase("text", "文本"),
    "stage_recordings": Phrase("recordings", "录音"),
    "stage_speech": Phrase("speech", "语音"),
    "stage_transcript": Phrase("transcript", "转写"),
    "stage_alignment": Phrase("alignment", "对齐"),
    "no_licence": Phrase(
        "No licence is stated for: {works}. Say whose recordings they are before you share anything.",
        "以下作品没有注明许可：{works}。分享之前请写明录音的归属。",
    ),
    "unfinished": Phrase(
        "{count} lines are not described yet; type the same command to go on.",
        "还有 {count} 句没有描述；再次运行同一命令即可继续。",
    ),
    "stopped": Phrase(
        "Ended early: {why}. Type the same command to go on.", "提前结束：{why}。再次运行同一命令即可继续。"
    ),
    "files": Phrase(
        "Manifest: {manifest}. Task for the studio: {task}. Yields: {report}. What fell, and why: {rejects}.",
        "清单：{manifest}。标注任务：{task}。各步产出：{report}。未采用及原因：{rejects}。",
    ),
    "ahead": Phrase(
        "{work}: {minutes} min of recordings, up to {lines} lines.", "{work}：录音 {minutes} 分钟，至多 {lines} 句。"
    ),
    "ahead_problem": Phrase("{work}: cannot be used: {reason}", "{work}：无法使用：{reason}"),
    "sends": Phrase("Recordings would be sent to {machines}.", "录音将发送到 {machines}。"),
    "sends_nothing": Phrase("Nothing leaves this machine.", "任何数据都不会离开本机。"),
    "costs": Phrase(
        "Costs at most: {transcripts} for transcripts, {captions} for captions.",
        "费用上限：转写 {transcripts}，描述 {captions}。",
    ),
    "not_known": Phrase("not known (no price was given)", "未知（没有给出价格）"),
}
