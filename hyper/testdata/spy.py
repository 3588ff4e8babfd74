"""Computes with Spectral Python (SPy) what TestSpectralPython computes with DRX: spy.py FILE
HEADER, prints JSON.

FILE is JSON: lines, samples, the spectra of all pixels, some spectra of materials, and skewers.
HEADER is that of an ENVI image with the same pixels.
"""

import json
import sys

import numpy as np
import spectral

spectral.settings.show_progress = False
given = json.load(open(sys.argv[1]))
E = np.array(given["spectra"])
x = np.array(given["pixels"]).reshape(given["lines"], given["samples"], -1)
statistics = spectral.calc_stats(x)
noise = spectral.noise_from_diffs(x, direction="right")

skewers = iter(np.array(given["skewers"]))
np.random.rand = lambda bands: next(skewers) + 0.5  # ppi subtracts it again
purity = spectral.ppi(x, len(given["skewers"]))

print(json.dumps({
    "image": np.asarray(spectral.envi.open(sys.argv[2]).load(dtype=float)).ravel().tolist(),
    "mean": statistics.mean.tolist(),
    "covariance": statistics.cov.ravel().tolist(),
    "noise": noise.cov.ravel().tolist(),
    "pct": spectral.principal_components(x).eigenvalues.tolist(),
    "mnf": spectral.mnf(statistics, noise).napc.eigenvalues.tolist(),
    "sam": spectral.spectral_angles(x, E).ravel().tolist(),
    "rx": spectral.rx(x).ravel().tolist(),
    "mf": spectral.matched_filter(x, E[0]).ravel().tolist(),
    "ace": spectral.ace(x, E[0]).ravel().tolist(),
    "ppi": purity.ravel().tolist(),
}))
