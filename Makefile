# The commands of the project. `make test` is the whole check; CI runs the same.
GO ?= go

.PHONY: build test vet lint race unraced fuzz bench bench-readers short weights mcp-conformance

build:
	$(GO) build -o ibid ./cmd/ibid

# Everything that must hold: formatting, vet, staticcheck, tests (and the seeds of the fuzz targets) with the race detector.
test: vet lint race unraced

short:
	$(GO) test -short ./...

vet:
	@test -z "$$(gofmt -l .)" || { gofmt -l .; echo "gofmt: the files above are not formatted"; exit 1; }
	$(GO) vet ./...

lint:
	$(GO) tool -modfile=tools.mod staticcheck ./...

# The slowest packages first: they leave a core idle, which the others then use.
race:
	CGO_ENABLED=1 $(GO) test -race -timeout 20m ./extract ./runs ./...

# What would take minutes under the race detector, which does a part of it: all scripts of the program, a hundred kills of a run, three hundred power cuts, long conversations, the shared sets, a thousand runs of a
# model that obeys every order it reads, and some hundreds of pages read one after the other.
unraced:
	$(GO) test ./cmd/ibid ./runs ./server ./agent ./audit/claim ./audit/conflict ./eval ./foreign ./index ./mcp/server ./knowledge
	$(GO) test -run '^TestPowerCuts$$' ./journal
	$(GO) test -run '^Test(AssembledAlwaysPasses|Hostile|Puppet|PuppetTeam|PuppetServers|PuppetKnowledge)$$' ./report ./audit ./research
	$(GO) test -run '^Test(FurnitureOnTopChangesNothing|MainContentFigures|HTMLPlaces|HTMLHostilePlaces|HTMLHostile|Unpack|OfficeUnreadable|ArchiveZip|OfficeBombs|MetaShared|JSONLimits|TeXBombs)$$' ./extract

# The official conformance suite of MCP and its inspector against ibid's server; fetches both, with a node of their own, the first time.
mcp-conformance:
	at="$$(.ci/node)" && eval "$$at" && $(GO) test ./mcp/server -count=1 -v -run '^Test(Conformance|Inspector)$$'

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
