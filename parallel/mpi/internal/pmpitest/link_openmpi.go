//go:build mpi && cgo && !mpich

package pmpitest

// #cgo pkg-config: ompi-c
import "C"
