# The commands of the project. `make test` is the whole check; CI runs the same.
GO ?= go

.PHONY: build test vet lint whole race fuzz bench bench-readers short weights mcp-conformance

# As it is shipped: without C and without what debuggers read, a quarter smaller, and an idle server by 6 MB.
build:
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags='-s -w' -o ibid ./cmd/ibid

# Everything that must hold: formatting, vet, staticcheck, all tests, and those of what is concurrent with the race detector.
test: vet lint whole race

short:
	$(GO) test -short ./...

vet:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt: the files above are not formatted"; exit 1; }
	$(GO) vet ./...

lint:
	$(GO) tool -modfile=tools.mod staticcheck ./...

# All tests, and the seeds of the fuzz targets; what `go test` vets by itself, vet has vetted. The slowest packages first: they leave a core idle, which the others then use.
whole:
	$(GO) test -vet=off -timeout 20m ./cmd/ibid ./runs ./research ./journal ./...

# The packages that start goroutines or share something among them, with the race detector, which makes everything several
# times slower: without what -short leaves out, and with SQLite, which is C turned into Go and keeps its own locks, as it
# is: the detector would spend two thirds of its time on it. The slowest first here, too.
CONCURRENT = $(shell grep -rlE '^[[:space:]]*go |sync\.(Mutex|RWMutex|WaitGroup|Map|Pool|Cond)|errgroup\.' --include='*.go' --exclude='*_test.go' --exclude-dir=bench . | xargs -n1 dirname | sort -u)
UNRACED = modernc.org/sqlite/lib=-race=false
race:
	CGO_ENABLED=1 $(GO) test -race '-gcflags=$(UNRACED)' -short -vet=off -timeout 20m ./journal ./cmd/ibid ./runs ./research $(CONCURRENT)

# The official conformance suite of MCP, its inspector and the client of its tasks against ibid's server; fetches both, with a node of their own, the first time.
mcp-conformance:
	at="$$(.ci/node)" && eval "$$at" && $(GO) test ./mcp/server -count=1 -v -run '^Test(Conformance|Inspector|ClientOfTasks)$$'

# Every fuzz target for a while; apart from test, since it takes minutes.
FUZZTIME ?= 30s
fuzz:
	@GO="$(GO)" FUZZTIME="$(FUZZTIME)" sh .ci/fuzz

bench:
	$(GO) test -run '^$$' -bench . -benchmem ./...

# The reader of web pages beside two others, over the shared pages; a module of its own, which fetches them.
READERS = IBID_SHARED="$(abspath $(or $(IBID_SHARED),../shared))" GOMAXPROCS=1 $(GO) test -mod=mod -run '^$$' -timeout 60m -bench
bench-readers:
	cd bench && $(READERS) Readers -benchtime 314x . && $(READERS) Hostile -benchtime 1x .

# Learns the choice of a page's main content from the shared sets, anew (minutes), and tells what cross-validation says of it.
weights:
	$(GO) test ./extract -run '^TestWeights$$' -v -timeout 60m -weights html_weights.go
