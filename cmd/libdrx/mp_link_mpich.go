//go:build mpi && cgo && mpich

package main

// #cgo pkg-config: mpich
import "C"
