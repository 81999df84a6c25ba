import ast

from wiremap.inference.definitions import Class, Module, find_definitions


def classes_of(text: str) -> dict[str, Class]:
    module = Module("app", "/p", "app.py", ast.parse(text))
    classes, _ = find_definitions(module)
    return {cls.name: cls for cls in classes.values()}


def test_definitions_in_blocks_and_classes_are_found() -> None:
    found = classes_of("""
if True:
    class A:
        class Inner: ...
        try:
            def one(self): ...
        except ValueError: ...
        @property
        def two(self): ...
        @two.setter
        def two(self, value): ...
        @classmethod
        def three(cls): ...
        @staticmethod
        def four(): ...
        @overload
        def five(self): ...
""")

    assert sorted(found) == ["A", "A.Inner"]
    assert {name: method.role for name, method in found["A"].methods.items()} == {
        "one": "method",
        "two": "property",
        "three": "classmethod",
        "four": "staticmethod",
    }


def test_what_a_constructor_calls_on_the_object_belongs_to_it() -> None:
    cls = classes_of("""
class A:
    def __init__(self):
        self.build()
    def build(self):
        self.fill()
    def fill(self): ...
    def run(self): ...
""")["A"]

    assert cls.constructors == {"__init__", "build", "fill"}


def test_a_lineage_lists_each_base_once_nearest_first() -> None:
    found = classes_of("class A: ...\nclass B: ...\nclass C: ...\nclass D: ...")
    found["B"].inherit([found["A"]], [])
    found["C"].inherit([found["A"]], [])
    found["D"].inherit([found["B"], found["C"]], [])

    assert [cls.name for cls in found["D"].lineage] == ["D", "B", "C", "A"]
    assert [cls.name for cls in found["D"].lineage_after(found["B"])] == ["C", "A"]


def test_abstract_classes_are_recognised() -> None:
    found = classes_of("""
class A:
    def run(self):
        raise NotImplementedError("later")
class B:
    @abc.abstractmethod
    def run(self): ...
class QueueMixin: ...
class D:
    def run(self):
        raise ValueError
""")

    assert {name for name, cls in found.items() if cls.is_abstract} == {"A", "B", "QueueMixin"}
