package main

// parallelCodecs writes and reads a compressed array. HDF5 exchanges the sizes of its chunks in
// each write, which must be collective; DRX-MP needs no word of another process.
var parallelCodecs = experiment{
	name:  "mp-codecs",
	title: "Collective write and read of a compressed array of 128 MiB, BLOCK x BLOCK",
	plots: []plot{{metric: "write", title: "Compressed write of 128 MiB: create, write, close", x: "processes", y: "time (ms)", logY: true, bars: true}},
	run:   runParallelCodecs,
}

// The competitors with compressed chunks, which HDF5 writes in collective calls only.
var (
	mpPacked     = competitor{series: "drx-mp, " + zstdShuffled, program: "job-drx", store: "drx-mp", options: []string{"engine=auto", "codec=" + zstdShuffled}}
	mpPackedLZ4  = competitor{series: "drx-mp, " + lz4Shuffled, program: "job-drx", store: "drx-mp", options: []string{"engine=auto", "codec=" + lz4Shuffled}}
	mpHDF5Packed = competitor{series: "hdf5, " + gzipShuffled, program: "job-hdf5", store: "hdf5", options: []string{"layout=chunks", "xfer=collective", "gzip=1"}}
)

func runParallelCodecs(l *lab, t *table) error {
	shape := pick(l, []int{4096, 4096}, []int{2048, 1024})
	cs := l.present(mpDirect, mpPacked, mpPackedLZ4, mpHDF5, mpHDF5Packed)
	const procs = 4
	reads := map[string]map[string][]result{"first read": {}, "read": {}}
	es := entrants(cs, func(c competitor) entrant {
		return entrant{series: c.series, run: func(uint64) (result, error) {
			rs, err := l.writeAndRead(c, procs, append(shapeArgs(shape, uniform(2, 256)), "grid="+blocks(procs)))
			if err != nil {
				return result{}, err
			}
			for i, metric := range parallelMetrics[1:] {
				reads[metric][c.series] = append(reads[metric][c.series], rs[i+1])
			}
			return rs[0], nil
		}}
	})
	if _, err := l.race(t, parallelCell("write", procs), es...); err != nil {
		return err
	}
	for _, metric := range parallelMetrics[1:] {
		l.record(t, parallelCell(metric, procs), es, reads[metric])
	}
	return nil
}

// parallelCodecTargets returns the targets of compressed parallel writes.
func parallelCodecTargets() (all []target) {
	for _, c := range []competitor{mpPacked, mpPackedLZ4} {
		all = append(all, target{
			work: c.series + ", write, procs: 4", experiment: parallelCodecs.name, metric: "write", place: "4",
			series: c.series, reference: mpHDF5Packed.series, least: 5,
		})
	}
	return all
}
