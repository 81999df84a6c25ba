"""Where records go."""


class ListSink:
    def __init__(self):
        self.written = []

    def write(self, record):
        self.written.append(record)

    def summary(self):
        return f"{len(self.written)} records"


class TextSink:
    def __init__(self, separator="\n"):
        self.separator = separator
        self.parts = []

    def write(self, record):
        self.parts.append(record["text"])

    def summary(self):
        return self.separator.join(self.parts)


class Counter:
    def __init__(self, first=0):
        self.total = first
        self.dropped = 0

    def count(self, *, kept):
        self.total += 1
        if not kept:
            self.dropped += 1


class ErrorLog:
    def __init__(self, most=5):
        self.most = most
        self.messages = []

    def note(self, message):
        if len(self.messages) < self.most:
            self.messages.append(message)
