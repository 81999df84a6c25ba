"""Who may do what, and how often."""


class OpenDoor:
    def allows(self, _request):
        return True


class KeyDoor:
    header = "key"

    def __init__(self, key, open_paths=("/health",)):
        self.key = key
        self.open_paths = open_paths

    def allows(self, request):
        return request.path in self.open_paths or request.headers.get(self.header) == self.key


class Limiter:
    def __init__(self, most=5):
        self.most = most
        self.count = 0

    def admit(self):
        self.count += 1
        return self.count <= self.most


class StepClock:
    def __init__(self, start=0, step=1):
        self.time = start
        self.step = step

    def now(self):
        self.time += self.step
        return self.time
