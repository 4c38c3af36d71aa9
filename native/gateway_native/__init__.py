"""Compiled core: the path of each event from the agent to bytes. No I/O, no asyncio, no Structs.

GATEWAY_PURE=1 ignores the compiled extensions beside these sources; `COMPILED` says which runs.
"""

import os
import sys
from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader

if os.environ.get("GATEWAY_PURE") == "1":
    for _root in __path__:
        for _path, _, _ in os.walk(_root):
            sys.path_importer_cache[_path] = FileFinder(_path, (SourceFileLoader, SOURCE_SUFFIXES))

from gateway_native import kinds

COMPILED = not kinds.__file__.endswith(".py")
"""True when the extension modules are in use, False for the interpreted core."""

__all__ = ["COMPILED"]
