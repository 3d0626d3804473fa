"""Sources of items: manifests, tables, tar shards."""
