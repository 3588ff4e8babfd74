package drxmp

// SetRoundBytes lets the engine MPIIO move so few bytes at a time.
func SetRoundBytes(n int) { roundBytes = n }
