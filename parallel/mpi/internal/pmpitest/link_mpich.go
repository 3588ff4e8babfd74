//go:build mpi && cgo && mpich

package pmpitest

// #cgo pkg-config: mpich
import "C"
