// Package scene provides the pixels of a hyperspectral scene, block by block, to the packages that
// analyse it.
//
// A scene has lines, samples and bands: one pixel is the spectrum at a line and a sample. A
// [Source] reads blocks of pixels from an array, an ENVI file or memory. A [Cube] is a source
// together with the exclusions: bad bands, and pixels that are masked or have no usable spectrum.
//
// # Indices
//
// Lines and samples have the source's own indices, which are negative if an array has grown on the
// low side. So a pixel keeps its indices while the scene grows.
//
// # Tiles
//
// [Map] divides a scene into tiles of [TileLines] lines and [TileSamples] samples, which begin at
// multiples of these numbers. The tiles do not depend on the number of goroutines, the memory or
// the bounds of the scene: results computed per tile and merged in the order of the tiles have the
// same bits for any number of goroutines, and for a scene that has grown.
//
// # Procs
//
// The procs of a parallel program share the work on a scene if their cubes have a group of them,
// see [Options]. [Fold] gives each proc a run of consecutive tiles, and all of them the result for
// all tiles. All searches and sums over a scene use it, or [MapShare] and [Exchange].
package scene
