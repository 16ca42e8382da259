"""ChatModels: what answers a chat, and the wrappers around it."""
