package cases

import "testing"

// fetchOps are the operations of the bank that fetch code answers.
var fetchOps = map[string]func(*testing.T, failureCase){}
