package formats

// SetFormats replaces the registered formats.
func SetFormats(all []Format) { formats = all }
