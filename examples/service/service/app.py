"""From a request to its handler."""

from service.messages import Response


class AccessLog:
    def __init__(self, prefix="", most=100):
        self.prefix = prefix
        self.most = most
        self.lines = []

    def log(self, request, response):
        self.lines = [*self.lines, f"{self.prefix}{request.method} {request.path} {response.status}"][-self.most :]


class App:
    def __init__(self, name):
        self.name = name

    def __call__(self, request):
        response = self._respond(request)
        self.log(request, response)
        return response

    def _respond(self, request):
        if not self.allows(request):
            return Response(401, "who are you?")
        if not self.admit():
            return Response(429, "slow down")
        if request.path == "/health":
            return self.handle_health()
        if request.path == "/notes":
            return self.handle_list()
        if request.path.startswith("/notes/"):
            return self.handle_note(request, request.path.removeprefix("/notes/"))
        return Response(404, "no such path")
