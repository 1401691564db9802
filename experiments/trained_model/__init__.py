"""Prompts and targets → a small model that is trained here, in minutes on one core, and never shipped."""

from experiments.trained_model.model import TrainedModel
from experiments.trained_model.text import Texts
from experiments.trained_model.training import Recipe, train
from experiments.trained_model.workers import run_each

__all__ = ["Recipe", "Texts", "TrainedModel", "run_each", "train"]
