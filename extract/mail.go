package extract

import "context"

func (x *Extractor) readMail(_ context.Context, in Input) (*Page, error) {
	return nil, &Unreadable{URL: in.URL, Reason: NotSupported, Detail: "there is no reader for this format"}
}
