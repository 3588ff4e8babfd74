package drx

import "drx/nd"

// observeSection tells Options.Observe of a resolved section; an empty one moves nothing.
func (a *Array) observeSection(write bool, sec nd.Section) {
	if a.observe == nil {
		return
	}
	box := make([]int, len(sec))
	for d, r := range sec {
		n := r.Len()
		if n == 0 {
			return
		}
		box[d] = (n-1)*r.Stride() + 1
	}
	a.observe(write, box)
}

// observeElement tells Options.Observe of a single element.
func (a *Array) observeElement(write bool, rank int) {
	if a.observe == nil {
		return
	}
	box := make([]int, rank)
	for d := range box {
		box[d] = 1
	}
	a.observe(write, box)
}
