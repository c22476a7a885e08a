package cases

import "testing"

// siteOps are the operations of the bank that site code answers.
var siteOps = map[string]func(*testing.T, failureCase){}
