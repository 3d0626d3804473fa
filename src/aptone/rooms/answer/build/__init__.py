"""Builder of ParaS2SBench in five stages."""
