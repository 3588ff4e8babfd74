// Package dataset keeps arrays that share dimensions: a folder of arrays in which a dimension's
// name means the same dimension everywhere, as in NetCDF and xarray.
//
//	d, err := dataset.Create("weather", drx.Options{})
//	_, err = d.CreateVariable("time", drx.Spec{DType: dtype.Int64, Shape: []int{0}, Dims: []string{"time"}, Attrs: map[string]any{"units": "hours since 2024-01-01"}})
//	_, err = d.CreateVariable("rain", drx.Spec{DType: dtype.Float32, Shape: []int{0, 765, 700}, Dims: []string{"time", "y", "x"}})
//	added, err := d.Extend("time", 24)              // grows both
//	err = d.Sync()                                  // after the elements were written: rain first, then time
//	rain, err := d.Variable("rain")
//	sel, err := rain.Axes().Select(dataset.Usual, "time=2024-01-01..2024-01-02")
//
// # Variables, dimensions, coordinates, groups
//
// A variable is an array of the folder, in several files or in one: rain.drx is the variable rain
// too. A variable of rank one with the name of its dimension is the coordinate of the dimension:
// its elements are numbers, or times as the CF conventions write them, see package cftime.
// Dimensions without a name belong to one variable alone.
//
// A folder in the folder is a group; its variables have its path before their name, as in
// "model/rain". A dimension that a variable of a group names belongs to the nearest folder, from
// the group outwards, that has its coordinate. If none has one, it belongs to the outermost folder
// of these in which a variable has a dimension of the name. A dimension of a group has the group's
// path before its name, as in "model/time".
//
// A folder whose name ends in .drx is a file with several arrays, see drx.Create, in which groups
// are parts of the arrays' names.
//
// Files and folders whose names begin with a dot are no part of a dataset, except for an array with
// the name of Marker. It declares its folder a dataset, holds the attributes of the dataset or the
// group, and announces what a writer is about to grow. Any other folder of arrays can be opened as
// a dataset as well; the first change gives it a Marker.
//
// # What readers see
//
// The bounds of a dimension are those of its coordinate. Without a coordinate they are the bounds
// common to all its variables. A longer variable is clipped to them. A writer commits the variables
// first and the coordinates last, so that a dimension grows at one moment, when all its elements
// are present. At this moment the attributes of the dataset change, too. If a writer dies before,
// readers see the dimension and the attributes as they were, and the next writer removes the excess
// from the variables. It removes only what a writer of the dataset has announced: a variable that
// was grown on its own, as an array, keeps its elements, and readers of the dataset see them once
// the dimension has grown as far.
//
// Each dimension grows on its own: if two dimensions have grown since the last Sync and the writer
// dies in it, one may have grown and the other not; the attributes of the dataset change with the
// last one. Attributes of a variable are committed with it, and those of a group after everything
// else. Overwritten elements are as safe as in any array, but no commit covers those of two
// variables together.
package dataset
