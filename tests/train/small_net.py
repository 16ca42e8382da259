"""The smallest net that a test can train: changes of preset `tiny`."""

SMALL_NET = ["policy.hidden=32", "policy.inner=32", "policy.layers=['conv', 'attention']"]
