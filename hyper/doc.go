// Package hyper puts the steps of a hyperspectral analysis together: what of a scene can be used, its statistics, a reduction
// to few components, endmembers, abundances, classes, and scores against the truth. The steps are in the packages below it; this one
// has what belongs to several of them, and the form in which spectra are kept between two steps.
//
//	m, err := hyper.Measure(ctx, cube)
//	found, err := hyper.Search{Method: &endmember.NFINDR{Starts: 10}, Count: 4, Mean: 3}.Find(ctx, cube)
//
// If a cube has procs (scene.Options.Comm), Measure, Reduce, Search.Find and whatever needs them are collective: all procs call them and share the work. What
// gives each pixel a value, as Classification and Detection, does not divide the pixels.
//
// A [Session] keeps such results for a scene that grows, is cut and overwritten, in a state beside it.
//
// A reduction and the mean of neighbouring pixels are both linear, so their order does not matter. The statistics are always those of
// the scene itself: the mean of neighbours would make noise look like signal.
package hyper
