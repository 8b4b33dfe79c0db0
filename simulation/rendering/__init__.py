"""How the arena looks: scenes, light, pictures of them, and datasets of such pictures."""
