"""Training data in tar shards: index and order of batches."""
