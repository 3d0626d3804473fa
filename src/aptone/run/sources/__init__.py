"""Where items come from: manifests, tables, tar shards."""
