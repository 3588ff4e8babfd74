// Package relayout copies an array into other chunks, with its dimensions in another order,
// within a bound on memory: the layout transformation of Krishnamoorthy et al., "Layout
// Transformation Support for the Disk Resident Arrays Framework" (2006).
//
// NewPlan computes what to do without touching data, and what it will cost to the last
// chunk. Copy does it, and converts elements to the type of the target. PlanParallel and
// CopyParallel do it by several procs. Either goes on where the other was interrupted.
//
// # Terms
//
// All shapes are those of the target: dimension d of the target is dimension order[d] of
// the source. Per dimension, s is the extent of a source chunk and t that of a target
// chunk.
//
//	template    a box of whole target chunks. Nothing is kept from one template to the
//	            next, so a source chunk on an edge between two is read for both.
//	step        a part of a template: some source chunks are read, and the target chunks
//	            that are complete then are written.
//	unused      what a step has read and cannot write yet. It waits in a layer.
//	layer       the buffer of one dimension for unused data: thin in that dimension, as
//	            long as the template in those that are traversed faster, as long as a step
//	            in the others.
//	traversal   the dimensions from the one traversed fastest to the slowest
//	pass        one copy of everything; a plan has several where memory is so short that
//	            reading chunks again costs more than intermediate arrays
//
// In one dimension, with s = 6, t = 4 and a template of three target chunks:
//
//	source   |     0     |     1     |
//	target   |   0   |   1   |   2   |
//	step 0   rrrrrrrrrrrrr             reads [0, 6)
//	         wwwwwwwww                 writes [0, 4); [4, 6) is unused
//	step 1               rrrrrrrrrrrrr reads [6, 12)
//	                 wwwwwwwwwwwwwwwww writes [4, 12)
//
// # Invariants
//
//  1. Within a template every source chunk is read once; every target chunk is written
//     once, as a whole.
//  2. A step consumes all that was unused along a dimension before it, and less than one
//     target chunk is unused after it. Nothing is at the end of a template.
//  3. A layer holds what is unused along its dimension and along none that is traversed
//     faster.
//  4. All buffers of a pass are there before it begins: the predicted peak is their sum.
//  5. The target chunks that the steps before a commit complete are in the target. Who goes on
//     from there reads again what those steps have read of other target chunks of the template,
//     and has the same buffers then.
//  6. In a parallel copy what is unused waits in the target chunks themselves, each in a slot
//     of its owner, from the step that reads its first element to the one after that which
//     reads its last.
package relayout
