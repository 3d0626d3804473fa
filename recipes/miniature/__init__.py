"""The miniature judge: CEAEval's training stages on a small model, for the ablation."""
