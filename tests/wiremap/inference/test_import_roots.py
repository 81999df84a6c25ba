import pytest

from wiremap.inference.import_roots import ImportRoots


@pytest.mark.parametrize(
    ("files", "imports", "path", "expected"),
    [
        (["/p/a.py"], {}, "/p/a.py", ("/p", "a")),
        (["/p/lib/__init__.py"], {}, "/p/lib/__init__.py", ("/p", "lib")),
        (["/p/src/lib/__init__.py", "/p/src/lib/a.py"], {}, "/p/src/lib/a.py", ("/p/src", "lib.a")),
        (["/p/lib/__init__.py", "/p/lib/sub/a.py"], {}, "/p/lib/sub/a.py", ("/p", "lib.sub.a")),
        (["/p/lib/a.py"], {}, "/p/lib/a.py", ("/p/lib", "a")),
        (["/p/lib/a.py"], {"lib": {"a"}}, "/p/lib/a.py", ("/p", "lib.a")),
        (["/p/lib/sub/a.py"], {"lib": {"sub"}}, "/p/lib/sub/a.py", ("/p", "lib.sub.a")),
        (["/p/torch/a.py"], {"torch": {"nn"}}, "/p/torch/a.py", ("/p/torch", "a")),
        (["/__init__.py"], {}, "/__init__.py", ("/", "__init__")),
    ],
    ids=[
        "a module",
        "a package",
        "a package in src",
        "a folder in a package is a package",
        "a folder of modules",
        "a folder that an import names is a package",
        "with a folder in it",
        "an import of something else does not make it one",
        "the root of the file system is no package",
    ],
)
def test_a_file_has_a_root_and_a_name(
    files: list[str], imports: dict[str, set[str]], path: str, expected: tuple[str, str]
) -> None:
    assert ImportRoots(files, imports).locate(path) == expected
