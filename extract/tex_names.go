package extract

import (
	"strings"

	"golang.org/x/text/unicode/norm"
)

// texArguments are the commands whose first arguments in braces are no text, by how many; arguments in brackets before
// and between them are none either.
var texArguments = texCounts(map[int]string{
	0: "footnotemark linebreak pagebreak nolinebreak nopagebreak hyperref makebox framebox printbibliography sqrt",
	1: `includegraphics usepackage RequirePackage documentclass documentstyle bibliography addbibresource includepdf lstinputlisting color
		label index glossary bibliographystyle input include includeonly subfile pagestyle thispagestyle pagenumbering hypersetup graphicspath
		hyphenation selectlanguage setmainlanguage setdefaultlanguage phantom hphantom vphantom nocite newcounter captionsetup lstset
		stepcounter refstepcounter cline cmidrule usetheme usecolortheme orcid ead geometry newlength vspace hspace vskip
		textcolor colorbox scalebox sout st xout deleted foreignlanguage rotatebox parbox usetikzlibrary thanksref corref newtheoremstyle
		keywords_ bibinfo bibfield bibnamefont bibfnamefont`,
	2: `setlength addtolength setcounter addtocounter settowidth fontsize pdfbookmark numberwithin resizebox fcolorbox rule setotherlanguage
		newtheorem multirow DeclareMathOperator`,
	3: "definecolor addcontentsline newenvironment renewenvironment titleformat ifthenelse ifbool iftoggle ifdef ifundef ifcsdef ifdefempty ifstrempty",
	4: "ifstrequal ifdefstring ifdefequal",
})

// texEnvironments are the arguments of environments, likewise.
var texEnvironments = texCounts(map[int]string{
	0: "figure figure* table table* algorithm algorithm* algorithmic tcolorbox mdframed itemize enumerate description compactitem compactenum",
	1: "minipage subfigure subtable thebibliography multicols multicols* spacing tabular longtable supertabular array",
	2: "wrapfigure wraptable adjustwidth list tabular* tabularx tabulary",
})

func texCounts(words map[int]string) map[string]int {
	table := map[string]int{}
	for n, names := range words {
		for name := range set(names) {
			table[name] = n
		}
	}
	return table
}

// Kinds of environments.
var (
	texMath = set(`equation equation* align align* gather gather* multline multline* eqnarray eqnarray* displaymath math alignat alignat*
		flalign flalign* IEEEeqnarray IEEEeqnarray* dmath dmath*`)
	texCode   = set("verbatim verbatim* Verbatim lstlisting minted alltt BVerbatim LVerbatim code Sinput Soutput Schunk")
	texUnread = set("comment tikzpicture pgfpicture picture pspicture filecontents filecontents* asy CCSXML luacode pycode")
	texLists  = set("itemize enumerate description compactitem compactenum inparaenum trivlist easylist list")
	texQuotes = set("quote quotation verse displayquote quoting")
	texTables = set("tabular tabular* tabularx tabulary longtable array supertabular tabbing tabu longtabu NiceTabular")
)

// texSwitches change how what follows looks, or place it; they have no text.
var texSwitches = set(`bf it em rm sf tt sc sl bfseries mdseries itshape slshape scshape upshape rmfamily sffamily ttfamily normalfont
	tiny scriptsize footnotesize small normalsize large Large LARGE huge Huge centering raggedright raggedleft flushleft noindent indent
	newpage clearpage cleardoublepage maketitle tableofcontents listoffigures listoftables hline toprule midrule bottomrule hfill vfill hfil
	smallskip medskip bigskip protect relax leavevmode null sloppy fussy frontmatter mainmatter backmatter appendix onecolumn
	twocolumn doublespacing singlespacing onehalfspacing boldmath unboldmath displaystyle textstyle ignorespaces unskip strut
	begingroup endgroup bgroup egroup global long makeatletter makeatother allowbreak nobreak goodbreak pause xspace qed qedhere
	nonumber notag endfirsthead endhead endfoot endlastfoot textbf textit emph texttt textsf textsc textsl textrm textup textmd
	underline uline mbox fbox hbox vbox text mathrm textnormal so hl centerline leftline rightline smash
	printindex makeindex IEEEPARstart balance column columns citetext ensuremath added highlight`)

// texSpaces are commands that set words apart.
var texSpaces = set("quad qquad space enspace thinspace newline linebreak hskip vskip kern hspace vspace hfill and And AND")

// texSymbols are commands that stand for characters.
var texSymbols = map[string]string{
	"%": "%", "&": "&", "#": "#", "$": "$", "_": "_", "{": "{", "}": "}", " ": " ", "\n": " ", "\t": " ", ",": " ", ";": " ", ":": " ", ">": " ",
	"!": "", "/": "", "-": "", "@": "", "|": "‖", "*": "", "+": "",
	"textbackslash": `\`, "ldots": "…", "dots": "…", "textellipsis": "…", "textendash": "–", "textemdash": "—", "textregistered": "®",
	"copyright": "©", "textcopyright": "©", "texttrademark": "™", "pounds": "£", "textsterling": "£", "euro": "€", "texteuro": "€", "S": "§", "P": "¶",
	"dag": "†", "ddag": "‡", "textdagger": "†", "textdegree": "°", "degree": "°", "ss": "ß", "ae": "æ", "AE": "Æ", "oe": "œ", "OE": "Œ", "aa": "å", "AA": "Å",
	"o": "ø", "O": "Ø", "l": "ł", "L": "Ł", "i": "ı", "j": "ȷ", "dh": "ð", "th": "þ", "DH": "Ð", "TH": "Þ", "dj": "đ", "DJ": "Đ", "ng": "ŋ", "NG": "Ŋ",
	"LaTeX": "LaTeX", "LaTeXe": "LaTeX2e", "TeX": "TeX", "BibTeX": "BibTeX", "XeTeX": "XeTeX", "textasciitilde": "~", "textasciicircum": "^",
	"textquoteleft": "‘", "textquoteright": "’", "textquotedblleft": "“", "textquotedblright": "”", "lq": "‘", "rq": "’", "textquotesingle": "'",
	"textquotedbl": `"`, "guillemotleft": "«", "guillemotright": "»", "og": "« ", "fg": " »", "slash": "/", "textbar": "|", "textless": "<", "textgreater": ">",
	"textbullet": "•", "textperiodcentered": "·", "textunderscore": "_", "textmu": "µ", "texttimes": "×", "textpm": "±", "lbrack": "[", "rbrack": "]",
	"textonehalf": "½", "textonequarter": "¼", "textthreequarters": "¾", "textnumero": "№", "textsection": "§", "ier": "er", "iere": "re", "ieme": "e", "iers": "ers", "iemes": "es", "textparagraph": "¶", "checkmark": "✓",
}

// texAccents are commands that put a mark on the letter that follows.
var texAccents = map[string]rune{
	"'": '\u0301', "`": '\u0300', "^": '\u0302', `"`: '\u0308', "~": '\u0303', "=": '\u0304', ".": '\u0307', "u": '\u0306', "v": '\u030c',
	"H": '\u030b', "c": '\u0327', "k": '\u0328', "r": '\u030a', "d": '\u0323', "b": '\u0331', "t": '\u0361',
}

// accented is a letter with a mark.
func accented(letter string, mark rune) string {
	letter = strings.Trim(letter, "{} ")
	switch letter {
	case `\i`, "ı":
		letter = "i"
	case `\j`, "ȷ":
		letter = "j"
	}
	if letter == "" || strings.HasPrefix(letter, `\`) {
		return ""
	}
	first := len(letter)
	for i := range letter {
		if i > 0 {
			first = i
			break
		}
	}
	return norm.NFC.String(letter[:first]+string(mark)) + letter[first:]
}

// texHeads are the commands that begin sections, by depth.
var texHeads = map[string]int{"part": 0, "chapter": 1, "section": 2, "subsection": 3, "subsubsection": 4, "paragraph": 5, "subparagraph": 6}

// babel are the languages that documents usually name.
var babel = map[string]string{"english": "en", "american": "en-US", "british": "en-GB", "UKenglish": "en-GB", "USenglish": "en-US", "german": "de",
	"ngerman": "de", "french": "fr", "francais": "fr", "spanish": "es", "italian": "it", "portuguese": "pt", "brazil": "pt-BR", "brazilian": "pt-BR",
	"dutch": "nl", "polish": "pl", "russian": "ru", "ukrainian": "uk", "czech": "cs", "swedish": "sv", "danish": "da", "norsk": "nb", "finnish": "fi",
	"greek": "el", "turkish": "tr", "hungarian": "hu"}
