# Prints the numbers of TestJasperRidge: DRX_DATA=... python3 testdata/jasper.py
import os
import numpy as np

x = np.fromfile(os.environ["DRX_DATA"] + "/hyperspectral/jasperRidge2_R198.img", "<i2")
x = x.reshape(100, 198, 100).transpose(0, 2, 1).astype(float)  # BIL to lines, samples, bands; all pixels are usable
X = x.reshape(-1, 198)
m, K = X.mean(0), np.cov(X.T)
values, vectors = np.linalg.eigh(K)
values, V = values[::-1], vectors[:, ::-1].T
print("PCT", values[:4].tolist(), (values.cumsum() / values.sum())[:3].tolist())
v = V[0] * np.sign(V[0][abs(V[0]).argmax()])
print("PCT of pixel 0", float(v @ (X[0] - m)))
d = np.concatenate([(x[:, :-1] - x[:, 1:]).reshape(-1, 198), (x[:-1] - x[1:]).reshape(-1, 198)])
N = np.cov(d.T) / 2
w, U = np.linalg.eigh(N)
W = (U / np.sqrt(w)).T
values, vectors = np.linalg.eigh(W @ K @ W.T)
A = vectors[:, ::-1].T @ W
a = A[0] * np.sign(A[0][abs(A[0]).argmax()])
print("MNF", values[::-1][[0, 1, 2, 3, 197]].tolist())
print("MNF of pixel 0", float(a @ (X[0] - m)))
