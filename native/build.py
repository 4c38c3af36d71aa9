"""Compile native/gateway_native with mypyc, each extension next to its source.

    python native/build.py        compile in place (what `make build` does)

hatchling calls the same `compile_native` for wheels and editable installs;
HATCH_BUILD_NO_HOOKS=1 skips it and yields a pure-Python wheel.
"""

import os
import shutil
import sysconfig
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = Path(__file__).resolve().parent
PACKAGE = ROOT / "gateway_native"
INTERPRETED = {"__init__.py"}
EXTENSIONS = "*" + sysconfig.get_config_var("EXT_SUFFIX")

NO_COMPILER = """\
The compiled core needs a C compiler and the Python headers, and {missing} was not found.
On Debian and Ubuntu: apt-get install {package}
To install the interpreted core instead (slower): set HATCH_BUILD_NO_HOOKS=1 and install again."""


def require_compiler() -> None:
    """Stop with the package to install when there is no compiler or no Python.h."""
    compiler = os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc"
    if shutil.which(compiler.split()[0]) is None:
        raise SystemExit(NO_COMPILER.format(missing=compiler.split()[0], package="gcc"))
    header = Path(sysconfig.get_path("include")) / "Python.h"
    if not header.exists():
        raise SystemExit(NO_COMPILER.format(missing=header, package="python3-dev"))


def compile_native() -> None:
    """Compile every module of the core as one unit and put the extensions beside the sources."""
    require_compiler()
    from mypyc.build import mypycify
    from setuptools import Distribution

    sources = sorted(
        str(p.relative_to(ROOT)) for p in PACKAGE.rglob("*.py") if p.name not in INTERPRETED
    )
    here = os.getcwd()
    os.chdir(ROOT)
    try:
        extensions = mypycify(
            ["--strict", *sources],
            opt_level=os.environ.get("MYPYC_OPT_LEVEL", "3"),
            debug_level="0",
            group_name="gateway_native._core",
        )
        command: Any = Distribution({"ext_modules": extensions}).get_command_obj("build_ext")
        command.inplace = True
        command.ensure_finalized()
        command.run()
        for extension in PACKAGE.rglob(EXTENSIONS):
            extension.touch()  # so that "older than its source" always means "stale"
    finally:
        os.chdir(here)


class MypycBuildHook(BuildHookInterface[Any]):
    """Compiles the core into the wheel that hatchling builds."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tag the wheel for this interpreter and platform."""
        compile_native()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True
        build_data["artifacts"].append(f"/native/gateway_native/**/{EXTENSIONS}")


if __name__ == "__main__":
    compile_native()
