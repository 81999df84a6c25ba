"""Where records come from."""

import json


class LineSource:
    def __init__(self, lines, limit=100):
        self.lines = list(lines)
        self.limit = limit

    def records(self):
        return [{"text": line.strip()} for line in self.lines[: self.limit]]


class JsonSource:
    def __init__(self, lines, limit=100):
        self.lines = list(lines)
        self.limit = limit

    def records(self):
        return [json.loads(line) for line in self.lines[: self.limit]]


class NumberSource:
    def __init__(self, count=3, first=1):
        self.count = count
        self.first = first

    def records(self):
        return [{"text": str(number)} for number in range(self.first, self.first + self.count)]
