# Prints the numbers of TestJasperRidge: DRX_DATA=... python3 testdata/jasper.py
import os
import numpy as np
from statistics import NormalDist

x = np.fromfile(os.environ["DRX_DATA"] + "/hyperspectral/jasperRidge2_R198.img", "<i2")
x = x.reshape(100, 198, 100).transpose(0, 2, 1).astype(float)  # BIL to lines, samples, bands; all pixels are usable
X = x.reshape(-1, 198)
n, bands = X.shape


def hfc(R, K, p):
    r, k = np.linalg.eigvalsh(R)[::-1], np.linalg.eigvalsh(K)[::-1]
    return int((r - k > NormalDist().inv_cdf(1 - p) * np.sqrt(2 / n * (r**2 + k**2))).sum())


def white(N, A):
    w, U = np.linalg.eigh(N)
    W = (U / np.sqrt(w)).T
    return W @ A @ W.T


R, K = X.T @ X / n, np.cov(X.T)
d = np.concatenate([(x[:, :-1] - x[:, 1:]).reshape(-1, 198), (x[:-1] - x[1:]).reshape(-1, 198)])
shift = np.cov(d.T) / 2
C = X - X.mean(0)
w, w0 = np.empty_like(X), np.empty_like(X)  # residuals of each band, predicted from the others: without and with a constant
for i in range(bands):
    others = [j for j in range(bands) if j != i]
    w[:, i] = X[:, i] - X[:, others] @ np.linalg.lstsq(X[:, others], X[:, i], rcond=None)[0]
    w0[:, i] = C[:, i] - C[:, others] @ np.linalg.lstsq(C[:, others], C[:, i], rcond=None)[0]
residual = np.diag((w0**2).sum(0) / (n - 1))
for p in (1e-3, 1e-5):
    print("HFC", p, hfc(R, K, p), "NWHFC, differences", hfc(white(shift, R), white(shift, K), p),
          "NWHFC, residuals", hfc(white(residual, R), white(residual, K), p))
print("residual noise", residual[0, 0], residual[100, 100])
Rw, S = np.diag((w**2).mean(0)), X - w
Rx = S.T @ S / n
E = np.linalg.eigh(Rx)[1]
Rn = Rw + np.eye(bands) * np.trace(Rx) / bands / 1e5
cost = np.sort(-np.diag(E.T @ R @ E) + 2 * np.diag(E.T @ Rn @ E))
print("HySime", int((cost < 0).sum()), cost[:3].tolist(), "noise", Rw[0, 0], Rw[100, 100])
