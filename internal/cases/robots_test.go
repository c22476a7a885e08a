package cases

import "testing"

// robotsOps are the operations of the bank that robots code answers.
var robotsOps = map[string]func(*testing.T, failureCase){}
