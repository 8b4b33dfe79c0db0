"""The lights and songs of every game, by name."""

from arena_trees.games.crossroads.cues import SHOWS as CROSSROADS
from arena_trees.games.pacman.cues import SHOWS as PACMAN
from arena_trees.games.wolf_rabbit.cues import SHOWS as WOLF_RABBIT

SHOWS = {**WOLF_RABBIT, **PACMAN, **CROSSROADS}
LIGHTS = {show.light.name: show.light for show in SHOWS.values()}
SONGS = {show.song.name: show.song for show in SHOWS.values() if show.song is not None}
