package drxmp

// SetRoundBytes sets how many bytes the engine MPIIO moves at a time.
func SetRoundBytes(n int) { roundBytes = n }
