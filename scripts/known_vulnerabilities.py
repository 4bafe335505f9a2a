"""Check the packages of an environment for known vulnerabilities, with pip-audit.

usage: python scripts/known_vulnerabilities.py PIP_AUDIT SITE_PACKAGES

PIP_AUDIT is the command, and SITE_PACKAGES the folder of the packages. First, the script asks about an old release with
a known vulnerability. If the answer names none, the database cannot be reached from here: the check is skipped, and the
script says so. The exit code is 1 if a package has a vulnerability that a newer release of it mends. A vulnerability
without such a release is printed only.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

KNOWN = "jinja2==2.10"  # has CVE-2019-10906
TIME = 300  # seconds


def asked(*words: str) -> list[dict[str, Any]]:
    """Return the vulnerable packages that pip-audit names; none if it fails."""
    command = [*words, "--format", "json", "--progress-spinner", "off", "--timeout", "20"]
    try:
        told = subprocess.run(command, capture_output=True, text=True, timeout=TIME, check=False)
        packages = json.loads(told.stdout)["dependencies"]
    except (OSError, subprocess.TimeoutExpired, ValueError, KeyError, TypeError):
        return []
    return [package for package in packages if package.get("vulns")]


def sentences(packages: list[dict[str, Any]]) -> tuple[list[str], bool]:
    """Return a sentence for each vulnerability, and whether a newer release mends one."""
    lines, mended = [], False
    for package in packages:
        for fault in package["vulns"]:
            fixes = ", ".join(fault.get("fix_versions") or ())
            mended |= bool(fixes)
            told = f"mended in {fixes}" if fixes else "no release mends it yet"
            lines.append(f"{package['name']} {package['version']}: {fault['id']}, {told}")
    return lines, mended


def main() -> int:
    """Print the vulnerabilities, or why they are unknown."""
    tool, place = sys.argv[1:]
    with tempfile.TemporaryDirectory() as folder:
        known = Path(folder) / "known.txt"
        known.write_text(KNOWN + "\n")
        if not asked(tool, "--disable-pip", "--no-deps", "--requirement", str(known)):
            print(f"known vulnerabilities: skipped, because their database is not reached ({KNOWN} must have one)")
            return 0
    lines, mended = sentences(asked(tool, "--path", place))
    print("\n".join(lines) or "known vulnerabilities: none in the installed packages")
    return int(mended)


if __name__ == "__main__":
    raise SystemExit(main())
