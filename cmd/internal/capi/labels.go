package capi

import (
	"fmt"

	"drx/cube"
	"drx/dataset"
)

// Labels returns the labels of a dimension as JSON.
func Labels(h Handle, dim int) (string, error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	if err := checkDim(dim, a.Rank()); err != nil {
		return "", fmt.Errorf("%s: %w", a.Name(), err)
	}
	c, err := cube.Of(a.Array)
	if err != nil {
		return "", err
	}
	first, labels := c.Labels(dim)
	return toJSON(struct {
		First  int      `json:"first"`
		Labels []string `json:"labels"`
	}{first, append([]string{}, labels...)})
}

// SetLabels replaces the labels of a dimension by a JSON list.
func SetLabels(h Handle, dim int, list string) error {
	a, err := arrays.get(h)
	if err != nil {
		return err
	}
	var labels []string
	if err := decode([]byte(list), &labels); err != nil {
		return invalidf("labels: want a JSON list of text: %v", err)
	}
	c, err := cube.Of(a.Array)
	if err != nil {
		return err
	}
	if err := c.SetLabels(dim, labels); err != nil {
		return fmt.Errorf("%s: %w", a.Name(), err)
	}
	return nil
}

// methods are the methods of drx_select, by their numbers in drx.h.
var methods = []dataset.Method{dataset.Usual, dataset.Exact, dataset.Nearest}

// Select returns the indices that conditions select, as JSON: per dimension a list of ranges [lo,
// hi, step].
func Select(h Handle, conditions string, method int) (string, error) {
	return withAxes(h, conditions, method, func(axes *dataset.Axes, m dataset.Method, where []string) (any, error) {
		sel, err := axes.Select(m, where...)
		ranges := make([][][3]int, len(sel))
		for d, x := range sel {
			ranges[d] = make([][3]int, len(x))
			for i, r := range x {
				ranges[d][i] = [3]int{r.Lo, r.Hi, r.Stride()}
			}
		}
		return ranges, err
	})
}

// SelectPoints returns which dimensions conditions reduce to one index, as JSON: a list of true and
// false.
func SelectPoints(h Handle, conditions string, method int) (string, error) {
	return withAxes(h, conditions, method, func(axes *dataset.Axes, m dataset.Method, where []string) (any, error) {
		return axes.Points(m, where...)
	})
}

// withAxes calls f with the axes of an array and its arguments, and returns the result as JSON.
func withAxes(h Handle, conditions string, method int, f func(axes *dataset.Axes, m dataset.Method, where []string) (any, error)) (string, error) {
	a, err := arrays.get(h)
	if err != nil {
		return "", err
	}
	if method < 0 || method >= len(methods) {
		return "", invalidf("method %d: want 0 for usual, 1 for exact or 2 for nearest", method)
	}
	axes, unlock, err := a.axes()
	if err != nil {
		return "", err
	}
	defer unlock()
	var where []string
	if conditions != "" {
		where = []string{conditions}
	}
	found, err := f(axes, methods[method], where)
	if err != nil {
		return "", err
	}
	return toJSON(found)
}

// axes returns the coordinates and labels of an array, and a function to call when they are no
// longer used.
func (a *array) axes() (*dataset.Axes, func(), error) {
	if a.variable != nil {
		a.variable.of.mu.Lock()
		return a.variable.Axes(), a.variable.of.mu.Unlock, nil
	}
	x, err := dataset.AxesOf(a.Array)
	return x, func() {}, err
}
