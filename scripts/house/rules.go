package main

// rules holds the exceptions and limits of all rules. Packages are named relative to the root
// module: "." is its root package, "hyper/..." is hyper and all packages below it.
type rules struct {
	layers   []layer
	internal []exception // packages outside of internal that import internal ones
	reach    []exception // files and packages that reach files of the system by themselves
	spell    []exception // files and packages that spell the extensions of an array's files
	tangles  []ceiling

	errorTexts []exception // files and packages that decide by the text of an error
	flagTexts  []exception // files and packages whose texts name flags of a command line

	kinds    []string    // sentinels whose texts may not end an error
	ownKinds []exception // sentinels of some packages for which the same is true
}

// A layer is a set of packages with the same rule about imports. A package belongs to the first
// layer with a matching pattern.
type layer struct {
	name     string
	packages string // patterns
	imports  string // names of the layers that its packages may import
	pure     bool   // no I/O: none of the packages in ioPackages
}

// An exception permits one violation of a rule.
type exception struct {
	who    string // a package pattern, or a file
	what   string // packages imported, for rules about imports
	reason string
}

// A ceiling is the number of files of a package that are in tangles today. It may only be lowered.
type ceiling struct {
	pkg    string
	files  int
	reason string
}

// few is the largest number of files that may all use each other: a type, and some files with its
// methods.
const few = 7

// house are the rules of this repository.
var house = rules{
	layers: []layer{
		{
			"pure",
			"nd dtype axial curve advise optionerr internal/plan internal/pool internal/group " +
				"internal/wording internal/errkind internal/fanout internal/crc32c internal/pack internal/codec internal/quantize internal/gemm internal/strided internal/layout internal/picture internal/plot internal/enumtest internal/growtest internal/codectest internal/state/... " +
				"relayout/internal/planner relayout/internal/arraytest dataset/cftime dataset/meaning dataset/regrid/weights",
			"pure", true,
		},
		{"store", "internal/vfs/... internal/cputest internal/mapped internal/metalog internal/journal internal/writeq internal/chunktable internal/onefile internal/remote internal/chunkstore internal/fileset internal/transfer", "pure store", false},
		{"root", ".", "pure store", false},
		{"procs", "parallel/par parallel/internal/... parallel/ga parallel/mpi/... parallel/spmd parallel/partest", "pure procs", false},
		{
			"formats",
			"formats formats/formattest formats/npy formats/raster formats/zarr formats/texttable formats/cformat formats/lock formats/bridgetest " +
				"formats/fits formats/gdal formats/h5chunk formats/h5filter formats/hdf5 formats/mat formats/netcdf formats/parquet formats/pipe/...", "pure formats", false,
		},
		{"libraries", "memory cube relayout/... parallel/drxmp advise/accesslog dataset/... formats/diff formats/transfer hyper/... parallel/pexta/... internal/gemm/openblas", "pure root procs formats libraries", false},
		{"programs", "cmd/... bench/... examples/... apps/... scripts/... fortran/...", "pure root procs formats libraries programs", false},
	},
	internal: []exception{
		{"...", "internal/errkind", "errors of a kind that is not in their texts"},
		{"apps/matmul", "internal/gemm internal/gemm/openblas", "products of matrices in memory"},
		{"hyper/...", "internal/gemm", "products of matrices, which know no arrays"},
		{"relayout", "internal/state", "the name of the attribute by which Open knows an unfinished copy"},
		{"memory", "internal/plan internal/strided internal/state", "the same states and plans, without files"},
		{"parallel/drxmp", "internal/group", "the types of the processes of a group, which it alone calls"},
		{"parallel/drxmp", "internal/fileset", "the name of the principal array, which MPI-IO opens"},
		{"parallel/drxmp", "internal/strided", "packs elements for the owners of their chunks"},
		{"parallel/...", "internal/vfs", "opens shared files as the root does"},
		{"cmd/drx/...", "internal/picture internal/plot", "drawing, knows no files"},
		{"apps/lbm/cavity", "internal/picture internal/plot", "drawing, knows no files"},
		{"cmd/drx/...", "internal/fileset", "the names of files, to show and to list; removes an array that it has just created"},
		{"cmd/drx/...", "internal/vfs", "drx doctor tries what file systems do"},
		{"cmd/...", "internal/wording", "the words of messages for people"},
		{"formats/transfer", "internal/wording", "the words of messages for people"},
		{"dataset", "internal/wording", "errors name what the user named"},
		{"formats/pipe", "internal/wording", "the words of messages for people"},
		{"formats/diff", "internal/wording", "the words of messages for people"},
		{"optionerr", "internal/wording", "gives an error another text"},
		{"dataset/regrid", "internal/fanout", "divides blocks among goroutines, knows no arrays"},
		{"dataset/meaning", "internal/quantize", "rounds numbers, knows no arrays"},
		{"formats/zarr", "internal/codec", "frames of blosc and shuffles, knows no arrays"},
		{"formats/h5filter", "internal/codec", "frames of blosc, lz4 and zstd, knows no arrays"},
		{"formats/h5chunk", "internal/codec", "the framing of lz4 in HDF5, knows no arrays"},
		{"formats/bridgetest", "internal/codec", "the error of a damaged frame"},
		{"cmd/internal/usage", "internal/fileset", "tells arrays from other files, for errors"},
		{"bench", "internal/codec", "times codecs alone, beside C-Blosc"},
		{"bench", "internal/fileset", "the names of files that its peers read"},
		{"bench", "internal/mapped", "asks how much memory there is, for its report"},
	},
	reach: []exception{
		{"internal/vfs", "", "the one way to files"},
		{"cmd/...", "", "programs read and write files that are no arrays"},
		{"examples/...", "", "programs read and write files that are no arrays"},
		{"apps/lbm/cavity", "", "writes pictures"},
		{"bench/...", "", "measures with files of its own, and those of others"},
		{"scripts/...", "", "programs read and write files that are no arrays"},
		{"fortran/generate", "", "writes sources"},
		{"parallel/partest", "", "a suite of tests: looks at what is in a file from outside"},
		{"formats/open.go", "", "reads files of other formats, no arrays"},
		{"formats/registry.go", "", "tells files of other formats from folders"},
		{"formats/hdf5", "", "removes a file that it could not finish; looks at files that an HDF5 file names"},
		{"formats/inorder.go", "", "puts what a file cannot take yet into a temporary file"},
		{"formats/zarr/store.go", "", "reads folders of another format, no arrays"},
		{"formats/zarr/storewrite.go", "", "writes folders and files of another format, no arrays"},
		{"formats/gzipwrite.go", "", "writes files of other formats, no arrays"},
		{"formats/fits", "", "removes a file that it could not finish"},
		{"formats/mat", "", "writes files of another format; keeps in a temporary file what is to be compressed"},
		{"formats/parquet", "", "writes files of another format; keeps in temporary files what waits for other columns"},
		{"formats/cformat", "", "compares where symbolic links lead"},
		{"formats/gdal", "", "removes files that it could not finish; looks for the data that belong to a header"},
		{"formats/pipe", "", "reads the counters of its own process"},
		{"formats/bridgetest", "", "files of other formats, for tests"},
		{"formats/pipe/pipetest", "", "files of other formats, for tests"},
		{"formats/netcdf", "", "removes a file that it could not finish"},
		{"hyper/internal/jaspertest", "", "reads a scene in another format, for tests"},
		{"internal/remote/owner.go", "", "asks the system which processes run"},
		{"internal/mapped/cgroup_linux.go", "", "reads the memory limits of control groups"},
		{"parallel/drxmp/filesystem_linux.go", "", "asks which kind of file system holds an array"},
		{"formats/transfer", "", "reads and writes files of other formats, no arrays"},
		{"hyper/scene/envi/open.go", "", "reads files of another format, no arrays"},
		{"advise/accesslog", "", "appends to a log that belongs to no array"},
		{"relayout/temp.go", "", "makes and removes the folder of temporary arrays; to go by way of vfs"},
	},
	spell: []exception{
		{"internal/fileset", "", "the one place that knows them"},
		{"internal/vfs/vfstest", "", "ways to lose files in tests; below fileset"},
	},
	errorTexts: []exception{
		{"cmd/internal/capi/call.go", "", "Go has no type for the use of a nil pointer; it only says so in the text"},
		{"cmd/internal/capi/options.go", "", "leaves out the name of Go's package, which callers from C do not know"},
		{"cmd/internal/usage/files.go", "", "puts another cause into a sentence; errors of another process are texts"},
		{"formats/bridgetest", "", "a suite of tests: looks for names in errors"},
		{"formats/pipe/errors.go", "", "leaves out a path that the receiver of the error adds again"},
		{"internal/state/statetest", "", "a suite of tests: looks for words in errors"},
		{"parallel/partest", "", "a suite of tests: looks for words in errors"},
	},
	kinds: []string{"ErrBounds", "ErrRank", "ErrDType", "ErrSize", "ErrVersion", "ErrArgument", "ErrInvalid", "ErrPattern", "ErrSpec"},
	ownKinds: []exception{
		{"formats/zarr", "ErrFormat", "the sentence says what is not valid"},
		{"formats/raster", "ErrFormat", "the sentence says what is not valid"},
	},
	tangles: []ceiling{
		{"parallel/partest", 9, "allowed: one file lists the cases, the others have them and use its helpers"},
	},
}

// ioPackages are the packages that pure packages must not import, nor any below them.
var ioPackages = []string{"os", "io/ioutil", "net", "syscall", "path/filepath", "log", "golang.org/x/sys/unix", "C"}

// filePackages have functions that access files; fileFunctions are the prefixes of the names of
// these functions.
var (
	filePackages  = []string{"os", "io/ioutil", "path/filepath", "syscall", "golang.org/x/sys/unix"}
	fileFunctions = []string{
		"Open", "Creat", "ReadFile", "ReadDir", "Readlink", "WriteFile", "TempFile", "Mkdir", "Mkfifo", "Mknod",
		"Remove", "Rename", "Rmdir", "Unlink", "Link", "Symlink", "Truncate", "Stat", "Lstat", "Fstatat", "Access",
		"Chmod", "Chown", "Lchown", "Chtimes", "DirFS", "CopyFS", "Walk", "Glob", "EvalSymlinks",
	}
)
