"""What is done with a request."""

from service.messages import Response


class NoteHandler:
    def handle_note(self, request, name):
        if request.method == "PUT":
            try:
                self.save(name, request.body)
            except OverflowError:
                return Response(507, "full")
            return Response(201, self.render("saved", name))
        text = self.load(name)
        return Response(404, self.render("missing", name)) if text is None else Response(200, self.render(name, text))


class ListHandler:
    def handle_list(self):
        return Response(200, self.render("notes", ", ".join(self.names())))


class HealthHandler:
    def __init__(self, version="1.0"):
        self.version = version

    def handle_health(self):
        return Response(200, f"ok {self.version} at {self.now()}")


class PlainText:
    def render(self, title, text):
        return f"{title}: {text}"


class Html:
    def __init__(self, tag="p"):
        self.tag = tag

    def render(self, title, text):
        return f"<h1>{title}</h1><{self.tag}>{text}</{self.tag}>"
