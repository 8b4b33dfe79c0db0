"""The turret and the weapon behind the velocity gate: rates within what the body allows, and shots while it trusts.

Both are zero at once while the gate is latched and where the clock goes back. What stops the base alone does not
hold them: a robot that is blind, lost or without a command may aim, and fire.
"""

from __future__ import annotations

from typing import NamedTuple

from arena_trees.robot.clock import SECOND
from arena_trees.robot.turret import STEADY, TurretRates
from arena_trees.safety.caps import LONGEST_STEP, grown
from arena_trees.safety.reasons import GateReason
from arena_trees.world.body import Body, Turret

__all__ = ["AIM_NOT_FINITE", "Armed", "arm"]


AIM_NOT_FINITE = "turret rates not finite"
"""Why the gate is latched after turret rates with NaN or infinity."""


class Armed(NamedTuple):
    """What a turret and a weapon may do in one step.

    Attributes:
        rates: always finite, within limits, and no faster than asked
        fire: whether the weapon may fire
        reasons: why they may not do what was asked
    """

    rates: TurretRates = STEADY
    fire: bool = False
    reasons: tuple[str, ...] = ()


def arm(
    body: Body, before: TurretRates, elapsed: int | None, latched: bool, aim: TurretRates | None, fire: bool
) -> Armed:
    """Return what turret and weapon may do.

    Args:
        body: of the robot, with a turret and a barrel, or without
        before: rates that were let through in the step before
        elapsed: time since that step, ns, negative where the clock went back; None in the first
        latched: whether the gate is latched
        aim: rates that are asked for; None holds the turret still
        fire: whether the weapon shall fire; it does so once at one instant, and only from a barrel
    """
    trusted = not latched and (elapsed is None or elapsed >= 0)
    rates = STEADY
    reasons: tuple[str, ...] = ()
    if aim is not None and trusted:
        wanted = STEADY if body.turret is None else _capped(body.turret, aim)
        if wanted != aim:
            reasons = (GateReason.TURRET_CAP,)
        if body.turret is not None:
            growth = body.turret.acceleration * min((elapsed or 0) / SECOND, LONGEST_STEP)
            rates = TurretRates(grown(before.yaw, wanted.yaw, growth), grown(before.pitch, wanted.pitch, growth))
    if not fire:
        return Armed(rates, False, reasons)
    if trusted and body.barrel is not None and elapsed != 0:
        return Armed(rates, True, reasons)
    return Armed(rates, False, (*reasons, GateReason.WEAPON_HELD))


def _capped(turret: Turret, aim: TurretRates) -> TurretRates:
    """Return finite rates within the turret's own."""
    return TurretRates(_within(aim.yaw, turret.max_yaw_rate), _within(aim.pitch, turret.max_pitch_rate))


def _within(rate: float, limit: float) -> float:
    return min(max(rate, -limit), limit)
