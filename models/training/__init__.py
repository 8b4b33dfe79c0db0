"""How the sign detector's weights are made: drawings, synthetic scenes, training and export.

Nothing that runs on a robot imports this package. Training needs the extra ``train``.
"""
