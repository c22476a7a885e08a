package cases

import "testing"

// modelOps are the operations of the bank that model code answers.
var modelOps = map[string]func(*testing.T, failureCase){}
