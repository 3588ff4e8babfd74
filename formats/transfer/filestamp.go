package transfer

// A fileStamp identifies a state of a file: an import that is resumed compares it to see whether
// the file has changed.
type fileStamp struct {
	Name     string `json:"name"`
	Bytes    int64  `json:"bytes"`
	Modified int64  `json:"modified"` // in nanoseconds since 1970
}
