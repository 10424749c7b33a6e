"""Fitting of a logistic model by Newton's method."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PENALTY, STEPS = 1.0, 40
"""The L2 penalty on weights, and the number of steps."""


def fit(
    values: NDArray[np.float64], is_update: NDArray[np.float64], counts: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the weights of a logistic model, the bias last; the problem is convex, so they are unique.

    `values` is (examples × features); `counts` weighs the examples.
    """
    import numpy as np

    values = np.hstack([values, np.ones((len(values), 1))])
    penalty = np.array([PENALTY] * (values.shape[1] - 1) + [1e-9])
    weights = np.zeros(values.shape[1])
    for _ in range(STEPS):
        chance = 1 / (1 + np.exp(-(values @ weights)))
        gradient = values.T @ (counts * (chance - is_update)) + penalty * weights
        curvature = (values * (counts * chance * (1 - chance))[:, None]).T @ values + np.diag(penalty)
        step = np.linalg.solve(curvature, gradient)
        weights -= step * min(1.0, 2.0 / (np.abs(step).max() + 1e-12))
    return weights
