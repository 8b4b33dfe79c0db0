"""The arena's strategy for PacMan: time margins against foreseen ghosts, and the whole route in view."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix
from scipy.spatial import cKDTree

from arena_trees.control.evasion.hunted_search import HuntedSearch, HuntedTask
from arena_trees.control.evasion.hunters import Hunter
from arena_trees.control.evasion.timed_grid import TimedGrid
from arena_trees.control.evasion.timed_search import Prize, TimedSearch, TimedWay
from arena_trees.control.navigation.free_space import FreeSpace
from arena_trees.games.pacman.messages import PacmanGame, Pellet
from arena_trees.games.pacman.planning.ghost_forecast import ForecastParameters, GhostForecast
from arena_trees.games.pacman.planning.ghost_hunting import HuntBelief
from arena_trees.games.pacman.planning.pellet_planner import Intent, Plan, PlannerParameters
from arena_trees.games.pacman.planning.pellet_route import PelletRoute
from arena_trees.robot.clock import to_seconds
from arena_trees.robot.geometry import Pose2D, wrap

__all__ = ["ArenaPlanner"]

_RETREAT = 0.5
"""s; a goal from which what is left takes so much longer lies away from it."""
_HALVING = 30.0
"""s; once patience is over, danger counts half as much after each."""
_LEAST_CAUTION = 0.02
"""Share of its cost that danger keeps."""
_LINGERS = 1.0
"""s in which a pellet is collected from a cell that is near enough to it; the robot may stand at the cell's edge."""
_SUSPECTED = 0.15
"""A ghost that is less likely to go for the robot is foreseen as one that goes elsewhere."""
_NEAR = 3.0
"""m; at that distance of a ghost power is worth a third of what it is worth next to it."""
_ONWARD = 3
"""Cells by which a way is looked along for its direction."""
_GRAZE = 0.02
"""m by which a straight line may come nearer to a wall than the grid's cells do."""


class ArenaPlanner:
    """Plans the way of the robot through time.

    Each ghost is foreseen (:class:`~arena_trees.games.pacman.planning.ghost_forecast.GhostForecast`): how likely it is
    to be near each cell at each of the next instants, and, as far as it is believed to hunt
    (:class:`~arena_trees.games.pacman.planning.ghost_hunting.HuntBelief`), where the robot's own way would lead it
    (:class:`~arena_trees.control.evasion.hunted_search.HuntedSearch`). Being there costs time in proportion; so does
    every second until the last pellet, by the shortest tour through all that are left. A power pellet is worth the more
    the nearer ghosts that go for the robot are, and is left while they are frightened. The cheapest way through space
    and time is taken: it collects, evades, waits or slips past, whatever costs least.

    Args:
        space: where the robot may be
        parameters: of the planner
        rng: random numbers of the forecast
    """

    def __init__(self, space: FreeSpace, parameters: PlannerParameters, rng: np.random.Generator) -> None:
        self.space = space
        self.parameters = parameters
        self.grid = TimedGrid(space)
        self.route = PelletRoute(space)
        self.forecast = GhostForecast(self.grid, ForecastParameters(), rng)
        self.hunts = HuntBelief(self.grid)
        reported = parameters.look_ahead / parameters.speed
        self.search = TimedSearch(self.grid, parameters.speed, parameters.horizon, reported)
        self.hunted = HuntedSearch(
            self.grid,
            parameters.speed,
            parameters.turn_speed,
            parameters.horizon,
            reported,
            parameters.danger_inner,
            parameters.danger_inner + parameters.hunted_band,
        )
        self._tree = cKDTree(self.grid.points)
        self._reach = _reach(self.grid.points, parameters.danger_inner, parameters.danger_outer)
        layers = np.arange(self.search.layers) * self.search.period
        self._fading = np.exp(-layers / parameters.fading).astype(np.float32)
        self._hunted_fading = np.exp(-layers / parameters.hunted_fading).astype(np.float32)
        self._pickups: dict[tuple[float, float], NDArray[np.intp]] = {}
        self._after: dict[tuple[int, tuple[int, ...]], NDArray[np.float32]] = {}
        self._left = -1
        self._since = 0
        self._beside: tuple[int, int] | None = None
        self._way: NDArray[np.float64] = np.empty((0, 2))

    def reset(self) -> None:
        """Forget the ghosts: a new game begins."""
        self.forecast.reset()
        self.hunts.reset()
        self._after.clear()
        self._left = -1
        self._beside = None
        self._way = np.empty((0, 2))

    def watch(self, game: PacmanGame) -> None:
        """Take in where the ghosts are now; more often than :meth:`decide` where that is cheap."""
        for ghost in game.ghosts:
            self.forecast.watch(ghost)

    def decide(self, pose: Pose2D, game: PacmanGame, now: int) -> Plan:
        """Return where to go now.

        Args:
            pose: of the robot, map frame
            game: its state
            now: when that was received, ns
        """
        self.watch(game)
        for ghost in game.ghosts:
            self.hunts.watch(ghost, (pose.x, pose.y))
        start = self.space.nearest(pose.x, pose.y)
        if not game.pellets:
            return Plan(Intent.WAIT, (pose.x, pose.y))
        rests = self.route.rests(game.pellets, start)
        speed = self.parameters.speed
        beyond = np.min([self.route.field(pellet) + rests[pellet.id] for pellet in game.pellets], axis=0) / speed
        power = np.float32(self._power_worth(pose, game))
        prizes = [self._prize(pellet, game, start, rests[pellet.id], power) for pellet in game.pellets]
        price = np.float32(self.parameters.danger_cost * self.search.period * self._caution(game, now))
        danger = self._danger(game) * (price * self._fading)[:, None]
        hunters = self._hunters(game)
        if hunters:
            deadly = price * self._hunted_fading
            heading, back = self._heading(pose), self.parameters.turning_back
            task = HuntedTask(danger, beyond.astype(np.float32), prizes, hunters, deadly, heading, back)
            path = self.hunted.run(task, start, pose.yaw)
        else:
            path = self.search.run(danger, beyond.astype(np.float32), prizes, start, self._delays(pose, start))
        self._way = self.grid.points[list(path.cells)]
        taken = None if path.prize is None else game.pellets[path.prize]
        if self._lingers(taken if path.prize is not None and start in prizes[path.prize].cells else None, now):
            assert taken is not None
            place = (taken.x, taken.y)
            return Plan(Intent.COLLECT, place, taken.id, ((pose.x, pose.y), place), path.danger)
        return self._plan(path, danger, beyond, pose, game)

    def _heading(self, pose: Pose2D) -> float | None:
        """Return the direction (map frame, rad) in which the last way goes on from here, if it does."""
        if len(self._way) < 2:
            return None
        nearest = int(np.argmin(np.hypot(*(self._way - (pose.x, pose.y)).T)))
        ahead = self._way[min(nearest + _ONWARD, len(self._way) - 1)] - (pose.x, pose.y)
        return None if math.hypot(*ahead) < self.space.spacing else math.atan2(ahead[1], ahead[0])

    def _lingers(self, pellet: Pellet | None, now: int) -> bool:
        """Return whether the robot has been in a cell where a pellet is taken, and the pellet there, for long (ns)."""
        if pellet is None:
            self._beside = None
            return False
        if self._beside is None or self._beside[0] != pellet.id or now < self._beside[1]:
            self._beside = pellet.id, now
        return to_seconds(now - self._beside[1]) >= _LINGERS

    def prepare(self, game: PacmanGame) -> None:
        """Order the pellets of a game that will begin."""
        if game.pellets and game.home is not None:
            self.route.rests(game.pellets, self.space.nearest(game.home.x, game.home.y))

    def _power_worth(self, pose: Pose2D, game: PacmanGame) -> float:
        """Return what it is worth to frighten the ghosts now, s: most where one that goes for the robot is near it."""
        awake = [ghost for ghost in game.ghosts if not ghost.frightened]
        if not awake:
            return -self.parameters.power_wasted if game.ghosts else 0.0
        near = (
            math.exp(-pose.distance_to(ghost.x, ghost.y) / _NEAR) * self.hunts.chance(ghost.name) for ghost in awake
        )
        return self.parameters.power_worth * max(near)

    def _prize(self, pellet: Pellet, game: PacmanGame, start: int, rest: float, power: np.float32) -> Prize:
        """Return what taking a pellet is worth: from which side it is touched depends on what comes next."""
        prize = self._plain_prize(pellet, game, start, rest)
        return Prize(prize.cells, prize.rest - power) if pellet.power else prize

    def _plain_prize(self, pellet: Pellet, game: PacmanGame, start: int, rest: float) -> Prize:
        cells = self._pickup(pellet)
        others = tuple(other for other in game.pellets if other.id != pellet.id)
        if not others or not self.route.is_exact(len(others)):
            return Prize(cells, np.full(len(cells), rest / self.parameters.speed, np.float32))
        key = (pellet.id, tuple(other.id for other in others))
        if key not in self._after:
            rests = self.route.rests(others, start)
            paths = [self.route.field(other)[cells] + rests[other.id] for other in others]
            self._after[key] = (np.min(paths, axis=0) / self.parameters.speed).astype(np.float32)
        return Prize(cells, self._after[key])

    def _pickup(self, pellet: Pellet) -> NDArray[np.intp]:
        place = (pellet.x, pellet.y)
        if place not in self._pickups:
            near = self.grid.within(*place, self.parameters.pickup)
            self._pickups[place] = near if near.size else np.array([self.space.nearest(*place)])
        return self._pickups[place]

    def _hunters(self, game: PacmanGame) -> list[Hunter]:
        """Return the ghosts that may hunt."""
        return [
            Hunter(ghost.x, ghost.y, ghost.speed, self.hunts.chance(ghost.name))
            for ghost in game.ghosts
            if not ghost.frightened and self.hunts.chance(ghost.name) > _SUSPECTED
        ]

    def _danger(self, game: PacmanGame) -> NDArray[np.float32]:
        """Return how deadly ghosts that do not hunt make each cell during each layer, shape (layers, n)."""
        danger = np.zeros((self.search.layers, len(self.grid)), np.float32)
        for ghost in game.ghosts:
            if ghost.frightened:
                continue
            presence = self.forecast.presence(ghost, self.search.layers, self.search.period)
            chance = self.hunts.chance(ghost.name)
            deadly = np.float32(1.0 - chance if chance > _SUSPECTED else 1.0) * (self._reach @ presence.T).T
            # One dies once: as if ghosts were independent, so that a crowd leaves no place worse than deadly.
            danger += deadly - danger * deadly
        return danger

    def _caution(self, game: PacmanGame, now: int) -> float:
        """Return by what danger counts less because nothing was collected for long: some ghosts wait for ever."""
        if len(game.pellets) != self._left or now < self._since:
            self._left, self._since = len(game.pellets), now
        late = to_seconds(now - self._since) - self.parameters.patience
        return max(_LEAST_CAUTION, 0.5 ** (late / _HALVING)) if late > 0.0 else 1.0

    def _delays(self, pose: Pose2D, start: int) -> NDArray[np.intp]:
        """Return the layers that it takes to turn towards each neighbour, shape (8,)."""
        delays = np.zeros(8, np.intp)
        here = self.grid.points[start]
        for number in range(8):
            table = self.grid.straight if number < 4 else self.grid.diagonal
            neighbour = int(table[number % 4, start])
            if neighbour < len(self.grid):
                dx, dy = self.grid.points[neighbour] - here
                turn = abs(wrap(math.atan2(dy, dx) - pose.yaw))
                delays[number] = round(max(0.0, turn - 0.5) / self.parameters.turn_speed / self.search.period)
        return delays

    def _plan(
        self,
        path: TimedWay,
        danger: NDArray[np.float32],
        beyond: NDArray[np.float64],
        pose: Pose2D,
        game: PacmanGame,
    ) -> Plan:
        """Return what of the way is to be driven now; away from what is left, or through danger, it is an evasion."""
        prize = None if path.prize is None else game.pellets[path.prize].id
        last = self._until_wait(path)
        if last == 0:
            return Plan(Intent.WAIT, (pose.x, pose.y), prize, danger=path.danger)
        cell = path.cells[self._straight(path, danger, pose, last)]
        goal = self.space.point(cell)
        retreats = prize is None and beyond[cell] > beyond[path.cells[0]] + _RETREAT
        intent = Intent.EVADE if retreats or path.danger >= self.parameters.uneasy else Intent.COLLECT
        return Plan(intent, goal, prize, ((pose.x, pose.y), goal), path.danger)

    def _until_wait(self, path: TimedWay) -> int:
        """Return the place on the way of its first wait."""
        for k in range(1, len(path.cells)):
            if path.cells[k] == path.cells[k - 1]:
                return k - 1
        return len(path.cells) - 1

    def _straight(self, path: TimedWay, danger: NDArray[np.float32], pose: Pose2D, last: int) -> int:
        """Return the farthest place of the way that can be driven to in a straight line, as safely as on the way.

        The grid knows eight directions only; straight lines save up to a twelfth of the way.
        """
        nearest = 1
        for k in range(2, last + 1):
            x, y = self.space.point(path.cells[k])
            length = math.hypot(x - pose.x, y - pose.y)
            if length > self.parameters.look_ahead or not self._sees(pose, x, y, length):
                break
            layers = np.arange(path.layers[0], min(path.layers[k], self.search.layers))
            share = (layers / max(1, path.layers[k]))[:, None]
            cells = self._tree.query((pose.x, pose.y) + share * (x - pose.x, y - pose.y))[1]
            on_way = sum(float(danger[layer, c]) for c, layer in zip(path.cells[:k], path.layers[:k], strict=True))
            if float(danger[layers, cells].sum()) > 2.0 * on_way + 0.5:
                break
            nearest = k
        return nearest

    def _sees(self, pose: Pose2D, x: float, y: float, length: float) -> bool:
        """Return whether the straight line to a point keeps clear of walls."""
        shares = np.linspace(0.0, 1.0, 2 + round(length / 0.05))[1:]
        area = self.space.map
        cosine, sine = math.cos(area.origin.yaw), math.sin(area.origin.yaw)
        dx = pose.x + shares * (x - pose.x) - area.origin.x
        dy = pose.y + shares * (y - pose.y) - area.origin.y
        columns = ((cosine * dx + sine * dy) / area.resolution).astype(np.intp).clip(0, area.shape[1] - 1)
        rows = ((cosine * dy - sine * dx) / area.resolution).astype(np.intp).clip(0, area.shape[0] - 1)
        return bool((area.clearance[rows, columns] >= self.space.roomy_m - _GRAZE).all())


def _reach(points: NDArray[np.float64], inner: float, outer: float) -> csr_matrix:
    """Return how deadly a ghost in one cell is in another: 1 up to the inner distance, 0 from the outer one on."""
    tree = cKDTree(points)
    pairs = tree.sparse_distance_matrix(tree, outer, output_type="coo_matrix")
    near = np.clip((outer - pairs.data) / (outer - inner), 0.0, 1.0).astype(np.float32)
    return csr_matrix((near, (pairs.row, pairs.col)), shape=pairs.shape)
