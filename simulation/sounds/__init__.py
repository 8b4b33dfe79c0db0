"""What robots play, as samples and as WAV files."""
