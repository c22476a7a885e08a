package cases

import "testing"

// searchOps are the operations of the bank that search code answers.
var searchOps = map[string]func(*testing.T, failureCase){}
