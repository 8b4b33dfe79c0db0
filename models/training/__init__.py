"""How the sign detector's weights are made: drawings, synthetic scenes, training and export.

This package stays in a checkout of the repository: no installation has it, and nothing that runs on a robot
imports it. Training needs the extra ``train``.
"""
