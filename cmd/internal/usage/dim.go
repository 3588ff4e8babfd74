package usage

import (
	"errors"
	"fmt"
	"strings"

	"drx/internal/wording"
	"drx/nd"
)

// NameDim replaces the number of a dimension in an error by its name, if it has one. names are the
// array's names of dimensions, in order.
func NameDim(names []string, err error) error {
	var of *nd.DimError
	if !errors.As(err, &of) || of.Dim >= len(names) || names[of.Dim] == "" {
		return err
	}
	named := fmt.Sprintf("dimension %s: %v", names[of.Dim], of.Err)
	return wording.Reworded(strings.Replace(err.Error(), of.Error(), named, 1), err)
}
