package main

// rules are the rules of a house. All packages are given from the root module: "." is its root
// package, "par/..." par and all below it.
type rules struct {
	layers   []layer
	internal []exception // packages outside of internal that import internal ones
	reach    []exception // files and packages that reach files of the system by themselves
	spell    []exception // files and packages that spell the extensions of an array's files
	tangles  []ceiling
}

// A layer is a set of packages with the same rule about imports. The first layer with a pattern
// that fits a package has it.
type layer struct {
	name     string
	packages string // patterns
	imports  string // names of the layers that its packages may import
	pure     bool   // no I/O: none of the packages in ioPackages
}

// An exception is something that a rule forbids and that is allowed all the same.
type exception struct {
	who    string // a package pattern, or a file
	what   string // packages imported, if it is about imports
	reason string
}

// A ceiling is how many files of a package are in tangles today. It only goes down.
type ceiling struct {
	pkg    string
	files  int
	reason string
}

// few is how many files that use each other are no tangle yet: a type, and some files of its
// methods.
const few = 7

// house are the rules of this repository.
var house = rules{
	layers: []layer{
		{
			"pure",
			"nd dtype axial curve advise internal/plan internal/pool internal/group " +
				"internal/wording internal/crc32c internal/gemm internal/strided internal/layout internal/picture internal/plot internal/states internal/sides internal/state/... " +
				"relayout/internal/planner relayout/internal/fakearray dataset/cftime dataset/meaning",
			"pure", true,
		},
		{"store", "internal/vfs internal/mapped internal/metalog internal/journal internal/writeq internal/chunktable internal/onefile internal/chunkstore internal/fileset internal/transfer", "pure store", false},
		{"root", ".", "pure store", false},
		{"procs", "par/...", "pure procs", false},
		{"formats", "convert/... bridges/...", "pure formats", false},
		{"libraries", "memory cube relayout/... drxmp advise/accesslog dataset/... exchange hyper/... pexta/... internal/gemm/openblas", "pure root procs formats libraries", false},
		{"programs", "cmd/... bench/... examples/... apps/... scripts/... fortran/...", "pure root procs formats libraries programs", false},
	},
	internal: []exception{
		{"apps/matmul", "internal/gemm internal/gemm/openblas", "products of matrices in memory"},
		{"hyper/...", "internal/gemm", "products of matrices, which know no arrays"},
		{"memory", "internal/plan internal/strided internal/state", "the same states and plans, without files"},
		{"drxmp", "internal/group", "the types of the processes of a group, which it alone calls"},
		{"drxmp", "internal/fileset", "the name of the principal array, which MPI-IO opens"},
		{"drxmp", "internal/strided", "packs elements for the owners of their chunks"},
		{"par/...", "internal/vfs", "opens shared files as the root does"},
		{"cmd/drx", "internal/picture internal/plot", "drawing, knows no files"},
		{"apps/lbm/cavity", "internal/picture internal/plot", "drawing, knows no files"},
		{"cmd/drx", "internal/fileset", "the names of files, to show and to list; removes an array that it has just created"},
		{"cmd/...", "internal/wording", "the words of messages for people"},
		{"exchange", "internal/wording", "the words of messages for people"},
		{"cmd/internal/usage", "internal/fileset", "tells arrays from other files, for errors"},
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
		{"par/partest", "", "a suite of tests: looks at what is in a file from outside"},
		{"convert/open.go", "", "reads files of other formats, no arrays"},
		{"convert/format.go", "", "tells files of other formats from folders"},
		{"bridges/hdf5", "", "removes a file that it could not finish; looks at files that an HDF5 file names"},
		{"convert/inorder.go", "", "puts what a file cannot take yet into a temporary file"},
		{"convert/zarr/store.go", "", "reads folders of another format, no arrays"},
		{"convert/zarr/storewrite.go", "", "writes folders and files of another format, no arrays"},
		{"convert/gzipwrite.go", "", "writes files of other formats, no arrays"},
		{"bridges/fits", "", "removes a file that it could not finish"},
		{"bridges/mat", "", "writes files of another format; keeps in a temporary file what is to be compressed"},
		{"bridges/clib", "", "compares where symbolic links lead"},
		{"bridges/gdal", "", "removes files that it could not finish; looks for the data that belong to a header"},
		{"bridges/pipe", "", "reads the counters of its own process"},
		{"bridges/bridgetest", "", "files of other formats, for tests"},
		{"bridges/pipe/pipetest", "", "files of other formats, for tests"},
		{"bridges/netcdf", "", "removes a file that it could not finish"},
		{"hyper/internal/jasper", "", "reads a scene in another format, for tests"},
		{"internal/mapped/ram_linux.go", "", "reads the memory limit of the control group"},
		{"drxmp/filesystem_linux.go", "", "asks which kind of file system holds an array"},
		{"exchange", "", "reads and writes files of other formats, no arrays"},
		{"hyper/scene/envi/open.go", "", "reads files of another format, no arrays"},
		{"advise/accesslog", "", "appends to a log that belongs to no array"},
		{"relayout/temp.go", "", "makes and removes the folder of temporary arrays; to go by way of vfs"},
	},
	spell: []exception{
		{"internal/fileset", "", "the one place that knows them"},
		{"internal/vfs/policies.go", "", "ways to lose files in tests; below fileset"},
	},
	tangles: []ceiling{
		{"par/partest", 9, "allowed: one file lists the cases, the others have them and use its helpers"},
	},
}

// ioPackages are what pure packages do not import, with all below them.
var ioPackages = []string{"os", "io/ioutil", "net", "syscall", "path/filepath", "log", "golang.org/x/sys/unix", "C"}

// filePackages have functions that reach files; fileFunctions are what the names of these
// functions begin with.
var (
	filePackages  = []string{"os", "io/ioutil", "path/filepath", "syscall", "golang.org/x/sys/unix"}
	fileFunctions = []string{
		"Open", "Creat", "ReadFile", "ReadDir", "Readlink", "WriteFile", "TempFile", "Mkdir", "Mkfifo", "Mknod",
		"Remove", "Rename", "Rmdir", "Unlink", "Link", "Symlink", "Truncate", "Stat", "Lstat", "Fstatat", "Access",
		"Chmod", "Chown", "Lchown", "Chtimes", "DirFS", "CopyFS", "Walk", "Glob", "EvalSymlinks",
	}
)
