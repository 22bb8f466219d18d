"""Test set-up: hypothesis profiles, and the directory of the test helpers on the path.

``UNBRAID_PROFILE`` chooses the profile: ``normal`` (the default), 200 examples per law for the formats that between
them use every word of the vocabulary, 80 for those of the same shapes, and the same ones each time; ``all``, 200 for
every format; ``thousand``, 1,000 for every format; ``long``, ten times as many and fresh ones in every run; or
``quick``, a hundred fresh ones, for work on the parser. Tests of single modules take as many as they say themselves.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))

_COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large]}
settings.register_profile("normal", max_examples=200, derandomize=True, database=None, **_COMMON)
settings.register_profile("all", parent=settings.get_profile("normal"))
settings.register_profile("thousand", parent=settings.get_profile("normal"), max_examples=1000)
settings.register_profile("quick", max_examples=100, database=None, **_COMMON)
settings.register_profile("long", max_examples=10_000, print_blob=True, **_COMMON)
settings.load_profile(os.environ.get("UNBRAID_PROFILE", "normal"))
