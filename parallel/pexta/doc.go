// Package pexta keeps the global arrays of a parallel program in DRX files: the Parallel Extendible
// Chunked Dense Array of Nimako's thesis, chapter 8. It offers the calls of the Disk Resident
// Arrays of Global Arrays (DRA), and growth besides: Extend, and IRead, which lets the global array
// grow as the file has. The files are arrays of package drx like any other.
//
//	s := pexta.Start(pexta.Options{MaxMemory: 64 << 20})
//	spec := pexta.Spec{Type: dtype.Float64, Shape: []int{1000, 1000}, File: "heat"}
//	h, err := s.Create(comm, spec)
//	r, err := s.Write(g, h)              // g is a GlobalArray; copied when Write returns
//	...                                  // compute, and change g
//	err = s.Wait(r)                      // now the file has them, after a crash too
//	r, err = s.Extend(h, []int{0, 200}, []int{1})
//	err = s.Wait(r)
//	r, err = s.IRead(g, h)               // g has 1000 x 1200 elements now
//	err = s.Wait(r)
//	err = s.Terminate()
//
// GlobalArray is the interface through which this package uses an array in the memory of all procs.
// Package parallel/ga implements it with the library Global Arrays.
//
// # Procs and threads
//
// A Session belongs to one proc, which makes all calls from one goroutine, one at a time. Methods
// are collective over the procs that have opened the array together, unless their comment says
// local: all of them make the same calls in the same order with equal arguments. If they do not, or
// if one has an error, all get the same error and the program goes on. There is one exception: a
// proc that passes an unknown handle or request number gets ErrHandle or ErrRequest at once. The
// session cannot inform the others, because it does not know their group, and they wait for this
// proc, see par.Options.Timeout. A program that knows the group can inform them by Agree, with
// which every collective call begins.
//
// Calls of par.Comm and GlobalArray are made on the caller's goroutine only, within calls of the
// Session. Only the reading and writing of files goes on in the background.
//
// # Requests
//
// Calls that move elements return a Request, which Wait ends, or Probe if it reports that the
// request is done. Any number of requests may be pending, and they may be ended in any order. They
// are numbered from 1; a request that was ended counts as done, so a second Wait does no harm.
//
//   - After Write and WriteSection the program may change the global array at once: up to 16 MiB of
//     a proc's elements are copied, and the files get them in the background; more, or more than
//     there are buffers for, are written during the call. When the request is done the elements are
//     committed: durable, and visible to other programs.
//   - Read, ReadSection and IRead begin to read in the background. Elements that lie in the memory
//     of the proc that reads them get there (Accessor); others get to the global array in calls of
//     Wait, Probe and Flick, or in another call that needs the buffers. When the request is done
//     the global array has them, on all procs.
//   - Extend extends the array at once, for this program. When the request is done the extension is
//     committed.
//
// A request sees what earlier ones on the same array have written, as if each were over before the
// next one begins. A commit contains whole requests, also those that were begun after the one that
// Wait waits for. After a program was killed the file has the state of the last commit. After an
// error of a write some of its elements may be stored; after an error of a read the elements of the
// global array are undefined.
//
// # Sections
//
// A section of the global array corresponds to a section of the disk array with the same extents.
// In a transposed request the extents of the one are those of the other in reverse order: element
// (i, j, k) of the one section is element (k, j, i) of the other. Ranges are half-open and have no
// steps. The first element of a disk array has index 0 in every dimension, wherever the array was
// extended: in a file that was extended on the low side too, index 0 is the lowest one.
//
// # Memory
//
// Options.MaxMemory bounds what a Session allocates for elements. Half of it is for buffers between
// global arrays and files, of about a chunk each, that all requests share and reuse. The other half
// is for chunks of the arrays in memory, see drx.Options.Cache: with MaxArrays each array gets an
// equal part, without it an eighth of the bytes that the open arrays have left. An array whose
// chunks are larger than its part gets one chunk.
//
// # Who moves what
//
// A read avoids messages where it can: each proc reads the elements that it holds straight to its
// memory (Accessor), and several procs read the chunks at the boundaries. This requires that each
// proc's elements form one box, and that all changes of the array are committed.
//
// For other requests the chunks of the section are divided among the procs at the boundaries of
// their parts of the global array, rounded to whole chunks. Only one proc writes to a chunk; it
// gets the elements that other procs hold by one-sided calls. If that would give a few procs most
// of the work, because the global array is on a few of them or is block-cyclic, the chunks are
// divided evenly. The division is kept while requests are pending on the array, and while a better
// one would save little.
//
// # Files
//
// Uses go one way: globalarray.go, options.go and sections.go (corresponding sections) know no
// request; request.go finishes them; direct.go and transfer.go begin them;
// extend.go and array.go are the other calls of a Session (session.go). Package internal/division
// decides who moves which chunks, internal/staging has the buffers and goroutines.
package pexta
