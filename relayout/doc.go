// Package relayout copies an array into other chunks, with its dimensions in another order and
// its elements converted to another type, within a bound on memory. It carries out the layout
// transformation of Krishnamoorthy et al., "Layout Transformation Support for the Disk Resident
// Arrays Framework" (2006).
//
// Copy copies within one process. NewPlan predicts what that reads, writes and needs as memory,
// to the last chunk, without touching data:
//
//	plan, err := relayout.NewPlan(relayout.GridOf(src), relayout.GridOf(dst), order, 64<<20)
//	stats, err := relayout.Copy(ctx, dst, src, relayout.Options{Order: order, Memory: 64 << 20})
//
// NewParallelPlan and CopyParallel do the same by several procs, see package par. A copy that was
// interrupted, even by a crash, can be resumed by either, see Options.Resume.
//
// # Passes, templates and steps
//
// A pass is one copy of all elements. A plan has several passes, by way of temporary arrays with
// intermediate chunks, where memory is so short that one pass would read chunks too often.
//
// A pass goes through the target template by template. A template is a box of whole target
// chunks; nothing is kept in memory from one template to the next, so a source chunk that lies
// in two templates is read for both. Within a template every source chunk is read once, and
// every target chunk written once, as a whole.
//
// A template is done in steps. A step reads some source chunks and writes the target chunks that
// are then complete. The target can be committed after any step.
package relayout
