"""Checkpoints on disk: what they say about the model, its tokenizer, its weights."""
