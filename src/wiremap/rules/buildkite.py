"""Steps of a Buildkite pipeline whose generator reads `source_file_dependencies`."""

from collections.abc import Iterator

from wiremap.errors import RuleFileError
from wiremap.rules.rule import Command, Rule, Shell
from wiremap.rules.yaml_nodes import Mapping, Node, Scalar, Sequence, strings

KEY = "source_file_dependencies"


def pipeline_rules(document: Node, file: str) -> list[Rule]:
    """Return a rule for each step that runs commands, in their order, those of groups included.

    Raises:
        RuleFileError: A step is not what it should be.
    """
    steps = document.get("steps") if isinstance(document, Mapping) else document
    return list(_rules(steps, file))


def _rules(steps: Node | None, file: str) -> Iterator[Rule]:
    if steps is None:
        return
    if not isinstance(steps, Sequence):
        raise RuleFileError(file, steps.line, "`steps` must be a list")
    for step in steps.items:
        if not isinstance(step, Mapping):
            continue  # `wait`, `block`
        if step.get("steps") is not None:
            yield from _rules(step.get("steps"), file)
        elif commands := _commands(step, file):
            yield _rule(step, commands, file)


def _commands(step: Mapping, file: str) -> tuple[Command, ...]:
    found = (step.get(key) for key in ("command", "commands"))
    return tuple(
        Command(one.value, one.line) for node in found if node is not None for one in strings(node, file, "`commands`")
    )


def _rule(step: Mapping, commands: tuple[Command, ...], file: str) -> Rule:
    node = step.get(KEY)
    entries = () if node is None else tuple(strings(node, file, f"`{KEY}`"))
    folder = _text(step, "working_dir")
    label = next(filter(None, (_text(step, key) for key in ("label", "name", "key"))), None)
    return Rule(
        label=label or commands[0].text.strip().partition("\n")[0],
        line=step.line,
        key=KEY,
        meaning="prefixes",
        node=node if entries else None,
        entries=entries,
        shells=(Shell(folder, commands),),
        notes=tuple(_notes_on_mirrors(step)),
    )


def _notes_on_mirrors(step: Mapping) -> Iterator[str]:
    mirrors = step.get("mirror")
    for name, mirror in mirrors.pairs if isinstance(mirrors, Mapping) else ():
        if isinstance(mirror, Mapping) and mirror.get(KEY) is not None:
            yield f"its mirror {name.value!r} keeps a list of its own, which is not judged"


def _text(step: Mapping, key: str) -> str | None:
    found = step.get(key)
    return found.value if isinstance(found, Scalar) else None
