"""A small service of notes: requests in, responses out, wired by recipes."""
