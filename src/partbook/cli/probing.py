"""What a worker is asked to see whether it is there: something short that its kind can answer."""

from partbook.pool import WorkerSpec

__all__ = ["probe_of"]


def probe_of(spec: WorkerSpec) -> str:
    """The question.

    Raises:
        ConfigError: the worker's plug-in cannot be used.
    """
    if spec.plugged is not None:
        from partbook.plugins import WORKERS, load_plugin
        from partbook.worker_plugin import WorkerPlugin

        return load_plugin(WORKERS, spec.kind, WorkerPlugin).probe
    if spec.kind == "python":
        return "```python\nprint(6 * 7)\n```"
    return "6 * 7" if spec.kind == "calculator" else "Say OK."
