package main

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed peers
var peerSources embed.FS

// A competitor is a program with settings. It has one name in all tables.
type competitor struct {
	series  string
	program string   // a key of programs
	store   string   // competitors with the same store share the files of arrays
	options []string // sent with every request; the head of the peer's source explains them
	limit   bool     // a limit of the machine

	goroutines bool // procs are goroutines of one process, without mpirun
	core       bool // bound to one core
}

// The competitors. docs/perf/README.md explains their settings, and why these are the fairest.
var (
	drxDefault = competitor{series: "drx", program: "drx", store: "drx"}
	drxBounded = competitor{series: "drx 64 MiB", program: "drx", store: "drx", options: []string{"cache=67108864"}}

	hdf5Default = competitor{series: "hdf5 default", program: "hdf5", store: "hdf5-default", options: []string{"cache=default"}}
	hdf5Cached  = competitor{series: "hdf5 64 MiB", program: "hdf5", store: "hdf5-latest", options: []string{"cache=67108864", "format=latest"}}
	hdf5Bare    = competitor{series: "hdf5 no cache", program: "hdf5", store: "hdf5-latest", options: []string{"cache=none", "format=latest"}}

	netcdfCached = competitor{series: "netcdf 64 MiB", program: "netcdf", store: "netcdf", options: []string{"cache=67108864"}}
	netcdfBare   = competitor{series: "netcdf no cache", program: "netcdf", store: "netcdf", options: []string{"cache=none"}}

	zarr = competitor{series: "zarr", program: "zarr", store: "zarr"}
	h5py = competitor{series: "h5py", program: "h5py", store: "h5py"}

	drxC      = competitor{series: "drx, C", program: "drx-c", store: "drx"}
	drxPython = competitor{series: "drx, Python", program: "drx-python", store: "drx"}

	rowMajor = competitor{series: "row-major", program: "rowmajor", store: "rowmajor", options: []string{"map=0"}}
	rowMap   = competitor{series: "row-major mapped", program: "rowmajor", store: "rowmajor", options: []string{"map=1"}}

	copyPieces = competitor{series: "strided memcpy", program: "limits", store: "memory", options: []string{"kind=strided"}, limit: true}
	copyBytes  = competitor{series: "memcpy", program: "limits", store: "memory", options: []string{"kind=memcpy"}, limit: true}
	copyPlain  = competitor{series: "plain memcpy", program: "rowmajor", store: "memory", options: []string{"memory=1"}, limit: true}
	readBytes  = competitor{series: "pread", program: "limits", store: "rowmajor", options: []string{"kind=pread"}, limit: true}
	readChunks = competitor{series: "pread of the chunks", program: "limits", store: "drx", options: []string{"kind=chunks"}, limit: true}
	writeSync  = competitor{series: "write + fsync", program: "limits", store: "append", options: []string{"kind=append"}, limit: true}
	syncOnly   = competitor{series: "fsync", program: "limits", store: "append", options: []string{"kind=fsync"}, limit: true}
)

// with returns the competitor with more options.
func (c competitor) with(series string, options ...string) competitor {
	c.series = series
	c.options = append(append([]string{}, options...), c.options...)
	return c
}

// exact reports whether the competitor reads the requested elements, and not merely as many bytes.
func (c competitor) exact() bool {
	return !c.limit || c.series == copyPieces.series || c.series == copyPlain.series
}

// cSource describes how to build a peer in C: with the flags that pkg-config gives for a library,
// or with linker flags.
type cSource struct {
	file, library, debian string
	link                  string
	// runs under mpirun: built with MPI's compiler and the workloads of job.c
	job        bool
	libdrx     bool // built with libdrx, see libdrxFlags
	multiplies bool // built with ScaLAPACK, see job_matmul.c
	packs      bool // built with field.c in place of peer.c
}

var cSources = map[string]cSource{
	"hdf5":     {file: "hdf5.c", library: "hdf5-serial", debian: "libhdf5-dev"},
	"netcdf":   {file: "netcdf.c", library: "netcdf", debian: "libnetcdf-dev"},
	"rowmajor": {file: "rowmajor.c"},
	"limits":   {file: "limits.c"},
	"drx-c":    {file: "drx_c.c", libdrx: true},

	"field-hdf5":  {file: "field_hdf5.c", library: "hdf5-serial", debian: "libhdf5-dev", packs: true},
	"field-blosc": {file: "field_blosc.c", library: "blosc", debian: "libblosc-dev", packs: true},

	"job-hdf5":         {file: "job_hdf5.c", library: "hdf5-openmpi", debian: "libhdf5-openmpi-dev", job: true},
	"job-pnetcdf":      {file: "job_pnetcdf.c", library: "pnetcdf", debian: "libpnetcdf-dev", job: true},
	"job-mpiio":        {file: "job_mpiio.c", job: true},
	"job-chunks":       {file: "job_chunks.c", job: true},
	"job-dra":          {file: "job_dra.c", link: linkDRA, debian: "libglobalarrays-dev", job: true},
	"job-matmul-hdf5":  {file: "job_hdf5.c", library: "hdf5-openmpi", debian: "libhdf5-openmpi-dev", link: linkScaLAPACK, job: true, multiplies: true},
	"job-matmul-mpiio": {file: "job_mpiio.c", link: linkScaLAPACK, debian: "libscalapack-openmpi-dev libopenblas-dev", job: true, multiplies: true},
	"job-matmul-dra":   {file: "job_dra.c", link: "-lopenblas " + linkDRA, debian: "libglobalarrays-dev libopenblas-dev", job: true, multiplies: true},

	"job-pexta": {file: "job_dra.c", link: "-DPEXTA " + linkDRA, debian: "libglobalarrays-dev", job: true},
}

// peers builds and starts the peers, and keeps the processes that run.
type peers struct {
	dir     string // for sources and binaries
	argv    map[string][]string
	missing map[string]error // by program; the errors wrap errMissing
	running map[string]*process
}

func newPeers(dir string) (*peers, error) {
	ps := &peers{dir: dir, argv: map[string][]string{}, missing: map[string]error{}, running: map[string]*process{}}
	entries, err := peerSources.ReadDir("peers")
	for _, e := range entries {
		var text []byte
		if text, err = peerSources.ReadFile("peers/" + e.Name()); err == nil {
			err = os.WriteFile(filepath.Join(dir, e.Name()), text, 0o666)
		}
		if err != nil {
			break
		}
	}
	if err != nil {
		return nil, fmt.Errorf("unpack the peers: %w", err)
	}
	return ps, nil
}

// command returns the command line that starts a program, and builds the program first if
// necessary. The error wraps errMissing.
func (ps *peers) command(program string) ([]string, error) {
	if err := ps.missing[program]; err != nil {
		return nil, err
	}
	if argv := ps.argv[program]; argv != nil {
		return argv, nil
	}
	argv, err := ps.build(program)
	if err != nil {
		ps.missing[program] = fmt.Errorf("%s: %w: %w", program, errMissing, err)
		return nil, ps.missing[program]
	}
	ps.argv[program] = argv
	return argv, nil
}

func (ps *peers) build(program string) ([]string, error) {
	switch program {
	case "drx":
		self, err := os.Executable()
		return []string{self, childFlag}, err
	case "before":
		return []string{os.Getenv(beforeVariable), childFlag}, nil
	case "job-drx":
		return ps.buildJob()
	case "job-matmul":
		return ps.buildMatmul()
	case "zarr":
		return ps.python("zarr")
	case "field-zarr":
		return ps.python("field_zarr")
	case "h5py":
		return ps.python("h5py")
	case "drx-python":
		argv, err := ps.python("drx")
		if err == nil {
			_, err = libdrxFlags()
		}
		return append(argv, sources()), err
	}
	src, ok := cSources[program]
	if !ok {
		return nil, fmt.Errorf("no such program")
	}
	binary, compiler, workloads := filepath.Join(ps.dir, program), "gcc", "peer.c"
	if src.packs {
		workloads = "field.c"
	}
	if src.job {
		compiler, workloads = mpicc, "job.c job_flow.c"
	}
	args := []string{"-O3", "-march=native", "-std=gnu11", "-o", binary}
	files := append(strings.Fields(workloads), "common.c", src.file)
	if src.multiplies {
		files = append(files, "job_matmul.c")
	}
	for _, file := range files {
		args = append(args, filepath.Join(ps.dir, file))
	}
	if program == "job-pexta" { // before Global Arrays
		archive, err := ps.buildPEXTA()
		if err != nil {
			return nil, err
		}
		args = append(args, archive)
	}
	args = append(append(args, strings.Fields(src.link)...), "-lm")
	if src.libdrx {
		flags, err := libdrxFlags()
		if err != nil {
			return nil, err
		}
		args = append(args, flags...)
	}
	if src.library != "" {
		flags, err := exec.Command("pkg-config", "--cflags", "--libs", src.library).Output()
		if err != nil {
			return nil, fmt.Errorf("pkg-config does not know %s (Debian: %s)", src.library, src.debian)
		}
		args = append(args, strings.Fields(string(flags))...)
	}
	if text, err := exec.Command(compiler, args...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%s: %w: %s", compiler, err, text)
	}
	return []string{binary}, nil
}

// python returns the command line of a peer in Python, with the first Python that has the required
// packages.
func (ps *peers) python(peer string) ([]string, error) {
	module := map[string]string{"zarr": "zarr", "field_zarr": "zarr", "h5py": "h5py", "drx": "numpy", "distributed": "distributed"}[peer]
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import numpy, "+module).Run() == nil {
			return []string{python, filepath.Join(ps.dir, peer+"_peer.py")}, nil
		}
	}
	return nil, fmt.Errorf("no python3 with numpy and %s (Debian: python3-%[1]s)", module)
}

// sources returns the folder of DRX's sources: this program is in its folder bin.
func sources() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	return filepath.Dir(filepath.Dir(self))
}

// libdrxFlags returns the flags to compile with the libdrx in the folder lib.
func libdrxFlags() ([]string, error) {
	lib := filepath.Join(sources(), "lib")
	if _, err := os.Stat(filepath.Join(lib, "libdrx.so")); err != nil {
		return nil, fmt.Errorf("no libdrx (make lib): %w", err)
	}
	return []string{"-I" + filepath.Join(sources(), "include"), "-L" + lib, "-ldrx", "-Wl,-rpath," + lib}, nil
}

// has reports whether a competitor's program can run here.
func (ps *peers) has(c competitor) bool {
	_, err := ps.command(c.program)
	return err == nil
}

// start starts a new process for a competitor.
func (ps *peers) start(c competitor) (*process, error) {
	argv, err := ps.command(c.program)
	if err != nil {
		return nil, err
	}
	if c.core {
		argv = append([]string{"taskset", "--cpu-list", "0"}, argv...)
	}
	p, err := startProcess(argv, c.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.series, err)
	}
	return p, nil
}

// call sends a request to the competitor's process, and starts it first if necessary.
func (ps *peers) call(c competitor, verb string, args ...string) (result, error) {
	key := c.series + strings.Join(c.options, " ")
	p := ps.running[key]
	if p == nil {
		var err error
		if p, err = ps.start(c); err != nil {
			return result{}, err
		}
		ps.running[key] = p
	}
	res, err := p.call(verb, args...)
	if err != nil {
		return res, fmt.Errorf("%s: %w", c.series, err)
	}
	return res, nil
}

// stopAll ends all processes, which closes their arrays.
func (ps *peers) stopAll() error {
	var errs []error
	for key, p := range ps.running {
		if err := p.stop(); err != nil {
			errs = append(errs, fmt.Errorf("end of %s: %w", key, err))
		}
		delete(ps.running, key)
	}
	return errors.Join(errs...)
}

// removeStore removes the files of an array of any competitor.
func removeStore(path string) error {
	files, err := storeFiles(path)
	for _, f := range files {
		err = errors.Join(err, os.RemoveAll(f))
	}
	return err
}

// storeFiles returns the files and folders of an array: path itself, or path with an extension.
func storeFiles(path string) ([]string, error) {
	files, err := filepath.Glob(path + ".*")
	if _, statErr := os.Lstat(path); statErr == nil {
		files = append(files, path)
	} else if !errors.Is(statErr, fs.ErrNotExist) {
		err = errors.Join(err, statErr)
	}
	return files, err
}

// beforeVariable is the environment variable with the path of the drx-bench of an earlier commit:
//
//	git worktree add /tmp/before COMMIT
//	go -C /tmp/before/bench build -o /tmp/before/drx-bench .
//	DRX_BENCH_BEFORE=/tmp/before/drx-bench make bench ONLY='^before$'
const beforeVariable = "DRX_BENCH_BEFORE"

// childFlag is the argument that makes this program the peer DRX.
const childFlag = "-child"
