"""What the command understands."""

import pytest

import gateway
from gateway.cli import main
from gateway.cli.arguments import SWITCHES, VALUES, parser, sources
from gateway.cli.configuration import Configuration
from gateway.cli.variables import keys


def read(*arguments: str) -> Configuration:
    options = parser().parse_args(["serve", *arguments])
    return sources(options).read({})


def test_defaults_serve_the_demo_agents_on_loopback() -> None:
    configuration = read()
    assert (configuration.target, configuration.agents) == ("", {})
    assert (configuration.server.host, configuration.server.port) == ("127.0.0.1", 8000)
    assert (configuration.server.workers, configuration.keep_alive) == (1, 15)


def test_options_stand_for_settings() -> None:
    configuration = read(
        "m:A", "--workers", "3", "--trusted-proxies", "10.0.0.0/8,::1", "--access-log"
    )
    assert configuration.target == "m:A"
    assert configuration.server.workers == 3
    assert configuration.server.trusted_proxies == ("10.0.0.0/8", "::1")
    assert configuration.server.access_log


@pytest.mark.parametrize("name", [*VALUES, *SWITCHES])
def test_every_option_names_a_setting_of_its_own_kind(name: str) -> None:
    known = {key for key, _ in keys(Configuration)}
    assert [*VALUES.values(), *SWITCHES.values()][[*VALUES, *SWITCHES].index(name)][0] in known


@pytest.mark.parametrize("arguments", [[], ["dance"], ["serve", "a", "b"], ["serve", "--shout"]])
def test_nonsense_is_refused(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: agui-gateway" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["--keep-alive", "-1"], "keep_alive in --keep-alive: expected a number of 0 or more"),
        (["--port", "70000"], "server.port in --port: expected an integer from 0 to 65535"),
        (["--workers", "0"], "server.workers in --workers: expected an integer from 1 to 1024"),
        (["--http", "3"], "server.http in --http: expected one of '1', '2', 'auto', not '3'"),
        (["--config", "no-such.toml"], "no-such.toml: cannot be read: No such file or directory"),
    ],
)
def test_settings_out_of_range_are_said_in_one_line(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith(f"agui-gateway: {complaint}")


def test_the_version_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--version"])
    assert capsys.readouterr().out == f"{gateway.__version__}\n"
