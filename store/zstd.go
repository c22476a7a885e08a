package store

import (
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// MaxBody is the largest body that is stored or read back, in bytes.
const MaxBody = 64 << 20

// window lets a body refer to all of its dictionary, up to this size.
const window = 8 << 20

// plain packs without a dictionary. An encoder costs a megabyte to make, and EncodeAll may be called concurrently.
var plain = sync.OnceValues(func() (*zstd.Encoder, error) { return zstd.NewWriter(nil, encoderOptions()...) })

// unpack is the same for reading.
var unpack = sync.OnceValues(func() (*zstd.Decoder, error) { return zstd.NewReader(nil, decoderOptions()...) })

func encoderOptions() []zstd.EOption {
	return []zstd.EOption{zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(window), zstd.WithEncoderLevel(zstd.SpeedDefault), zstd.WithEncoderCRC(false), zstd.WithLowerEncoderMem(true)}
}

func decoderOptions() []zstd.DOption {
	return []zstd.DOption{zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(MaxBody), zstd.WithDecoderMaxWindow(2 * window), zstd.WithDecoderLowmem(true)}
}

// dictID names the dictionary in a frame: there is only the one that the caller knows.
const dictID = 1

// windowOf is the least window over n bytes: a power of two.
func windowOf(n int) int {
	w := 64 << 10
	for w < n && w < window {
		w *= 2
	}
	return w
}

// Compress packs data with zstd. dict, which may be nil, is earlier text that data repeats.
func Compress(dict, data []byte) ([]byte, error) {
	enc, err := plain()
	if len(dict) > 0 {
		// Made for this body alone: no larger than it needs, and at the level that is made fastest as long as its tables
		// can hold the dictionary.
		level := zstd.SpeedFastest
		if len(dict) > 128<<10 {
			level = zstd.SpeedDefault
		}
		enc, err = zstd.NewWriter(nil, append(encoderOptions(), zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(level),
			zstd.WithWindowSize(windowOf(len(dict)+len(data))), zstd.WithEncoderDictRaw(dictID, dict))...)
	}
	if err != nil {
		return nil, fmt.Errorf("compress %d bytes: %w", len(data), err)
	}
	return enc.EncodeAll(data, nil), nil
}

// Decompress unpacks what Compress made with the same dict. It refuses to make anything but size bytes.
func Decompress(dict, packed []byte, size int64) ([]byte, error) {
	if size < 0 || size > MaxBody {
		return nil, fmt.Errorf("decompress: a size of %d bytes is outside of the limit of %d", size, MaxBody)
	}
	dec, err := unpack()
	if len(dict) > 0 {
		if dec, err = zstd.NewReader(nil, append(decoderOptions(), zstd.WithDecoderConcurrency(1), zstd.WithDecoderDictRaw(dictID, dict))...); err == nil {
			defer dec.Close()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	data, err := dec.DecodeAll(packed, make([]byte, 0, min(size, 1<<20)))
	if err != nil {
		return nil, fmt.Errorf("decompress: %w", err)
	}
	if int64(len(data)) != size {
		return nil, fmt.Errorf("decompress: %d bytes where %d were recorded", len(data), size)
	}
	return data, nil
}
