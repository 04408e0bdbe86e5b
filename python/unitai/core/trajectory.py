"""The record of a run. The classes live in the engine; this is where the documentation says they are."""

from unitai._engine import StoredRepr, Trajectory, TrajectoryStep

__all__ = ["StoredRepr", "Trajectory", "TrajectoryFormatter", "TrajectoryStep"]


class TrajectoryFormatter:
    """Shows trajectories to people, as a failed check does.

    >>> from unitai import Trajectory, TrajectoryStep
    >>> from unitai.core.trajectory import TrajectoryFormatter
    >>> step = TrajectoryStep(tool_name="lookup", tool_args={"id": "123"})
    >>> trajectory = Trajectory(steps=[step], final_output="Found.")
    >>> print(TrajectoryFormatter().format(trajectory))
      Actual trajectory:
        1. [tool_call] lookup(id="123")
    <BLANKLINE>
      Agent output: "Found."
      Cost: $0.00 | Tokens: 0 | Duration: 0.0ms
    """

    def format(self, trajectory: Trajectory) -> str:
        """The numbered steps, what the agent said, and what it took."""
        return str(trajectory)
