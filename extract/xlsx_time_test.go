package extract

import "testing"

// TestSheetMoments: dates and times are those that spreadsheet programs show, in both of their systems of dates. The first
// one has a day zero and a 29 February 1900, as the programs do.
func TestSheetMoments(t *testing.T) {
	first, second := newNumberFormats(false), newNumberFormats(true)
	defer first.Close()
	defer second.Close()
	for _, c := range []struct{ code, value, want, want1904 string }{
		{"yyyy-mm-dd", "0", "1900-01-00", "1904-01-01"},
		{"yyyy-mm-dd", "1", "1900-01-01", "1904-01-02"},
		{"yyyy-mm-dd", "59", "1900-02-28", "1904-02-29"},
		{"yyyy-mm-dd", "60", "1900-02-29", "1904-03-01"},
		{"yyyy-mm-dd", "61", "1900-03-01", "1904-03-02"},
		{"yyyy-mm-dd", "44196", "2020-12-31", "2025-01-01"},
		{"yyyy-mm-dd h:mm", "0.5", "1900-01-00 12:00", "1904-01-01 12:00"},
		{"dddd", "45658", "Wednesday", "Tuesday"},
		{"yyyy-mm-dd", "-1", "-1", "-1"},
		{"yyyy-mm-dd", "2958467", "2958467", "2958467"},
		{"[h]:mm", "1.5", "36:00", "36:00"},
		{"[h]:mm:ss", "0.9999999", "24:00:00", "24:00:00"},
		{"[h]:mm", "2958466", "2958466", "2958466"},
		{"[mm]:ss", "0.5", "720:00", "720:00"},
		{"[ss].00", "0.000012345", "1.07", "1.07"},
		{"h:mm", "45000.75", "18:00", "18:00"},
		{"mm:ss.0", "0.000757755", "01:05.5", "01:05.5"},
		{"mm:ss.0", "0.000694", "01:00.0", "01:00.0"},
		{"mm:ss.000", "0.00069398148", "00:59.960", "00:59.960"},
		{"h:mm:ss.00", "45000.5000001", "12:00:00.01", "12:00:00.01"},
		{"yyyy-mm-dd h:mm:ss.000", "45000.000757755", "2023-03-15 0:01:05.470", "2027-03-16 0:01:05.470"},
		{"yyyy-mm-dd h:mm:ss", "45000.99999999", "2023-03-16 0:00:00", "2027-03-17 0:00:00"},
		{"yyyy-mm-dd", "45000.9999999999", "2023-03-16", "2027-03-17"},
	} {
		for range 2 {
			if got := first.show(c.code, c.value); got != c.want {
				t.Errorf("%s as %q: %q, want %q", c.value, c.code, got, c.want)
			}
			if got := second.show(c.code, c.value); got != c.want1904 {
				t.Errorf("%s as %q from 1904: %q, want %q", c.value, c.code, got, c.want1904)
			}
		}
	}
}

// TestSheetFractions: the examples with 123.456 are those of the manual of Excel.
func TestSheetFractions(t *testing.T) {
	n := newNumberFormats(false)
	defer n.Close()
	for _, c := range []struct{ code, value, want string }{
		{"# ?/?", "123.456", "123 1/2"}, {"# ??/??", "123.456", "123 26/57"}, {"# ???/???", "123.456", "123 57/125"},
		{"# ?/2", "123.456", "123 1/2"}, {"# ?/4", "123.456", "123 2/4"}, {"# ?/8", "123.456", "123 4/8"}, {"# ??/16", "123.456", "123 7/16"},
		{"# ?/10", "123.456", "123 5/10"}, {"# ??/100", "123.456", "123 46/100"},
		{"# ?/?", "0.5", "1/2"}, {"# ?/?", "3", "3"}, {"# ?/?", "0", "0"}, {"# ?/?", "0.05", "0"}, {"# ?/?", "2.999", "3"}, {"?/?", "1.5", "3/2"},
		{"# ?/?", "-1.5", "-1 1/2"}, {"# ??/??", "-0.25", "-1/4"}, {"# ?/?", "-0.01", "0"}, {"#,##0 ?/?", "1234.5", "1,234 1/2"}, {"0 ?/?", "0.5", "0 1/2"},
		{`#\ ?/?`, "1.25", "1 1/4"}, {"# ?/?;(# ?/?)", "1.5", "1 1/2"}, {"# ?/?;-# ?/?", "-1.5", "-1 1/2"}, {"# ??/??", "3.14159265", "3 1/7"},
	} {
		if got := n.show(c.code, c.value); got != c.want {
			t.Errorf("%s as %q: %q, want %q", c.value, c.code, got, c.want)
		}
	}
}
