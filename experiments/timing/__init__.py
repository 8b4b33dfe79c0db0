"""Timing: the parts of a tick, and this version against another one."""
