package research

import (
	"slices"
	"strings"

	"ibid/evidence"
	"ibid/search"
)

// notice keeps what registers of works say of the standing of what they found. It is in the recorded outcome of the search.
func (s *state) notice(list []search.Notice) {
	for _, n := range list {
		if !slices.Contains(s.notices, n) && len(s.notices) < maxNotices {
			s.notices = append(s.notices, n)
		}
	}
}

// maxNotices are kept of one run.
const maxNotices = 1000

// sources are those that were read, with the standing that registers of works know of where they do not state it themselves: a
// page that was read seldom says that its paper was retracted since.
func (s *state) sources() []evidence.Source {
	list := slices.Clone(s.corpus.Sources())
	for _, n := range s.notices {
		id := s.corpus.ByURL(n.URL)
		for i := range list {
			src := &list[i]
			same := src.ID == id || n.DOI != "" && strings.EqualFold(src.DOI, n.DOI)
			if same && (src.Status == "" || src.Status == "corrected" && n.Status == "retracted") {
				src.Status, src.StatusNote = n.Status, n.Says
			}
		}
	}
	return list
}
