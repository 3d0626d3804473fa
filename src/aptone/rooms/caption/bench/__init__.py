"""The benchmark EmoSURA: caption metrics against known or rated order."""
