package drx_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"drx"
	"drx/nd"
)

// recover copies the intact part. Arrays that the report does not call incomplete must be complete.
func (s *damageSpecimen) recover(v *verdict) error {
	return s.each(func(name string, want []snapshot) error {
		report, err := drx.Recover(context.Background(), name, "saved", drx.RecoverOptions{})
		if err != nil {
			return v.refusal(err)
		}
		if report.Complete() {
			err = s.examine("saved", uncounted(want), v)
		} else {
			v.refused = true
			err = s.examineSaved(report, want)
		}
		return errors.Join(err, drx.Remove("saved"))
	})
}

// uncounted returns snapshots without the number of chunks.
func uncounted(want []snapshot) []snapshot {
	want = slices.Clone(want)
	for i := range want {
		want[i].written = -1
	}
	return want
}

// examineSaved checks a copy that is reported as incomplete: elements must be those of a commit, or
// the fill value in chunks that are reported as lost.
func (s *damageSpecimen) examineSaved(report drx.RecoverReport, want []snapshot) error {
	a, err := drx.Open("saved", damageOptions)
	if err != nil {
		return err
	}
	defer a.Close()
	data, err := drx.Read[int32](a, nil)
	if err != nil {
		return err
	}
	unknown := report.LostBytes > 0 || report.LostRecords > 0 || report.Stale > 0 || len(report.Missing) > 0 ||
		report.LostLines > 0 || report.MissingLines > 0 || report.JournalDamage != "" || report.FileDamage != ""
	b := a.Bounds()
	lostAt := map[[2]int]bool{}
	for _, d := range report.Lost {
		for y := d.Section[0].Lo; y < d.Section[0].Hi; y++ {
			for x := d.Section[1].Lo; x < d.Section[1].Hi; x++ {
				lostAt[[2]int{y, x}] = true
			}
		}
	}
	i := 0
	for y := b[0].Lo; y < b[0].Hi; y++ {
		for x := b[1].Lo; x < b[1].Hi; x++ {
			got, lost := data[i], unknown || lostAt[[2]int{y, x}]
			i++
			is := slices.ContainsFunc(want, func(w snapshot) bool { e, ok := w.at(y, x); return ok && e == got })
			if !is && (!lost || !unknown && got != damageFill) {
				return fmt.Errorf("element %d,%d is %d, and not reported as lost", y, x, got)
			}
		}
	}
	return nil
}

// copy copies the files, damaged or not, and reads the copy.
func (s *damageSpecimen) copy(v *verdict) error {
	return s.each(func(name string, want []snapshot) error {
		to := "copy"
		if strings.HasSuffix(name, drx.OneFileExt) {
			to += drx.OneFileExt
		}
		if err := drx.CopyFiles(context.Background(), name, to, nil); err != nil {
			return v.refusal(err)
		}
		return errors.Join(s.examine(to, want, v), drx.Remove(to))
	})
}

// write opens the arrays for writing, sets elements, commits and reads.
func (s *damageSpecimen) write(v *verdict) error {
	part := nd.Sec(nd.Span(0, 2), nd.Span(0, s.size.chunk[1]/2+1))
	return s.each(func(name string, want []snapshot) error {
		return s.change(name, want, v, func(a *drx.Array) error {
			return fillSection(a, part, 900)
		}, func(w snapshot) snapshot {
			w.data, w.written = slices.Clone(w.data), -1
			for i := range 2 * part[1].Len() {
				y, x := i/part[1].Len()-w.bounds[0].Lo, i%part[1].Len()-w.bounds[1].Lo
				w.data[y*w.bounds[1].Len()+x] = int32(900*100_000 + i)
			}
			return w
		})
	})
}

// grow opens the arrays for writing, extends them on two sides, commits and reads: new elements
// have the fill value.
func (s *damageSpecimen) grow(v *verdict) error {
	by := [2]int{s.size.chunk[0] + 1, s.size.chunk[1] + 1}
	return s.each(func(name string, want []snapshot) error {
		return s.change(name, want, v, func(a *drx.Array) error {
			_, err := a.Extend(1, by[1])
			_, lowErr := a.ExtendLow(0, by[0])
			return errors.Join(err, lowErr)
		}, func(w snapshot) snapshot {
			b := slices.Clone(w.bounds)
			b[0].Lo, b[1].Hi = b[0].Lo-by[0], b[1].Hi+by[1]
			grown := snapshot{bounds: b, note: w.note, written: -1}
			for y := b[0].Lo; y < b[0].Hi; y++ {
				for x := b[1].Lo; x < b[1].Hi; x++ {
					e, ok := w.at(y, x)
					if !ok {
						e = damageFill
					}
					grown.data = append(grown.data, e)
				}
			}
			return grown
		})
	})
}

// change opens an array for writing, changes it, closes and examines it. It may be unchanged if the
// change failed.
func (s *damageSpecimen) change(name string, want []snapshot, v *verdict, do func(a *drx.Array) error, changed func(snapshot) snapshot) error {
	o := damageOptions
	o.Write = true
	a, err := drx.Open(name, o)
	if err != nil {
		return v.refusal(err)
	}
	now := []snapshot{}
	for _, w := range want {
		now = append(now, changed(w))
	}
	if err := do(a); err != nil {
		if err := errors.Join(v.refusal(err), a.Discard()); err != nil {
			return err
		}
		return s.examine(name, uncounted(want), v)
	}
	if err := a.Close(); err != nil {
		if err := v.refusal(err); err != nil {
			return err
		}
		now = append(now, uncounted(want)...)
	}
	return s.examine(name, now, v)
}

// refresh opens the arrays before the damage, and refreshes them afterwards.
func (s *damageSpecimen) refresh(d damage, v *verdict) error {
	disk, err := s.disk()
	if err != nil {
		return err
	}
	var open []*drx.Array
	for _, name := range s.form.names() {
		a, err := drx.Open(name, damageOptions)
		if err != nil {
			return err
		}
		defer a.Close()
		open = append(open, a)
	}
	if err := d.apply(disk); err != nil {
		return err
	}
	for i, a := range open {
		_, err := a.Refresh()
		if err == nil {
			err = s.examineOpen(a, s.want[i], v)
		} else {
			err = v.refusal(err)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", s.form.names()[i], err)
		}
	}
	return nil
}
