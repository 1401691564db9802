"""Task → whole answers, where token by token under the mask is not enough; one file for each strategy."""

from frisket.strategy.beams import Beams
from frisket.strategy.best import Best
from frisket.strategy.draft import Draft
from frisket.strategy.exact import Exact
from frisket.strategy.particles import Particles
from frisket.strategy.strategy import Strategy
from frisket.strategy.weighted import Samples, Weighted, texts

__all__ = ["Beams", "Best", "Draft", "Exact", "Particles", "Samples", "Strategy", "Weighted", "texts"]
