package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"drx"
	"drx/nd"
)

// imports compares imports of a NetCDF-4 file, with a limit on memory, with programs that copy such
// files into other chunks.
var imports = experiment{
	name:  "import",
	title: "Import of a NetCDF-4 file of 2 GiB within 64 MiB",
	plots: []plot{
		{metric: "import", x: "chunks of t2m, in elements", y: "time (ms)", bars: true},
		{metric: "peak", title: "Peak resident memory of an import within 64 MiB", x: "chunks of t2m, in elements", y: "VmHWM (MiB)", bars: true},
	},
	run: runImports,
}

// An importCase is one way to divide the variables into chunks.
type importCase struct {
	column string
	chunks map[string]string // of each variable, with x between the extents; nil: drx chooses
}

// sameChunks has the chunks of the file.
var sameChunks = importCase{"8x181x360, as the file", map[string]string{"t2m": "8x181x360", "msl": "8x181x360", "tp": "8x181x360"}}

// The targets of the imports.
func init() {
	for _, column := range []string{sameChunks.column, "4x181x360, chosen by drx"} {
		for _, r := range []string{"nccopy", "h5repack"} {
			targets = append(targets, target{
				work: "import of 2 GiB, chunks of " + column, experiment: "import", metric: "import", column: column, reference: r, least: 1,
			})
		}
		targets = append(targets, target{
			work: "memory, import, chunks of " + column, experiment: "import", metric: "peak", column: column, reference: "budget + 64 MiB", least: 1,
		})
	}
}

func runImports(l *lab, t *table) error {
	i, err := newImporter(l)
	if err != nil {
		l.printf("  left out: %v\n", err)
		return nil
	}
	chosen, err := i.chosen()
	if err != nil {
		return err
	}
	for _, c := range []importCase{sameChunks, chosen} {
		if err := i.race(t, c); err != nil {
			return err
		}
	}
	return os.Remove(i.source)
}

// importNames are the variables of the file.
var importNames = []string{"t2m", "msl", "tp"}

// importMemory is the limit of memory of an import, in bytes.
const importMemory = 64 << 20

// An importer imports one file.
type importer struct {
	*lab
	drx, source string
	helper      []string // makes and checks NetCDF files
	shape       []int
	check       string // checksum of the file
	peaks       map[string][]peaks
}

// newImporter makes the file and finds the programs.
func newImporter(l *lab) (*importer, error) {
	i := &importer{lab: l, source: filepath.Join(l.dir, "source.nc"), shape: pick(l, []int{208, 721, 1440}, []int{16, 181, 720}), peaks: map[string][]peaks{}}
	var err error
	if i.drx, err = findProgram("drx"); err != nil {
		return nil, err
	}
	if _, err = findProgram("drx-bridge"); err != nil {
		return nil, err
	}
	if i.helper, err = l.buildCopier("import_nc", "netcdf"); err != nil {
		return nil, fmt.Errorf("netcdf: %w", err)
	}
	begun := time.Now()
	args := append(i.helper, "make", i.source)
	for _, n := range i.shape {
		args = append(args, fmt.Sprint(n))
	}
	if text, err := exec.Command(args[0], args[1:]...).CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	l.printf("  file of %d MiB made in %.1f s\n", 10*volume(i.shape)>>20, time.Since(begun).Seconds())
	r, err := runProgram(append(i.helper, "check", i.source))
	i.check = r.check
	return i, err
}

// findProgram returns a program beside this one, in bin, or on the PATH.
func findProgram(name string) (string, error) {
	if self, err := os.Executable(); err == nil {
		if path, err := exec.LookPath(filepath.Join(filepath.Dir(self), name)); err == nil {
			return path, nil
		}
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is not there: make build bridge", name)
	}
	return path, nil
}

// chosen returns the case with the chunks that drx chooses.
func (i *importer) chosen() (importCase, error) {
	to := filepath.Join(i.dir, "to")
	out, err := exec.Command(i.drx, "import", i.source, to, "--json", "--quiet").Output()
	if err != nil {
		return importCase{}, fmt.Errorf("%w: %s", err, errors.Unwrap(err))
	}
	var made struct {
		Variables []struct {
			Name  string `json:"name"`
			Chunk []int  `json:"chunk"`
		} `json:"variables"`
	}
	if err := json.Unmarshal(out, &made); err != nil {
		return importCase{}, err
	}
	c := importCase{chunks: map[string]string{}}
	for _, v := range made.Variables {
		if name := filepath.Base(v.Name); len(v.Chunk) == 3 {
			c.chunks[name] = strings.ReplaceAll(commaed(v.Chunk), ",", "x")
		}
	}
	c.column = c.chunks["t2m"] + ", chosen by drx"
	return c, os.RemoveAll(to)
}

// race measures one case.
func (i *importer) race(t *table, c importCase) error {
	es := []entrant{{series: "drx", run: func(uint64) (result, error) { return i.importDRX(c) }}}
	for _, p := range []struct {
		name string
		run  func(importCase) (result, error)
	}{{"nccopy", i.nccopy}, {"h5repack", i.repack}} {
		if _, err := exec.LookPath(p.name); err != nil {
			i.printf("  left out: %v\n", err)
			continue
		}
		es = append(es, entrant{series: p.name, run: func(uint64) (result, error) { return p.run(c) }})
		if p.name == "nccopy" {
			es = append(es, entrant{series: "nccopy, fsync", run: func(uint64) (result, error) { return i.nccopySynced(c) }})
		}
	}
	es = append(es, entrant{series: "write + fsync", limit: true, run: func(uint64) (result, error) { return i.writeAll() }})
	clear(i.peaks)
	if _, err := i.lab.race(t, cell{metric: "import", column: c.column, unit: milliseconds}, es...); err != nil {
		return err
	}
	for _, e := range es {
		if e.series != "nccopy, fsync" { // which is that of a shell
			i.addPeaks(t, c.column, e.series)
		}
	}
	t.add(row{metric: "peak", series: "budget + 64 MiB", limit: true, column: c.column, value: importMemory>>20 + 64, unit: "MiB", reps: 1})
	return nil
}

// addPeaks adds the median peak memories of a series.
func (i *importer) addPeaks(t *table, column, series string) {
	var all, own, helper []float64
	for _, p := range i.peaks[series] {
		all, own, helper = append(all, p.own+p.helper), append(own, p.own), append(helper, p.helper)
	}
	add := func(series string, values []float64) {
		low, high := span(values)
		t.add(row{metric: "peak", series: series, column: column, value: median(values), low: low, high: high, unit: "MiB", reps: len(values)})
		i.printf("  %-28s %-22s %12.1f MiB\n", "peak "+column, series, median(values))
	}
	if len(all) == 0 {
		return
	}
	add(series, all)
	if series == "drx" {
		add("of these drx", own)
		add("of these drx-bridge", helper)
	}
}

// importDRX runs drx import.
func (i *importer) importDRX(c importCase) (result, error) {
	to := filepath.Join(i.dir, "to")
	args := []string{"import", i.source, to, "--memory", fmt.Sprint(importMemory), "--quiet"}
	if c.column == sameChunks.column {
		args = append(args, "--chunk", strings.ReplaceAll(c.chunks["t2m"], "x", ","))
	}
	r, err := i.measure("drx", exec.Command(i.drx, args...))
	if err == nil {
		r.check, err = checkImported(to, i.shape)
	}
	return i.checked(r, errors.Join(err, os.RemoveAll(to)))
}

// nccopy runs nccopy, with a buffer larger than its default, which is faster.
func (i *importer) nccopy(c importCase) (result, error) {
	return i.copyFile("nccopy", i.nccopyCommand(c))
}

// nccopySynced is nccopy followed by fsync of the file, as drx does it.
func (i *importer) nccopySynced(c importCase) (result, error) {
	cmd := i.nccopyCommand(c)
	to := cmd.Args[len(cmd.Args)-1]
	return i.copyFile("nccopy, fsync", exec.Command("sh", append([]string{"-c", `"$@" && sync ` + to, "sh"}, cmd.Args...)...), to)
}

func (i *importer) nccopyCommand(c importCase) *exec.Cmd {
	args := []string{"-d", "0", "-m", fmt.Sprint(importMemory)}
	for _, name := range importNames {
		args = append(args, "-c", name+":"+strings.ReplaceAll(c.chunks[name], "x", ","))
	}
	return exec.Command("nccopy", append(args, i.source, filepath.Join(i.dir, "to.nc"))...)
}

// repack runs h5repack, with a buffer larger than its default, which takes a sixth of the time.
func (i *importer) repack(c importCase) (result, error) {
	args := []string{"-f", "NONE"}
	for _, name := range importNames {
		args = append(args, "-l", name+":CHUNK="+c.chunks[name])
	}
	cmd := exec.Command("h5repack", append(args, i.source, filepath.Join(i.dir, "to.nc"))...)
	cmd.Env = append(os.Environ(), fmt.Sprint("H5TOOLS_BUFSIZE=", importMemory))
	return i.copyFile("h5repack", cmd)
}

// copyFile runs a command that writes a NetCDF file. The file is the last argument unless named
// gives it.
func (i *importer) copyFile(series string, cmd *exec.Cmd, named ...string) (result, error) {
	to := append(named, cmd.Args[len(cmd.Args)-1])[0]
	r, err := i.measure(series, cmd)
	if err == nil {
		var found result
		found, err = runProgram(append(i.helper, "check", to))
		r.check = found.check
	}
	return i.checked(r, errors.Join(err, os.Remove(to)))
}

// checked returns an error if a copy does not have the values of the file.
func (i *importer) checked(r result, err error) (result, error) {
	if err == nil && r.check != i.check {
		err = fmt.Errorf("the copy has the sum %s, the file %s", r.check, i.check)
	}
	return r, err
}

// writeAll writes as many bytes as the variables have, and syncs them: the limit of the disk.
func (i *importer) writeAll() (result, error) {
	to := filepath.Join(i.dir, "to")
	if err := i.prepare(); err != nil {
		return result{}, err
	}
	block := make([]byte, 1<<20)
	var k clock
	k.begin()
	f, err := os.Create(to)
	for n := 10 * volume(i.shape); n > 0 && err == nil; n -= len(block) {
		_, err = f.Write(block[:min(n, len(block))])
	}
	if err == nil {
		err = errors.Join(f.Sync(), f.Close())
	}
	k.end(1)
	return result{wall: k.wall, cpu: k.cpu}, errors.Join(err, os.Remove(to))
}

// checkImported returns the sum that import_nc prints, of the arrays of a dataset.
func checkImported(dir string, shape []int) (string, error) {
	const rows = 64
	sum, values := uint64(0), make([]float64, shape[2])
	for v, name := range importNames {
		a, err := drx.Open(filepath.Join(dir, name), drx.Options{})
		if err != nil {
			return "", err
		}
		for i := range uint64(rows) {
			at := []int{int(mix(uint64(v), i, 0) % uint64(shape[0])), int(mix(uint64(v), i, 1) % uint64(shape[1]))}
			if err := readAsFloat64(a, nd.Sec(nd.At(at[0]), nd.At(at[1]), nd.All), values); err != nil {
				return "", errors.Join(err, a.Close())
			}
			for x, value := range values {
				sum += uint64(value*64) * uint64(x%1009+1)
			}
		}
		if err := a.Close(); err != nil {
			return "", err
		}
	}
	return fmt.Sprint(sum), nil
}

// readAsFloat64 reads elements of any type.
func readAsFloat64(a *drx.Array, sec nd.Section, to []float64) error {
	size := a.DType().Size()
	buf := make([]byte, len(to)*size)
	if err := a.ReadBytes(sec, buf, nil); err != nil {
		return err
	}
	for i := range to {
		to[i] = a.DType().Float64(buf[i*size:][:size])
	}
	return nil
}
