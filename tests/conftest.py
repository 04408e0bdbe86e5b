"""What all layers share: helpers are imported from `tests/support`."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "support"))
