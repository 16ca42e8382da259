"""One OpenAI-compatible endpoint in front of a pool: requests in, answers and streams out.

The command line opens pool, Conductor and store and hands them over as a `served.Served`. `app.py`
puts the routes together. A request is read by `chat_request.py` (those of other APIs are translated
for it), played as a `job.Job`, and sent by `whole.py` or `stream.py` in the words of its API's
dialect. Starlette and uvicorn, of the extra `serve`, are imported with this package's modules, so
the command line imports them late.
"""
