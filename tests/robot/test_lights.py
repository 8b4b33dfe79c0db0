"""The light ring: frames, animations, who overrides whom, and its release."""

import pytest
from helpers.all_shows import LIGHTS
from hypothesis import given
from hypothesis import strategies as st

from arena_trees.robot.clock import SECOND, from_seconds
from arena_trees.robot.show.lights import LEDS, OFF, Light, LightPlayer

TICK = SECOND // 50
FRAME = 150_000_000
NAMES = st.sampled_from(sorted(LIGHTS))
COMMANDS = st.lists(st.tuples(st.integers(0, 100), NAMES, st.integers(0, 3)), max_size=12)
"""Ticks since the command before, light, priority."""


def test_a_static_colour_is_the_same_on_all_lights_to_its_end_and_no_longer():
    player, chase = LightPlayer(), LIGHTS["CHASE"]
    assert player.frame(0) is None
    assert player.show(chase, 0, 5)
    for now in (5, 5 + FRAME, 4 + 2 * SECOND):
        assert player.frame(now) == ((255, 120, 0),) * LEDS
    assert player.frame(5 + 2 * SECOND) is None


def test_an_animation_shows_its_frames_in_turn_and_begins_again():
    player, grant = LightPlayer(), LIGHTS["GRANT"]
    player.show(grant, 0, 0)
    seen = [player.frame(number * FRAME) for number in range(10)]
    assert seen == [*grant.frames, *grant.frames[:4]]
    assert [player.frame(number * FRAME - 1) for number in range(1, 11)] == seen


def test_a_new_command_overrides_a_running_animation_and_off_releases_it():
    player = LightPlayer()
    player.show(LIGHTS["WIN"], 2, 0)
    assert not player.show(LIGHTS["PELLET"], 0, FRAME)
    assert player.frame(FRAME) == LIGHTS["WIN"].frames[1]
    assert player.show(LIGHTS["GAME_OVER"], 2, 2 * FRAME)
    assert player.frame(2 * FRAME) == LIGHTS["GAME_OVER"].frames[0]
    assert player.show(OFF, 0, 3 * FRAME)
    assert player.frame(3 * FRAME) is None
    assert player.show(LIGHTS["PELLET"], 0, 3 * FRAME)


@given(COMMANDS)
def test_one_light_at_a_time_and_the_base_has_its_ring_back_in_the_end(commands):
    player, now, mine = LightPlayer(), 0, None
    for ticks, name, priority in commands:
        now += ticks * TICK
        before = player.frame(now)
        running = mine is not None and before is not None
        light = LIGHTS[name]
        let_in = player.show(light, priority, now)
        assert let_in == (not light.frames or not running or priority >= mine[1])
        if let_in:
            mine = (light, priority, now) if light.frames else None
        shown = player.frame(now)
        if mine is None:
            assert shown is None
        elif now < mine[2] + from_seconds(mine[0].seconds):
            assert shown == mine[0].frames[(now - mine[2]) // FRAME % len(mine[0].frames)]
        assert let_in or shown == before
    assert player.frame(now + 20 * SECOND) is None


@pytest.mark.parametrize("frames", [(((0, 0, 0),) * 5,), (((0, 0, 256),) * 6,), (((0, -1, 0),) * 6,)])
def test_a_frame_that_no_ring_can_show_is_refused(frames):
    with pytest.raises(ValueError, match="light ODD"):
        Light("ODD", frames, 1.0)


@pytest.mark.parametrize("light", LIGHTS.values(), ids=lambda light: light.name)
def test_every_light_fits_the_ring_and_ends(light):
    assert LIGHTS[light.name] is light
    assert 0.0 < light.seconds <= 10.0 or light is OFF
    # An animation that ends before its last frame was drawn in vain.
    assert len(light.frames) * 0.15 <= light.seconds or len(light.frames) <= 1
