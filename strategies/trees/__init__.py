"""Public betting trees as flat arrays."""
