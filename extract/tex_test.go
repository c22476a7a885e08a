package extract

import (
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

const texDoc = `% A comment with \section{Not me}
\documentclass[12pt]{article}
\usepackage[utf8]{inputenc}
\usepackage[french,english]{babel}
\newcommand{\pier}{the \emph{North} pier}
\newcommand{\level}[2]{level #1 of #2}
\def\office{Harbour Office}
\title{Tides\thanks{Paid by the \office.} of May}
\author{Ada Lovelace\\ Harbour \and Ben Byron}
\date{2025-03-04}
\begin{document}
\maketitle
\begin{abstract}
Levels rose.
\end{abstract}

\section[Short]{Results \& more}\label{sec:r}
Some \textbf{bold} and \textit{italic} text % gone
at \pier, a \level{2.4}{May}~m, 50\% of it.
It's ` + "``quoted''" + ` --- see \cite[p.~3]{byron1815} and Section~\ref{sec:r}.\footnote{By hand, at \emph{noon}.}
Caf\'e, na\"{\i}ve, Stra{\ss}e, \c{c}a, $E = mc^2$ and \(a_1\).

\begin{itemize}
  \item First
  \item Second
  \begin{enumerate}
    \item[(a)] Nested
  \end{enumerate}
\end{itemize}

\begin{equation}\label{eq:1}
  a^2 + b^2 = c^2 % as ever
\end{equation}
where \unknown{kept} and \mystery stay.

\begin{table}[ht]
\centering
\caption{Levels of \pier}
\begin{tabular}{|l|r|}
\hline
Place & Level (m) \\
\hline
Pier & 2.40 \\
\multicolumn{2}{c}{closed} \\
\hline
\end{tabular}
\end{table}

\begin{verbatim}
x = 1  % kept
\section{no}
\end{verbatim}
\begin{comment}
Hidden words.
\end{comment}
\begin{quote}
It was so.
\end{quote}
\href{https://office.example/a_b}{The office} and \url{https://tides.example/x%20y}; \verb|a_b{}|.
\input{other}
\begin{thebibliography}{9}
\bibitem{byron1815} B. Byron, \emph{Seas}, 1815.
\end{thebibliography}
\end{document}
Words after the end.
`

func TestTeX(t *testing.T) {
	p := read(t, "https://a.example/paper.tex", "", texDoc)
	type row struct {
		Text, Path string
		Role       evidence.Role
		Level      int
	}
	var got []row
	for _, b := range p.Blocks {
		got = append(got, row{b.Text, b.Path, b.Role, b.Level})
	}
	h, i, r := evidence.RoleHeading, evidence.RoleItem, evidence.RoleRow
	want := []row{
		{"Tides of May", "L8", h, 1}, {"Paid by the Harbour Office.", "L8", "", 0}, {"Ada Lovelace Harbour Ben Byron", "L9", "", 0}, {"2025-03-04", "L10", "", 0},
		{"Levels rose.", "L14", "", 0},
		{"Results & more", "L17", h, 2},
		{"Some bold and italic text at the North pier, a level 2.4 of May m, 50% of it. It's “quoted” — see [byron1815, p. 3] and Section [sec:r]. Café, naïve, Straße, ça, $E = mc^2$ and \\(a_1\\).", "L18-L21", "", 0},
		{"By hand, at noon.", "L20", "", 0},
		{"First", "L24", i, 1}, {"Second", "L25", i, 1}, {"(a) Nested", "L27", i, 2},
		{"a^2 + b^2 = c^2", "L31-L33", "", 0}, {`where kept and \mystery stay.`, "L34", "", 0},
		{"Levels of the North pier", "L38", evidence.RoleCaption, 0},
		{"Place | Level (m)", "L41", r, 0}, {"Pier | 2.40", "L43", r, 0}, {"closed", "L44", r, 0},
		{"x = 1  % kept\n\\section{no}", "L50-L51", evidence.RoleCode, 0},
		{"It was so.", "L57", evidence.RoleQuote, 0},
		{"The office and https://tides.example/x%20y; a_b{}.", "L59", "", 0},
		{"[byron1815] B. Byron, Seas, 1815.", "L62", i, 1},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if p.Kind != evidence.Document || p.Title != "Tides of May" || p.Author != "Ada Lovelace; Ben Byron" || p.Published != "2025-03-04" || p.Language != "en" {
		t.Errorf("%s %q %q %q %q", p.Kind, p.Title, p.Author, p.Published, p.Language)
	}
	links := []Link{{"https://office.example/a_b", "The office"}, {"https://tides.example/x%20y", ""}}
	if diff := cmp.Diff(links, p.Links); diff != "" {
		t.Errorf("links -want +got\n%s", diff)
	}
	for _, b := range p.Blocks {
		if b.Role == r && strings.HasPrefix(b.Text, "Pier") && (b.Columns != "Place | Level (m)" || b.Caption != "Levels of the North pier") {
			t.Errorf("columns %q, caption %q", b.Columns, b.Caption)
		}
		if b.Text == "It was so." && texDoc[b.Start:b.End] != "It was so.\n" && strings.TrimSpace(texDoc[b.Start:b.End]) != "It was so." {
			t.Errorf("bytes %q", texDoc[b.Start:b.End])
		}
	}
}

// Every letter of a text stands in the file, in this order, between the block's first byte and its last: what a macro
// stands for apart, which this document does not use.
func TestTeXIsVerbatim(t *testing.T) {
	doc := texDoc[strings.Index(texDoc, `\begin{document}`):]
	doc = strings.NewReplacer(`\pier`, "piers", `\level{2.4}{May}`, "2.4", `\'e`, "e", `\"{\i}`, "i", `{\ss}`, "ss", `\c{c}`, "c", "~", " ", `\verb|a_b{}|`, "").Replace(doc)
	for _, b := range read(t, "https://a.example/paper.tex", "", doc).Blocks {
		raw := doc[b.Start:b.End]
		for _, c := range b.Text {
			if !unicode.IsLetter(c) && !unicode.IsDigit(c) {
				continue
			}
			at := strings.IndexRune(raw, c)
			if at < 0 {
				if b.Role == evidence.RoleItem || strings.Contains(b.Text, "p. 3") { // a note on a citation is shown behind its key
					break
				}
				t.Errorf("%s: %q is not in %q", b.Path, b.Text, doc[b.Start:b.End])
				break
			}
			raw = raw[at+len(string(c)):]
		}
	}
}

func TestTeXOdd(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"a chapter alone":          {"\\chapter{One}\nWords.\n\\section{Two}\n\nMore.\n", []string{"One", "Words.", "Two", "More."}},
		"a brace that never ends":  {"\\section{One\n\nWords \\textbf{and more.\n\nThe end.\n", []string{"One", "Words and more.", "The end."}},
		"a dollar that never ends": {"It costs 5$ or so.\n\nThe end.\n", []string{"It costs 5$ or so.", "The end."}},
		"display in two forms":     {"So\n$$a=b$$\nand\n\\[c=d\\]\nhold.\n", []string{"So", "$$a=b$$", "and", "c=d", "hold."}},
		"escaped percent":          {"5\\% of 10\\,000 % gone\nis 500.\n", []string{"5% of 10 000 is 500."}},
		"an end without begin":     {"One.\n\\end{itemize}\nTwo.\n", []string{"One. Two."}},
		"a list that never ends":   {"\\begin{itemize}\n\\item One\n\\item Two\n", []string{"One", "Two"}},
		"math in a table":          {"\\begin{tabular}{ll}\n$a & b$ & 2\\\\\nx & y\n\\end{tabular}\n", []string{"$a & b$ | 2", "x | y"}},
		"raised numbers":           {`We have 10\textsuperscript{6}, 10\textsuperscript{$-5$}, 10\textsuperscript{\textbf{7}}, log 10\textsubscript{2}, CO\textsubscript{2}, the 4\textsuperscript{th}.`, []string{"We have 10⁶, 10⁻⁵, 10⁷, log 10₂, CO2, the 4th."}},
		"what is never set":        {"Kept. \\iffalse Dead \\ifx a b \\else c \\fi text.\n\nMore. \\fi Tail, \\iffalse no end.", []string{`Kept. Tail, \iffalse no end.`}},
		"one arm of two":           {"\\iffalse Dead \\else Kept \\fi and \\iftrue set\\else not \\iftrue at \\else all\\fi\\fi.", []string{"Kept and set."}},
		"switches":                 {"\\newif\\ifdraft A\\ifdraft\\ draft\\else\\ final\\fi. \\drafttrue B\\ifdraft\\ draft\\else\\ final\\fi. \\draftfalse C\\ifdraft x\\fi.", []string{"A final. B draft. C."}},
		"arms nobody knows":        {"It is \\ifx\\a\\b cold\\else warm\\fi here, \\ifcase\\x zero\\or one\\fi or \\ifthenelse{\\boolean{x}}{not}{so} there, $a \\iff b$.", []string{"It is here, or there, $a \\iff b$."}},
		"struck text":              {"The fee is \\sout{50}\\st{55} \\deleted{57}\\replaced{60}{58} euros\\added{ a day}.", []string{"The fee is 60 euros a day."}},
		"raised in other ways":     {"10\\up{6}, 10\\fup{7}, 10\\raisebox{1ex}{8}, the 1\\ier{} of 10\\raisebox{-.5ex}{2}", []string{"10⁶, 10⁷, 10⁸, the 1er of 10₂"}},
		"empty lines and comments": {"One\n% gone\nstill one.\n\n% gone\n%\n\\textbf{Two} % gone\n \t \nthree.\n", []string{"One still one.", "Two", "three."}},
		"arguments not known":      {"\\call{one}{two}, \\call\n\nnext.\n", []string{"one two, \\call", "next."}},
		"not a letter is lost":     {"\\textsc{Pier} {\\bf North}\\footnote{Old.} stands.\n", []string{"Pier North stands.", "Old."}},
	} {
		var got []string
		for _, b := range read(t, "https://a.example/x.tex", "", c.body).Blocks {
			got = append(got, b.Text)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}

// Macros that call one another end somewhere, and do not multiply the text.
func TestTeXBombs(t *testing.T) {
	alone(t)
	lines := []string{`\newcommand{\aa}{ha ha ha}`}
	for c := 'b'; c < 'z'; c++ {
		lines = append(lines, `\newcommand{\a`+string(c)+`}{`+strings.Repeat(`\a`+string(c-1), 9)+`}`)
	}
	for name, body := range map[string]string{
		"macros":   strings.Join(lines, "\n") + `\ay`,
		"itself":   `\newcommand{\x}{a\x\x}` + strings.Repeat(`\x `, 100),
		"braces":   strings.Repeat("{", 100_000) + "words",
		"sections": strings.Repeat(`\section{a`, 20_000),
		"begins":   strings.Repeat(`\begin{x}`, 20_000) + "words",
		"notes":    strings.Repeat(`\footnote{a`, 5_000),
		"arms":     strings.Repeat(`\ifx a\iffalse b\else `, 30_000),
	} {
		if p := read(t, "https://a.example/x.tex", "", body); name == "braces" && quotable(p) != "words" {
			t.Errorf("%s: %q", name, quotable(p))
		}
	}
}
