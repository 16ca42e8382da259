"""The presets themselves, one TOML file each."""
