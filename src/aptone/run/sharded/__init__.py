"""Runs over shards on many machines: a shard of the source is a piece of work, and its result a Parquet file."""
