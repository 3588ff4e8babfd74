// Package derived has scenes that are computed from other scenes while they are read: means of
// neighbouring pixels, and projections.
//
// The value of a pixel is computed in an order that does not depend on the block in which it is
// read. Thus it has the same bits for any tiles and goroutines, and after the scene has grown.
package derived
