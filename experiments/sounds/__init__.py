"""The sounds that robots play, as samples and WAV files."""
