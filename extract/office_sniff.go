package extract

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"io"
	"strings"

	"ibid/internal/lazyregexp"
)

// officeForm recognises office documents and books by what they hold, since a zip's first entries need not say it. It
// returns formText for anything else. The error is an *Unreadable: an office document that there is no reading of.
func officeForm(in Input) (form, error) {
	switch {
	case bytes.HasPrefix(in.Body, []byte("PK\x03\x04")):
		return zippedForm(in)
	case bytes.HasPrefix(in.Body, compoundFile):
		return 0, compoundError(in)
	case flatODF.Match(in.Body[:min(len(in.Body), 4096)]):
		return formODF, nil
	}
	return formText, nil
}

var flatODF = lazyregexp.New(`(?s)^\s*(?:\xef\xbb\xbf)?\s*<\?xml.*<office:document\s`)

// zippedForm looks for the part by which a document says what it is.
func zippedForm(in Input) (form, error) {
	z, err := zip.NewReader(bytes.NewReader(in.Body), int64(len(in.Body)))
	if err != nil || len(z.File) > maxEntries {
		return formText, nil
	}
	for _, f := range z.File {
		switch f.Name {
		case "mimetype":
			switch kind := headOf(f, 200); {
			case kind == "application/epub+zip":
				return formEPUB, nil
			case strings.HasPrefix(kind, odfType):
				if odfKinds.MatchString(kind[len(odfType):]) {
					return formODF, nil
				}
				return 0, &Unreadable{URL: in.URL, Reason: NotSupported, Detail: "it is an OpenDocument of a kind that is not read: " + clip(kind[len(odfType):], 40)}
			}
		case "[Content_Types].xml":
			types := headOf(f, 1<<20)
			for _, t := range mainTypes {
				if strings.Contains(types, t.name) {
					return t.form, nil
				}
			}
			if strings.Contains(types, "ms-excel.sheet.binary.macroEnabled.main") {
				return 0, &Unreadable{URL: in.URL, Reason: NotSupported, Detail: "it is a binary workbook (.xlsb); saved as .xlsx it can be read"}
			}
			return 0, &Unreadable{URL: in.URL, Reason: NotSupported, Detail: "it is a file of an office program of a kind that is not read"}
		}
	}
	return formText, nil
}

const odfType = "application/vnd.oasis.opendocument."

var odfKinds = lazyregexp.New(`^(?:text|presentation|spreadsheet|graphics)(?:-template|-master|-web)?$`)

// mainTypes are the types of the main parts of Office Open XML documents: plain ones, templates, with macros.
var mainTypes = []struct {
	name string
	form form
}{
	{"wordprocessingml.document.main+xml", formDOCX}, {"wordprocessingml.template.main+xml", formDOCX},
	{"ms-word.document.macroEnabled.main+xml", formDOCX}, {"ms-word.template.macroEnabledTemplate.main+xml", formDOCX},
	{"presentationml.presentation.main+xml", formPPTX}, {"presentationml.slideshow.main+xml", formPPTX},
	{"presentationml.template.main+xml", formPPTX}, {"ms-powerpoint.presentation.macroEnabled.main+xml", formPPTX},
	{"ms-powerpoint.slideshow.macroEnabled.main+xml", formPPTX}, {"ms-powerpoint.template.macroEnabled.main+xml", formPPTX},
	{"spreadsheetml.sheet.main+xml", formXLSX}, {"spreadsheetml.template.main+xml", formXLSX},
	{"ms-excel.sheet.macroEnabled.main+xml", formXLSX}, {"ms-excel.template.macroEnabled.main+xml", formXLSX},
	{"ms-excel.addin.macroEnabled.main+xml", formXLSX},
}

// headOf unpacks the beginning of a part, "" if that fails.
func headOf(f *zip.File, n int64) string {
	r, err := f.Open()
	if err != nil {
		return ""
	}
	defer r.Close()
	head, err := io.ReadAll(io.LimitReader(r, n))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(head))
}

// compoundFile begins the container of the old office formats, and of encrypted new ones ([MS-CFB] §2.2).
var compoundFile = []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1")

// compoundError says what is in a compound file, by the names of its streams.
func compoundError(in Input) error {
	names := map[string]bool{}
	for i := 512; i+128 <= len(in.Body); i += 128 { // entries of the directory lie at these places ([MS-CFB] §2.6.1)
		if name := streamName(in.Body[i : i+128]); len(names) < maxEntries {
			names[name] = true
		}
	}
	u := &Unreadable{URL: in.URL, Reason: NotSupported}
	switch old := " in the old binary format "; {
	case names["EncryptedPackage"], names["EncryptionInfo"]:
		u.Reason, u.Detail = Encrypted, "it is encrypted and needs a password"
	case names["__properties_version1.0"]:
		u.Detail = "it is a message of Outlook (.msg); saved as .eml it can be read"
	case names["WordDocument"]:
		u.Detail = "it is a document" + old + "(.doc); saved as .docx it can be read"
	case names["PowerPoint Document"]:
		u.Detail = "it is a presentation" + old + "(.ppt); saved as .pptx it can be read"
	case names["Workbook"], names["Book"]:
		u.Detail = "it is a workbook" + old + "(.xls); saved as .xlsx it can be read"
	default:
		u.Detail = "it is in an old binary format of office programs; saved in a present one it can be read"
	}
	return u
}

// streamName returns the name in an entry of a compound file's directory, "" if it is none.
func streamName(entry []byte) string {
	n, kind := int(binary.LittleEndian.Uint16(entry[64:])), entry[66]
	if n < 4 || n > 64 || n%2 != 0 || kind != 1 && kind != 2 {
		return ""
	}
	name := make([]byte, 0, 32)
	for i := 0; i < n-2; i += 2 {
		if entry[i+1] != 0 {
			return ""
		}
		name = append(name, entry[i])
	}
	return string(name)
}
