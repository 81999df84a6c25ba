"""Safety and precision by mutation: which tests each tool selects for a change, against what the full suite says."""
