# Prints the numbers of TestJasperRidge: DRX_DATA=... python3 testdata/jasper.py
import os
import numpy as np

x = np.fromfile(os.environ["DRX_DATA"] + "/hyperspectral/jasperRidge2_R198.img", "<i2")
x = x.reshape(100, 198, 100).transpose(0, 2, 1).astype(float)  # BIL to lines, samples, bands
ok = (x != 0).any(2)
X = x[ok]
K, R, C = np.cov(X.T), X.T @ X / len(X), np.corrcoef(X.T)
print("pixels", len(X), "mean", X.mean(0)[[0, 100, 197]].tolist())
print("covariance", [K[0, 0], K[0, 197], K[100, 101], np.trace(K)])
print("autocorrelation", [R[0, 0], R[100, 197]], "correlation", C[0, 197])
right = (x[:, :-1] - x[:, 1:])[ok[:, :-1] & ok[:, 1:]]
below = (x[:-1] - x[1:])[ok[:-1] & ok[1:]]
N = np.cov(np.concatenate([right, below]).T) / 2
print("noise", [N[0, 0], N[0, 197], N[100, 101]], np.cov(right.T)[50, 50] / 2, np.cov(below.T)[50, 50] / 2)
print("SNR", (abs(X.mean(0)) / np.sqrt(np.diag(N)))[[0, 100, 197]].tolist())
