package drx

import "drx/nd"

// observeSection calls Options.Observe for a resolved section, unless the section is empty.
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

// observeElement calls Options.Observe for a single element.
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
