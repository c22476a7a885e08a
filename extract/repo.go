package extract

import (
	"bytes"
	"context"
	"errors"
	"net/url"
	"path"
	"sort"
	"strings"

	"ibid/evidence"
)

const (
	linesPerBlock = 20      // EXTRACT-4
	maxBlocks     = 200_000 // of a repository
	maxLineLength = 2000    // mean bytes a line, beyond which a file was not written by a person
)

// readRepo reads the text files of an archive, by path, each in windows of twenty lines.
func readRepo(ctx context.Context, in Input) (*Page, error) {
	a, err := OpenArchive(in.Body)
	if errors.Is(err, errEncrypted) && len(a.Files) == 0 {
		return nil, &Unreadable{URL: in.URL, Reason: Encrypted, Detail: "it is encrypted and needs a password"}
	}
	if err != nil && len(a.Files) == 0 {
		return nil, &Unreadable{URL: in.URL, Reason: Damaged, Detail: "its archive is damaged", Err: err}
	}
	page := &Page{Kind: evidence.Repo, By: "repo/1"}
	sort.SliceStable(a.Files, func(i, j int) bool { return a.Files[i].Path < a.Files[j].Path })
	for _, f := range a.Files {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if skip(f) {
			page.flag(FlagSkipped)
			continue
		}
		if readFile(page, f.Path, f.Body); len(page.Blocks) > maxBlocks {
			page.Blocks = page.Blocks[:maxBlocks]
			page.flag(FlagTruncated)
			break
		}
	}
	if len(a.Refused) > 0 {
		page.flag(FlagRefused)
	}
	if a.Truncated || err != nil {
		page.flag(FlagTruncated)
	}
	page.Title = repoTitle(in.URL, page.Blocks)
	return page, nil
}

// readSource reads one file of code by its lines.
func readSource(in Input) *Page {
	page := &Page{Kind: evidence.Repo, By: "repo/1", Title: baseName(in.URL)}
	readFile(page, first(clean(baseName(in.URL)), "file"), in.Body)
	return page
}

var (
	skipFolders = set(".git .hg .svn vendor node_modules third_party __pycache__ dist")
	lockFiles   = set("go.sum package-lock.json yarn.lock pnpm-lock.yaml cargo.lock poetry.lock composer.lock gemfile.lock uv.lock")
	lfsPointer  = []byte("version https://git-lfs.github.com/spec/v1\n")
)

// skip reports whether a file holds nothing that its authors wrote for people to read.
func skip(f ArchiveFile) bool {
	if f.Body == nil {
		return true
	}
	parts := strings.Split(strings.ToLower(f.Path), "/")
	for _, p := range parts[:len(parts)-1] {
		if skipFolders[p] {
			return true
		}
	}
	base := parts[len(parts)-1]
	return lockFiles[base] || strings.HasSuffix(base, ".min.js") || strings.HasSuffix(base, ".min.css") ||
		!isText(f.Body) || len(f.Body) > maxLineLength*(1+bytes.Count(f.Body, []byte{'\n'}))
}

// readFile appends a file's windows. Lines end at "\n" and nowhere else, as every code host counts them; the "\r" before
// it is not part of the line.
func readFile(page *Page, name string, body []byte) {
	if len(body) < 1024 && bytes.HasPrefix(body, lfsPointer) {
		page.flag(FlagLFSPointer)
		return
	}
	text, encoding := decode(body, "")
	exact := encoding == "utf-8" && len(text) == len(body)
	role, heading := evidence.RoleCode, ""
	written, known := extensions[strings.ToLower(path.Ext(name))]
	markdown := known && written == formMarkdown
	if markdown || known && written == formText {
		role = evidence.RoleText
	}
	for first, at := 1, 0; at < len(text); first += linesPerBlock {
		start, count, above := at, 0, heading
		for at < len(text) && count < linesPerBlock {
			next := len(text)
			if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
				next = at + i + 1
			}
			if line := text[at:next]; markdown && (strings.HasPrefix(line, "# ") || strings.HasPrefix(line, "## ")) {
				heading = oneLine(strings.TrimLeft(line, "# "), 200)
			}
			at, count = next, count+1
		}
		shown := strings.TrimRight(strings.ReplaceAll(text[start:at], "\r\n", "\n"), "\r\n")
		if !visible(shown) {
			continue
		}
		b := Block{Text: shown, Role: role, Heading: above, Main: true, Quotable: true,
			Locator: evidence.Locator{Unit: evidence.Lines, Path: name, A: first, B: first + count - 1}}
		if exact {
			b.Start, b.End = start, at
		}
		page.Blocks = append(page.Blocks, b)
	}
}

// repoTitle is the first heading of the README, else the end of the URL.
func repoTitle(raw string, blocks []Block) string {
	for _, b := range blocks {
		if strings.HasPrefix(strings.ToLower(path.Base(b.Locator.Path)), "readme") && b.Locator.A == 1 {
			for line := range strings.SplitSeq(b.Text, "\n") {
				if t, ok := strings.CutPrefix(line, "# "); ok {
					return oneLine(t, 200)
				}
			}
		}
	}
	u, err := url.Parse(raw)
	if err != nil {
		return ""
	}
	return strings.Trim(u.Path, "/")
}
