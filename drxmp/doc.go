// Package drxmp reads, writes and extends the array files of package drx from parallel programs:
// the library DRX-MP of Otoo and Rotem, "Parallel Access of Out-Of-Core Dense Extendible Arrays"
// (2007), section IV. Procs are those of package par: goroutines, or processes of MPI.
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
// A Distribution deals the chunks of an array to the procs, and a Map says the result: which proc
// owns an element, which chunks a proc has and where they lie, in the file and in its memory.
// Nothing of it is stored: every proc computes it, of every other one too, from the history of
// expansions, which proc 0 reads and all have. Figure 1 of the paper, 20 chunks on 2 x 2 procs:
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
// ReadAll and WriteAll are collective: all procs call them at once, each with its section, or its
// zone. Read and Write are calls of one proc. Each has a form that goes on in the background. A
// Memory holds the zones, where every proc reaches all elements by one-sided calls. Arrays grow by
// Extend, all procs together, or by another program while they are read, see Refresh.
//
// # One writer
//
// The procs that have an array open for writing are one writer, as far as the files and other
// programs are concerned; package drx sees to that, see internal/joint. Nothing of what is written
// counts before Sync or Close has committed it, all of it at once, and a program that fails or is
// killed leaves the array as it was at the last commit. The files are the same, byte for byte, as if
// the serial library had written them, but for the count, in an entry of the chunk table, of how
// often the chunk was stored.
//
//  1. Only the owner of a chunk writes it. What others write to it is sent there: by WriteAll at
//     once, by Write when the next collective call that writes or commits takes it along. So two
//     procs may write to one chunk, and the zones decide who does the work, not who is right.
//  2. Owners put new chunks to their places in the file, and those that replace a committed one to
//     the journal. At the end of a collective write all procs know the new entries of the chunk
//     table; proc 0 writes table and log, once per commit.
//     Until then others see a chunk that its owner writes alone as it was when all met last; without
//     the journal (drx.DurabilityNoJournal, DurabilityNone), where it is overwritten in its place,
//     as it was or as it is.
//  3. Before owners change, by Extend or Redistribute, everything is with its owner.
//
// # Errors
//
// Collective calls return the same error on all procs, and the array goes on, see package par.
// It names the array, the operation, and the proc it comes from, and wraps a sentinel of package
// drx or par. Procs that call different things, or the same with different arguments where
// these should be the same, get par.ErrDisagree: in calls on one array and its memories, or on two arrays
// that were opened with the same group. A proc that waits in a call on an array for another that waits
// outside of arrays, or in one of another group, does so until par.Options.Timeout.
package drxmp
