"""The commands of ``limpet strategy``."""
