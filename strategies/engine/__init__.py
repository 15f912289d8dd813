"""The compiled match engine: tabular strategies play dealt hands."""
