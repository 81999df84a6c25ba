"""Recipes: each module chooses implementations and wires one engine."""
