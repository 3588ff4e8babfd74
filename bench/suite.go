package main

// A suite is a set of experiments with their targets.
type suite struct {
	targets     string // the file with the table of targets, beside the others
	command     string // runs the suite
	experiments []experiment
	goals       []target
	peers       map[string]competitor // by program; they may be missing
}

// suite returns the suite that the command line selects.
func (s settings) suite() suite {
	if s.parallel {
		return suite{
			targets: "targets-mp.md", command: "scripts/bench.sh -mp",
			experiments: parallelExperiments, goals: parallelTargets(),
			peers: map[string]competitor{
				"job-drx": mpDirect, "job-hdf5": mpHDF5, "job-pnetcdf": mpPnetCDF, "job-mpiio": mpRaw,
				"job-dra": mpDRA, "job-pexta": mpPEXTA, "job-chunks": mpChunks,
				"job-matmul": mulDRX, "job-matmul-hdf5": mulHDF5, "job-matmul-mpiio": mulRaw, "job-matmul-dra": mulDRA,
			},
		}
	}
	if s.hyper {
		return suite{targets: "targets-hyper.md", command: "scripts/bench.sh -hyper", experiments: hyperExperiments}
	}
	return suite{
		targets: "targets.md", command: "scripts/bench.sh",
		experiments: experiments, goals: targets,
		peers: map[string]competitor{
			"hdf5": hdf5Default, "netcdf": netcdfBare, "zarr": zarr, "rowmajor": rowMajor, "limits": copyBytes, "h5py": h5py, "drx-c": drxC, "drx-python": drxPython,
			"field-hdf5": packer(ofHDF5, gzipShuffled), "field-zarr": packer(ofZarr, lz4Shuffled), "field-blosc": packer(ofCBlosc, lz4Shuffled),
		},
	}
}

// experiments lists the experiments of a run, in order.
var experiments = []experiment{
	randomAccess, interleaved, utilisation, orders, sections, smallSections, cubical, latency, appends, opening, oneFile, memory,
	relayouts, relayoutTables, lookupFloor, lookupRank, lookupClaims, curveAccess, curveStretch, elementOrders,
	memoryStatic, memoryInterleaved, chunkedStatic, chunkedInterleaved, matrixGrowth, imports, zarrReads, statistics, languages, onCluster, hyperSpeed, codecs, codecsReal, codecsBefore,
	asItGrows,
}
