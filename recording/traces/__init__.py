"""The ticks of a recording: how they are coded, and assertions about their order."""
