"""PacMan's part of the show: waiting for a start, the death shake and the win; never any forward motion."""

from __future__ import annotations

from py_trees.common import Status

from arena_trees.behaviours.base import ActionBehaviour
from arena_trees.behaviours.pacman.parameters import PacmanParameters
from arena_trees.games.pacman.messages import Finished, PacmanGame, PacmanStatus
from arena_trees.robot import keys
from arena_trees.robot.clock import from_seconds
from arena_trees.robot.configuration.parameters import Live
from arena_trees.robot.messaging.inbox import Received
from arena_trees.robot.repeat import Repeat

__all__ = ["AwaitStart", "DeathShake", "PacmanReporter", "TimedShow", "WinShow"]

_REPEAT_S = 0.5
"""Period (s) at which a status is sent again until the game has gone on: messages get lost."""


class PacmanReporter(ActionBehaviour):
    """A leaf that reports to the game controller what it has finished.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * outbox [w]: ``pacman_status``
    """

    def __init__(self, name: str, robot: str, reads: tuple[str, ...] = (), writes: tuple[str, ...] = ()) -> None:
        super().__init__(name, robot, (keys.INBOX, *reads), writes)
        self._repeat = Repeat()

    def initialise(self) -> None:
        """Report without delay in this run."""
        self._repeat.at_once()

    def newest_game(self) -> Received[PacmanGame] | None:
        """Return the newest state of the game, or None before the first."""
        newest: Received[PacmanGame] | None = self.percepts.inbox.newest(PacmanGame)
        return newest

    def report(self, status: Finished) -> None:
        """Send the status, repeated periodically."""
        if self._repeat.due(self.now, _REPEAT_S):
            received = self.newest_game()
            self.send(PacmanStatus(status=status, round=0 if received is None else received.message.round))


class AwaitStart(PacmanReporter):
    """Stand still and report READY until the game begins. RUNNING always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * command [w]: zero
        * outbox [w]: ``pacman_status`` READY
    """

    def update(self) -> Status:
        """Command zero and report READY; RUNNING always."""
        self.drive(0.0, 0.0)
        self.report(Finished.READY)
        return Status.RUNNING


class TimedShow(PacmanReporter):
    """Turn on the spot for a while, then stand and report. RUNNING always.

    Args:
        name: of the behaviour
        robot: name of the robot
        live: parameters
        event: cue to show when it begins
        done: what is reported at the end
        reads: further keys that are read
        writes: further keys that are written
    """

    def __init__(
        self,
        name: str,
        robot: str,
        live: Live[PacmanParameters],
        event: str,
        done: Finished,
        reads: tuple[str, ...] = (),
        writes: tuple[str, ...] = (),
    ) -> None:
        super().__init__(name, robot, reads, writes)
        self.live = live
        self.event = event
        self.done = done
        self._begun = 0

    def initialise(self) -> None:
        """Show the event."""
        super().initialise()
        self._begun = self.now
        self.show(self.event)

    def update(self) -> Status:
        """Turn until the time is over, then stand and report; RUNNING always."""
        elapsed = self.now - self._begun
        if 0 <= elapsed < from_seconds(self.length()):
            self.drive(0.0, self.rate(elapsed))
        else:
            self.drive(0.0, 0.0)
            self.report(self.done)
            self.finish()
        return Status.RUNNING

    def length(self) -> float:
        """Return how long it takes, s."""
        raise NotImplementedError

    def rate(self, elapsed: int) -> float:
        """Return the yaw rate (rad/s) after a time (ns)."""
        raise NotImplementedError

    def finish(self) -> None:
        """Do what else is to be done when it is over, in each tick from then on."""


class DeathShake(TimedShow):
    """The death shake: turn to and fro on the spot, then say DEATH_SHOWN. RUNNING always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * command [w]: a turn on the spot
        * cues [w]: DEATH when it begins, GAME_OVER when it ends and no life is left
        * outbox [w]: ``pacman_status`` DEATH_SHOWN
    """

    def __init__(self, name: str, robot: str, live: Live[PacmanParameters]) -> None:
        super().__init__(name, robot, live, "DEATH", Finished.DEATH_SHOWN)
        self._ended = False

    def initialise(self) -> None:
        """Show the death."""
        super().initialise()
        self._ended = False

    def length(self) -> float:
        """Return how long it takes, s."""
        return self.live.value.shake_s

    def rate(self, elapsed: int) -> float:
        """Return the yaw rate (rad/s): one way in even periods, the other way in odd ones."""
        parameters = self.live.value
        odd = elapsed // from_seconds(parameters.shake_period) % 2
        return -parameters.shake_speed if odd else parameters.shake_speed

    def finish(self) -> None:
        """Show once that the game is over."""
        received = self.newest_game()
        if not self._ended and received is not None and received.message.lives == 0:
            self.show("GAME_OVER")
        self._ended = True


class WinShow(TimedShow):
    """Stand still, show the win, then say WIN_SHOWN. RUNNING always.

    Blackboard Variables:
        * inbox (Inbox) [r]: ``pacman``
        * command [w]: zero
        * cues [w]: WIN when it begins
        * outbox [w]: ``pacman_status`` WIN_SHOWN
    """

    def __init__(self, name: str, robot: str, live: Live[PacmanParameters]) -> None:
        super().__init__(name, robot, live, "WIN", Finished.WIN_SHOWN)

    def length(self) -> float:
        """Return how long it takes, s."""
        return self.live.value.win_s

    def rate(self, elapsed: int) -> float:
        """Return no turn."""
        return 0.0
