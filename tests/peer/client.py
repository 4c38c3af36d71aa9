"""The official AG-UI client (npm `@ag-ui/client`) as a peer, driven under Node."""

import json
import shutil
import subprocess
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
PACKAGES = ("@ag-ui/client", "@copilotkit/aimock")


@cache
def unavailable() -> str | None:
    """Why the client cannot run here, None when it can; installs its packages on first use."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        return "needs Node.js and npm"
    if not all((HERE / "node_modules" / name).exists() for name in PACKAGES):
        command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts"]
        installed = subprocess.run(command, cwd=HERE, capture_output=True, text=True, timeout=300)
        if installed.returncode:
            return f"npm ci failed: {installed.stderr[-300:]}"
    return None


def drive(scenario: dict[str, Any]) -> dict[str, Any]:
    """Run the scenario (see `drive.mjs`) and return what the client saw in each turn."""
    done = subprocess.run(
        ["node", "drive.mjs"],
        cwd=HERE,
        input=json.dumps(scenario),
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    outcome: dict[str, Any] = json.loads(done.stdout)
    return outcome
