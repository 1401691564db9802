"""Task → whole answers, found by better means than one token after another under the mask; one file per strategy."""

from frisket.strategies.beams import Beams
from frisket.strategies.best import Best
from frisket.strategies.draft import Draft
from frisket.strategies.exact import Exact
from frisket.strategies.particles import Particles
from frisket.strategies.strategy import Strategy
from frisket.strategies.weighted import Samples, Weighted

__all__ = ["Beams", "Best", "Draft", "Exact", "Particles", "Samples", "Strategy", "Weighted"]
