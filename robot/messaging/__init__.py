"""Messages between robots and rules: their models, the inbox, the simulated bus."""
