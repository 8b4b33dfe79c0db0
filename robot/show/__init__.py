"""Lights, songs and cues: what people see and hear of a robot."""
