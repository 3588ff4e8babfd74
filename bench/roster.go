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

// A competitor is a program with settings, under one name in all tables.
type competitor struct {
	series  string
	program string   // a key of programs
	store   string   // arrays of competitors with the same store are the same files
	options []string // given with every request, see the head of the peer's source
	limit   bool     // a limit of the machine

	goroutines bool // a job whose procs are goroutines of one process, not started by mpirun
}

// The competitors. Which settings each has, and why they are its fairest, is told in
// docs/PERFORMANCE.md.
var (
	drxDefault = competitor{series: "drx", program: "drx", store: "drx"}
	drxBounded = competitor{series: "drx 64 MiB", program: "drx", store: "drx", options: []string{"cache=67108864"}}

	hdf5Default = competitor{series: "hdf5 default", program: "hdf5", store: "hdf5-default", options: []string{"cache=default"}}
	hdf5Cached  = competitor{series: "hdf5 64 MiB", program: "hdf5", store: "hdf5-latest", options: []string{"cache=67108864", "format=latest"}}
	hdf5Bare    = competitor{series: "hdf5 no cache", program: "hdf5", store: "hdf5-latest", options: []string{"cache=none", "format=latest"}}

	netcdfCached = competitor{series: "netcdf 64 MiB", program: "netcdf", store: "netcdf", options: []string{"cache=67108864"}}
	netcdfBare   = competitor{series: "netcdf no cache", program: "netcdf", store: "netcdf", options: []string{"cache=none"}}

	zarr = competitor{series: "zarr", program: "zarr", store: "zarr"}

	rowMajor = competitor{series: "row-major", program: "rowmajor", store: "rowmajor", options: []string{"map=0"}}
	rowMap   = competitor{series: "row-major mapped", program: "rowmajor", store: "rowmajor", options: []string{"map=1"}}

	copyPieces = competitor{series: "strided memcpy", program: "limits", store: "memory", options: []string{"kind=strided"}, limit: true}
	copyBytes  = competitor{series: "memcpy", program: "limits", store: "memory", options: []string{"kind=memcpy"}, limit: true}
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

// exact reports whether the competitor reads the elements asked for, not just as many.
func (c competitor) exact() bool { return !c.limit || c.series == copyPieces.series }

// cSource is how a peer in C is built: with what pkg-config knows of a library, or with flags
// for the linker.
type cSource struct {
	file, library, debian string
	link                  string
	job                   bool // for mpirun: with MPI's compiler and the workloads of job.c
}

var cSources = map[string]cSource{
	"hdf5":     {file: "hdf5.c", library: "hdf5-serial", debian: "libhdf5-dev"},
	"netcdf":   {file: "netcdf.c", library: "netcdf", debian: "libnetcdf-dev"},
	"rowmajor": {file: "rowmajor.c"},
	"limits":   {file: "limits.c"},

	"job-hdf5":    {file: "job_hdf5.c", library: "hdf5-openmpi", debian: "libhdf5-openmpi-dev", job: true},
	"job-pnetcdf": {file: "job_pnetcdf.c", library: "pnetcdf", debian: "libpnetcdf-dev", job: true},
	"job-mpiio":   {file: "job_mpiio.c", job: true},
	"job-chunks":  {file: "job_chunks.c", job: true},
	"job-dra":     {file: "job_dra.c", link: linkDRA, debian: "libglobalarrays-dev", job: true},
}

// A roster builds and starts peers, and keeps those that run.
type roster struct {
	dir     string // for what is built
	argv    map[string][]string
	missing map[string]error // by program, wrapping errMissing
	running map[string]*process
}

func newRoster(dir string) (*roster, error) {
	r := &roster{dir: dir, argv: map[string][]string{}, missing: map[string]error{}, running: map[string]*process{}}
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
	return r, nil
}

// command returns how a program is started, and builds it if need be. The error wraps
// errMissing.
func (r *roster) command(program string) ([]string, error) {
	if err := r.missing[program]; err != nil {
		return nil, err
	}
	if argv := r.argv[program]; argv != nil {
		return argv, nil
	}
	argv, err := r.build(program)
	if err != nil {
		r.missing[program] = fmt.Errorf("%s: %w: %w", program, errMissing, err)
		return nil, r.missing[program]
	}
	r.argv[program] = argv
	return argv, nil
}

func (r *roster) build(program string) ([]string, error) {
	switch program {
	case "drx":
		self, err := os.Executable()
		return []string{self, childFlag}, err
	case "job-drx":
		return r.buildJob()
	case "zarr":
		return r.python()
	}
	src, ok := cSources[program]
	if !ok {
		return nil, fmt.Errorf("no such program")
	}
	binary, compiler, workloads := filepath.Join(r.dir, program), "gcc", "peer.c"
	if src.job {
		compiler, workloads = mpicc, "job.c"
	}
	args := []string{"-O3", "-march=native", "-std=gnu11", "-o", binary}
	for _, file := range []string{"common.c", workloads, src.file} {
		args = append(args, filepath.Join(r.dir, file))
	}
	args = append(args, strings.Fields(src.link)...)
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

// python returns the first Python that has zarr.
func (r *roster) python() ([]string, error) {
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import zarr, numpy").Run() == nil {
			return []string{python, filepath.Join(r.dir, "zarr_peer.py")}, nil
		}
	}
	return nil, errors.New("no python3 with zarr and numpy (Debian: python3-zarr)")
}

// has reports whether a competitor's program can be run here.
func (r *roster) has(c competitor) bool {
	_, err := r.command(c.program)
	return err == nil
}

// start runs a process of its own for a competitor.
func (r *roster) start(c competitor) (*process, error) {
	argv, err := r.command(c.program)
	if err != nil {
		return nil, err
	}
	p, err := startProcess(argv, c.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.series, err)
	}
	return p, nil
}

// call sends a request to the competitor's process, which is started if need be.
func (r *roster) call(c competitor, verb string, args ...string) (result, error) {
	key := c.series + strings.Join(c.options, " ")
	p := r.running[key]
	if p == nil {
		var err error
		if p, err = r.start(c); err != nil {
			return result{}, err
		}
		r.running[key] = p
	}
	res, err := p.call(verb, args...)
	if err != nil {
		return res, fmt.Errorf("%s: %w", c.series, err)
	}
	return res, nil
}

// dismiss ends all processes that run, and with them what they have open.
func (r *roster) dismiss() error {
	var errs []error
	for key, p := range r.running {
		if err := p.stop(); err != nil {
			errs = append(errs, fmt.Errorf("end of %s: %w", key, err))
		}
		delete(r.running, key)
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
