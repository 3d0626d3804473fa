"""The benchmark CEAEval against people."""
