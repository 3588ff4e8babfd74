// Libdrx is DRX as a library for C: include/drx.h with docs/C.md. make lib builds it by
//
//	go build -buildmode=c-shared    or    -buildmode=c-archive
//
// The public functions are in drx.c. They check that they were not called in a child made by fork,
// and call the function of the same name here, with the prefix drxgo_, which converts the arguments
// and calls package capi. With the tag mpi it is libdrxmp, which also has the functions of
// include/drxmp.h: drxmp.c, drxmp_paper.c and the Go files whose names begin with mp. One library
// implements both headers, because two Go runtimes in one process would compete for signals and
// threads. error.c keeps the messages, process.c detects a fork, and signals_linux.c leaves the
// host its signals.
package main

// #cgo mpi CFLAGS: -DDRX_WITH_MPI
// #cgo CFLAGS: -I${SRCDIR}/../../include -std=gnu11 -O2
// #include "internal.h"
import "C"

import "sync"

// version is set by the build.
var version = "devel"

func main() {}

// The runtime has started when this runs. The call is needed where the constructors of the C files
// ran before that of the runtime, see signals_linux.c.
func init() { C.drxc_install_signals() }

// cVersion is the version as a C string, which is never freed.
var cVersion = sync.OnceValue(func() *C.char { return C.CString(version) })

//export drxgo_version
func drxgo_version() *C.char { return cVersion() }
