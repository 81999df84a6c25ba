"""Plugins that change, drop or add to records."""


class Upper:
    def __init__(self, field="text"):
        self.field = field

    def apply(self, record):
        return record | {self.field: record[self.field].upper()}


class Trim:
    def __init__(self, length=12, mark="..."):
        self.length = length
        self.mark = mark

    def apply(self, record):
        text = record["text"]
        return record | {"text": text if len(text) <= self.length else text[: self.length] + self.mark}


class DropShort:
    def __init__(self, least=2):
        self.least = least

    def apply(self, record):
        return record if len(record["text"]) >= self.least else None


class Numbered:
    start = 1

    def __init__(self):
        self.next_number = self.start

    def apply(self, record):
        number, self.next_number = self.next_number, self.next_number + 1
        return record | {"number": number}


class Redact:
    def __init__(self, word="secret", mask="***"):
        self.word = word
        self.mask = mask

    def apply(self, record):
        return record | {"text": record["text"].replace(self.word, self.mask)}
