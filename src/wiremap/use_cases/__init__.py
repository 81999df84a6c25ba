"""One module per thing that a user asks for: it returns data, prints nothing, and all faces share it."""
