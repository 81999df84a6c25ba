"""Where notes are kept."""


class MemoryStore:
    def __init__(self, capacity=10):
        self.capacity = capacity
        self.notes = {}

    def load(self, name):
        return self.notes.get(name)

    def save(self, name, text):
        if len(self.notes) >= self.capacity and name not in self.notes:
            raise OverflowError(name)
        self.notes[name] = text

    def names(self):
        return sorted(self.notes)


class VersionedStore:
    def __init__(self, capacity=10, keep=2):
        self.capacity = capacity
        self.keep = keep
        self.versions = {}

    def load(self, name):
        versions = self.versions.get(name)
        return versions[-1] if versions else None

    def save(self, name, text):
        if len(self.versions) >= self.capacity and name not in self.versions:
            raise OverflowError(name)
        self.versions[name] = [*self.versions.get(name, []), text][-self.keep :]

    def names(self):
        return sorted(self.versions)

    def history(self, name):
        return list(self.versions.get(name, []))


class Cache:
    def __init__(self, size=2):
        self.size = size
        self.entries = {}
        self.hits = 0

    def cached(self, key, make):
        if key in self.entries:
            self.hits += 1
            return self.entries[key]
        value = make(key)
        if len(self.entries) >= self.size:
            del self.entries[next(iter(self.entries))]
        self.entries[key] = value
        return value

    def forget(self, key):
        self.entries.pop(key, None)
