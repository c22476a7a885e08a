package extract

import (
	"math"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/klippa-app/go-pdfium/structs"
)

const maxAnnotations = 5000 // of a page that are looked at

// passwordField is the flag of a text field that shows no text (ISO 32000-1, table 228).
const passwordField = 1 << 13

// An annotation is a form field or a note on a page that may show text, which is not part of the page's own.
type annotation struct {
	path                     string // "field NAME", "annotation"
	value                    string // of a field that is filled in with text, and of a note
	left, top, right, bottom float64
	shown                    bool // its text was found
}

// annotations reads the text that form fields and notes show. objects is how many the page itself draws.
func (r *pdfReader) annotations(page requests.Page, f pageFrame, objects int) ([]pdfLine, error) {
	list, err := r.listAnnotations(page, f)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	lines, err := r.flattened(page, f, objects)
	if err != nil {
		return nil, err
	}
	for i := range lines {
		l := &lines[i]
		l.Field = "annotation"
		if a := annotationAt(list, (l.X+l.Right)/2, l.Y-0.3*l.Size); a != nil {
			l.Field, a.shown = a.path, true
		}
	}
	for _, a := range list {
		if a.shown {
			continue
		}
		// Without an appearance of its own it shows its text in a form that the viewer chooses.
		for i, text := range strings.FieldsFunc(a.value, func(c rune) bool { return c == '\r' || c == '\n' }) {
			if text = shownLine(text, maxParagraph); visible(text) {
				const size = 10
				lines = append(lines, pdfLine{Text: text, X: a.left, Right: a.right, Y: a.top + size*float64(i+1), Size: size, Turn: f.turn, Field: a.path})
			}
		}
	}
	return lines, nil
}

// annotationAt is the smallest annotation around a place.
func annotationAt(list []annotation, x, y float64) (found *annotation) {
	const slack = 2
	area := math.Inf(1)
	for i := range list {
		a := &list[i]
		size := (a.right - a.left) * (a.bottom - a.top)
		if x > a.left-slack && x < a.right+slack && y > a.top-slack && y < a.bottom+slack && size < area {
			found, area = a, size
		}
	}
	return found
}

// listAnnotations finds the annotations that may show text.
func (r *pdfReader) listAnnotations(page requests.Page, f pageFrame) ([]annotation, error) {
	n, err := r.lib.FPDFPage_GetAnnotCount(&requests.FPDFPage_GetAnnotCount{Page: page})
	if err != nil {
		return nil, err
	}
	var list []annotation
	for i := range min(n.Count, maxAnnotations) {
		got, err := r.lib.FPDFPage_GetAnnot(&requests.FPDFPage_GetAnnot{Page: page, Index: i})
		if err != nil {
			continue
		}
		if a, ok := r.annotation(got.Annotation, f); ok {
			list = append(list, a)
		}
		if _, err := r.lib.FPDFPage_CloseAnnot(&requests.FPDFPage_CloseAnnot{Annotation: got.Annotation}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// annotation reports false for what shows no text: links, marks, and what is hidden.
func (r *pdfReader) annotation(ref references.FPDF_ANNOTATION, f pageFrame) (a annotation, ok bool) {
	kind, err := r.lib.FPDFAnnot_GetSubtype(&requests.FPDFAnnot_GetSubtype{Annotation: ref})
	if err != nil {
		return a, false
	}
	a.path = "annotation"
	switch kind.Subtype {
	case enums.FPDF_ANNOT_SUBTYPE_WIDGET, enums.FPDF_ANNOT_SUBTYPE_FREETEXT, enums.FPDF_ANNOT_SUBTYPE_STAMP, enums.FPDF_ANNOT_SUBTYPE_WATERMARK:
	default:
		return a, false
	}
	flags, err := r.lib.FPDFAnnot_GetFlags(&requests.FPDFAnnot_GetFlags{Annotation: ref})
	if err != nil || flags.Flags&(enums.FPDF_ANNOT_FLAG_HIDDEN|enums.FPDF_ANNOT_FLAG_NOVIEW) != 0 {
		return a, false
	}
	box, err := r.lib.FPDFAnnot_GetRect(&requests.FPDFAnnot_GetRect{Annotation: ref})
	if err != nil {
		return a, false
	}
	b := box.Rect
	a.left, a.top, a.right, a.bottom = f.box(float64(b.Left), float64(b.Bottom), float64(b.Right), float64(b.Top))
	switch kind.Subtype {
	case enums.FPDF_ANNOT_SUBTYPE_WIDGET:
		r.field(&a, ref)
	case enums.FPDF_ANNOT_SUBTYPE_FREETEXT:
		if v, err := r.lib.FPDFAnnot_GetStringValue(&requests.FPDFAnnot_GetStringValue{Annotation: ref, Key: "Contents"}); err == nil {
			a.value = v.Value
		}
	}
	return a, true
}

// field names a form field, and reads the value of one that holds text.
func (r *pdfReader) field(a *annotation, ref references.FPDF_ANNOTATION) {
	form, ok := r.openForm()
	if !ok {
		return
	}
	if n, err := r.lib.FPDFAnnot_GetFormFieldName(&requests.FPDFAnnot_GetFormFieldName{FormHandle: form, Annotation: ref}); err == nil {
		a.path = strings.TrimSpace("field " + shownLine(n.FormFieldName, 200))
	}
	kind, err := r.lib.FPDFAnnot_GetFormFieldType(&requests.FPDFAnnot_GetFormFieldType{FormHandle: form, Annotation: ref})
	if err != nil {
		return
	}
	switch kind.FormFieldType {
	case enums.FPDF_FORMFIELD_TYPE_TEXTFIELD, enums.FPDF_FORMFIELD_TYPE_COMBOBOX:
	default:
		return
	}
	flags, err := r.lib.FPDFAnnot_GetFormFieldFlags(&requests.FPDFAnnot_GetFormFieldFlags{FormHandle: form, Annotation: ref})
	if err != nil || kind.FormFieldType == enums.FPDF_FORMFIELD_TYPE_TEXTFIELD && flags.Flags&passwordField != 0 {
		return
	}
	if v, err := r.lib.FPDFAnnot_GetFormFieldValue(&requests.FPDFAnnot_GetFormFieldValue{FormHandle: form, Annotation: ref}); err == nil {
		a.value = v.FormFieldValue
	}
}

// openForm makes the document's fields known. Nothing of what a form would do is done.
func (r *pdfReader) openForm() (references.FPDF_FORMHANDLE, bool) {
	if r.form == "" {
		opened, err := r.lib.FPDFDOC_InitFormFillEnvironment(&requests.FPDFDOC_InitFormFillEnvironment{Document: r.doc, FormFillInfo: structs.FPDF_FORMFILLINFO{
			FFI_Invalidate:         func(references.FPDF_PAGE, float64, float64, float64, float64) {},
			FFI_SetCursor:          func(enums.FXCT) {},
			FFI_SetTimer:           func(int, func(int)) int { return 0 },
			FFI_KillTimer:          func(int) {},
			FFI_GetLocalTime:       func() structs.FPDF_SYSTEMTIME { return structs.FPDF_SYSTEMTIME{} },
			FFI_GetPage:            func(references.FPDF_DOCUMENT, int) *references.FPDF_PAGE { return nil },
			FFI_GetRotation:        func(references.FPDF_PAGE) enums.FPDF_PAGE_ROTATION { return enums.FPDF_PAGE_ROTATION_NONE },
			FFI_ExecuteNamedAction: func(string) {},
		}})
		if err != nil {
			return "", false
		}
		r.form = opened.FormHandle
	}
	return r.form, true
}

// flattened reads the text of the annotations alone: they are made part of the page, and what the page itself draws is
// left out.
func (r *pdfReader) flattened(page requests.Page, f pageFrame, objects int) ([]pdfLine, error) {
	flat, err := r.lib.FPDFPage_Flatten(&requests.FPDFPage_Flatten{Page: page, Usage: requests.FPDFPage_FlattenUsageNormalDisplay})
	if err != nil || flat.Result != responses.FPDFPage_FlattenResultSuccess {
		return nil, err
	}
	n, err := r.lib.FPDFPage_CountObjects(&requests.FPDFPage_CountObjects{Page: page})
	if err != nil || n.Count <= objects || objects > maxPageObjs {
		return nil, err
	}
	for i := range objects {
		o, err := r.lib.FPDFPage_GetObject(&requests.FPDFPage_GetObject{Page: page, Index: i})
		if err != nil {
			return nil, err
		}
		r.objects++
		if err := r.deactivate([]references.FPDF_PAGEOBJECT{o.PageObject}); err != nil {
			return nil, err
		}
	}
	t, err := r.openText(page)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.read(f); err != nil || t.garbled {
		return nil, err
	}
	return t.lines, nil
}
