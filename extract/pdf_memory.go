package extract

// sliceMemory is a document's memory in the ordinary way.
type sliceMemory struct{ b []byte }

func (m *sliceMemory) Reallocate(size uint64) []byte {
	if grow := int(size) - len(m.b); grow > 0 {
		m.b = append(m.b, make([]byte, grow)...)
	}
	return m.b[:size]
}

func (m *sliceMemory) Free() { m.b = nil }
