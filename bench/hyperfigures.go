package main

import (
	"context"
	"errors"
	"fmt"

	"drx/hyper"
	"drx/hyper/detect"
	"drx/hyper/endmember"
	"drx/hyper/scene"
	"drx/hyper/score"
	"drx/hyper/unmix"
)

// hyperExperiments measure the quality of the results of drx hyper in public scenes with known
// truth, and the gain by several procs.
var hyperExperiments = []experiment{hyperSpectra, hyperClasses, hyperAnomalies, hyperProcs}

var hyperSpectra = experiment{
	name: "hyper-spectra", title: "Endmembers and abundances beside the true ones",
	run: func(l *lab, t *table) error { return leaveOut(l, spectraFigures(l, t)) },
}

var hyperAnomalies = experiment{
	name: "hyper-anomalies", title: "Anomalies beside the true ones",
	run: func(l *lab, t *table) error { return leaveOut(l, anomalyFigures(l, t)) },
}

// leaveOut returns an error, unless it says that there are no public scenes: then leaveOut only
// reports it.
func leaveOut(l *lab, err error) error {
	if errors.Is(err, errNoScenes) {
		l.printf("  left out: %v\n", err)
		return nil
	}
	return err
}

// figure adds a row with one number.
func figure(l *lab, t *table, metric, series, column, unit string, value float64) {
	t.add(row{metric: metric, series: series, column: column, value: value, low: value, high: value, unit: unit, digits: 4, reps: 1})
	l.printf("  %-28s %-40s %10.4g %s\n", metric+" "+column, series, value, unit)
}

// wanted adds a row with a number to reach.
func wanted(t *table, metric, series, column, unit string, value float64) {
	t.add(row{metric: metric, series: series, column: column, value: value, low: value, high: value, unit: unit, digits: 4, reps: 1, limit: true})
}

// An unmixingScene is a scene with the spectra of its materials, and their shares in each pixel.
type unmixingScene struct {
	name       string
	cube       *scene.Cube
	spectra    [][]float64
	abundances scene.Source
}

// jasperRidge returns the scene of Jasper Ridge: 100 x 100 pixels, 198 bands, 4 materials.
func jasperRidge() (u unmixingScene, err error) {
	u.name = "Jasper Ridge"
	y, err := readScene("jasperRidge2_R198.mat", "Y")
	if err != nil {
		return u, err
	}
	if u.cube, err = y.pixels(100, 100).cube(); err != nil {
		return u, err
	}
	m, err := readScene("jasper_end4.mat", "M")
	if err != nil {
		return u, err
	}
	u.spectra = m.transposed().rows()
	a, err := readScene("jasper_end4.mat", "A")
	if err != nil {
		return u, err
	}
	u.abundances, err = a.pixels(100, 100).source()
	return u, err
}

// moffettField returns the scene of Moffett Field: 50 x 50 pixels, 184 bands, 3 materials.
func moffettField() (u unmixingScene, err error) {
	const file = "UPCGIT_moffett.mat"
	u.name = "Moffett Field"
	y, err := readScene(file, "Y")
	if err != nil {
		return u, err
	}
	if u.cube, err = y.pixels(50, 50).cube(); err != nil {
		return u, err
	}
	m, err := readScene(file, "GT")
	if err != nil {
		return u, err
	}
	u.spectra = m.rows()
	a, err := readScene(file, "S_GT")
	if err != nil {
		return u, err
	}
	u.abundances, err = a.source()
	return u, err
}

// searches returns the searches to compare, and the flags of drx hyper endmembers that request
// them.
func searches() (flags []string, list []hyper.Search) {
	add := func(text string, s hyper.Search) {
		flags, list = append(flags, text), append(list, s)
	}
	for _, mean := range []int{1, 3, 5} {
		add(fmt.Sprintf("nfindr --starts 1 --mean %d", mean), hyper.Search{Method: &endmember.NFINDR{Starts: 1, Seed: 1}, Mean: mean})
	}
	add("vca", hyper.Search{Method: &endmember.VCA{Seed: 1}})
	add("atgp", hyper.Search{Method: &endmember.ATGP{}})
	add("ppi --mean 5", hyper.Search{Method: &endmember.PPI{Skewers: 1000, Seed: 1}, Mean: 5})
	add("amee", hyper.Search{Method: &endmember.AMEE{Apart: 0.2}})
	add("amee --mean 3", hyper.Search{Method: &endmember.AMEE{Apart: 0.2}, Mean: 3})
	add("sisal", hyper.Search{Method: &endmember.SISAL{Seed: 1}})
	add("sisal --weight 0.1", hyper.Search{Method: &endmember.SISAL{Weight: 0.1, Seed: 1}})
	add("sisal --weight 0.1 --mean 3", hyper.Search{Method: &endmember.SISAL{Weight: 0.1, Seed: 1}, Mean: 3})
	return flags, list
}

func spectraFigures(l *lab, t *table) error {
	for _, open := range []func() (unmixingScene, error){jasperRidge, moffettField} {
		u, err := open()
		if err != nil {
			return err
		}
		flags, list := searches()
		for i, s := range list {
			s.Count = len(u.spectra)
			if err := u.measure(l, t, flags[i], s); err != nil {
				return fmt.Errorf("%s, %s: %w", u.name, flags[i], err)
			}
		}
	}
	wanted(t, angleMetric, wantedAtMost, "Jasper Ridge", "rad", 0.12)
	wanted(t, angleMetric, wantedAtMost, "Moffett Field", "rad", 0.06)
	wanted(t, rmseMetric, wantedAtMost, "Moffett Field", "share", 0.045)
	return nil
}

const (
	angleMetric = "mean angle to the true spectra"
	rmseMetric  = "RMSE of the abundances by fcls"
)

// measure adds the figures of one search.
func (u unmixingScene) measure(l *lab, t *table, flags string, s hyper.Search) error {
	ctx := context.Background()
	found, err := s.Find(ctx, u.cube)
	if err != nil {
		return err
	}
	match, err := score.MatchEndmembers(found.Spectra(), u.spectra)
	if err != nil {
		return err
	}
	figure(l, t, angleMetric, flags, u.name, "rad", match.Mean)
	solver, err := unmix.New(unmix.FCLS, found.Spectra())
	if err != nil {
		return err
	}
	plane, err := scene.NewPlane(u.cube.Bounds(), s.Count)
	if err != nil {
		return err
	}
	if _, err := solver.Cube(ctx, u.cube, u.cube.Bounds(), plane, nil); err != nil {
		return err
	}
	_, rmse, err := score.Abundances(ctx, u.abundances, plane, match.Found)
	if err == nil {
		figure(l, t, rmseMetric, flags, u.name, "share", rmse)
	}
	return err
}

func anomalyFigures(l *lab, t *table) error {
	const metric = "area under the curve"
	for _, name := range []string{"abu-airport-1", "abu-beach-2"} {
		data, err := readScene(name+".mat", "data")
		if err != nil {
			return err
		}
		truth, err := readScene(name+".mat", "map")
		if err != nil {
			return err
		}
		cube, err := data.cube()
		if err != nil {
			return err
		}
		plane, err := scene.NewPlane(cube.Bounds(), 1)
		if err != nil {
			return err
		}
		if _, err := (hyper.Detection{Method: detect.ByRX}).Run(context.Background(), cube, plane); err != nil {
			return err
		}
		target, err := truth.source()
		if err != nil {
			return err
		}
		auc, err := score.Detection(context.Background(), target, plane)
		if err != nil {
			return err
		}
		figure(l, t, metric, "rx", name, "1", auc)
	}
	wanted(t, metric, wantedAtLeast, "abu-airport-1", "1", 0.8221)
	wanted(t, metric, wantedAtLeast, "abu-beach-2", "1", 0.9106)
	return nil
}
