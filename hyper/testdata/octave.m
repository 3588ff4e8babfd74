% Computes with GNU Octave what TestOctave computes with DRX: octave.m FILE, prints JSON.
%
% FILE is JSON: the spectra of all pixels, of some of them, whose abundances are wanted, and of some materials, a row each.

given = jsondecode(fileread(argv(){1}));
X = given.some;
E = given.spectra';
p = columns(E);
values = sort(eig(cov(given.pixels)), 'descend');
nnls = fcls = zeros(rows(X), p);
for i = 1:rows(X)
  y = X(i, :)';
  nnls(i, :) = lsqnonneg(E, y)';
  fcls(i, :) = qp(ones(p, 1) / p, E' * E, -E' * y, ones(1, p), 1, zeros(p, 1), ones(p, 1))';
end
ucls = X / E';
printf('%s', jsonencode(struct('PCT', values', 'UCLS', ucls'(:)', 'NNLS', nnls'(:)', 'FCLS', fcls'(:)')));
