"""What is installed beside this interpreter, as JSON. Nothing that is found is imported."""

import sys

# The current folder may hold a file that is named like a module of Python.
sys.path = [entry for entry in sys.path if entry]

import json  # noqa: E402
import platform  # noqa: E402
from importlib import metadata  # noqa: E402


def plugin():
    """Which module pytest would load for UnitAI."""
    found = metadata.entry_points(group="pytest11")
    return next((entry.value for entry in found if entry.name == "unitai"), None)


versions = {}
for found in metadata.distributions():
    # A broken installation has no name.
    name = found.metadata["Name"] if found.metadata else None
    if name:
        versions.setdefault(name.lower().replace("_", "-").replace(".", "-"), found.version)

told = {
    "implementation": platform.python_implementation(),
    "version": platform.python_version(),
    "plugin": plugin(),
    "versions": versions,
}
sys.stdout.write(json.dumps(told))
