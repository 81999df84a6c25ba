"""Rules that wiring and source must obey, as findings; data in, data out."""
