"""A pool file from somebody else: what is wrong in it is said, and reading it does nothing else."""

import asyncio
import os
import subprocess
import sys
from pathlib import Path

import aiohttp
import pytest

from partbook.config import load_pool
from partbook.errors import ConfigError
from partbook.keys import key_of
from partbook.models.http import HttpModel
from partbook.pool import WorkerSpec
from partbook.toml_table import MOST_BYTES, read_toml

GOOD = """\
name = "mine"
[[workers]]
name = "far"
kind = "http"
model = "m"
endpoint = "http://127.0.0.1:9/v1"
"""


def written(folder: Path, text: str) -> str:
    path = folder / "pool.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_file_that_the_others_are_made_from_is_good(tmp_path):
    assert load_pool(written(tmp_path, GOOD)).workers[0].name == "far"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("retries = " + "9" * 5000, "a number has too many digits"),
        ("retries = 0x" + "f" * 20_000, "`retries` must be a number of at most 64 bits"),
        ("timeout_s = " + "9" * 400, "`timeout_s` must be a number of at most 64 bits"),
        ("timeout_s = nan", "`timeout_s` must be above 0, found nan"),
        ("timeout_s = inf", "`timeout_s` must be above 0, found inf"),
        ("timeout_s = -1", r"`timeout_s` must be above 0, found -1\.0"),
        ("context_window = 0", "`context_window` must be at least 1, found 0"),
        ("sampling = {temperature = nan}", "`temperature` must be 0 to 2"),
        ("card = " + "[" * 100_000, "nested too deep"),
        ("card = " + "{a=" * 100_000, "nested too deep"),
        ("card" + ".a" * 100_000 + " = 1", "a key with more than 64 parts"),
        ("card" + '."a b"' * 100_000 + " = 1", "a key with more than 64 parts"),
        ("card = '''" + "x" * MOST_BYTES + "'''", f"a file of at most {MOST_BYTES} bytes"),
        ('card = ["' + "x" * 100_000 + '"]', r"`card` must be text, found \['x+\.\.\.x+'\]"),
        ('card = "\\ud800"', "not a Unicode scalar value"),
        ('key_file = "a\\u0000b"', r"`key_file` holds a control character: 'a\\x00b'"),
        ('key_file = "~nobody-at-all/key"', "`key_file`: ~nobody-at-all/key"),
        ('__class__ = "x"', "unknown key `__class__`"),
        ("x" * 100_000 + " = 1", r"unknown key `'x+\.\.\.x+'`"),
        ('"\\u001b[2J" = 1', r"unknown key `'\\x1b\[2J'`"),
    ],
)
def test_what_would_hold_up_or_break_the_reader_is_refused(tmp_path, text, message):
    path = written(tmp_path, GOOD + text + "\n")

    with pytest.raises(ConfigError, match=message) as failure:
        load_pool(path)

    assert str(failure.value).startswith(path)
    assert len(str(failure.value)) < 500 + len(path)


def test_a_text_with_many_dots_is_no_key_with_many_parts(tmp_path):
    text = "card = '''" + "1.2.3. " * 20_000 + "'''\n"

    assert load_pool(written(tmp_path, GOOD + text)).workers[0].card.startswith("1.2.3. 1.2")


@pytest.mark.parametrize("key", ["name", "model", "endpoint"])
@pytest.mark.parametrize("mark", ["\\u001b[2J", "\\u202e", "\\u0000", "\\n"])
def test_what_is_shown_in_messages_moves_no_cursor(tmp_path, key, mark):
    text = GOOD.replace(f'{key} = "', f'{key} = "{mark}')
    text = text.replace(f'name = "{mark}mine"', 'name = "mine"')

    with pytest.raises(ConfigError, match=f"`{key}` holds a control character") as failure:
        load_pool(written(tmp_path, text))

    assert str(failure.value).isprintable()


def test_ten_thousand_workers_are_read_at_once(tmp_path):
    workers = "".join(
        f'[[workers]]\nname = "w{i}"\nkind = "calculator"\nfallbacks = ["w0"]\n'
        for i in range(1, 10_000)
    )
    first = '[[workers]]\nname = "w0"\nkind = "calculator"\n'

    assert len(load_pool(written(tmp_path, f'name = "x"\n{first}{workers}')).workers) == 10_000


def test_an_endless_file_is_not_read_to_its_end():
    with pytest.raises(ConfigError, match=f"a file of at most {MOST_BYTES} bytes"):
        read_toml(Path("/dev/zero"))


@pytest.mark.parametrize(
    ("endpoint", "message"),
    [
        ("http://169.254.169.254/latest", "is a link-local address"),
        ("http://2852039166/latest", "is a link-local address"),
        ("http://0xa9fea9fe/latest", "is a link-local address"),
        ("http://[::ffff:169.254.169.254]/", "is a link-local address"),
        ("http://[fe80::1]/v1", "is a link-local address"),
        ("https://me:secret@host/v1", "^the endpoint at host holds a user name or password"),
        ("https://host/v1?api_key=secret", "^the endpoint at host holds a key"),
        ("file:///etc/passwd", "expected a URL like"),
        ("ftp://host/v1", "expected a URL like"),
        ("javascript:alert(1)", "expected a URL like"),
        ("//host/v1", "expected a URL like"),
        ("http://host:99999/v1", "expected a URL like"),
    ],
)
async def test_an_endpoint_that_is_none_is_refused(endpoint, message):
    async with aiohttp.ClientSession() as session:
        with pytest.raises(ConfigError, match=message) as failure:
            HttpModel(session, endpoint, "m")

    assert "secret" not in str(failure.value)


@pytest.mark.parametrize("place", ["../key", "/etc/passwd", "/dev/zero", "/proc/self/environ"])
def test_a_key_file_elsewhere_is_read_only_where_it_is_ones_own_and_nobody_elses(tmp_path, place):
    """The path may lead anywhere, so what is there must look like a key of one's own."""
    (tmp_path / "key").write_text("two\nlines")
    (tmp_path / "key").chmod(0o600)
    (tmp_path / "pools").mkdir()
    spec = load_pool(written(tmp_path / "pools", f'{GOOD}key_file = "{place}"\n')).workers[0]

    with pytest.raises(ConfigError) as failure:
        key_of(spec)

    assert "two" not in str(failure.value)
    assert "root:" not in str(failure.value)


def test_reading_a_pool_starts_nothing_and_makes_nothing(tmp_path):
    names = ["x$(touch was-here)", "`touch was-here`", "{0.__class__}", "%(x)s", "__import__('os')"]
    for i, name in enumerate(names):
        text = GOOD.replace('"far"', f'"{name}"') + f'card = "{name}"\ninstructions = "{name}"\n'
        assert load_pool(written(tmp_path, text)).workers[0].card == names[i]

    assert os.listdir(tmp_path) == ["pool.toml"]


HOSTILE_CARD = GOOD + 'card = "\\u001b]0;owned\\u0007 [/bold] [link=http://x]"\n'


def run(folder: Path, *command: str) -> tuple[int, str]:
    told = subprocess.run(
        [sys.executable, "-m", "partbook", *command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=os.environ | {"COLUMNS": "200"},
    )
    return told.returncode, told.stdout + told.stderr


def test_the_command_line_shows_a_hostile_pool_without_obeying_it(tmp_path):
    path = written(tmp_path, HOSTILE_CARD.replace('"m"', '"[/bold]"'))

    status, told = run(tmp_path, "pool", "check", path)

    assert (status, "Traceback" in told, "\x1b" in told) == (1, False, False)
    assert "[/bold]" in told


def test_names_that_look_like_markup_are_shown_as_they_are(tmp_path):
    path = written(tmp_path, 'name = "x"\n[[workers]]\nname = "[/b]"\nkind = "calculator"\n')
    (tmp_path / "plan.toml").write_text(
        'name = "plan"\n[[steps]]\nworker = "[/b]"\nsubtask = "6*7"\n'
    )

    status, told = run(tmp_path, "workflow", "check", "plan.toml", "--pool", path)

    assert (status, "Traceback" in told, "[/b]" in told) == (0, False, True)


def test_a_spec_that_names_no_key_has_none():
    assert key_of(WorkerSpec("far", "http")) is None


def test_the_reader_is_quick_on_texts_that_look_like_keys(tmp_path):
    """Of 100,000 letters in a row, and of as many quotes; a slow pattern would take minutes."""

    async def reading() -> None:
        for text in ("x" * 100_000, '"' * 100_000, "a-" * 50_000, '"a" ' * 25_000):
            with pytest.raises(ConfigError):
                await asyncio.to_thread(read_toml, Path(written(tmp_path, text)))

    async def bounded() -> None:
        async with asyncio.timeout(20):
            await reading()

    asyncio.run(bounded())
