package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Limits of recognising text in pictures, for one document.
const (
	ocrDPI       = 300
	maxOCRPixels = 40 << 20 // of one page: A4 has 9 million
	maxOCRPages  = 200
	maxOCROutput = 16 << 20 // bytes that the program says of a page
	ocrPageTime  = time.Minute
	ocrTime      = 3 * time.Minute
)

// A recogniser is the tesseract program, if it is installed. It is looked for once.
type recogniser struct {
	once      sync.Once
	path      string
	languages []string // that are installed, "eng" first
	turns     bool     // it can find out which way up a page is
}

// OCRProgram returns the path of the program that recognises text in pictures and the languages that it knows. The error
// says what to install.
func OCRProgram(ctx context.Context) (path string, languages []string, err error) {
	var r recogniser
	r.find(ctx)
	if r.path == "" {
		return "", nil, errors.New("there is no tesseract on PATH: apt-get install tesseract-ocr on Debian, and tesseract-ocr-deu and so on for languages")
	}
	if len(r.languages) == 0 {
		return r.path, nil, errors.New(r.path + " knows no language: apt-get install tesseract-ocr-eng on Debian")
	}
	return r.path, r.languages, nil
}

func (r *recogniser) find(ctx context.Context) {
	r.once.Do(func() {
		path, err := exec.LookPath("tesseract")
		if err != nil {
			return
		}
		out, err := tesseract(ctx, path, nil, "--list-langs").Output()
		if err != nil {
			return
		}
		r.path = path
		for line := range strings.Lines(string(out)) {
			switch name := strings.TrimSpace(line); {
			case name == "osd":
				r.turns = true
			case name == "" || name == "equ" || strings.ContainsAny(name, " :/\\"): // a heading, formulas, whole scripts
			case name == "eng":
				r.languages = slices.Insert(r.languages, 0, name)
			default:
				r.languages = append(r.languages, name)
			}
		}
	})
}

// tesseract is a command that sees nothing of the environment but what it needs, and that ends with ctx.
func tesseract(ctx context.Context, path string, in io.Reader, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = []string{"OMP_THREAD_LIMIT=1"} // one processor, for the same time of it
	for _, name := range []string{"PATH", "TESSDATA_PREFIX", "SystemRoot"} {
		if v, set := os.LookupEnv(name); set {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	cmd.Stdin = in
	cmd.WaitDelay = time.Second
	return cmd
}

// recognise reads the pages that show text and have none that can be read, as pictures. A page that fails stays as it is.
func (x *Extractor) recognise(ctx context.Context, d *pdfDocument, ask asker) {
	r := &x.ocr
	if r.find(ctx); r.path == "" || len(r.languages) == 0 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, ocrTime)
	defer cancel()
	pages := 0
	for i := range d.Pages {
		p := &d.Pages[i]
		if !p.Picture && !p.Garbled {
			continue
		}
		if pages++; pages > maxOCRPages || ctx.Err() != nil {
			d.Cut = true
			return
		}
		dpi := p.dpi()
		a, err := ask(pdfCall{Image: &imageOf{Page: p.Number, DPI: dpi}})
		if err != nil {
			return // whatever it was, PDFium may not go on
		}
		lines, err := r.read(ctx, a.Image.reader(), float64(dpi)/72, dpi, r.languagesFor(d.Info["Lang"]))
		if err != nil || len(lines) == 0 {
			continue
		}
		p.Lines = append(lines, p.Lines...)
		p.Picture, p.Garbled, p.Recognised = false, false, true
	}
}

// dpi is the resolution at which a page is drawn: a multiple of its picture's own, whose pixels then stay as they are,
// and less for large pages.
func (p *pdfPage) dpi() int {
	dpi := float64(ocrDPI)
	if p.PPI > 70 && p.PPI < 450 {
		dpi = p.PPI * max(1, math.Round(dpi/p.PPI))
	}
	if area := p.Width / 72 * p.Height / 72; area*dpi*dpi > maxOCRPixels {
		dpi = math.Sqrt(maxOCRPixels / area)
	}
	return max(int(math.Round(dpi)), 20)
}

// read recognises the text of a picture: a file, or grey pixels behind a header of the PGM format. scale is in pixels per
// point; dpi is 0 where it is not known.
func (r *recogniser) read(ctx context.Context, picture io.Reader, scale float64, dpi int, languages string) ([]pdfLine, error) {
	ctx, cancel := context.WithTimeout(ctx, ocrPageTime)
	defer cancel()
	args := []string{"stdin", "stdout", "-l", languages, "-c", "tessedit_create_tsv=1", "--psm"}
	if r.turns {
		args = append(args, "1") // finds columns, paragraphs, and which way up the page is
	} else {
		args = append(args, "3") // but for the last
	}
	if dpi > 0 {
		args = append(args, "--dpi", strconv.Itoa(dpi))
	}
	out := &cappedBuffer{max: maxOCROutput}
	cmd := tesseract(ctx, r.path, picture, args...)
	cmd.Stdout = out
	if err := cmd.Run(); err != nil {
		return nil, fmt.Errorf("tesseract: %w", errors.Join(ctx.Err(), err))
	}
	return recognised(string(out.b), scale), nil
}

// reader is the picture as a file of the PGM format.
func (p *pdfImage) reader() io.Reader {
	return io.MultiReader(strings.NewReader(fmt.Sprintf("P5 %d %d 255\n", p.Width, p.Height)), bytes.NewReader(p.Pixels))
}

// languagesFor are those of tesseract for a document in a language (BCP 47), or all where it is not known.
func (r *recogniser) languagesFor(lang string) string {
	const several = 4 // each takes its time
	lang = strings.ToLower(lang)
	name, region, _ := strings.Cut(lang, "-")
	want := tesseractLanguages[name]
	if name == "zh" && (strings.Contains(region, "tw") || strings.Contains(region, "hk") || strings.Contains(region, "hant")) {
		want = "chi_tra"
	}
	if want != "" && slices.Contains(r.languages, want) {
		return want
	}
	return strings.Join(r.languages[:min(several, len(r.languages))], "+")
}

// tesseractLanguages are the names of tesseract's data for languages by their ISO 639-1 codes.
var tesseractLanguages = map[string]string{"ar": "ara", "bg": "bul", "ca": "cat", "cs": "ces", "da": "dan", "de": "deu", "el": "ell",
	"en": "eng", "es": "spa", "et": "est", "fa": "fas", "fi": "fin", "fr": "fra", "he": "heb", "hi": "hin", "hr": "hrv", "hu": "hun",
	"id": "ind", "it": "ita", "ja": "jpn", "ko": "kor", "lt": "lit", "lv": "lav", "nb": "nor", "nl": "nld", "no": "nor", "pl": "pol",
	"pt": "por", "ro": "ron", "ru": "rus", "sk": "slk", "sl": "slv", "sr": "srp", "sv": "swe", "th": "tha", "tr": "tur", "uk": "ukr",
	"vi": "vie", "zh": "chi_sim"}

// A cappedBuffer keeps what is written, and fails where that is too much.
type cappedBuffer struct {
	b   []byte
	max int
}

func (b *cappedBuffer) Write(p []byte) (int, error) {
	if len(b.b)+len(p) > b.max {
		return 0, errors.New("too much output")
	}
	b.b = append(b.b, p...)
	return len(p), nil
}
