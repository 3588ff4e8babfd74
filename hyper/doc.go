// Package hyper combines the steps of a hyperspectral analysis: statistics of the usable pixels of
// a scene, a reduction to few components, endmembers, abundances, classes, and scores against the
// truth. The packages below it implement the steps. This one has what several steps share, and the
// format in which spectra are kept between two steps.
//
//	m, err := hyper.Measure(ctx, cube)
//	found, err := hyper.Search{Method: &endmember.NFINDR{Starts: 10}, Count: 4, Mean: 3}.Find(ctx, cube)
//
// If a cube has procs (scene.Options.Comm), Measure, Reduce, Search.Find and functions that call
// them are collective: all procs call them and share the work. Classification and Detection, which
// compute a value for each pixel, do not divide the pixels.
//
// A [Session] keeps such results for a scene that grows, shrinks and is overwritten, in an array
// beside it.
//
// A reduction and the mean of neighbouring pixels are both linear, so their order does not matter.
// The statistics are always computed from the scene itself: means of neighbours have less noise,
// and so would give too low an estimate of the noise.
package hyper
