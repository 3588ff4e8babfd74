// Package drxmp reads, writes and extends the array files of package drx from parallel programs.
// It is the library DRX-MP of Otoo and Rotem, "Parallel Access of Out-Of-Core Dense Extendible
// Arrays" (2007), section IV. Procs are those of package par: goroutines, or processes of MPI.
//
//	err := par.Run(4, func(c par.Comm) error {
//		a, err := drxmp.Open(c, "radar", drxmp.Options{})
//		if err != nil {
//			return err
//		}
//		zone := make([]int16, a.Zone().Len())
//		if err := drxmp.ReadAll(a, nil, zone); err != nil {
//			return err
//		}
//		...
//		return a.Close()
//	})
//
// # Zones
//
// A Distribution assigns the chunks of an array to the procs. A Decomposition is the result: which
// proc owns an element, which chunks a proc owns, and where they lie in the file and in its
// memory. None of this is stored. Every proc computes it, for all procs, from the history of
// expansions, which proc 0 reads and sends to the others. Figure 1 of the paper, 20 chunks on 2 x
// 2 procs:
//
//	 0  1 |  6 12       proc 0: chunks 0 1 2 3 4 5     proc 1: 6 7 8 12 13 14, in
//	 2  3 |  7 13                                      memory at 0 2 4 1 3 5
//	 4  5 |  8 14
//	------+------       proc 2: chunks 9 10 16 17      proc 3: 11 15 18 19
//	 9 10 | 11 15
//	16 17 | 18 19
//
// # Reading and writing
//
// ReadAll and WriteAll are collective: all procs call them together, each with its section or its
// zone. Read and Write are calls of one proc. Each of the four has a form that works in the
// background. A GlobalArray holds all zones in memory, where every proc reaches all elements by
// one-sided calls. Reduce computes sums, means, minima and maxima. An array grows by Extend, which
// all procs call together; an array that another program extends follows by Refresh.
//
// # One writer
//
// Files and other programs see the procs that have an array open for writing as one writer, see
// internal/group. Nothing that the procs write counts before Sync or Close commits it, all of it
// at once. A program that fails or is killed leaves the array as it was at the last commit. The
// files are the same, byte for byte, as those that package drx would have written, except for one
// number in an entry of the chunk table, which counts how often the chunk was stored.
//
//  1. Only the owner of a chunk writes it. Elements that other procs write to it are sent to the
//     owner: by WriteAll at once; after Write, by the next collective call that writes or commits.
//     So two procs may write to one chunk: the zones decide who does the work, not who may write.
//  2. Owners write new chunks to the data file. They write chunks that replace committed ones to
//     the journal. At the end of a collective write all procs know the new entries of the chunk
//     table; proc 0 writes table and log, once per commit. Until such an exchange, other procs see
//     a chunk that its owner writes alone as it was at the last one. Without the journal
//     (drx.DurabilityNoJournal, DurabilityNone) chunks are overwritten in place, and other procs
//     see the chunk as it was or as it is.
//  3. Before Extend or Redistribute change the owners, all pending writes are sent to the old ones.
//
// # Errors
//
// Collective calls return the same error on all procs, and the array can be used further, see
// package par. The error names the array, the operation and the proc that it comes from, and wraps
// a sentinel of package drx or par. Procs that make different calls, or the same call with
// different arguments where they must be equal, get par.ErrDisagree: this is so for all arrays
// that were opened with the same group, and their global arrays. A proc that waits in a call on an
// array, while another waits outside of arrays or in another group, does so until
// par.Options.Timeout.
//
// # Files
//
// Uses go one way only: distribution.go, decomposition.go and zone.go (who owns what) and
// sequencer.go (the order of collective calls) know no array; selection.go cuts a call into jobs
// for the engines (direct.go, mpiio.go) and remote writes (remotewrites.go); deliver.go and
// commit.go bring these to the file; open.go, close.go, io.go, grow.go and so on are the calls.
package drxmp
