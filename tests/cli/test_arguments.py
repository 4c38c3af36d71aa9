"""What the command understands."""

import pytest

import gateway
from gateway.cli import main
from gateway.cli.arguments import parser


def test_defaults_serve_the_demo_agents_on_loopback() -> None:
    options = parser().parse_args(["serve"])
    assert (options.target, options.host) == ("gateway.demo:AGENTS", "127.0.0.1")
    assert (options.port, options.workers, options.keep_alive) == (8000, 1, 15)


@pytest.mark.parametrize(
    "arguments",
    [[], ["dance"], ["serve", "--port", "70000"], ["serve", "--workers", "0"], ["serve", "a", "b"]],
)
def test_nonsense_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: agui-gateway" in capsys.readouterr().err


def test_settings_out_of_range_are_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["serve", "--keep-alive", "-1"]) == 1
    assert capsys.readouterr().err == (
        "agui-gateway: keep_alive must be 0 or more seconds, not -1.0\n"
    )


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"{gateway.__version__}\n"
