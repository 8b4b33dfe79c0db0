"""Who may cross when: the schedulers, and a robot's side of their protocol."""
