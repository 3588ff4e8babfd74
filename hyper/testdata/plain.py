"""Computes with NumPy and SciPy what TestPython computes with DRX: plain.py FILE, prints JSON.

FILE is JSON: lines, samples, the spectra of all pixels, some spectra of materials, and the random
numbers of VCA.
"""

import json
import sys
from statistics import NormalDist

import numpy as np
from scipy.optimize import nnls

given = json.load(open(sys.argv[1]))
X = np.array(given["pixels"])
E = np.array(given["spectra"])
n, bands = X.shape
x = X.reshape(given["lines"], given["samples"], bands)
mean, K, R = X.mean(0), np.cov(X.T), X.T @ X / n
differences = np.concatenate([(x[:, :-1] - x[:, 1:]).reshape(-1, bands), (x[:-1] - x[1:]).reshape(-1, bands)])
N = np.cov(differences.T) / 2
C = X - mean


def oriented(vectors):
    """Rows whose number of largest magnitude is positive."""
    return vectors * np.sign(vectors[np.arange(len(vectors)), abs(vectors).argmax(1)])[:, None]


def largest(symmetric):
    values, vectors = np.linalg.eigh(symmetric)
    return values[::-1], oriented(vectors[:, ::-1].T)


def white(noise, a):
    w, u = np.linalg.eigh(noise)
    W = (u / np.sqrt(w)).T
    return W @ a @ W.T, W


def hfc(r, k, p):
    r, k = np.linalg.eigvalsh(r)[::-1], np.linalg.eigvalsh(k)[::-1]
    return int((r - k > NormalDist().inv_cdf(1 - p) * np.sqrt(2 / n * (r**2 + k**2))).sum())


def residuals(of):
    w = np.empty_like(of)
    for i in range(bands):
        others = np.delete(of, i, 1)
        w[:, i] = of[:, i] - others @ np.linalg.lstsq(others, of[:, i], rcond=None)[0]
    return w


def hysime():
    w = residuals(X)
    Rw, S = np.diag((w**2).mean(0)), X - w
    Rx = S.T @ S / n
    vectors = np.linalg.eigh(Rx)[1]
    Rn = Rw + np.eye(bands) * np.trace(Rx) / bands / 1e5
    cost = np.sort(-np.diag(vectors.T @ R @ vectors) + 2 * np.diag(vectors.T @ Rn @ vectors))
    return int((cost < 0).sum())


def atgp(count):
    found = [int((X**2).sum(1).argmax())]
    while len(found) < count:
        U = X[found].T
        P = np.eye(bands) - U @ np.linalg.pinv(U)
        found.append(int(((X @ P) ** 2).sum(1).argmax()))
    return found


def vca(draws):
    p = len(draws)
    values, principal = largest(np.cov(X.T, bias=True))
    power, within = np.trace(R), mean @ mean + values[:p].sum()
    if 10 * np.log10((within - p / bands * power) / (power - within)) > 15 + 10 * np.log10(p):
        Y = X @ largest(R)[1][:p].T
        Y = Y / (Y @ Y.mean(0))[:, None]
    else:
        Y = C @ principal[: p - 1].T
        Y = np.c_[Y, np.full(n, np.sqrt((Y**2).sum(1).max()))]
    A, found = np.zeros((p, p)), []
    A[-1, 0] = 1
    for i, w in enumerate(np.array(draws)):
        f = w - A @ np.linalg.pinv(A) @ w
        found.append(int(abs(Y @ (f / np.linalg.norm(f))).argmax()))
        A[:, i] = Y[found[-1]]
    return found


def fcls(y):
    """Non-negative least squares with the sum as a heavy band (Heinz and Chang 2001)."""
    heavy = 1e4
    return nnls(np.vstack([E.T, np.full(len(E), heavy)]), np.append(y, heavy))[0]


values, axes = largest(K)
whitened, W = white(N, K)
residual = np.diag((residuals(C) ** 2).sum(0) / (n - 1))
some = X[:: n // 100]
unit = lambda a: a / np.linalg.norm(a, axis=1)[:, None]
print(json.dumps({
    "mean": mean.tolist(),
    "covariance": K.ravel().tolist(),
    "noise": N.ravel().tolist(),
    "pct": values.tolist(),
    "pct_pixels": (C @ axes.T)[:50, :3].ravel().tolist(),
    "mnf": np.linalg.eigvalsh(whitened)[::-1].tolist(),
    "hfc": hfc(R, K, 1e-3),
    "nwhfc": hfc(white(residual, R)[0], white(residual, K)[0], 1e-3),
    "hysime": hysime(),
    "sam": np.arccos(np.clip(unit(some) @ unit(E).T, -1, 1)).ravel().tolist(),
    "rx": np.einsum("ij,jk,ik->i", C, np.linalg.inv(K), C).tolist(),
    "nnls": np.concatenate([nnls(E.T, y)[0] for y in some]).tolist(),
    "fcls": np.concatenate([fcls(y) for y in some]).tolist(),
    "atgp": atgp(3),
    "vca": vca(given["draws"]),
}))
