package relayout

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"drx/dtype"
	"drx/nd"
	"drx/par"
	"drx/par/mpi"
	"drx/par/partest"
)

// mpiEnv names the folder in which processes that mpirun has started copy together.
const mpiEnv = "DRX_RELAYOUT_MPI"

var (
	mpiSource = Grid{[]int{0, 0}, []int{60, 70}, []int{7, 9}, 8}
	mpiTarget = Grid{[]int{0, 0}, []int{60, 70}, []int{11, 4}, 8}
)

// A rawFile is an array in a file, row by row, that any process may write a part of.
type rawFile struct {
	*os.File
	width int
}

func (f rawFile) each(sec nd.Section, buf []byte, move func(p []byte, off int64) (int, error)) error {
	n := 8 * (sec[1].Hi - sec[1].Lo)
	for y := sec[0].Lo; y < sec[0].Hi; y++ {
		if _, err := move(buf[:n], int64(8*(y*f.width+sec[1].Lo))); err != nil {
			return err
		}
		buf = buf[n:]
	}
	return nil
}

func (f rawFile) ReadBytes(sec nd.Section, buf []byte, _ nd.Order) error {
	return f.each(sec, buf, f.ReadAt)
}

func (f rawFile) WriteBytes(sec nd.Section, buf []byte, _ nd.Order) error {
	return f.each(sec, buf, f.WriteAt)
}

// copyMPI is one process of the copy.
func copyMPI(dir string) error {
	src, err := os.Open(filepath.Join(dir, "src"))
	if err != nil {
		return err
	}
	dst, err := os.OpenFile(filepath.Join(dir, "dst"), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	err = mpi.Run(func(c par.Comm) error {
		p, err := PlanParallel(mpiSource, mpiTarget, nil, 4096, c.Procs())
		if err := c.Agree("plan", err); err != nil {
			return err
		}
		cost, err := CopyParallel(c, rawFile{dst, 70}, rawFile{src, 70}, p)
		if err == nil && cost != p.Pass.Cost {
			err = fmt.Errorf("counted %v, planned %v", cost, p.Pass.Cost)
		}
		return err
	})
	return errors.Join(err, mpi.Finalize(), src.Close(), dst.Close())
}

// The same code in processes of MPI.
func TestCopyParallelUnderMpirun(t *testing.T) {
	if mpi.Command != "mpirun.openmpi" {
		t.Skip("one MPI is enough")
	}
	program := partest.Program(t, mpi.Built, mpi.Command)
	data := make([]float64, 60*70)
	for i := range data {
		data[i] = float64(i)
	}
	for procs := 1; procs <= 3; procs++ {
		dir := t.TempDir()
		for name, content := range map[string][]byte{"src": dtype.Bytes(data), "dst": make([]byte, 8*len(data))} {
			if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv(mpiEnv, dir)
		if out, err := partest.Mpirun(t, mpi.Command, strconv.Itoa(procs), program); err != nil {
			t.Fatalf("%d processes: %v\n%s", procs, err, out)
		}
		got, err := os.ReadFile(filepath.Join(dir, "dst"))
		if err != nil || !slices.Equal(got, dtype.Bytes(data)) {
			t.Errorf("%d processes: not the source, %v", procs, err)
		}
	}
}
