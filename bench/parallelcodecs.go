package main

// parallelCodecs writes and reads a compressed array. HDF5 exchanges the sizes of its chunks in
// each write, which must be collective; DRX-MP needs no message from another process.
var parallelCodecs = experiment{
	name:  "mp-codecs",
	title: "Collective write and read of a compressed array of 128 MiB, BLOCK x BLOCK",
	plots: []plot{{metric: "write", title: "Compressed write of 128 MiB: create, write, close", x: "processes", y: "time (ms)", logY: true, bars: true}},
	run:   runParallelCodecs,
}

// The competitors with compressed chunks. HDF5 writes them only in collective calls.
var (
	mpPacked     = competitor{series: "drx-mp, " + zstdShuffled, program: "job-drx", store: "drx-mp", options: []string{"engine=auto", "codec=" + zstdShuffled}}
	mpPackedLZ4  = competitor{series: "drx-mp, " + lz4Shuffled, program: "job-drx", store: "drx-mp", options: []string{"engine=auto", "codec=" + lz4Shuffled}}
	mpHDF5Packed = competitor{series: "hdf5, " + gzipShuffled, program: "job-hdf5", store: "hdf5", options: []string{"layout=chunks", "xfer=collective", "gzip=1"}}
)

func runParallelCodecs(l *lab, t *table) error {
	shape := pick(l, []int{4096, 4096}, []int{2048, 1024})
	cs := l.present(mpDirect, mpPacked, mpPackedLZ4, mpHDF5, mpHDF5Packed)
	return l.raceInParallel(t, cs, 4, shape)
}

// parallelCodecTargets returns the targets of compressed parallel writes.
func parallelCodecTargets() (all []target) {
	for _, c := range []competitor{mpPacked, mpPackedLZ4} {
		all = append(all, target{
			work: c.series + ", write, procs: 4", experiment: parallelCodecs.name, metric: "write", column: "4",
			series: c.series, reference: mpHDF5Packed.series, least: 5,
		})
	}
	return all
}
