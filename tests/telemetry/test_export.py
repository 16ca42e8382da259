"""Spans of real processes, as they arrive at a collector."""

import subprocess
import sys

import pytest

pytest.importorskip("opentelemetry.sdk", reason="needs pip install 'partbook[otel]'")

from tests.launcher import Launcher
from tests.telemetry.collector import attributes, collecting

QUESTION = "Count the vowels in the word castle."


@pytest.fixture(scope="module")
def partbook(tmp_path_factory):
    """The command, started quickly."""
    imports = ("partbook.cli.playing", "partbook.store", "partbook.telemetry.export")
    launcher = Launcher(tmp_path_factory.mktemp("launcher"), *imports)
    yield launcher
    launcher.close()


def ask(partbook: Launcher, endpoint: str, **env: str) -> subprocess.CompletedProcess[str]:
    variables = {
        "OTEL_EXPORTER_OTLP_ENDPOINT": endpoint,
        "OTEL_EXPORTER_OTLP_HEADERS": "authorization=Basic c2VjcmV0",
    }
    return partbook.run("run", "-p", "lab", "-w", "chain", QUESTION, **variables, **env)


def test_the_spans_of_a_run_arrive_as_one_tree(partbook):
    with collecting() as collector:
        done = ask(partbook, collector.endpoint)

    assert (done.returncode, done.stderr) == (0, "")
    assert collector.tree() == [
        "invoke_workflow lab",
        "  round",
        "    invoke_agent gus",
        "      chat gus",
        "    invoke_agent val",
        "      chat val",
        "    invoke_agent gus",
        "      chat gus",
    ]
    assert {header["path"] for header in collector.headers} == {"/v1/traces"}
    assert {header["authorization"] for header in collector.headers} == {"Basic c2VjcmV0"}
    (resource,) = [r.resource for request in collector.requests for r in request.resource_spans]
    named = {pair.key: pair.value.string_value for pair in resource.attributes}
    assert named["service.name"] == "partbook"


def test_each_span_lies_within_its_parent_and_a_call_has_its_tokens_and_its_price(partbook):
    with collecting() as collector:
        ask(partbook, collector.endpoint)

    by_id = {span.span_id: span for span in collector.spans}
    for span in collector.spans:
        assert span.start_time_unix_nano <= span.end_time_unix_nano
        if span.parent_span_id:
            parent = by_id[span.parent_span_id]
            assert parent.start_time_unix_nano <= span.start_time_unix_nano
            assert span.end_time_unix_nano <= parent.end_time_unix_nano
    call = next(span for span in collector.spans if span.name == "chat val")
    said = attributes(call)
    assert said["gen_ai.provider.name"] == "partbook.lab"
    assert said["gen_ai.usage.input_tokens"] > 0
    assert said["partbook.cost_usd"] > 0


@pytest.mark.parametrize("wanted", [False, True])
def test_what_was_said_leaves_the_process_only_if_asked_for(partbook, wanted):
    with collecting() as collector:
        ask(partbook, collector.endpoint, PARTBOOK_OTEL_CONTENT="1" if wanted else "")

    sent = b" ".join(collector.bodies)
    assert (QUESTION.encode() in sent) is wanted
    assert (b"I do not understand" in sent) is wanted


def test_a_collector_that_refuses_does_not_fail_the_run(partbook):
    with collecting(status=400) as collector:
        done = ask(partbook, collector.endpoint)

    assert (done.returncode, done.stdout) == (0, "I do not understand what is to be done.\n")
    assert done.stderr == "note: 8 spans could not be sent to the collector\n"


def test_where_nobody_asks_for_spans_nothing_of_it_is_imported():
    script = (
        "import sys\n"
        "from partbook.cli.main import main\n"
        f"sys.argv[1:] = ['run', '-p', 'lab', '-w', 'single', {QUESTION!r}]\n"
        "try:\n    main()\n"
        "except SystemExit:\n    pass\n"
        "print([name for name in sys.modules if 'telemetry' in name])\n"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, timeout=60, check=True
    )

    assert done.stdout.splitlines()[-1] == "[]"
