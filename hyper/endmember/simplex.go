package endmember

import (
	"cmp"
	"context"
	"slices"

	"drx/hyper/endmember/search"
	"drx/hyper/scene"
)

// A Vertex is a pixel of a simplex.
type Vertex struct {
	Pixel scene.Pixel `json:"pixel"`
	Point []float64   `json:"point"` // its values in the space of the search
}

// enlarges is the least square of a ratio of volumes for which a vertex is exchanged. It exceeds 1
// by more than rounding errors, so that the exchanges terminate.
const enlarges = (1 + 1e-9) * (1 + 1e-9)

// A simplex holds vertices and the values derived from them.
type simplex struct {
	vertices  []Vertex
	hull      *search.Hull
	logVolume float64
	// largest has, for each vertex, the pixel that gives the largest volume in its place, with the
	// square of the ratio of the volumes.
	largest []search.Extreme
}

// newSimplex returns the simplex of vertices, or nil if it is flat.
func newSimplex(vertices []Vertex) *simplex {
	list := make([][]float64, len(vertices))
	for i, v := range vertices {
		list[i] = v.Point
	}
	hull, logVolume, ok := search.Simplex(list)
	if !ok {
		return nil
	}
	return &simplex{vertices: vertices, hull: hull, logVolume: logVolume}
}

// exchange makes the exchanges that enlarge the simplex, in falling order of the ratio, each only
// if it still enlarges the simplex after the earlier ones. It reports whether it made any.
func (s *simplex) exchange(ctx context.Context, space *scene.Cube, best []search.Extreme) (bool, error) {
	order := make([]int, len(best))
	for j := range order {
		order[j] = j
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(best[b].Value, best[a].Value) })
	any, scores := false, make([]float64, len(best))
	for _, j := range order {
		if !(best[j].Value > enlarges) {
			break
		}
		x, err := spectrum(ctx, space, best[j].Pixel)
		if err != nil {
			return false, err
		}
		if s.hull.Scores(scores, x); !(scores[j] > enlarges) {
			continue
		}
		vertices := slices.Clone(s.vertices)
		vertices[j] = Vertex{best[j].Pixel, x}
		if t := newSimplex(vertices); t != nil && t.logVolume > s.logVolume {
			*s, any = *t, true
		}
	}
	return any, nil
}

// maximize exchanges vertices of simplices until no pixel of the space enlarges any of them. Each
// pass over the space serves all simplices that are not finished.
func maximize(ctx context.Context, space *scene.Cube, all []*simplex) error {
	for len(all) > 0 {
		hulls := make([]*search.Hull, len(all))
		for i, s := range all {
			hulls[i] = s.hull
		}
		found, err := search.Farthest(ctx, space, space.Bounds(), hulls)
		if err != nil {
			return err
		}
		var open []*simplex
		for i, s := range all {
			changed, err := s.exchange(ctx, space, found[i])
			if err != nil {
				return err
			}
			if changed {
				open = append(open, s)
			} else {
				s.largest = found[i]
			}
		}
		all = open
	}
	return nil
}
