"""Configurations for `accelerate launch`, one YAML file each."""
