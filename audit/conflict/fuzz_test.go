package conflict

import (
	"strings"
	"testing"
)

// FuzzFind: whatever two findings say, there is no panic, the order of the two changes only which is A, and a text is in no
// conflict with itself.
func FuzzFind(f *testing.F) {
	f.Add("Losses fell to 4.1 percent in 2024.", "Losses fell to 4.6 percent in 2024.")
	f.Add("The ferry does not stop here.", "The ferry stops here; it has 3 to 5 cars, 12,5 Mio. Euro.")
	f.Add("x = {a: 1, b: 2}; if (x) { return }", "")
	f.Fuzz(func(t *testing.T, a, b string) {
		one, two := Find(says(a, b), nil), Find(says(b, a), nil)
		if len(one) > 1 || len(one) != len(two) || len(one) == 1 && one[0].Severity != two[0].Severity {
			t.Errorf("%q / %q: %+v, the other way %+v", a, b, one, two)
		}
		if strings.Count(a, ".")+strings.Count(a, "\n") < 2 {
			if same := Find(says(a, a), nil); len(same) > 0 {
				t.Errorf("%q: %+v", a, same)
			}
		}
	})
}
