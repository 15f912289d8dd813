"""Any run of ``limpet train``: of a game by its infosets, or of five-card draw in stages."""

from pathlib import Path

from limpet.configs.loading import Document, find_config
from limpet.strategies.training.draw_config import DEPTH_LIMITED
from limpet.strategies.training.draw_training import DrawTraining
from limpet.strategies.training.training import Training

Run = Training | DrawTraining


def load_run(name_or_path: str, output: Path | None = None) -> Run:
    """Read a training config of either kind. Raises `ConfigError`."""
    config = Document.read(find_config("training", name_or_path)).data
    is_draw = isinstance(config, dict) and config.get("algorithm") == DEPTH_LIMITED
    kind: type[Run] = DrawTraining if is_draw else Training
    return kind.load(name_or_path, output)
