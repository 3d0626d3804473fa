"""Prompts, calls and reply parsing shared by everything that asks a chat model."""
