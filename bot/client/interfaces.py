"""The type of the reactor that is passed in."""

from typing import Any, TypeAlias

Reactor: TypeAlias = Any
"""Twisted's reactor, or a test's. Its interfaces are zope's, whose methods mypy cannot call without a plugin."""
