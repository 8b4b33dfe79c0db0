"""The robot's side of the protocol, advanced in every tick."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.crossroads.following import is_first
from arena_trees.behaviours.crossroads.parameters import CrosserParameters
from arena_trees.games.crossroads import blackboard
from arena_trees.games.crossroads.blackboard import CrossingEntry, LeaseState, Route
from arena_trees.games.crossroads.messages import Urgency
from arena_trees.games.crossroads.scheduling.client import CrossingClient
from arena_trees.games.crossroads.scheduling.states import states_in
from arena_trees.robot import keys
from arena_trees.robot.clock import SECOND
from arena_trees.robot.configuration.parameters import Live

__all__ = ["TalkToScheduler"]

_STANDING = 0.01
"""A robot slower than this stands, m/s."""


_READS = (
    blackboard.ROUTE,
    blackboard.PROGRESS,
    blackboard.LEAD_PROGRESS,
    blackboard.ASKED,
    blackboard.ENTERED,
    blackboard.LEFT,
)


class TalkToScheduler(ActionBehaviour):
    """Hear the scheduler, ask it, keep the lease alive and report. Returns SUCCESS always.

    It alone advances the robot's side of the protocol; what the deciding branch began in the tick before, it takes
    from the blackboard.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``crossing``
        * route (Route) [r], progress (RouteProgress) [r], lead_progress (float) [r]
        * asked (int) [r], entered (CrossingEntry) [r], left (int) [r]: what the robot did in the tick before
        * lease (LeaseState) [w]: None while it takes no part
        * outbox [w]: ``crossing_request`` and ``crossing_claim``
        * cues [w]: GRANT, once for each lease

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        asks_early: whether it asks as soon as a route begins, and not only at the line
    """

    def __init__(self, name: str, robot: str, live: Live[CrosserParameters], *, asks_early: bool) -> None:
        super().__init__(name, robot, (keys.INBOX, *_READS), (blackboard.LEASE,))
        self.live = live
        self.asks_early = asks_early
        self._reset()

    def _reset(self) -> None:
        self._client: CrossingClient | None = None
        self._route: Route | None = None
        self._asked: int | None = None
        self._entered: CrossingEntry | None = None
        self._left: int | None = None
        self._granted: int | None = None
        self._lease: LeaseState | None
        self._lease = self.outputs.lease = None

    def setup(self, **kwargs: object) -> None:
        """Forget an earlier run."""
        self._reset()

    def update(self) -> Status:
        """Pass the states received to the client and send its message when one is due; SUCCESS always."""
        if self._client is not None:
            self._catch_up(self._client)
        route: Route | None = self.percepts.route
        if route is None:
            self._publish(None)
            self.feedback_message = "takes no part"
            return Status.SUCCESS
        client = self._client_for(route)
        progress, p = self.percepts.progress, self.live.value
        states = [received.message for received in states_in(self.percepts.inbox)]
        first = self._left != route.lap and is_first(progress.along, self.percepts.lead_progress, p)
        due = client.step(
            self.now, states, progress.along - p.place_margin, first, abs(progress.speed) < _STANDING
        )  # fmt: skip
        if due is not None:
            self.send(due)
        lease = client.lease
        self._publish(lease)
        if lease.granted_at is not None and lease.granted_at != self._granted:
            self.show("GRANT")
        self._granted = lease.granted_at
        self.feedback_message = lease.stage.value
        return Status.SUCCESS

    def _publish(self, lease: LeaseState | None) -> None:
        if lease != self._lease:
            self._lease = self.outputs.lease = lease

    def _catch_up(self, client: CrossingClient) -> None:
        """Take what the robot did since the last tick, on the route of that tick."""
        asked, entered, left = self.percepts.asked, self.percepts.entered, self.percepts.left
        if asked is not None and asked != self._asked and self._route is not None:
            self._ask(client, self._route, asked)
        if entered is not None and entered != self._entered:
            client.enter(entered.at, entered.needed)
        if left is not None and left != self._left:
            client.leave()
        self._asked, self._entered, self._left = asked, entered, left

    def _client_for(self, route: Route) -> CrossingClient:
        """Return the client, which asks where a new route has begun."""
        if self._client is None:
            # A life that begins later has a higher number.
            self._client = CrossingClient(self.robot, 1 + route.begun // SECOND, self.live.value.times)
        if self.asks_early and (self._route is None or route.lap != self._route.lap):
            self._ask(self._client, route, route.begun)
        self._route = route
        return self._client

    def _ask(self, client: CrossingClient, route: Route, at: int) -> None:
        client.ask(at, route.key, Urgency[self.live.value.urgency.upper()])
