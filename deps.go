package ibid

import (
	_ "github.com/BurntSushi/toml"
	_ "github.com/alecthomas/kong"
	_ "github.com/gabriel-vasile/mimetype"
	_ "github.com/google/go-cmp/cmp"
	_ "github.com/klauspost/compress/zstd"
	_ "github.com/klippa-app/go-pdfium/webassembly"
	_ "github.com/kljensen/snowball/english"
	_ "github.com/pressly/goose/v3"
	_ "github.com/rogpeppe/go-internal/testscript"
	_ "github.com/tetratelabs/wazero"
	_ "github.com/wlynxg/chardet"
	_ "github.com/yuin/goldmark"
	_ "go.uber.org/goleak"
	_ "golang.org/x/net/html/charset"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/term"
	_ "golang.org/x/text/unicode/norm"
	_ "modernc.org/sqlite"
)
