package transfer

// A fileStamp tells whether a file is the same as before.
type fileStamp struct {
	Name     string `json:"name"`
	Bytes    int64  `json:"bytes"`
	Modified int64  `json:"modified"` // in nanoseconds since 1970
}
