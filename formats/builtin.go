package formats

// The formats of this package, in the order in which they are asked whether they recognise a file.
func init() {
	Register(npyFormat)
	Register(npzFormat)
	Register(pngFormat)
	Register(pictureFormat)
	Register(csvFormat)
	Register(tsvFormat)
	Register(gzipFormat)
}
