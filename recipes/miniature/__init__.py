"""The miniature judge: the training recipes of CEAEval on a small model, for the ablation."""
