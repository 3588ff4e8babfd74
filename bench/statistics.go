package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"drx"
	"drx/nd"
)

// statistics reduces an array over time, with the programs drx and cdo and with xarray.
var statistics = experiment{
	name:  "statistics",
	title: "Statistics over time of an array of 128 MiB, page cache cold",
	plots: []plot{{metric: "time", x: "statistic", y: "time (ms)", logY: true, bars: true}},
	run:   runStatistics,
}

// A statistic is an operation of the experiment, in the words of each program. The name is that of
// xarray.
type statistic struct {
	name string
	drx  []string
	cdo  string
}

var statisticsOfTime = []statistic{
	{"mean", []string{"--over", "time", "--mean"}, "timmean"},
	{"monthly", []string{"--by", "month", "--mean"}, "ymonmean"},
	{"percentile", []string{"--over", "time", "--percentile", "90"}, ""}, // of cdo it is no exact one
}

// The series of the experiment.
const (
	statReading = "reading, drx"
	statXarray  = "xarray, zarr"
)

func init() {
	goal := func(column, reference, at string, least float64) {
		targets = append(targets, target{
			work: "statistics, " + column, experiment: "statistics", metric: "time", column: column, reference: reference, at: at, least: least,
		})
	}
	goal("mean", statReading, "mean", 1)
	goal("monthly", "drx", "mean", 1/1.2)
	goal("percentile", "drx", "mean", 1.0/3)
	for _, s := range statisticsOfTime {
		goal(s.name, statXarray, "", 5)
		if s.cdo != "" {
			goal(s.name, "cdo", "", 5)
		}
	}
}

// A statisticsLab has the files and programs of the experiment.
type statisticsLab struct {
	*lab
	drx    string
	python []string // runs statistics.py
	shape  []int
}

func runStatistics(l *lab, t *table) error {
	s := &statisticsLab{lab: l, shape: pick(l, []int{128, 512, 512}, []int{64, 512, 512})}
	if err := s.make(); err != nil {
		l.printf("  left out: %v\n", err)
		return nil
	}
	for _, of := range statisticsOfTime {
		if err := s.race(t, of); err != nil {
			return err
		}
	}
	return errors.Join(os.RemoveAll(s.path("source")), os.RemoveAll(s.path("source.zarr")), os.Remove(s.path("source.nc")))
}

// path returns the path of a file of the experiment.
func (s *statisticsLab) path(name string) string { return filepath.Join(s.dir, name) }

// make writes the files, and imports one.
func (s *statisticsLab) make() (err error) {
	if s.drx, err = findProgram("drx"); err != nil {
		return err
	}
	if _, err = findProgram("drx-bridge"); err != nil {
		return err
	}
	argv, err := s.peers.python("zarr")
	if err != nil {
		return err
	}
	s.python = []string{argv[0], filepath.Join(s.peers.dir, "statistics.py")}
	args := append(s.python[1:], "make", s.dir, fmt.Sprint(s.shape[0]), fmt.Sprint(s.shape[1]))
	if text, err := exec.Command(s.python[0], args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	_, err = timedRun(exec.Command(s.drx, "import", s.path("source.nc"), s.path("source"), "--chunk", "8,256,256", "--quiet"))
	return err
}

// race measures one statistic.
func (s *statisticsLab) race(t *table, of statistic) error {
	es := []entrant{
		{series: "drx", run: func(uint64) (result, error) { return s.ofDRX(of) }},
		{series: statXarray, run: func(uint64) (result, error) {
			if _, err := dropFromCache(s.path("source.zarr")); err != nil {
				return result{}, err
			}
			return runProgram(append(s.python, "run", s.path("source.zarr"), of.name))
		}},
	}
	switch _, err := exec.LookPath("cdo"); {
	case of.cdo == "":
	case err != nil:
		s.printf("  left out: %v\n", err)
	default:
		es = append(es, entrant{series: "cdo", run: func(uint64) (result, error) { return s.ofCDO(of) }})
	}
	es = append(es, entrant{series: statReading, limit: true, run: func(uint64) (result, error) { return s.read() }})
	_, err := s.lab.race(t, cell{metric: "time", column: of.name, unit: milliseconds}, es...)
	return err
}

// ofDRX runs drx stats.
func (s *statisticsLab) ofDRX(of statistic) (result, error) {
	to := s.path("result.npy")
	args := append([]string{"stats", s.path("source/t"), "-o", to, "--quiet"}, of.drx...)
	return s.checked("source", to, exec.Command(s.drx, args...))
}

// ofCDO runs cdo with a thread for each processor.
func (s *statisticsLab) ofCDO(of statistic) (result, error) {
	to := s.path("result.nc")
	return s.checked("source.nc", to, exec.Command("cdo", "-s", "-P", "2", of.cdo, s.path("source.nc"), to))
}

// checked times a program that reads the store from and writes the file to, which is removed.
func (s *statisticsLab) checked(from, to string, cmd *exec.Cmd) (result, error) {
	if _, err := dropFromCache(s.path(from)); err != nil {
		return result{}, err
	}
	r, err := timedRun(cmd)
	if err != nil {
		return r, err
	}
	found, err := runProgram(append(s.python, "check", to))
	r.check = found.check
	return r, errors.Join(err, os.Remove(to))
}

// read reads the array in slabs of the length of a chunk: the limit of the file.
func (s *statisticsLab) read() (r result, err error) {
	if _, err := dropFromCache(s.path("source")); err != nil {
		return r, err
	}
	buf := touchedBytes(4 * 8 * s.shape[1] * s.shape[2])
	var k clock
	k.begin()
	a, err := drx.Open(s.path("source/t"), drx.Options{})
	if err != nil {
		return r, err
	}
	for i := 0; i < s.shape[0] && err == nil; i += 8 {
		err = a.ReadBytes(nd.Sec(nd.Span(i, i+8), nd.All, nd.All), buf, nil)
	}
	err = errors.Join(err, a.Close())
	k.end(1)
	return result{wall: k.wall, cpu: k.cpu}, err
}

// timedRun runs a program and returns its wall and processor time.
func timedRun(cmd *exec.Cmd) (r result, err error) {
	begun := time.Now()
	text, err := cmd.CombinedOutput()
	r.wall = time.Since(begun)
	if err != nil {
		return r, fmt.Errorf("%v: %w: %s", cmd.Args, err, text)
	}
	r.cpu = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	return r, nil
}
