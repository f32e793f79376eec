"""Tendril: a simulator of elastic strands."""

from ._tendril import __commit__, __version__

__all__ = ["__commit__", "__version__"]
