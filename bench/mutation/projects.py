"""The projects under test: sdists from PyPI, pinned, that ship their tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Project:
    """One sdist, and where its parts lie.

    Attributes:
        name: Of the distribution.
        version: Pinned.
        package: Folder of the code, which is also the module that pytest-impacted is told.
        tests: Folder of the tests.
        path: What is put on the path of imports, relative to the project.
    """

    name: str
    version: str
    package: str
    tests: str = "tests"
    path: str = "."


PROJECTS = (
    Project("uritemplate", "4.2.0", "uritemplate"),
    Project("itsdangerous", "2.2.0", "src/itsdangerous", path="src"),
    Project("h11", "0.16.0", "h11", tests="h11/tests"),
    Project("tinydb", "4.9.0", "tinydb"),
    Project("toolz", "1.2.0", "toolz", tests="toolz/tests"),
    Project("tomlkit", "0.15.2", "tomlkit"),
    Project("cachetools", "8.0.2", "src/cachetools", path="src"),
)

# What the tools and the tests of the projects need. None of the projects is among what these need.
REQUIREMENTS = (
    "pytest==9.2.0",
    "pytest-testmon==2.2.0",
    "pytest-impacted==0.36.0",
    "coverage==7.17.5",
    "freezegun==1.5.5",
    "PyYAML==6.0.4",
)
