"""CEAEval's ablation (Table 4) for judges trained here."""
