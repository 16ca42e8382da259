import pytest

from partbook.message import Usage
from partbook.models.fault import decode_error, status_of


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b'{"error": {"message": "bad key", "code": "invalid_api_key"}}', "bad key"),
        (b'{"error": "model not found"}', "model not found"),
        (b'{"object": "error", "message": "too long", "code": 400}', "too long"),
        (b'{"detail": "Not Found"}', "Not Found"),
        (b'{"detail": [{"loc": ["body"], "msg": "field required"}]}', "field required"),
        (
            b'[{"error": {"code": 429, "message": "quota", "status": "RESOURCE_EXHAUSTED"}}]',
            "quota",
        ),
        (b'{"type": "error", "error": {"type": "overloaded_error"}}', "overloaded_error"),
        (
            b'{"error": {"message": "Provider returned error", "metadata": {"raw": "no GPU"}}}',
            "Provider returned error: no GPU",
        ),
        (b"upstream timed out\r\n", "upstream timed out"),
        (b"<html><h1>502</h1></html>", "an HTML page"),
        (b"", "no message"),
        (b"{}", "no message"),
        (b"null", "no message"),
        (b'{"error": {"message": ["a", {"b": 1}]}}', "a"),
        (b"\x1b[31mred\x07\nline", "[31mred line"),
        (b"\xff\xfe", "\ufffd\ufffd"),
    ],
)
def test_the_providers_message_is_found_in_every_shape(body, message):
    error = decode_error(418, body)

    assert str(error) == f"418: {message}"
    assert (error.status, error.usage) == (418, Usage())


def test_a_long_message_is_cut():
    error = decode_error(500, b'{"error": "' + b"x" * 10_000 + b'"}')

    assert str(error) == "500: " + "x" * 499 + "…"


def test_a_deep_body_is_no_danger():
    assert str(decode_error(500, b"[" * 60_000)) == "500: " + "[" * 499 + "…"
    assert str(decode_error(500, b"[" * 500 + b"]" * 500)) == "500: no message"
    deep = b'{"error": ' * 300 + b'"down here"' + b"}" * 300
    assert str(decode_error(500, deep)) == "500: no message"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        ({"code": 429}, 429),
        ({"code": "503"}, 503),
        ({"code": "rate_limit_exceeded", "type": "requests"}, 429),
        ({"code": 8, "status": "RESOURCE_EXHAUSTED"}, 429),
        ({"type": "overloaded_error"}, 529),
        ({"code": None, "type": "server_error"}, 500),
        ({"code": "9" * 5000}, None),
        ({"code": 200}, None),
        ({"code": True}, None),
        ({"code": ["x"]}, None),
        ("busy", None),
        (None, None),
    ],
)
def test_the_status_of_an_error_inside_a_reply_is_read_from_its_number_or_its_word(error, status):
    assert status_of(error) == status
