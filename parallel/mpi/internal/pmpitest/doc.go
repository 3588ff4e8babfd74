// Package pmpitest is for tests of programs that start MPI themselves. It counts their calls of
// MPI: pmpi.c has a function for every function of MPI that package parallel/mpi calls, which
// counts and calls the same one with PMPI_ in front. Programs in C are linked with pmpi.c, those in
// Go import the package with the tag mpi. A test checks that no function is missing.
package pmpitest
