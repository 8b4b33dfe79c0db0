"""One tree per role: ``create_root(robot, live, streams)``, and the subtrees they share.

In the pictures ``/_/`` is a parallel, ``[o]`` a selector, ``[-]`` a sequence (in braces where it remembers which child
was running), ``-->`` a leaf, ``...`` stands for children that are left out. ``make docs`` draws them from the trees.
"""
