package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
)

// A parallel competitor is a job: mpirun starts its processes, and the first of them speaks the
// protocol for all (peers/job.c). DRX-MP is this program, built with MPI.

// jobFlag is the argument that makes this program a process of the job DRX-MP. If a number of procs
// follows, they are goroutines of this process.
const jobFlag = "-job"

// The programs of Open MPI. mpirun must not bind processes to cores, which is its default for up to
// two processes. Without these environment variables it refuses to run as root and to start more
// processes than there are cores.
const (
	mpicc  = "mpicc.openmpi"
	mpirun = "mpirun.openmpi"
)

var mpiEnvironment = []string{
	"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1",
}

// linkDRA has the linker flags for Disk Resident Arrays, which pkg-config does not know.
const linkDRA = "-lga-openmpi -lscalapack-openmpi -llapack -lblas -larmci-openmpi -lgfortran -lm -lquadmath -lpthread"

// linkScaLAPACK has the linker flags for pdgemm over OpenBLAS.
const linkScaLAPACK = "-lscalapack-openmpi -lopenblas"

// The parallel competitors. The comments at the head of their sources explain the options.
var (
	mpDirect     = competitor{series: "drx-mp", program: "job-drx", store: "drx-mp", options: []string{"engine=auto"}}
	mpCollective = competitor{series: "drx-mp, mpiio", program: "job-drx", store: "drx-mp", options: []string{"engine=mpiio"}}
	mpGoroutines = competitor{series: "drx-mp, goroutines", program: "job-drx", store: "drx-mp", options: []string{"engine=auto"}, goroutines: true}

	mpHDF5      = competitor{series: "hdf5 our chunks", program: "job-hdf5", store: "hdf5", options: []string{"layout=chunks", "xfer=collective"}}
	mpHDF5Alone = competitor{series: "hdf5 our chunks, independent", program: "job-hdf5", store: "hdf5", options: []string{"layout=chunks", "xfer=independent"}}
	mpHDF5Share = competitor{series: "hdf5 chunk per process", program: "job-hdf5", store: "hdf5", options: []string{"layout=share", "xfer=collective"}}
	mpHDF5Own   = competitor{series: "hdf5 chunk per process, independent", program: "job-hdf5", store: "hdf5", options: []string{"layout=share", "xfer=independent"}}

	mpPnetCDF      = competitor{series: "pnetcdf", program: "job-pnetcdf", store: "pnetcdf", options: []string{"xfer=collective"}}
	mpPnetCDFAlone = competitor{series: "pnetcdf, independent", program: "job-pnetcdf", store: "pnetcdf", options: []string{"xfer=independent"}}

	mpRaw      = competitor{series: "mpi-io", program: "job-mpiio", store: "mpi-io", options: []string{"xfer=collective"}}
	mpRawAlone = competitor{series: "mpi-io, independent", program: "job-mpiio", store: "mpi-io", options: []string{"xfer=independent"}}

	mpDRA    = competitor{series: "dra", program: "job-dra", store: "dra", options: []string{"reqdims=1024", "io=default"}}
	mpDRAOne = competitor{series: "dra, one file", program: "job-dra", store: "dra", options: []string{"reqdims=1024", "io=all"}}

	// PEXTA is DRA's program with libpexta, which is built from these sources. Like the other
	// peers it makes nothing durable.
	mpPEXTA = competitor{series: "pexta", program: "job-pexta", store: "pexta", options: []string{"reqdims=1024"}}

	// The competitors that multiply matrices, see matmul.go. The peers read whole matrices and call
	// ScaLAPACK's pdgemm.
	mulDRX  = competitor{series: mpDirect.series, program: "job-matmul"}
	mulHDF5 = competitor{series: "hdf5, pdgemm", program: "job-matmul-hdf5", store: "hdf5", options: []string{"layout=chunks", "xfer=independent"}}
	mulRaw  = competitor{series: "mpi-io, pdgemm", program: "job-matmul-mpiio", store: "mpi-io", options: []string{"xfer=collective"}}
	mulDRA  = competitor{series: "dra, pdgemm", program: "job-matmul-dra", store: "dra", options: []string{"reqdims=1024", "io=default"}}

	mpChunks = competitor{series: "pread, pwrite of chunks", program: "job-chunks", store: "chunks", options: []string{"memory=chunks"}, limit: true}
	mpRows   = competitor{series: "rows, plain C", program: "job-chunks", store: "chunks", options: []string{"memory=rows"}, limit: true}
)

// buildJob builds this program with MPI.
func (ps *peers) buildJob() ([]string, error) {
	binary, err := filepath.Abs(filepath.Join(ps.dir, "job-drx"))
	if err != nil {
		return nil, err
	}
	if err := goBuild("-tags", "mpi", "-o", binary, "drx/bench"); err != nil {
		return nil, err
	}
	return []string{binary, jobFlag}, nil
}

// buildPEXTA builds the library for Global Arrays and returns its file.
func (ps *peers) buildPEXTA() (string, error) {
	archive, err := filepath.Abs(filepath.Join(ps.dir, "libpexta.a"))
	if err != nil {
		return "", err
	}
	return archive, goBuild("-tags", "ga,mpi", "-buildmode=c-archive", "-o", archive, "drx/cmd/libpexta")
}

// goBuild builds from the sources of this module.
func goBuild(args ...string) error {
	build := exec.Command("go", append([]string{"build", "-buildvcs=false"}, args...)...)
	// a run starts in the root folder, a test in the module's
	if _, err := os.Stat("bench/go.mod"); err == nil {
		build.Dir = "bench"
	}
	if text, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("go build %v: %w: %s", args, err, text)
	}
	return nil
}

// launch starts a job with the given number of procs for a competitor.
func (ps *peers) launch(c competitor, procs int) (*process, error) {
	argv, err := ps.command(c.program)
	if err != nil {
		return nil, err
	}
	n := strconv.Itoa(procs)
	if c.goroutines {
		argv = append(argv[:len(argv):len(argv)], n)
	} else {
		environment := append([]string{"env", "PEXTA_DURABILITY=none", fmt.Sprintf("OPENBLAS_NUM_THREADS=%d", threadsPerProc())}, mpiEnvironment...)
		argv = append(append(environment, mpirun, "-n", n, "--bind-to", "none"), argv...)
	}
	p, err := startProcess(argv, c.options)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.series, err)
	}
	return p, nil
}

// session starts a job, sends it requests and ends it. It returns the results in the order of the
// requests.
func (ps *peers) session(c competitor, procs int, requests ...[]string) ([]result, error) {
	p, err := ps.launch(c, procs)
	if err != nil {
		return nil, err
	}
	var results []result
	for _, q := range requests {
		var found result
		if found, err = p.call(q[0], q[1:]...); err != nil {
			break
		}
		results = append(results, found)
	}
	if endErr := p.stop(); err == nil {
		err = endErr
	}
	return results, err
}

// matmulProcs is the number of processes that multiply matrices.
const matmulProcs = 4

// threadsPerProc divides the processors among the processes, also for the peers.
func threadsPerProc() int { return max(1, runtime.NumCPU()/matmulProcs) }

// buildMatmul builds apps/matmul with MPI.
func (ps *peers) buildMatmul() ([]string, error) {
	binary, err := filepath.Abs(filepath.Join(ps.dir, "job-matmul"))
	if err != nil {
		return nil, err
	}
	return []string{binary}, goBuild("-tags", "mpi", "-o", binary, "drx/apps/matmul")
}
