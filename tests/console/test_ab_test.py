"""What an A/B test says of two arms."""

import pytest
from helpers.patience import until

from arena_trees.console.ab_test import ABTest, Arms, compared
from arena_trees.games.metrics import mean

TIME = mean("time_s", "how long it took", better="less")
SIZE = mean("size", "how large it was")


@pytest.mark.parametrize(("change", "verdict"), [(-2.0, "B"), (2.0, "A"), (0.0, "same")])
def test_an_arm_is_called_better_after_the_last_pair_alone(change, verdict):
    first = [{"time_s": 10.0 + number, "size": 1.0} for number in range(8)]
    second = [
        {"time_s": trial["time_s"] + change + 0.01 * change * number, "size": 2.0} for number, trial in enumerate(first)
    ]
    (found,) = compared(first, second, [TIME, SIZE], True)
    assert (found["name"], found["wanted"], found["verdict"]) == ("time_s", "less", verdict)
    assert found["a"] == 13.5 and found["b"] - found["a"] == pytest.approx(found["difference"])
    assert found["low"] <= found["difference"] <= found["high"]
    (unfinished,) = compared(first, second, [TIME, SIZE], False)
    assert unfinished == found | {"verdict": ""}


def test_a_test_whose_process_is_killed_says_so_and_calls_no_arm_better():
    test = ABTest(Arms("wolf_rabbit_open", 6, {"duration_s": 1}, {"duration_s": 1, "wolf.chase_kp": 3.0}))
    try:
        test._process.kill()
        until(lambda: not test.progress["running"], lambda: str(test.progress))
        assert test.progress["failed"] == "the process that played has ended"
        assert all(metric["verdict"] == "" for metric in test.progress["metrics"])
    finally:
        test.close()
