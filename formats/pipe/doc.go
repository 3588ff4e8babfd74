// Package pipe lets a program use the formats of another process, the helper: the program
// drx-bridge, which is built with C libraries. A library that crashes, hangs or takes too much
// memory on a hostile file ends the helper, and the program gets an error.
//
//	pipe.Register()                                       // in the program
//	r, err := formats.Open("era5.nc", formats.Options{})  // starts a helper for this file
//	err = pipe.Serve(os.Stdin, os.Stdout)                 // in the helper
//
// Every open file has a helper of its own, so that a failure with one file does not affect another;
// formats.Options.Beside lets several variables of a file share one. After the file is closed, the
// helper waits for a second for the next file of the format, and then ends. At most two helpers
// wait.
//
// # Protocol
//
// The program writes requests to the helper's standard input and reads answers from its standard
// output. Each side begins with a preface of eight bytes, the letters DRXPIPE and the version of
// the protocol, and ends the conversation if that of the other side differs. Packets follow:
//
//	+-----------------+------+----------------------+
//	| length, uint32  | kind | length bytes         |  length is little-endian, at most 1 MiB
//	+-----------------+------+----------------------+
//
//	j  a part of a text in JSON; more parts follow
//	J  the last part of a text: a request, or an answer
//	D  elements of a section, or a part of them
//	B  a beat: two little-endian uint64, see below; only from the helper
//
// A text has at most 64 MiB. The program sends one request at a time and waits for the answer. The
// table lists the values of "op" in requests, their other fields, and the fields of the answers:
//
//	hello   memory (bytes)                  formats: names of those that the helper has
//	list    format, path, variable, memory  content, spent
//	open    format, path, variable, memory  id, content with one variable
//	read    id, section                     D packets with the elements; then the answer
//	create  format, path, content           ids, one for each variable
//	append  format, path, content           ids, as for create, of a file that exists
//	write   id, section, bytes; D packets    -
//	close   id                              spent
//	read frame    id, chunk                 D packets with a frame of formats.FrameReader, none for
//	                                        nil; then bytes, how many they are
//	takes frames  id, codec                 takes, left_out: what formats.FrameWriter says
//	write frame   id, chunk, bytes; D packets  -, no bytes for nil
//
// hello comes first. "spent" asks the program to end the helper, because libraries keep some memory
// of each file that they close. A section is a list of pairs, [lo, hi). Elements are little-endian,
// dense, in the order of the variable. An answer with "error" has its text, and in "is" the names
// of the sentinel errors that it wraps, so that errors.Is gives the same result in both processes.
// A read that fails has only the answer. A write that fails reads all its D packets first.
//
// Attributes are sent as formats.EncodeAttr writes them, which keeps integers and floating-point
// numbers apart; a single NaN or infinity is {"float": "NaN"}, not the text.
//
// # Limits
//
// Memory: hello limits the private memory of the helper, beyond what it has when it starts, to the
// given number of bytes and a margin for stacks and small buffers (RLIMIT_DATA, on Linux). Sections
// are cut into boxes of about 4 MiB, whole chunks of the file if possible, so neither process holds
// a large section twice. A frame is no longer than its chunk.
//
// Time: while a request is in progress the helper sends a beat every half second: the bytes that it
// has moved from and to files since the request began, and the processor time that it has used, in
// nanoseconds. A thread that hangs in a library does not stop the beats, so they are evidence, not
// permission. The program ends the helper if
//
//   - nothing was moved and no processor time was used for Timeout, as by a lock or a stopped
//     process. The start has the same limit. On Linux a helper with a thread that is runnable, or
//     waits for a disk, is not hung: the machine is busy. The program then waits on, but no longer
//     than 30 times Timeout;
//   - it used the processor for longer than Timeout without sending a part of the answer: an
//     endless loop. It may use a second more for each 4 MiB, beyond the first 8 MiB, of the section
//     and of the bytes that it has moved, up to the size of the file. A large chunk takes time to
//     decode, and some files are decoded as a whole (JPEG 2000), but the helper has read their
//     bytes. Only processor time counts, so a busy machine does not make honest work a loop. Where
//     the system does not count the bytes that were read, the size of the file is used;
//   - it moved far more bytes than the file and the section have: a loop that reads.
//
// The variable DRX_BRIDGE_TIMEOUT sets Timeout for slow file servers.
//
// Both sides trust nothing that they read: a packet, a text or a section beyond its limit ends the
// conversation, and the program checks the description of every variable before it uses it.
package pipe
