// Package derived provides scenes that are computed from other scenes while they are read: means of
// neighbouring pixels, and projections.
//
// The order in which the value of a pixel is computed does not depend on the block that is read. So
// it has the same bits for any tiles and goroutines, and after the scene has grown.
package derived
