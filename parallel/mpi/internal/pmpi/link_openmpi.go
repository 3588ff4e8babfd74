//go:build mpi && cgo && !mpich

package pmpi

// #cgo pkg-config: ompi-c
import "C"
