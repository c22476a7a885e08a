package extract

import (
	"bytes"

	"github.com/gabriel-vasile/mimetype"
)

// packed recognises the formats that are a file of parts, and those of compressed files, by their first bytes. It is
// formText for all else.
func packed(in Input) (form, error) {
	if f, err := officeForm(in); f != formText || err != nil {
		return f, err
	}
	is := func(magic string) bool { return bytes.HasPrefix(in.Body, []byte(magic)) }
	switch {
	case is("PK\x03\x04"), is("PK\x05\x06"), is("PK\x07\x08"):
		return damagedZip(in.Body), nil
	case is("\x1f\x8b"), is("BZh"), is("\x28\xb5\x2f\xfd"), isTar(in.Body):
		return formArchive, nil
	case is("7z\xbc\xaf\x27\x1c"):
		return formBinary, unsupported(in, "7z archives: pack it as zip or tar.gz")
	case is("Rar!\x1a\x07"):
		return formBinary, unsupported(in, "RAR archives: pack it as zip or tar.gz")
	case is("\xfd7zXZ\x00"):
		return formBinary, unsupported(in, "xz archives: pack it as gzip or zip")
	}
	return formText, nil
}

// damagedZip guesses by its first parts what an archive is whose list of parts may be lost: its reader says so.
func damagedZip(body []byte) form {
	for m := mimetype.Detect(body); m != nil; m = m.Parent() {
		switch mediaType(m.String()) {
		case "application/vnd.openxmlformats-officedocument.wordprocessingml.document":
			return formDOCX
		case "application/vnd.openxmlformats-officedocument.presentationml.presentation":
			return formPPTX
		case "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":
			return formXLSX
		case "application/epub+zip":
			return formEPUB
		case "application/vnd.oasis.opendocument.text", "application/vnd.oasis.opendocument.presentation", "application/vnd.oasis.opendocument.spreadsheet":
			return formODF
		}
	}
	return formArchive
}

// isTar recognises a tar archive by the checksum of its first header, which also the oldest ones have.
func isTar(body []byte) bool {
	if len(body) < 512 || body[0] == 0 {
		return false
	}
	sum, want := 0, 0
	for i, c := range body[:512] {
		if i >= 148 && i < 156 {
			if c >= '0' && c <= '7' {
				want = want*8 + int(c-'0')
			}
			c = ' '
		}
		sum += int(c)
	}
	return want > 0 && sum == want
}
