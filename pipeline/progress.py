"""What a build prints: its tasks, how many chapters are done, and how long the others take."""

import time
from collections.abc import Mapping, Sequence

from doit.reporter import ConsoleReporter
from doit.task import Task

CHAPTER = "execute:"


class Progress(ConsoleReporter):
    """doit's own report, and a line for each chapter that was executed."""

    def initialize(self, tasks: Mapping[str, Task], selected_tasks: Sequence[str]) -> None:
        super().initialize(tasks, selected_tasks)
        self.waiting = {name for name in tasks if name.startswith(CHAPTER)}
        self.all, self.executed, self.started = len(self.waiting), 0, time.monotonic()

    def skip_uptodate(self, task: Task) -> None:
        self.waiting.discard(task.name)  # a line for each would hide those that are executed

    def add_success(self, task: Task) -> None:
        super().add_success(task)
        if task.name in self.waiting:
            self.waiting.remove(task.name)
            self.executed += 1
            self.write(f"   {self.all - len(self.waiting)} of {self.all} chapters{self.left()}\n")

    def left(self) -> str:
        """The time that the other chapters take, if they take as long as those so far."""
        each = (time.monotonic() - self.started) / self.executed
        seconds = each * len(self.waiting)
        return f", about {duration(seconds)} left" if self.waiting else ""


def duration(seconds: float) -> str:
    """A time as a person says it.

    >>> duration(7.9), duration(61), duration(200)
    ('10 s', '1 min', '3 min')
    """
    return f"{max(1, round(seconds / 10)) * 10} s" if seconds < 55 else f"{round(seconds / 60)} min"
