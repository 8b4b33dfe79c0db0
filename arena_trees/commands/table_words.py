"""The words of the program's tables that no game and no metric declares: headings, verdicts, what became of a trial."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from arena_trees.experiments.comparison import LEVEL
from arena_trees.experiments.intervals import FEWEST
from arena_trees.experiments.results import FAULT
from arena_trees.experiments.soaking.verdict import FELL, FLAT, GREW, TOLERANCE_PCT, UNCLEAR

__all__ = ["ARM", "TABLE_WORDS"]

ARM = "ARM"
"""Placeholder for an arm's name at the beginning of a word."""

_RUN = {
    "metric": "What is measured, one metric a line; its name carries its unit, and `arena-trees explain` says what it "
    "is.",
    "value": "The metric over all trials, in the metric's own unit: a mean, a median or a share, by the metric's kind.",
    "95 % interval": "Where the value of ever more such trials would lie, with 95 % confidence, in the metric's unit: "
    f"Wilson's of a share, else a bootstrap over the trials, from {FEWEST} trials on.",
    "least to most": "The smallest and the greatest value that any one trial had, in the metric's unit; it says how "
    "trials scatter, the interval how well their mean is known.",
    "n": "Number of trials that have a value of the metric; a time to a catch that never came is none.",
    "within its error": "Least and most that the metric has within the error of the truth that a recording is judged "
    "by; empty where that changes nothing.",
    "known by": "By what `judge` knows a metric: the rules, the robots themselves, what tells of contacts, or the "
    "truth about where the robots were.",
    "arm": "One of the variants that were played in the same worlds: a strategy, a tree, parameters or a variant of "
    "the scenario.",
}
_COMPARISON = {
    "ARM (n)": "The metric's value over this arm's trials, in the metric's unit, and in brackets the number of trials "
    "that have one.",
    "difference, 95 % interval": "Mean of second arm minus first arm over pairs of trials in the same world, in the "
    "metric's unit, and in brackets the bootstrap interval of that mean.",
    "difference": "Mean of second arm minus first arm over pairs of trials in the same world, in the metric's unit.",
    "pairs": "Number of worlds in which both arms have a value of the metric.",
    "p": "Share of ways to flip the signs of the paired differences that give a mean at least as far from zero, from "
    f"0 to 1, corrected by Holm for all metrics tested; empty where fewer than {FEWEST} pairs differ.",
    "ARM is": "What the test says of the first arm against the second: better, worse, unclear, same or too few.",
}
_VERDICTS = {
    "better": f"The corrected p is at most {LEVEL:g}, and the paired difference speaks for the first arm, by whether "
    "more or less of the metric is better.",
    "worse": f"The corrected p is at most {LEVEL:g}, and the paired difference speaks for the second arm, by whether "
    "more or less of the metric is better.",
    "unclear": f"The corrected p is above {LEVEL:g}, or fewer than {FEWEST} pairs differ: neither arm was shown to be "
    "better, and that they are equal was not shown either.",
    "same": "Both arms have the same value in every pair of trials.",
    "too few": f"Fewer than {FEWEST} pairs of trials have a value on both sides, and so few can prove nothing.",
    "of too few trials to say": f"What `tune` says of an objective that has fewer than {FEWEST} pairs on fresh seeds.",
    "without a value": "What `tune` says of an objective that no pair of fresh trials has a value of.",
}
_POINTS = {
    "failed": "Number of trials of this point that were not played, because the program refused its values or an error "
    "ended them; of a point of `tune`, that one of its trials was so.",
    "played": "The trial ran to its end, whatever its outcome; of a point of `tune`, all of its trials did.",
    "raised": "An error of the program or of a tree ended the trial; its text is printed behind it.",
    "refused": "The values of this point make no valid scenario, so that nothing was played; in a replay, messages "
    "that contradicted themselves.",
    "given up": "A point of `tune` that pairs of trials had shown to be worse, so that its later trials were not "
    "played.",
    "outcome": "How a trial ended, in one of the words that its game states; of a point of `tune`, whether it was "
    "played, given up or failed.",
    "point": "Number of a combination of parameters in the order in which they were tried, from 0.",
    "start": "The parameters that the study began with, those of the scenario.",
    "default": "The scenario without changes of the tuned keys, played on the fresh seeds of the report.",
    "tuned": "The parameters that the study found to be best by its one objective.",
}
_BENCH = {
    "what": "What was timed on this machine.",
    "unit": "Unit of the figure before it: 1/min is trials a minute.",
    "processor time of a tick": "What 20 ms of the game take on one core, by part, all robots together; nothing is "
    "counted twice.",
    "us": "Microseconds of processor time.",
    "share": "Part of the whole, in percent.",
    "to bare MuJoCo": "Time over that of the physics engine alone: no unit, and less dependent on the machine.",
    "sensors' messages taken in": "Asking each sensor for its newest message, and the mailbox for what has arrived.",
    "perception writer": "Checking readings and messages, localisation, geofence, and writing to the blackboard.",
    "tree": "The tick of the behaviour tree.",
    "work beside the tick": "Planners and the like that run in the background between ticks.",
    "velocity gate": "Limiting the tree's command.",
    "rest of a robot's loop": "Sending messages, and the record of the tick.",
    "rules and judge": "The game's rules and what measures it.",
    "simulated sensors": "Rays, cameras and noise of the arena's sensors.",
    "physics": "MuJoCo's steps, contacts and the true places of robots.",
    "rest of a trial": "What steps all of these.",
    "everything": "The whole tick, played again without a stopwatch in it, which itself takes a little.",
    "bare MuJoCo, the same model": "The physics engine alone, for 20 ms of the same model.",
    "a robot's tree": "One tick of one robot's behaviour tree.",
    "ratio": "Time over that of the table's first line: no unit.",
    "mean of a tick": "Mean over all ticks and robots.",
    "the same by py_trees alone": "The same tree in the same game, ticked by py_trees' own BehaviourTree.",
    "a tree of one leaf by py_trees": "The least that any tree costs on this machine.",
    "99 % of ticks take no more": "What only one tick in a hundred exceeds.",
    "longest tick": "The slowest tick of any robot's tree.",
    "longest work beside the tick": "The most background work between two ticks.",
    "trials of one process": "Trials that one process plays in a minute.",
    "a trial, median": "Time in which one process plays one trial, in milliseconds.",
    "a job handed out, median": "Time that packing and unpacking a trial for another process takes, in milliseconds.",
    "a record written, median": "Time in which what became of a trial is on the disk, in milliseconds.",
    "size of a job": "Size of what a process is sent for one trial, in kilobytes.",
    "processor time of the ticks": "What two versions took for the same trials, as a ratio; below 1 the first is "
    "faster.",
    "median": "The middle one of the ratios of all rounds.",
    "least": "The least ratio of any round.",
    "most": "The greatest ratio of any round.",
    "undisturbed": "The ratio of the sums of each trial's least time of all rounds: other work only adds to times.",
    "this version over the other": "How much longer ticks take by the version that runs than by that of --against.",
    "this version over itself": "The same of two processes that play this version: how far noise alone takes a ratio "
    "from 1.",
}
_FAULTS = {
    "row": "A fault of config/faults.yaml, or of the file of --matrix; `arena-trees faults --row NAME` plays it alone.",
    "beyond": "Trials in which a robot went beyond what binds it with its fault.",
    "raised": "Trials in which something raised an exception, or latched a robot.",
}
_SOAK = {
    "after tenth": "What a soak measured of each tenth of its simulated time, and after it, when no trial is open and "
    "the garbage is collected.",
    "trials played": "Trials of a tenth, the last of which is cut short.",
    "tick p50, ms": "Median time of a step of the whole arena, in milliseconds.",
    "tick p99, ms": "Time that 99 % of the steps did not exceed, in milliseconds, with all that other programs took "
    "meanwhile.",
    "passage p99, ms": "Processor time that 99 % of the steps of a passage did not exceed, in milliseconds: of the "
    "beginning of the first trial, which is played again after each tenth.",
    "calibration, ms": "Median processor time, in milliseconds, of a piece of work that is always the same, done all "
    "along the passage: how fast the machine was just then.",
    "memory, MB": "Memory of the process that is resident, in millions of bytes; judged from the second tenth.",
    "descriptors": "Open file descriptors of the process.",
    "threads": "Threads of the process, those of libraries among them.",
    "children": "Child processes.",
    "board keys": "Keys of the py_trees blackboard that have a value.",
    "board metadata": "Keys of the py_trees blackboard that somebody has registered.",
    "board clients": "Clients of the py_trees blackboard.",
    "objects": "Python objects that the garbage collector tracks.",
    "passage p99, calibrated": "Processor time that 99 % of the steps of the passage did not exceed, over that of the "
    "calibration: no unit.",
    "change": "From the first tenth, or of memory the second, to the last; empty where there was none of it at first.",
    "verdict": f"Of a soak: {FLAT}, {GREW}, {FELL} or {UNCLEAR}.",
    FLAT: f"The measure changed by no more than {TOLERANCE_PCT:g} %.",
    GREW: f"The measure rose by more than {TOLERANCE_PCT:g} %; ticks also became slower tenth upon tenth, by Kendall's "
    f"test with p at most {LEVEL:g}.",
    FELL: f"The measure fell by more than {TOLERANCE_PCT:g} %.",
    UNCLEAR: f"Ticks took more than {TOLERANCE_PCT:g} % longer in the last tenth than in the first, but not more from "
    "tenth to tenth: noise of the machine.",
}
_REPLAY = {
    "ran, s": "Simulated seconds in which each behaviour of the tree was the one that ran.",
    "gate, s": "Simulated seconds in which the velocity gate named each of its reasons.",
    "stood, s": "Simulated seconds in which the robot stood, by the reason for it.",
    "replayed": "Seconds of the tree that decides again now.",
    "recorded": "Seconds of the tree as it decided when the recording was made.",
    "identical": "Every tick commands what it commanded in the recording, within the tolerance.",
    "skipped": "Messages of the recording that could not be used, by topic and reason, and their number.",
}
_LIST = {
    "scenario": "A file that says who plays what, where and for how long; `arena-trees run NAME` plays it.",
    "robots": "How many robots of each role play.",
    "trials": "Number of trials that a run plays where --trials does not say it, for each arm where there are several.",
    "longest, s": "Simulated time after which a trial ends at the latest, in seconds: duration_s of the scenario.",
    "what it is": "The scenario's own description.",
}
_SIGNS = {
    "class": "Which sign the detector is to find; all for any of them.",
    "robot": "Which role looks for signs of this class; both where no single one does.",
    "size, px": "Range of sizes of the labelled boxes that are counted, in pixels: the smaller, the farther is the "
    "sign.",
    "boxes": "Number of labelled signs that were to be found.",
    "precision": "Share of the detector's boxes that are on a sign, from 0 to 1.",
    "recall": "Share of the labelled signs that the detector found, from 0 to 1.",
    "mAP50": "Area under precision over recall, from 0 to 1, where a box counts that covers a sign by an overlap of "
    "0.5.",
    "mAP50-95": "The mean of that area over overlaps of 0.5 to 0.95, from 0 to 1.",
    "edges, px": "Root mean square error of the four edges of boxes that found their sign, in pixels.",
}

_OUTCOMES = {
    FAULT: "A behaviour of your own raised an exception, which stopped its robot and ended the trial at once; "
    "`arena-trees run --debug` prints the traceback.",
}

TABLE_WORDS: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "outcome of any game": _OUTCOMES,
        "word of the table of a run": _RUN,
        "heading of a comparison of two arms": _COMPARISON,
        "verdict of a comparison": _VERDICTS,
        "word of sweep and tune": _POINTS,
        "word of bench": _BENCH,
        "word of faults": _FAULTS,
        "word of soak": _SOAK,
        "word of replay": _REPLAY,
        "heading of list": _LIST,
        "heading of evaluate-signs": _SIGNS,
    }
)
"""Each word and its meaning, by what prints it."""
