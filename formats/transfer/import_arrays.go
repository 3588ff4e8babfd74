package transfer

import (
	"fmt"
	"slices"

	"drx/internal/wording"
)

// checkNotItself returns an error if an array is to be appended to itself.
func checkNotItself(dst string, f *importFile) error {
	if f.arrays == nil {
		return nil
	}
	into := realName(dst)
	for _, name := range f.arrays.origins() {
		if at := realName(name); at == into || slices.Contains(parents(at), into) {
			return wrongOption("%s: it is, or belongs to, %s itself, which cannot be appended to itself: append a copy", f.name, dst)
		}
	}
	return nil
}

// noteLow notes that an array or a dataset that is made from others begins at index 0, if the
// others do not.
func (o *comparer) noteLow(f *importFile) {
	if f.arrays == nil {
		return
	}
	for _, v := range f.content.Vars {
		for d, first := range f.arrays.begin(v.Name) {
			if first != 0 {
				o.printNote("low", fmt.Sprintf("%s: indices of dimension %d begin at 0, those of %s in %s at %d", wording.Printable(o.dst), d, wording.Printable(v.Name), f.name, first))
			}
		}
	}
}
