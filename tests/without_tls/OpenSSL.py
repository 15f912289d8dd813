"""It stands in the way of pyOpenSSL in the programs that tests start, see `data_folder` of ``conftest.py``."""

raise ImportError("no TLS in programs of tests")
