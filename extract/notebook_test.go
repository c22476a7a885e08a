package extract

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ibid/evidence"
)

func TestNotebook(t *testing.T) {
	const nb4 = `{"nbformat":4,"metadata":{"title":"Tides","authors":[{"name":"Ada"},{"name":"Ben"}],"language_info":{"name":"python"}},"cells":[
{"cell_type":"markdown","source":["# Levels\n","\n","Read *twice* a day, see [the office](https://office.example/).\n"]},
{"cell_type":"code","execution_count":1,"source":"x = 1\nprint(x)","outputs":[
 {"output_type":"stream","name":"stdout","text":["1\n","\u001b[31mred\u001b[0m\n"]},
 {"output_type":"stream","name":"stderr","text":"10%\r55%\r100%\n"},
 {"output_type":"display_data","data":{"image/png":"iVBORw0KGgo=","text/plain":["<Figure>"]}},
 {"output_type":"execute_result","data":{"text/html":["<table><tr><th>h</th><th>m</th></tr><tr><td>1</td><td>2.40</td></tr></table>"],"text/plain":"h m"}},
 {"output_type":"error","ename":"ValueError","evalue":"no tide","traceback":["\u001b[0;31mValueError\u001b[0m: no tide"]}]},
{"cell_type":"raw","source":"raw words"},
{"cell_type":"markdown","source":"## After\n"},
{"cell_type":"code","source":[],"outputs":[]},
{"cell_type":"code","source":"y = 2","outputs":[]}]}`
	p := read(t, "https://a.example/x", "", nb4)
	type row struct {
		At, Text, Path, Heading string
		Role                    evidence.Role
	}
	var got []row
	for _, b := range p.Blocks {
		got = append(got, row{b.Locator.String(), b.Text, b.Path, b.Heading, b.Role})
	}
	want := []row{
		{"cell.1.1", "Levels", "L1", "", evidence.RoleHeading},
		{"cell.1.2", "Read twice a day, see the office.", "L3", "Levels", ""},
		{"cell.2.1", "x = 1\nprint(x)", "input", "Levels", evidence.RoleCode},
		{"cell.2.2", "1\nred", "output stdout", "Levels", evidence.RoleCode},
		{"cell.2.3", "100%", "output stderr", "Levels", evidence.RoleCode},
		{"cell.2.4", "<Figure>", "output", "Levels", evidence.RoleCode},
		{"cell.2.5", "h | m", "output", "Levels", evidence.RoleRow},
		{"cell.2.6", "1 | 2.40", "output", "Levels", evidence.RoleRow},
		{"cell.2.7", "ValueError: no tide", "output error", "Levels", evidence.RoleCode},
		{"cell.3", "raw words", "raw", "Levels", evidence.RoleCode},
		{"cell.4", "After", "L1", "Levels", evidence.RoleHeading},
		{"cell.6", "y = 2", "input", "After", evidence.RoleCode},
	}
	for i := range got {
		if len(got[i].Path) > 6 && got[i].Role == evidence.RoleRow {
			got[i].Path = got[i].Path[:6] // what stands behind it is the path in the table
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if p.Kind != evidence.Notebook || p.Title != "Tides" || p.Author != "Ada; Ben" || p.Language != "" {
		t.Errorf("kind %s, title %q, author %q, language %q", p.Kind, p.Title, p.Author, p.Language)
	}
	if len(p.Links) != 1 || p.Links[0].Text != "the office" {
		t.Errorf("links %v", p.Links)
	}
}

func TestNotebookFormats(t *testing.T) {
	for name, c := range map[string]struct {
		body string
		want []string
	}{
		"format 3": {`{"nbformat":3,"metadata":{"name":"n"},"worksheets":[{"cells":[{"cell_type":"heading","level":2,"source":["Tides"]},
			{"cell_type":"code","input":["print(1)\n","2"],"language":"python","outputs":[{"output_type":"stream","stream":"stdout","text":["1\n"]},{"output_type":"pyout","text":["2"],"png":"iVBO"},
			{"output_type":"pyerr","ename":"E","evalue":"bad","traceback":["E: bad"]}]}]},{"cells":[{"cell_type":"markdown","source":["Second sheet."]}]}]}`,
			[]string{"cell.1 Tides", "cell.2.1 print(1)\n2", "cell.2.2 1", "cell.2.3 2", "cell.2.4 E: bad", "cell.3 Second sheet."}},
		"format 2":       {`{"nbformat":2,"metadata":{},"worksheets":[{"cells":[{"cell_type":"markdown","source":["# One","","Two words."]}]}]}`, []string{"cell.1.1 One", "cell.1.2 Two words."}},
		"free metadata":  {`{"nbformat":4,"metadata":["?"],"cells":[{"cell_type":"markdown","source":"Words."}]}`, []string{"cell.1 Words."}},
		"odd sources":    {`{"nbformat":4,"cells":[{"cell_type":"code","source":7},{"cell_type":"code","source":"x"}]}`, []string{"cell.2 x"}},
		"not a notebook": {`{"nbformat":4,"worksheets":{"cells":2}}`, []string{`/nbformat "nbformat":4`, `/worksheets "worksheets":{"cells":2}`}},
	} {
		if diff := cmp.Diff(c.want, placed(read(t, "https://a.example/x.ipynb", "", c.body))); diff != "" {
			t.Errorf("%s: -want +got\n%s", name, diff)
		}
	}
}
