import pytest

from partbook.sandbox.limits import SandboxLimits
from partbook.sandbox.program import Program


def test_limits_that_no_program_could_keep_are_refused():
    with pytest.raises(ValueError, match="above 0"):
        SandboxLimits(wall_s=0)
    with pytest.raises(ValueError, match="at least 1"):
        SandboxLimits(processes=0)


@pytest.mark.parametrize("name", ["/etc/x", "../x", "a/../../x", "", ".", "a\0b"])
def test_files_outside_the_programs_folder_are_refused(name: str):
    with pytest.raises(ValueError, match="relative path"):
        Program({"main.py": b"", name: b""}, "main.py", b"")


def test_an_entry_that_is_not_there_is_refused():
    with pytest.raises(ValueError, match=r"entry 'b.py' is not one of \['a.py'\]"):
        Program({"a.py": b""}, "b.py", b"")
