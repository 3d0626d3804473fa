"""Embeddings of clips and descriptions, built in and stored."""
