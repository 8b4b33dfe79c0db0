"""What robots play, as samples and WAV files."""
