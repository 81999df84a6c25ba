"""Mutate projects from PyPI, and hold what wiremap, pytest-testmon and pytest-impacted select against the full suite.

    python -m bench.mutation                                      all projects, 200 mutants each
    python -m bench.mutation --projects h11 toolz --mutants 20    a part of it
    python -m bench.mutation --report                             the tables of what is there, nothing run

It may be stopped at any time and goes on where it was: a mutant that --results has is not tried again. --work keeps
the environment and the projects with their recordings, and is for one run at a time. To measure another wiremap, delete
it and name other --results.
"""

import argparse
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from itertools import islice
from pathlib import Path

from bench.mutation.experiment import Experiment
from bench.mutation.mutants import Mutant
from bench.mutation.projects import PROJECTS, Project
from bench.mutation.results import Results
from bench.mutation.workspace import REPOSITORY, Workspace


def main() -> None:
    """Run what is missing, and print the tables."""
    options = _options()
    results = Results(options.results)
    if not options.report:
        workspace = Workspace(options.work)
        workspace.make_environment()
        if others := results.commits() - {workspace.wiremap_commit}:
            sys.exit(
                f"{options.results} is about wiremap at {', '.join(sorted(others))}, and {options.work} holds "
                f"{workspace.wiremap_commit}. Name other --results, or remove those."
            )
        chosen = [project for project in PROJECTS if project.name in options.projects]
        experiments = [(Experiment(workspace, project, options.seed), project) for project in chosen]
        for experiment, project in experiments:
            _run(experiment, project, results, options.mutants, options.jobs)
    tables = results.tables()
    print(tables)
    options.results.with_suffix(".md").write_text(tables, encoding="utf-8")


def _options() -> argparse.Namespace:
    names = [project.name for project in PROJECTS]
    parser = argparse.ArgumentParser(
        prog="python -m bench.mutation", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--projects", nargs="+", choices=names, default=names)
    parser.add_argument("--mutants", type=int, default=200, metavar="N", help="of each project")
    parser.add_argument("--jobs", type=int, default=1, help="mutants at a time")
    parser.add_argument("--seed", type=int, default=0, help="other seeds give other mutants")
    parser.add_argument("--work", type=Path, default=REPOSITORY / "build" / "mutation")
    parser.add_argument("--results", type=Path, default=REPOSITORY / "bench" / "results" / "mutation.jsonl")
    parser.add_argument("--report", action="store_true", help="print the tables and run nothing")
    return parser.parse_args()


def _run(experiment: Experiment, project: Project, results: Results, number: int, jobs: int) -> None:
    experiment.prepare()
    if not results.has(project.name, None):
        results.add(experiment.try_clean())
    missing = list(_missing(experiment, project, results, number))
    with ProcessPoolExecutor(jobs) as pool:
        running = [pool.submit(experiment.try_mutant, mutant) for mutant in missing]
        try:
            for done, future in enumerate(as_completed(running), start=1):
                row = future.result()
                results.add(row)
                print(f"{project.name} {done} of {len(missing)}: {row['mutant']}", flush=True)
        finally:
            pool.shutdown(cancel_futures=True)  # interrupted, it would otherwise try all that wait


def _missing(experiment: Experiment, project: Project, results: Results, number: int) -> Iterator[Mutant]:
    chosen = islice(experiment.mutants(), number)
    return (mutant for mutant in chosen if not results.has(project.name, mutant.name))


if __name__ == "__main__":
    main()
