"""Ways through space and time: past what moves, and before what hunts."""
