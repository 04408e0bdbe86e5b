"""The record of a run. The classes live in the engine; this is where the documentation says they are."""

from unitai._engine import StoredRepr, Trajectory, TrajectoryStep

__all__ = ["StoredRepr", "Trajectory", "TrajectoryStep"]
