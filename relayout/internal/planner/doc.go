// Package planner plans the copy of an array into other chunks, with its dimensions in
// another order, within a bound on memory. It does no I/O: it computes what to read and write
// in which order, which buffers that takes, and what it costs, to the last chunk.
//
// It follows Krishnamoorthy et al., "Layout Transformation Support for the Disk Resident
// Arrays Framework" (2006), "the paper" in what follows: section 4.1 has the template and its
// buffers, 4.2 the search for a template, 4.3 plans of several passes, 5.3 the boxes of a
// parallel copy.
//
// # Terms
//
// All shapes are those of the target: dimension d of the target is dimension order[d] of the
// source. In one dimension, s is the extent of a source chunk and t that of a target chunk.
//
//	pass        one copy of all elements. A plan has several passes where memory is so short
//	            that reading chunks again would cost more than writing intermediate arrays.
//	template    a box of whole target chunks. Nothing is kept in memory from one template to
//	            the next, so a source chunk that lies in two templates is read for both.
//	step        a part of a template: some source chunks are read, and the target chunks that
//	            are then complete are written.
//	unused      the elements that a step has read and cannot write yet.
//	layer       the buffer of one dimension for unused elements. Its extent is the unused part
//	            in that dimension, a template in the dimensions that are traversed faster, and
//	            a step in those that are traversed slower.
//	traversal   the dimensions in the order in which steps advance, the fastest first
//
// One dimension with s = 6, t = 4 and a template of three target chunks:
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
//  1. Within a template every source chunk is read once, and every target chunk is written
//     once, as a whole.
//  2. Along every dimension, a step writes all elements that the step before left unused. It
//     leaves fewer unused than a target chunk has, and the last step of a template leaves none.
//  3. The layer of a dimension holds the elements that are unused along this dimension and
//     along none that is traversed faster.
//  4. All buffers of a pass are allocated before it begins, so the predicted peak is their sum.
//  5. A commit covers the target chunks that the steps before it completed. A copy that resumes
//     there reads the source chunks of these steps again, as far as they have elements of
//     incomplete target chunks, which restores the buffers.
//  6. In a parallel copy unused elements wait in the target chunks themselves. A target chunk
//     has a buffer at its owner from the step that reads its first element until the end of the
//     step after the one that completes it, during which it is written.
package planner
