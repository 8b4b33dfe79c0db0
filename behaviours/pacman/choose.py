"""PacMan's choice of the next pellet, and of what to do about ghosts."""

from __future__ import annotations

from collections.abc import Callable

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour, PerceptBehaviour
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.behaviours.pacman.pellet_progress import PelletProgress
from arena_trees.behaviours.pacman.plan_request import PlanRequest
from arena_trees.games.pacman.blackboard import MAP_POSE, PLAN, PLANNING, Planning
from arena_trees.games.pacman.messages import PacmanGame, PacmanUnreached
from arena_trees.games.pacman.planning.pellet_planner import Intent, Plan
from arena_trees.games.pacman.planning.pellet_plans import Planned
from arena_trees.robot import keys
from arena_trees.robot.background import Background
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.geometry import Pose2D
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.repeat import Repeat

__all__ = ["ChoosePellet", "PlanIs"]

_REPEAT_S = 0.5
"""Period (s) at which pellets out of reach are reported again: messages get lost."""
_ABOUT = 3.0
"""m; a ghost that is nearer may be what keeps the robot from a pellet."""
_GAP_S = 0.5
"""s without a tick after which the game was not played meanwhile."""


class ChoosePellet(ActionBehaviour):
    """Ask for a plan when it is time, or when a pellet has gone, and take it when it comes. SUCCESS with a plan.

    It is RUNNING, and the robot stands, until the first plan comes; FAILURE where game or pose is unknown. Plans are
    computed in the background, and take effect ``plan_delay`` after the request, or later where they take longer.

    A pellet to which the robot gets no nearer for ``unreached_s``, or ``patience`` with ghosts about, is put aside: the
    leaf reports that, and plans for the others. While all that are left are put aside it plans for them, and reports to
    the game that the robot gave up.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * map_pose (Pose2D) [r]
        * plan (Plan) [w]: None where game or pose is unknown
        * planning (Planning) [w]: what is asked for, and what is put aside
        * command [w]: zero until the first plan comes
        * cues [w]: OUT_OF_REACH when a pellet is put aside
        * outbox [w]: ``pacman_unreached``, as long as any is

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        plans: returns the line to the :class:`~arena_trees.games.pacman.planning.pellet_plans.PelletPlans`; called when
            the tree is set up
    """

    plans: Background

    def __init__(self, name: str, robot: str, live: Live[PacmanParameters], plans: Callable[[], Background]) -> None:
        super().__init__(name, robot, (keys.INBOX, MAP_POSE), (PLAN, PLANNING))
        self.live = live
        self._find_plans = plans
        self._progress = PelletProgress()
        self._repeat = Repeat()
        self._reset()

    def _reset(self) -> None:
        self._request: PlanRequest | None = None
        self._asked_at: int | None = None
        self._made_of: int | None = None
        self._ticked_at: int | None = None
        self._pellets: int = 0
        self._seen: Received[PacmanGame] | None = None
        self._progress.reset()

    def setup(self, **kwargs: object) -> None:
        """Have the planner made, and forget an earlier run.

        Raises:
            ConfigError: the planner cannot be made from the map
        """
        self.plans = self._find_plans()
        self.plans.call("reset")
        self.outputs.plan = None
        self.outputs.planning = Planning()
        self._reset()

    def update(self) -> Status:
        """Take a plan that is ready, request one when due; RUNNING before the first, FAILURE without game or pose."""
        received: Received[PacmanGame] | None = self.percepts.inbox.newest(PacmanGame)
        pose: Pose2D | None = self.percepts.map_pose
        if received is None or pose is None:
            self.outputs.plan = self._request = None
            self.feedback_message = "no game" if received is None else "no pose"
            return Status.FAILURE
        game = received.message
        self._notice_gap()
        if received is not self._seen:
            self._seen = received
            self.plans.call("watch", game)
        self._take(pose, game)
        if self._request is None and self._is_due(game):
            self._ask(pose, game, received.arrival)
            self._take(pose, game)
        self._report_unreached(game)
        self._note()
        if self.outputs.plan is None:
            self.drive(0.0, 0.0)
            self.feedback_message = "waiting for the first plan"
            return Status.RUNNING
        return Status.SUCCESS

    def _notice_gap(self) -> None:
        """Forget plan and ghosts' trails after a gap: the game was not played meanwhile."""
        now, before = self.now, self._ticked_at
        self._ticked_at = now
        if before is None or not 0 <= now - before <= from_seconds(_GAP_S):
            self.outputs.plan = self._request = self._asked_at = self._made_of = None
            self._progress.reset()
            self.plans.call("reset")

    def _is_due(self, game: PacmanGame) -> bool:
        if len(game.pellets) != self._pellets:
            return True
        parameters = self.live.value
        period = parameters.source_period if parameters.strategy == "source" else parameters.plan_period
        return not self.within(self._asked_at, period)

    def _ask(self, pose: Pose2D, game: PacmanGame, heard_at: int) -> None:
        self._asked_at = self.now
        self._pellets = len(game.pellets)
        self._progress.update(pellet.id for pellet in game.pellets)
        reply = self.plans.call("plan", pose, self._worth_trying(game), heard_at)
        self._request = PlanRequest(reply, self.now, self.live.value.planning_delay)

    def _take(self, pose: Pose2D, game: PacmanGame) -> None:
        request = self._request
        if request is None or not request.is_ready(self.now):
            return
        planned: Planned = request.value()
        self._request, self._made_of = None, request.asked_at
        plan = self.outputs.plan = planned.plan
        self.feedback_message = _phrase(plan)
        self._judge(planned, pose, game)

    def _worth_trying(self, game: PacmanGame) -> PacmanGame:
        """Return the game without the pellets that are put aside, or with all of them where no others are left."""
        aside = self._progress.aside
        if not aside or self._progress.gave_up:
            return game
        return game.model_copy(update={"pellets": tuple(pellet for pellet in game.pellets if pellet.id not in aside)})

    def _judge(self, planned: Planned, pose: Pose2D, game: PacmanGame) -> None:
        """Put the pellet aside that is gone for, where the robot gets no nearer."""
        progress, ways = self._progress, planned.ways
        if progress.gave_up:
            named = ", ".join(str(number) for number in progress.aside)
            self.feedback_message = f"nothing else is in reach: gave up {named}"
            return
        if planned.plan.intent is not Intent.COLLECT:
            progress.pause()
            return
        ghosts = (ghost for ghost in game.ghosts if not ghost.frightened)
        progress.watch(self.now, ways, any(pose.distance_to(ghost.x, ghost.y) <= _ABOUT for ghost in ghosts))
        parameters = self.live.value
        if progress.is_nowhere(parameters.unreached_s, parameters.patience):
            given_up = min(ways, key=lambda number: (ways[number], number))
            progress.put_aside(given_up)
            self._repeat.at_once()
            self.show("OUT_OF_REACH")
            self.feedback_message = f"nowhere for {parameters.unreached_s:g} s: put pellet {given_up} aside"

    def _note(self) -> None:
        asked_at = None if self._request is None else self._request.asked_at
        noted = Planning(asked_at, self._made_of, self._progress.aside, self._progress.gave_up)
        if noted != self.outputs.planning:
            self.outputs.planning = noted

    def _report_unreached(self, game: PacmanGame) -> None:
        progress = self._progress
        if progress.aside and self._repeat.due(self.now, _REPEAT_S):
            self.send(PacmanUnreached(round=game.round, pellets=progress.aside, gave_up=progress.gave_up))


class PlanIs(PerceptBehaviour):
    """SUCCESS while the plan has an intent. FAILURE otherwise.

    Blackboard Variables:
        * plan (Plan) [r]

    Args:
        name: of the behaviour
        robot: name of the robot
        intent: that is asked for
    """

    def __init__(self, name: str, robot: str, intent: Intent) -> None:
        super().__init__(name, robot, (PLAN,))
        self.intent = intent

    def update(self) -> Status:
        """Return SUCCESS if the plan has the intent, FAILURE otherwise."""
        plan: Plan | None = self.percepts.plan
        return Status.SUCCESS if plan is not None and plan.intent is self.intent else Status.FAILURE


def _phrase(plan: Plan) -> str:
    target = "" if plan.pellet is None else f" pellet {plan.pellet}"
    return f"{plan.intent.value.lower()}{target}"
