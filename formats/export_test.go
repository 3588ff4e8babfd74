package formats

// SetFormats replaces the formats that are registered.
func SetFormats(all []Format) { formats = all }
