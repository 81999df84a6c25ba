"""What a test's child processes did counts for it, end to end, by whatever way they were started, and nothing more.

One project holds a test for each way to start a child; all children do the same work. It is recorded once, and then
one thing after another is changed.
"""

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from tests.wiremap.projects import Answer, Project, new_project
from tests.wiremap.test_safety import answer_after, runs
from wiremap.store.map import Map

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="child processes are not followed on this platform")

APP = """
    import os
    from settings import LIMIT

    try:
        import fast
    except ImportError:
        fast = None

    def work():
        import late
        with open("data.txt") as file:
            file.read()
        os.path.exists("flag.txt")
        os.environ.get("MODE")
        return helper() + late.value() + LIMIT

    def helper():
        return 1

    def idle():
        return 0
"""

FILES: Mapping[str, str | bytes | None] = {
    "app.py": APP,
    "settings.py": "LIMIT = 1\n",
    "late.py": "def value(): return 1\ndef unused(): return 1\n",
    "data.txt": "1",
    "unrelated.py": "X = 1\n",
    "work.py": "import app\nif __name__ == '__main__':\n    app.work()\n",
    "ways.py": """
        import asyncio, concurrent.futures, multiprocessing, os, pty, subprocess, sys, threading

        WORK = "import app; app.work()"
        PYTHON = [sys.executable, "-c", WORK]

        def child():
            import app
            app.work()

        def of_number(number):
            child()

        def waited(pid):
            assert os.waitpid(pid, 0)[1] == 0

        def run(): assert subprocess.run(PYTHON).returncode == 0
        def a_script(): assert subprocess.run([sys.executable, "work.py"]).returncode == 0
        def a_module(): assert subprocess.run([sys.executable, "-m", "work"]).returncode == 0
        def isolated(): assert subprocess.run(
            [sys.executable, "-I", "-c", "import sys; sys.path.insert(0, '.'); " + WORK]).returncode == 0
        def an_environment_of_its_own():
            assert subprocess.run(PYTHON, env={"MODE": os.environ["MODE"]}).returncode == 0
        def another_folder():
            assert subprocess.run(["../" + os.path.basename(os.getcwd()) + "/tool"], cwd=".").returncode == 0
        def a_shell(): assert subprocess.run(f"{sys.executable} work.py", shell=True).returncode == 0
        def system(): assert os.system(f"'{sys.executable}' work.py") == 0
        def popen(): assert os.popen(f"{sys.executable} work.py").close() is None
        def spawnv(): assert os.spawnv(os.P_WAIT, sys.executable, PYTHON) == 0
        def posix_spawn(): waited(os.posix_spawn(sys.executable, PYTHON, dict(os.environ)))
        def fork():
            pid = os.fork()
            if pid == 0:
                child()
                os._exit(0)
            waited(pid)
        def fork_and_exec():
            pid = os.fork()
            if pid == 0:
                os.execv(sys.executable, PYTHON)
            waited(pid)
        def fork_and_exec_with_an_environment():
            pid = os.fork()
            if pid == 0:
                os.execvpe(sys.executable, PYTHON, {"MODE": os.environ["MODE"]})
            waited(pid)
        def a_terminal(): assert pty.spawn(PYTHON, lambda fd: os.read(fd, 1024)) == 0
        def before_exec(): assert subprocess.run([sys.executable, "-c", ""], preexec_fn=child).returncode == 0
        def asynchronous():
            async def main():
                process = await asyncio.create_subprocess_exec(*PYTHON)
                assert await process.wait() == 0
            asyncio.run(main())
        def from_a_thread():
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
        def a_grandchild():
            inner = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {WORK!r}], check=True)"
            assert subprocess.run([sys.executable, "-c", inner]).returncode == 0
        def a_daemon():
            read, write = os.pipe()
            pid = os.fork()
            if pid == 0:
                os.setsid()
                if os.fork() == 0:
                    os.closerange(3, write)
                    child()
                    os.write(write, b"1")
                os._exit(0)
            waited(pid)
            os.close(write)
            assert os.read(read, 1) == b"1"

        def process(method):
            process = multiprocessing.get_context(method).Process(target=child)
            process.start()
            process.join()
            assert process.exitcode == 0
        def pool(method):
            with multiprocessing.get_context(method).Pool(1) as pool:
                pool.map(of_number, [1, 2])
        def executor(method):
            context = multiprocessing.get_context(method)
            with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as executor:
                assert executor.submit(child).result() is None
        METHODS = ["fork", "spawn", "forkserver"]

        WAYS = [
            run, a_script, a_module, isolated, an_environment_of_its_own, another_folder, a_shell, system, popen,
            spawnv, posix_spawn, fork, fork_and_exec, fork_and_exec_with_an_environment, a_terminal,
            before_exec, asynchronous, from_a_thread, a_grandchild, a_daemon,
        ]
        """,
    "test_ways.py": """
        import pytest, ways

        @pytest.mark.parametrize("way", ways.WAYS, ids=lambda way: way.__name__)
        def test_way(way): way()
        @pytest.mark.parametrize("method", ways.METHODS)
        @pytest.mark.parametrize("way", [ways.process, ways.pool, ways.executor], ids=lambda way: way.__name__)
        def test_multiprocessing(way, method): way(method)
        """,
    "test_other.py": "def test_other(): pass\n",
}
MODE = {"MODE": "1"}
OTHER = "test_other.py::test_other"


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = new_project(tmp_path_factory.mktemp("ways") / "project", FILES)
    tool = project.root / "tool"
    tool.write_text(f"#!{sys.executable}\nimport app\napp.work()\n")
    tool.chmod(0o755)
    project.record(env=MODE)
    return project


@contextmanager
def changed(project: Project, path: str, old: str, new: str) -> Iterator[None]:
    """Replace a text in a file of *project* for a while; a file that is not there is made, and goes again."""
    content = (project.root / path).read_text() if old else None
    project.write({path: new if content is None else content.replace(old, new)})
    assert content is None or (project.root / path).read_text() != content
    yield
    project.write({path: content})


def ways(answer: Answer) -> set[str]:
    return {test for test in answer.run | answer.skip if test != OTHER}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("app.py", "return 1", "return 2"),
        ("settings.py", "1", "2"),
        ("late.py", "def value(): return 1", "def value(): return 2"),
        ("data.txt", "1", "2"),
        ("flag.txt", "", ""),
        ("fast.py", "", ""),
    ],
    ids=["function", "constant", "imported function", "file", "absent file", "absent module"],
)
def test_what_children_used_counts_for_all_who_started_one(recorded: Project, path: str, old: str, new: str) -> None:
    with changed(recorded, path, old, new):
        answer = recorded.affected(env=MODE)

    assert answer.skip == {OTHER}
    assert answer.run == ways(answer)
    assert {rule for test in answer.run for rule in answer.rules(test)} == {"changed"}


def test_a_variable_that_children_read_counts(recorded: Project) -> None:
    answer = recorded.affected(env={"MODE": "2"})

    assert answer.skip == {OTHER}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        ("app.py", "return 0", "return 3"),
        ("late.py", "def unused(): return 1", "def unused(): return 2"),
        ("unrelated.py", "1", "2"),
        ("notes.txt", "", "new"),
    ],
    ids=["function", "imported function", "module", "file"],
)
def test_what_no_child_used_runs_nothing(recorded: Project, path: str, old: str, new: str) -> None:
    with changed(recorded, path, old, new):
        answer = recorded.affected(env=MODE)

    assert answer.run == set()


# However a child ends, it has told what it did.

ENDS = {
    "killed": "os.kill(os.getpid(), 9)",
    "terminated": "os.kill(os.getpid(), 15)",
    "without its exit handlers": "os._exit(0)",
    "crashed": "import ctypes; ctypes.string_at(0)",
    "failed": "raise SystemExit(3)",
    "as another program": "os.execv('/bin/sh', ['sh', '-c', ''])",
}


def end_files(way: str, end: str) -> dict[str, str]:
    return {
        "app.py": "def used(): return 1\ndef idle(): return 1\n",
        "ends.py": f"import app, os\ndef child():\n    app.used()\n    {end}\n",
        "test_a.py": f"import ends, os, subprocess, sys\ndef test_f():\n    {way}\ndef test_g(): pass\n",
    }


WAYS_TO_END = {
    "program": "subprocess.run([sys.executable, '-c', 'import ends; ends.child()'], stderr=subprocess.DEVNULL)",
    "fork": "pid = os.fork()\n    if pid == 0: ends.child()\n    os.waitpid(pid, 0)",
}


@pytest.mark.parametrize("way", WAYS_TO_END)
@pytest.mark.parametrize("end", [end for end in ENDS if end not in ("failed", "as another program")])
def test_a_child_that_ends_suddenly_has_told_what_it_did(tmp_path: Path, way: str, end: str) -> None:
    files = end_files(WAYS_TO_END[way], ENDS[end])
    project = new_project(tmp_path, files)
    project.record()

    with changed(project, "app.py", "def used(): return 1", "def used(): return 2"):
        assert project.affected().run == {"test_a.py::test_f"}
    with changed(project, "app.py", "def idle(): return 1", "def idle(): return 2"):
        assert project.affected().run == set()


def test_a_hundred_children_at_once_are_followed(tmp_path: Path) -> None:
    files = {
        "app.py": "\n".join(f"def f{number}(): return 1" for number in range(100)),
        "test_a.py": """
            import app, os
            def test_f():
                pids = []
                for number in range(100):
                    pid = os.fork()
                    if pid == 0:
                        getattr(app, f"f{number}")()
                        os._exit(0)
                    pids.append(pid)
                for pid in pids: os.waitpid(pid, 0)
            def test_g(): pass
            """,
    }
    project = new_project(tmp_path, files)
    project.record()

    with changed(project, "app.py", "def f77(): return 1", "def f77(): return 2"):
        answer = project.affected()

    assert answer.run == {"test_a.py::test_f"}
    assert answer.rules("test_a.py::test_f") == {"changed"}


# A process that lives through several tests.

SERVER = """
    import sys
    import app
    for line in sys.stdin:
        print(app.answer(line.strip()), flush=True)
"""


def server_files(start: str) -> dict[str, str]:
    return {
        "app.py": """
            def answer(name): return globals()[name]()
            def one(): return 1
            def two(): return 2
            """,
        "server.py": SERVER,
        "conftest.py": f"""
            import pytest, subprocess, sys
            @pytest.fixture(scope="session")
            def server():
                process = {start}
                yield process
                process.kill()
                process.communicate()
            @pytest.fixture
            def ask(server):
                def ask(name):
                    server.stdin.write(name + "\\n")
                    server.stdin.flush()
                    return server.stdout.readline()
                return ask
            """,
        "test_a.py": """
            def test_before(): pass
            def test_one(ask): assert ask("one") == "1\\n"
            def test_two(ask): assert ask("two") == "2\\n"
            def test_while(): pass
            """,
        "test_b.py": """
            def test_one_again(ask): assert ask("one") == "1\\n"
            """,
    }


START = "subprocess.Popen([sys.executable, 'server.py'], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)"


def test_all_that_a_server_did_counts_for_each_test_that_may_have_talked_to_it(tmp_path: Path) -> None:
    found = runs(
        tmp_path, server_files(START), {"app.py": server_files(START)["app.py"].replace("return 1", "return 3")}
    )

    assert found == {"test_one", "test_two", "test_while", "test_one_again"}


def test_a_child_that_a_test_left_running_counts_for_the_next(tmp_path: Path) -> None:
    files = {
        "app.py": "import sys\ndef answer(): return 1\nfor line in sys.stdin: print(answer(), flush=True)\n",
        "test_a.py": """
            import subprocess, sys
            processes = []
            def ask():
                processes[0].stdin.write("\\n")
                processes[0].stdin.flush()
                assert processes[0].stdout.readline() == "1\\n"
            def test_1():
                pipes = dict(stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                processes.append(subprocess.Popen([sys.executable, "app.py"], **pipes))
            def test_2(): ask()
            def test_3():
                processes[0].communicate()
            def test_4(): pass
            """,
    }

    assert runs(tmp_path, files, {"app.py": files["app.py"].replace("return 1", "return 2")}) == {
        "test_1", "test_2", "test_3",
    }  # fmt: skip


def test_a_child_that_outlives_the_session_is_no_doubt(tmp_path: Path) -> None:
    files = {
        "app.py": "def f(): return 1\n",
        "other.py": "def g(): return 1\n",
        "test_a.py": """
            import subprocess, sys
            def test_f():
                text = "import app, time; app.f(); print(1, flush=True); time.sleep(3)"
                subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE).stdout.read(1)
            """,
    }
    project = new_project(tmp_path, {**files, "pytest.ini": "[pytest]\npythonpath = .\nfilterwarnings = ignore\n"})
    project.record()

    with changed(project, "other.py", "return 1", "return 2"):
        assert project.affected().run == set()
    with changed(project, "app.py", "return 1", "return 2"):
        assert project.affected().run == {"test_a.py::test_f"}


# What can't be followed.


@pytest.mark.parametrize(
    "start",
    [
        "subprocess.run(['sort', 'data.txt'])",
        "subprocess.run('sort data.txt', shell=True)",
        "subprocess.run('cat < data.txt', shell=True)",
        "subprocess.run(['./cat', 'data.txt'])",
        "subprocess.run(f'{sys.executable} x.py | cat', shell=True)",
        "os.system(f'true && {sys.executable} x.py')",
        "os.system('. ./x.sh')",
        "subprocess.run([sys.executable, '-S', 'x.py'])",
        "os.waitpid(os.posix_spawn('/usr/bin/sort', ['sort', 'data.txt'], {}), 0)",
        "subprocess.run([sys.executable, '-c', 'import os; os.system(\"sort data.txt\")'])",
        'subprocess.run([sys.executable, \'-c\', \'import os; os.execv("/usr/bin/sort", ["sort", "data.txt"])\'])',
        "subprocess.run([sys.executable, '-S', '-c', START])",
        "subprocess.run([sys.executable, '-X', 'importtime', 'x.py'])",
        "subprocess.run(['./tool'])",
        "subprocess.run(['./sh', '-c', f'{sys.executable} x.py'])",
        "import posix; os.waitpid(posix.posix_spawn(sys.executable, [sys.executable, 'x.py'], {}), 0)",
    ],
)
def test_what_is_not_followed_makes_its_test_rest_on_the_whole_project(tmp_path: Path, start: str) -> None:
    files = {
        "data.txt": "1",
        "x.py": "open('data.txt').read()\n",
        "x.sh": "cat data.txt\n",
        "test_a.py": f"""
            import os, subprocess, sys
            START = f"import subprocess; subprocess.run([{{sys.executable!r}}, 'x.py'])"
            def test_f():
                {start}
            def test_g(): pass
            """,
    }
    project = new_project(tmp_path, files)
    for name in ("tool", "cat", "sh"):
        (tmp_path / name).write_text("#!/bin/sh\nsort data.txt\n")
        (tmp_path / name).chmod(0o755)
    project.record()

    project.write({"unrelated.py": ""})
    answer = project.affected()

    assert answer.run == {"test_a.py::test_f"}
    assert answer.rules("test_a.py::test_f") == {"unseen"}


@pytest.mark.parametrize("start", ["subprocess.run(['cat', 'data.txt'])", "os.system('cat data.txt')"])
def test_a_well_known_program_reads_what_it_is_told(tmp_path: Path, start: str) -> None:
    text = f"import os, subprocess\ndef test_f(): {start}\ndef test_g(): pass\n"
    project = new_project(tmp_path, {"data.txt": "1", "test_a.py": text})
    project.record()

    project.write({"unrelated.py": ""})
    assert project.affected().run == set()
    project.write({"data.txt": "2"})
    assert project.affected().run == {"test_a.py::test_f"}


def test_a_program_that_is_not_there_counts_when_it_appears(tmp_path: Path) -> None:
    files = {
        "test_a.py": """
            import pytest, subprocess
            def test_f():
                with pytest.raises(FileNotFoundError): subprocess.run(["./tool"])
            def test_g(): pass
            """,
    }
    project = new_project(tmp_path, files)
    project.record()

    project.write({"unrelated.py": ""})
    assert project.affected().run == set()
    project.write({"tool": "#!/bin/sh\n"})
    assert project.affected().run == {"test_a.py::test_f"}


def test_a_started_module_that_does_not_compile_counts_when_it_does(tmp_path: Path) -> None:
    files = {
        "app.py": "1 +\n",
        "test_a.py": """
            import subprocess, sys
            def test_f():
                assert subprocess.run([sys.executable, "-c", "import app"], capture_output=True).returncode == 1
            """,
    }

    assert answer_after(tmp_path, files, {"app.py": "1 + 1\n"}).run == {"test_a.py::test_f"}


def test_a_graph_that_a_child_compiled_is_the_tests(tmp_path: Path) -> None:
    files = {
        "app.py": """
            from wiremap import RegistryOrchestrator
            class Part: ...
            def build():
                orchestrator = RegistryOrchestrator()
                orchestrator.add(Part())
                orchestrator.finalize()
            """,
        "test_a.py": """
            import os, subprocess, sys
            def test_program(): subprocess.run([sys.executable, "-c", "import app; app.build()"], check=True)
            def test_fork():
                import app
                pid = os.fork()
                if pid == 0:
                    app.build()
                    os._exit(0)
                os.waitpid(pid, 0)
            """,
    }
    project = new_project(tmp_path, files)
    project.record()

    with closing(Map(tmp_path / ".wiremap")) as store:
        graphs, built = store.graphs.all(), store.graphs.builders("run")
        of_tests = [built[f"test_a.py::{test}"] for test in ("test_program", "test_fork")]

    assert of_tests[0] == of_tests[1] == list(graphs)
    assert "Part" in "".join(graphs.values())


def test_a_session_of_wiremap_inside_a_test_is_not_followed_and_works(tmp_path: Path) -> None:
    files = {
        "inner/pytest.ini": "[pytest]\npythonpath = .\n",
        "inner/app.py": "def f(): return 1\n",
        "inner/test_i.py": "import app\ndef test_i(): assert app.f()\n",
        "test_a.py": """
            import os, subprocess, sys
            def test_f():
                command = [sys.executable, "-m", "pytest", "--wiremap-record", "inner/test_i.py", "--rootdir=inner"]
                finished = subprocess.run(command, capture_output=True, text=True)
                assert "recorded 1 test" in finished.stdout, finished
            """,
        "conftest.py": "collect_ignore = ['inner']\n",
    }
    project = new_project(tmp_path, files)
    project.record()

    project.write({"unrelated.py": ""})

    assert "unseen" in project.affected().rules("test_a.py::test_f")


# What a child prints and sees is what it would without the observer.

CURIOUS = """
    import os, sys, traceback
    print(sys.argv, sys.orig_argv[1:], sys.path, sys.flags, sys.warnoptions, sys._xoptions)
    print(sorted(os.environ.items()))
    print(sorted(os.listdir("/proc/self/fd")) if os.path.exists("/proc/self/fd") else "")
    print(sys.gettrace(), [type(finder).__name__ for finder in map(type, sys.meta_path)], sys.path_hooks[:1])
    for name in ("broken", "failing", "missing"):
        try:
            __import__(name)
        except BaseException:
            traceback.print_exc()
    sys.exit(int(len(sys.argv) > 1))
"""

CURIOUS_TEST = """
    import subprocess, sys
    from pathlib import Path
    WAYS = ["curious.py"], ["curious.py", "1"], ["-m", "curious"], ["-I", "curious.py"], ["-c", "import failing"], \
        ["-S", "curious.py"]
    def test_f():
        text = []
        for arguments in WAYS:
            for env in (None, {"A": "1"}):
                done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, env=env)
                text.append(f"{done.returncode}{done.stdout}{done.stderr}")
        Path("TOLD").write_text("".join(text))
"""


def test_a_child_sees_nothing_of_the_observer(tmp_path: Path) -> None:
    project = new_project(
        tmp_path / "project",
        {
            "curious.py": CURIOUS,
            "broken.py": "1 +\n",
            "failing.py": "import other\n",
            "other.py": "def f(): raise ValueError\nf()\n",
            "test_a.py": CURIOUS_TEST.replace("TOLD", str(tmp_path / "told")),
        },
    )

    assert project.run_pytest(mode="").exit_code == 0
    without = (tmp_path / "told").read_text()
    project.record()

    assert (tmp_path / "told").read_text() == without


def test_what_is_loaded_for_a_child_is_what_nearly_every_program_loads() -> None:
    """A program may ask whether a module is loaded, and one of the project may bear the name of another."""
    text = (
        "import sys; before = set(sys.modules); import wiremap.tracing.child_program; print(*set(sys.modules) - before)"
    )
    loaded = subprocess.run(
        [sys.executable, "-S", "-c", text],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": os.pathsep.join(sys.path)},
    ).stdout.split()

    assert {name.partition(".")[0] for name in loaded if not name.startswith("_")} <= {
        "atexit", "collections", "contextlib", "copyreg", "enum", "functools", "genericpath", "importlib", "itertools",
        "keyword", "operator", "os", "posixpath", "re", "reprlib", "stat", "types", "typing", "warnings", "weakref",
        "wiremap",
    }  # fmt: skip
