"""`wiremap check`: the rules of the wiring."""

import argparse
import os

from wiremap.checks.findings import Finding
from wiremap.cli.finding_formats import check_document, github_commands, sarif_log
from wiremap.cli.output import Subparsers, say, write, write_json
from wiremap.use_cases.checking import Checked, check
from wiremap.wording import counted

_FORMATS = ("text", "json", "github", "sarif")


def configure(subparsers: Subparsers) -> None:
    """Add the command."""
    parser = subparsers.add_parser(
        "check",
        help="check the wiring of the recipes against wiremap.lock, and the source against the wiring",
        description="Compile the recipes that `recipes` in [tool.wiremap] names and tell, all together: what differs "
        "from wiremap.lock, which component classes nobody registers, and where a component reaches into another past "
        "its cells. Exit code 1 if anything is found.",
    )
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        default="text",
        help="text, JSON (schema wiremap.check/1), annotations of GitHub, or SARIF 2.1.0 (default: text)",
    )
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print what was found; return 1 if it is anything."""
    checked = check()
    if checked.talk:
        say(checked.talk.rstrip())
    match options.format:
        case "json":
            write_json(check_document(checked.judged, checked.notes))
        case "sarif":
            write_json(sarif_log(checked.judged))
        case "github":
            for command in github_commands(checked.judged):
                write(command)
        case _:
            _print(checked)
    if options.format != "json":
        for note in checked.notes:
            say(f"note: {note}")
    return 1 if checked.judged.findings else 0


def _print(checked: Checked) -> None:
    for finding in checked.judged.findings:
        _print_finding(finding, checked)
    found, allowed = len(checked.judged.findings), len(checked.judged.allowed)
    also = f", {allowed} allowed" if allowed else ""
    write(
        f"{counted(found, 'finding') if found else 'Nothing found'}{also}; {counted(checked.num_files, 'file')} read."
    )


def _print_finding(finding: Finding, checked: Checked) -> None:
    first, *more = finding.message.splitlines()
    write(f"{os.path.relpath(checked.root / finding.file)}:{finding.line}: {first} [{finding.rule}]")
    for line in more:
        write(f"    {line}")
    write(f"    {finding.fix}\n")
