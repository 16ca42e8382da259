from decimal import Decimal

import pytest

from partbook.errors import ConfigError, WorkflowError
from partbook.message import Usage
from partbook.price import Price
from partbook.simulate.assumed import read_stated
from partbook.simulate.figures import Assumed, Provider
from partbook.simulate.training import Policy

FILE = """
[[workers]]
name = "a"
p50_s = 8
p95_s = 30
read_tokens = 1200
written_tokens = 600
failing = 0.01
price = { input_usd = 1.25, output_usd = 10 }
provider = { concurrency = 20, refuses = true, retry_after_s = 2 }
[[workers]]
name = "*"
max_concurrency = 64
[[workflows]]
share = 3
proposals = 1
steps = ["a", "*"]
[[workflows]]
steps = ["a", "a", "a"]
access = [[], [], [0, 1]]
[policy]
generate_s = 90
update_s = 120
[endpoint]
processes = 2
cpu_ms = 0.8
process_mb = 90
request_kb = 200
"""


def stated(tmp_path, text):
    path = tmp_path / "figures.toml"
    path.write_text(text)
    return read_stated(path)


def test_a_file_says_what_nobody_measured(tmp_path):
    found = stated(tmp_path, FILE)

    worker = found.of("a")
    assert worker.calls == Assumed(8.0, 30.0, Usage(1200, 600), "assumed (figures.toml)")
    assert worker.price == Price(Decimal("1.25"), Decimal("10.0"))
    assert worker.faults == {"overloaded": 0.01}
    assert worker.provider == Provider(20, True, 2.0)
    assert (found.of("b").max_concurrency, found.of("b").calls) == (64, None)
    assert found.policy == Policy(90.0, 120.0, "assumed (figures.toml)")
    assert found.endpoint is not None
    assert (found.endpoint.processes, found.endpoint.cpu_s) == (2, 0.0008)
    assert (found.endpoint.base_bytes, found.endpoint.request_bytes) == (90 * 2**20, 204_800)
    assert found.mix is not None
    assert found.mix.shares == [3.0, 1.0]
    assert [plan.workers for plan in found.mix.plans] == [["a", "*"], ["a", "a", "a"]]
    assert [s.access for s in found.mix.plans[0].rounds[0].steps] == [(), (0,)]
    assert [s.access for s in found.mix.plans[1].rounds[0].steps] == [(), (), (0, 1)]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[[workers]]\nname = "a"\np50 = 3', "did you mean `p50_s`"),
        ('[[workers]]\nname = "a"\np50_s = 3', "`read_tokens` and `written_tokens` are missing"),
        ('[[workers]]\nname = "a"\nread_tokens = 3', "need `p50_s`"),
        ('[[workers]]\nname = "a"\nfailing = 2', "`failing` must be from 0 to 1"),
        ('[[workers]]\nname = "a"\nfailing = 0.1\nfault = "x"', "`fault` must be one of"),
        ('[[workers]]\nname = "a"\nmax_concurrency = 0', "`max_concurrency` must be 1 or more"),
        ('[[workers]]\nname = "a"\n[[workers]]\nname = "a"', "has a table already"),
        ('[[workers]]\nname = "a"\nprovider = {}', "`concurrency` is missing"),
        ('[[workflows]]\nsteps = ["a"]\naccess = [[], []]', "a list of `access` for each"),
        ('[[workflows]]\nsteps = ["a"]\naccess = [["0"]]', "must be lists of the numbers"),
        ('[[workflows]]\nshare = -1\nsteps = ["a"]', "shares of 0 or more"),
        ('[[workflows]]\nshare = nan\nsteps = ["a"]', "shares of 0 or more"),
        (
            '[[workers]]\nname = "a"\nprovider = { concurrency = 1, retry_after_s = -1 }',
            "`retry_after_s` must be 0 or more, found -1",
        ),
        ("[policy]\ngenerate_s = 1", "`update_s` is missing"),
        ("[policy]\ngenerate_s = 0\nupdate_s = 0", "not 0 for both; found 0 and 0"),
        ("[policy]\ngenerate_s = nan\nupdate_s = 1", "seconds of 0 or more were expected"),
        ("[endpoint]\ncpu_ms = nan", "`cpu_ms` and memory must be 0 or more"),
        ("[endpoint]\ncpu_ms = -1", "`cpu_ms` and memory must be 0 or more"),
    ],
)
def test_what_is_wrong_with_a_file_is_said(tmp_path, text, message):
    with pytest.raises(ConfigError, match=message):
        stated(tmp_path, text)


def test_a_workflow_that_cannot_be_played_is_refused(tmp_path):
    with pytest.raises(WorkflowError, match="access 0 is not an earlier step"):
        stated(tmp_path, '[[workflows]]\nsteps = ["a"]\naccess = [[0]]')


def test_figures_of_a_worker_who_is_not_in_the_pool_are_refused(tmp_path):
    found = stated(tmp_path, '[[workers]]\nname = "gpt5"\n[[workers]]\nname = "*"')

    with pytest.raises(ConfigError, match="for a worker 'gpt5', the pool has gpt-5"):
        found.check_names(["gpt-5"], "the pool")
