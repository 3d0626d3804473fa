"""The benchmark ParaS2SBench against people."""
