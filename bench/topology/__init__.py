"""Safety and precision where the wiring changes: what is selected for an edit of a recipe, against the full suite."""
