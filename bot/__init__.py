"""Where does the command `limpet` begin?"""

import os

# Matrices are small here: on several threads their products take longer, and many times as long beside other work.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
