"""Deciding what runs: dependencies, verdicts and the classification of changes. Data in, data out."""
