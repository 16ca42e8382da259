import pytest

from partbook.models.parameters import Known, Parameters, refused_parameter


@pytest.mark.parametrize(
    ("body", "name"),
    [
        (
            b'{"error": {"message": "Unsupported value: \'temperature\' does not support 0.2 with '
            b'this model. Only the default (1) value is supported."}}',
            "temperature",
        ),
        (
            b'{"error": "Unrecognized request argument supplied: reasoning_effort"}',
            "reasoning_effort",
        ),
        (b'{"error": {"message": "property \'seed\' is unsupported"}}', "seed"),
        (
            b'{"error": {"message": "`temperature` and `top_p` cannot both be specified"}}',
            "temperature",
        ),
        (b"Argument not supported on this model: stop", "stop"),
        (b'{"detail":"Unexpected fields in the request: {\'seed\'}"}', "seed"),
        (b'{"error": {"message": "Unknown parameter: \'stream_options\'"}}', "stream_options"),
        (
            b'{"error": {"message": "max_tokens is too large: 99999. At most 4096 is allowed"}}',
            None,
        ),
        (b'{"error": {"message": "max_tokens: 9 > 8, which is the maximum allowed"}}', None),
        (b'{"error": {"message": "this language is not supported"}}', None),
        (b'{"error": {"message": "not supported", "param": "messages[0].role"}}', None),
        (b'{"error": {"code": ["x"], "param": 3, "detail": [[]]}}', None),
        (b"[" * 60_000, None),
        (b"\xff", None),
        (b"", None),
    ],
)
def test_only_a_parameter_that_is_not_taken_at_all_is_found(body, name):
    assert refused_parameter(body) == name


SENT = b'{"model":"m","temperature":1,"max_tokens":5}'


def test_what_is_refused_twice_is_learned_once():
    parameters = Parameters("max_tokens")
    reply = b'{"error": "temperature is not supported"}'

    first = parameters.learn(Known("max_tokens"), SENT, reply, "m")
    second = parameters.learn(parameters.known, SENT, reply, "m")

    assert (first, second) == (True, False)
    assert parameters.known.refused == {"temperature"}


def test_a_call_that_was_sent_before_it_was_learned_is_made_again():
    parameters = Parameters("max_tokens")
    reply = b'{"error": "temperature is not supported"}'
    before = parameters.known
    parameters.learn(before, SENT, reply, "m")

    assert parameters.learn(before, SENT, reply, "m")


def test_what_was_not_sent_was_not_refused():
    parameters = Parameters("max_tokens")
    reply = b'{"error": "images are not supported, stop sending them"}'
    request = b'{"messages":[{"content":"write \\"stop\\": 1"}]}'

    assert not parameters.learn(parameters.known, request, reply, "m")
    assert parameters.known == Known("max_tokens")
