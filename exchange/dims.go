package exchange

import (
	"fmt"
	"strconv"
	"strings"

	"drx"
	"drx/internal/wording"
)

// dimOf returns the dimension of an array with the given name or number.
func dimOf(a *drx.Array, text string) (int, error) {
	d, err := a.Dim(text)
	if err != nil {
		named := "without names"
		if names := a.Dims(); strings.Join(names, "") != "" {
			named = fmt.Sprintf("named %q", names)
		}
		return 0, wrongOption("%s: no dimension %q%s: there are 0 to %d, %s", a.Name(), text, wording.DidYouMean("", text, a.Dims()), a.Rank()-1, named)
	}
	return d, nil
}

// dimNames returns the names of the dimensions of an array for messages. One without a name gets its number.
func dimNames(a *drx.Array) []string {
	names := a.Dims()
	for d, name := range names {
		if names[d] = wording.Printable(name); name == "" {
			names[d] = strconv.Itoa(d)
		}
	}
	return names
}
