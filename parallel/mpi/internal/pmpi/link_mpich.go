//go:build mpi && cgo && mpich

package pmpi

// #cgo pkg-config: mpich
import "C"
