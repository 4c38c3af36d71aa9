"""The configuration: its places, their order, and what is said of wrong ones."""

import tomllib
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from gateway.cli import main
from gateway.cli.assembly import assemble
from gateway.cli.commands import editor_schema
from gateway.cli.configuration import Configuration, Sources
from gateway.cli.given import Options
from gateway.cli.kinds import ImportAgent
from gateway.cli.variables import keys, variable
from gateway.client import RemoteAgent
from gateway.client.http import address
from gateway.errors import ConfigurationError
from gateway.server import Gateway
from gateway.server.secret import Secret

ROOT = Path(__file__).parent.parent.parent
GATEWAY = Gateway({})
NUMBER = 7


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "gateway.toml"


def read(
    file: Path | None = None, env: dict[str, str] | None = None, options: Options | None = None
) -> Configuration:
    return Sources(str(file) if file else None, options or {}).read(env or {})


def refused(file: Path, text: str, env: dict[str, str] | None = None) -> str:
    """What is said of a file, with its name made short."""
    file.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        assemble(read(file, env))
    return str(caught.value).replace(str(file.parent), "")


def test_nothing_gives_the_defaults() -> None:
    assert read() == Configuration()


def test_the_command_line_prevails_over_variables_and_those_over_the_file(file: Path) -> None:
    file.write_text("max_body = 1\nkeep_alive = 1\n[server]\nport = 1\n[shutdown]\ngrace = 1\n")
    env = {"AGUI_GATEWAY_KEEP_ALIVE": "2", "AGUI_GATEWAY_SERVER_PORT": "2"}
    found = read(file, env, {("server", "port"): ("--port", "3")})
    assert (found.max_body, found.keep_alive, found.server.port) == (1, 2.0, 3)
    assert found.shutdown.grace == 1


def test_a_variable_names_the_file(file: Path) -> None:
    file.write_text("max_body = 5\n")
    assert read(env={"AGUI_GATEWAY_CONFIG": str(file)}).max_body == 5


def test_the_file_of_the_working_directory_is_read(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.write_text("max_body = 5\n")
    monkeypatch.chdir(file.parent)
    assert read().max_body == 5


def test_agents_come_in_three_spellings(file: Path) -> None:
    file.write_text(
        'agents.short = "gateway.demo:AGENTS"\n'
        '[agents.long]\nkind = "import"\npath = "m:a"\non_disconnect = "continue"\n'
    )
    found = read(file, {"AGUI_GATEWAY_AGENTS_THIRD": "m:b"})
    paths = {n: a.path for n, a in found.agents.items() if isinstance(a, ImportAgent)}
    assert paths == {"short": "gateway.demo:AGENTS", "long": "m:a", "third": "m:b"}
    assert found.agents["long"].on_disconnect == "continue"


def test_an_agent_stands_at_urls(file: Path) -> None:
    table = '[agents.far]\nkind = "url"\nurls = ["http://127.0.0.1:1/a", "http://127.0.0.1:2/a"]\n'
    file.write_text(
        table + 'spread = "sticky"\nmax_runs = 3\n[agents.far.headers]\nx-key = { env = "KEY" }\n'
    )
    found = read(file, {"KEY": "s3cret"})
    assert "s3cret" not in repr(found)
    agent = found.agents["far"].load()
    assert isinstance(agent, RemoteAgent)
    assert [address(upstream.url) for upstream in agent.upstreams.all] == [
        "http://127.0.0.1:1/a",
        "http://127.0.0.1:2/a",
    ]
    assert "agents.far.headers.x-key" in refused(file, file.read_text())
    assert "agents.far" in refused(file, '[agents.far]\nkind = "url"\nurls = ["ftp://a"]\n')
    assert "agents.far.spread" in refused(file, table + 'spread = "even"\n')


def test_variables_take_lists_tables_and_truth_values() -> None:
    found = read(
        env={
            "AGUI_GATEWAY_SERVER_TRUSTED_PROXIES": "10.0.0.0/8, ::1",
            "AGUI_GATEWAY_CORS_ORIGINS": '["https://a.example"]',
            "AGUI_GATEWAY_SERVER_ACCESS_LOG": "true",
            "AGUI_GATEWAY_AGENTS": '{"one": "m:a", "two": {"path": "m:b", "max_runs": 3}}',
            "AGUI_GATEWAY_IDENTITY_API_KEYS": f'[{{"principal": "p", "sha256": "{"a" * 64}"}}]',
        }
    )
    assert found.server.trusted_proxies == ("10.0.0.0/8", "::1")
    assert found.cors.origins == ("https://a.example",)
    assert found.server.access_log
    one, two = found.agents["one"], found.agents["two"]
    assert isinstance(one, ImportAgent)
    assert (one.path, two.max_runs) == ("m:a", 3)
    assert found.identity.api_keys[0].principal == "p"


def test_secrets_come_from_variables_and_files_and_hide(file: Path) -> None:
    secret = file.parent / "secret"
    secret.write_text("s3cret\n")
    table = '[server.tls]\ncertificate = "c"\nkey = "k"\npassword = '
    for text, env in [
        ('{ env = "PASSWORD" }', {"PASSWORD": "s3cret"}),
        (f'{{ file = "{secret}" }}', {}),
    ]:
        file.write_text(table + text)
        password = read(file, env).server.tls.password
        assert password == "s3cret"
        assert isinstance(password, Secret)
        assert "s3cret" not in repr(read(file, env))
    for env in (
        {"AGUI_GATEWAY_SERVER_TLS_PASSWORD_FILE": str(secret)},
        {"AGUI_GATEWAY_SERVER_TLS_PASSWORD": "s3cret"},
    ):
        assert read(env=env).server.tls.password == "s3cret"


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("port = 3", "port in /gateway.toml: is no setting; expected one of max_body"),
        ("[server]\nprot = 3", "server.prot in /gateway.toml: is no setting; did you mean port?"),
        ("server = 3", "server in /gateway.toml: expected a table, not 3"),
        ("[server]\nport = '80'", "server.port in /gateway.toml: expected an integer from 0 to"),
        ("[server]\nport = { env = 'X' }", "server.port in /gateway.toml: the environment varia"),
        ("[server.port]\na = 1\nb = 2", "server.port in /gateway.toml: expected an integer"),
        ("keep_alive = true", "keep_alive in /gateway.toml: expected a number of 0 or more, not T"),
        ("keep_alive = inf", "/gateway.toml: keep_alive must be 0 or more seconds, not inf"),
        ("[shutdown]\ngrace = inf", "shutdown in /gateway.toml: grace must be 0 or more seconds"),
        ("[server.tls]\nkey = 'k'", "server.tls in /gateway.toml: certificate and key belong tog"),
        ("[cors]\norigins = 'x'", "cors.origins in /gateway.toml: expected a list, each a string"),
        ("[cors]\norigins = ['x']", "cors in /gateway.toml: origins: expected scheme://host"),
        ("agents.a = 3", "agents.a in /gateway.toml: expected module:attribute or a table"),
        ("agents.a = 'gateway'", "agents.a: 'gateway' names no agents: expected module:attribute"),
        (
            "[agents.a]\nkind = 'x'",
            "agents.a.kind in /gateway.toml: expected one of import, url, not",
        ),
        ("[agents.nobody]\nmax_runs = 1", "agents.nobody: there is no such agent"),
        ("agents.'a b' = 'tests.cli.agents:gate'", "agent name 'a b': expected letters"),
        ("target = 'gateway.demo:NO'", "target: module gateway.demo has no NO"),
        (f"target = '{__name__}:NUMBER'", f"target: {__name__}:NUMBER is a int: expected agents"),
        (
            f"target = '{__name__}:GATEWAY'\nagents.a = 'tests.cli.agents:gate'",
            f"agents: {__name__}:GATEWAY is a Gateway, which has agents already",
        ),
        (
            "[[identity.api_keys]]\nprincipal = 'p'\nsha265 = 'a'",
            "identity.api_keys.0.sha265 in /gateway.toml: is no setting; did you mean sha256?",
        ),
        (
            "[[identity.api_keys]]\nprincipal = 'p'",
            "identity.api_keys.0.sha256 in /gateway.toml: is missing; expected a string",
        ),
        ("a = ", "/gateway.toml: expected TOML: Invalid value (at end of document)"),
    ],
)
def test_a_wrong_file_is_said_with_key_place_and_what_is_allowed(
    file: Path, text: str, complaint: str
) -> None:
    assert refused(file, text).startswith(complaint)


def test_a_wrong_secret_is_not_repeated(file: Path) -> None:
    said = refused(file, "[server.tls]\npassword = 's3cret'")
    expected = 'expected a secret as { env = "NAME" } or { file = "PATH" }'
    assert said == f"server.tls.password in /gateway.toml: {expected}"


@pytest.mark.parametrize(
    ("env", "complaint"),
    [
        ({"SERVER_PROT": "1"}, "AGUI_GATEWAY_SERVER_PROT: is no setting; did you mean AGUI_GATEWA"),
        ({"SERVER_PORT": "x"}, "server.port in AGUI_GATEWAY_SERVER_PORT: expected an integer from"),
        ({"SERVER_ACCESS_LOG": "x"}, "server.access_log in AGUI_GATEWAY_SERVER_ACCESS_LOG: expect"),
        ({"AGENTS": "x"}, "agents in AGUI_GATEWAY_AGENTS: expected a JSON object"),
        ({"SERVER_TLS_PASSWORD_FILE": "/no"}, "server.tls.password in AGUI_GATEWAY_SERVER_TLS_PA"),
    ],
)
def test_a_wrong_variable_is_named(env: dict[str, str], complaint: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        read(env={f"AGUI_GATEWAY_{name}": value for name, value in env.items()})
    assert str(caught.value).startswith(complaint)


def test_what_kubernetes_sets_beside_a_service_is_left_alone() -> None:
    names = ("SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", "PORT", "PORT_80_TCP_ADDR")
    env = {f"AGUI_GATEWAY_{name}": "tcp://10.0.0.1:80" for name in names}
    assert read(env=env) == Configuration()


def test_each_setting_has_a_variable_of_its_own() -> None:
    names = [variable(key) for key, _ in keys(Configuration)]
    assert len(names) == len(set(names)) > 40


def test_the_schema_in_the_documents_is_current() -> None:
    written = msgspec.json.decode((ROOT / "docs" / "gateway.schema.json").read_bytes())
    assert written == msgspec.json.decode(msgspec.json.encode(editor_schema()))


@pytest.mark.parametrize(
    ("content", "valid"),
    [
        ({}, True),
        ({"agents": {"a": "m:a", "b": {"path": "m:b", "max_runs": 2}}}, True),
        ({"server": {"port": 80, "tls": {"password": {"env": "X"}}}}, True),
        ({"server": {"tls": {"password": "plain"}}}, False),
        ({"server": {"host": {"file": "/etc/host"}}}, True),
        ({"server": {"port": 70000}}, False),
        ({"server": {"prot": 80}}, False),
        ({"agents": {"a": {"kind": "none"}}}, False),
    ],
)
def test_the_schema_admits_what_the_gateway_does(content: dict[str, Any], valid: bool) -> None:
    schema = msgspec.json.decode(msgspec.json.encode(editor_schema()))
    assert jsonschema.Draft202012Validator(schema).is_valid(content) is valid


def test_the_example_in_the_documents_is_valid(file: Path) -> None:
    page = (ROOT / "docs" / "serving.md").read_text()
    text = page.partition("```toml\n")[2].partition("```")[0]
    file.write_text(text)
    found = read(file, {"TLS_KEY_PASSWORD": "x", "FAR_AUTHORIZATION": "Bearer x"})
    assert (found.server.workers, found.agents["planner"].on_disconnect) == (4, "continue")
    schema = msgspec.json.decode(msgspec.json.encode(editor_schema()))
    jsonschema.Draft202012Validator(schema).validate(tomllib.loads(text))


def test_a_configuration_can_be_checked(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_text('agents.a = "tests.cli.agents:gate"\n')
    assert main(["check-config", "--config", str(file)]) == 0
    assert capsys.readouterr().out.endswith("; agents: a.\n")
    file.write_text('agents.a = "tests.cli.agents:no"\n')
    assert main(["check-config", "--config", str(file)]) == 2
    assert capsys.readouterr().err == "agui-gateway: agents.a: module tests.cli.agents has no no\n"
    file.write_text('agents.a = "no_such_module:no"\n')
    assert main(["check-config", "--config", str(file)]) == 1
    assert "No module named 'no_such_module'" in capsys.readouterr().err


def test_routes_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["routes", "--root-path", "/ui"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert {"POST  /ui/agents/echo", "GET   /ui/agents", "GET   /ui/readyz"} <= set(lines)


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schema"]) == 0
    assert msgspec.json.decode(capsys.readouterr().out)["title"] == "gateway.toml"
