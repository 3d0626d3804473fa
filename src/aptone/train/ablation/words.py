"""The words of the ablation's tables, English and Mandarin."""

from collections.abc import Mapping

from aptone.report.phrase import Phrase

PHRASES: Mapping[str, Phrase] = {
    "rows": Phrase(
        "| row | distilled | CoT | planner | bias | RL | LCC | ACC % | unreadable | paper: LCC | ACC % |",
        "| 行 | 蒸馏 | 思维链 | 规划器 | 偏置 | 强化学习 | LCC | ACC % | 无法解析 | 论文：LCC | ACC % |",
    ),
    "changes": Phrase("| what changes | LCC | ACC % |", "| 变化 | LCC | ACC % |"),
    "yes": Phrase("yes", "是"),
    "no": Phrase("no", "否"),
    "undefined": Phrase("undefined", "未定义"),
    "distillation": Phrase("distillation", "蒸馏"),
    "planner": Phrase("planner", "规划器"),
    "reasoning": Phrase("reasoning", "推理"),
    "bias": Phrase("bias", "偏置"),
    "reinforcement": Phrase("reinforcement", "强化学习"),
    "changed": Phrase("{what}: {rows}", "{what}：{rows}"),
    "to": Phrase(" to ", " → "),
}
