"""Hand-kept rules that say which tests a change runs: read, compared with what tests depend on, corrected."""
