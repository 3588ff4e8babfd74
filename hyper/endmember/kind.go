package endmember

import (
	"context"
	"slices"
	"strings"

	"drx/hyper/option"
	"drx/hyper/scene"
)

// A Kind describes a method for programs that offer methods by name. Each method registers its kind
// in its own file, so no other code needs its name.
type Kind struct {
	option.Choice // its help describes the endmembers
	// Restored is set for methods that do not search the components of a reduction, but the scene
	// restored from them.
	Restored bool
	// Anew is set for methods that cannot update an earlier result, so that a session searches the
	// whole scene whenever it has changed.
	Anew bool
	// New returns a method with the default options.
	New func() Method
}

// kinds has the registered kinds by name.
var kinds []*Kind

// register adds a kind and returns it.
func register(k Kind) *Kind {
	kinds = append(kinds, &k)
	slices.SortFunc(kinds, func(a, b *Kind) int { return strings.Compare(a.Name, b.Name) })
	return &k
}

// Kinds returns the kinds of all methods, by name.
func Kinds() []*Kind { return slices.Clone(kinds) }

// New returns a method by its name, with the default options. The error is an *optionerr.Error.
func New(name string) (Method, error) {
	k, err := option.Find("method", kinds, name)
	if err != nil {
		return nil, err
	}
	return k.New(), nil
}

// A Certifier is a method whose result is optimal in a sense that one pass can check.
type Certifier interface {
	Method
	// Certified returns the certificate of the last Update.
	Certified() Certificate
}

// A Restarter is a method whose result depends on its start.
type Restarter interface {
	Method
	// Restart searches the whole cube anew, several times from different starts. It returns the
	// best result, nil if the method's own is as good, and the ratio of the method's own result to
	// the best one.
	Restart(ctx context.Context, cube *scene.Cube, runs int) (best Method, ratio float64, err error)
}

// EdgeSensitive is implemented by methods whose values near an edge of the scene change when the
// scene grows there.
type EdgeSensitive interface {
	Method
	// Reach returns the number of lines and samples next to an edge whose values change.
	Reach() int
}
