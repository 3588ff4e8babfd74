package main

// targets lists the targets of DRX.
var targets = append([]target{
	sectionTarget("256x256 aligned", "strided memcpy", 0.9), sectionTarget("256x256 aligned", "hdf5 best", 1.5),
	sectionTarget("1024x1024 aligned", "strided memcpy", 0.9), sectionTarget("1024x1024 aligned", "hdf5 best", 1.5),
	sectionTarget("256x256", "strided memcpy", 0.8), sectionTarget("256x256", "hdf5 best", 1.8),
	sectionTarget("1024x1024", "strided memcpy", 0.8), sectionTarget("1024x1024", "hdf5 best", 1.8),
	sectionTarget("8x8", "hdf5 best", 4), sectionTarget("64x64", "hdf5 best", 4),
	sectionTarget("one row", "hdf5 best", 4), sectionTarget("one column", "hdf5 best", 4),
	sectionTarget("1024x1024 transposed, aligned", "strided memcpy", 0.6),
	sectionTarget("1024x1024 transposed", "strided memcpy", 0.6),
	sectionTarget("one element", "hdf5 best", 20), sectionTarget("one element", "zarr", 500),
	{work: "gather", experiment: "sections", metric: "batch", column: "gather", reference: "hdf5 best", least: 50},
	{work: "gather", experiment: "sections", metric: "batch", column: "gather", reference: "zarr", least: 500},
	{work: "scatter", experiment: "sections", metric: "batch", column: "scatter", reference: "hdf5 best", least: 50},
	{work: "scatter", experiment: "sections", metric: "batch", column: "scatter", reference: "zarr", least: 500},
	smallTarget("8x8"), smallTarget("64x64"), smallTarget("256x256"), smallTarget("1024x1024"), smallTarget("one column"),
	coldTarget("256x256 aligned"), coldTarget("1024x1024 aligned"), coldTarget("256x256"), coldTarget("1024x1024"),
	{work: "append 16 MiB, durable", experiment: "append", metric: "durable", column: "16 MiB", reference: "write + fsync", least: 0.8},
	{work: "append 16 MiB, durable, beside HDF5 without durability", experiment: "append", metric: "buffered", column: "16 MiB", series: "drx, durable", reference: "hdf5 best", least: 1, cpu: true},
	{work: "extension of 10^2 chunks", experiment: "extension-latency", metric: "uncommitted", column: "100", reference: "1 µs", least: 1},
	{work: "extension of 10^7 chunks", experiment: "extension-latency", metric: "uncommitted", column: "1e+07", reference: "1 µs", least: 1},
	{work: "extension of 10^7 chunks", experiment: "extension-latency", metric: "uncommitted", column: "1e+07", reference: "drx", at: "100", least: 1 / 1.2},
	{work: "extension of 10^7 chunks, committed", experiment: "extension-latency", metric: "committed", column: "1e+07", reference: "fsync", least: 1 / 1.3},
	{work: "extension of 10^7 chunks, committed", experiment: "extension-latency", metric: "committed", column: "1e+07", reference: "drx", at: "100", least: 1 / 1.2},
	{work: "reopen after 100 extensions", experiment: "cubical-growth", metric: "reopen", column: "100 extensions", reference: "hdf5 best", least: 5},
	growthTarget("2", "hdf5 best", 2), growthTarget("3", "hdf5 best", 2), growthTarget("4", "hdf5 best", 2),
	growthTarget("2", "row-major best", 20), growthTarget("3", "row-major best", 20), growthTarget("4", "row-major best", 20),
	memoryTarget("write"), memoryTarget("read rows"), memoryTarget("read columns"),
	memoryTarget("random sections"), memoryTarget("random elements"), memoryTarget("random writes"),
}, oneFileTargets()...)

func sectionTarget(column, reference string, least float64) target {
	return target{work: "read " + column + ", warm", experiment: "sections", metric: "warm", column: column, reference: reference, least: least}
}

func smallTarget(column string) target {
	return target{work: "read " + column + ", 32 MiB in memory", experiment: "sections-small", metric: "hot", column: column, reference: "hdf5 best", least: 1.5, limit: copyPlain.series, limitShare: 0.9}
}

func coldTarget(column string) target {
	return target{work: "read " + column + ", cold", experiment: "sections", metric: "cold", column: column, reference: "pread of the chunks", least: 0.95}
}

func growthTarget(rank, reference string, least float64) target {
	return target{work: "growth and access on disk, k = " + rank, experiment: "interleaved-growth", metric: "disk", column: rank, reference: reference, least: least}
}

func memoryTarget(column string) target {
	return target{work: "memory, " + column, experiment: "memory", metric: "peak", column: column, reference: "budget + 64 MiB", least: 1}
}
