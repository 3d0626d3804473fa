"""Results of listening tests: systems with intervals, differences with corrected p-values, and a methods paragraph."""
