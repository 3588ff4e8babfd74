//go:build mpi && cgo && !mpich

package main

// #cgo pkg-config: ompi-c
import "C"
