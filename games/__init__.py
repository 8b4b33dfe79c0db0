"""What a game is: rules, judge, metrics, messages; and a folder a game."""
