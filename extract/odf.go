package extract

import "context"

func readODF(_ context.Context, in Input) (*Page, error) {
	return nil, &Unreadable{URL: in.URL, Reason: NotSupported, Detail: "there is no reader for this format"}
}
