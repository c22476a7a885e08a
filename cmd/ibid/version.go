package main

import (
	"encoding/json"
	"fmt"
	"runtime"
	"runtime/debug"
)

// version is set by the release build; a build from source says what the module system knows.
var version = ""

type versionCmd struct{}

// Run prints the version, and with --json what it was built from.
func (versionCmd) Run(e *env) error {
	v := programVersion()
	if e.cli.JSON {
		return json.NewEncoder(e.out).Encode(map[string]string{"version": v, "go": runtime.Version(), "platform": runtime.GOOS + "/" + runtime.GOARCH})
	}
	_, err := fmt.Fprintf(e.out, "ibid %s (%s, %s/%s)\n", v, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	return err
}

func programVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		if info.Main.Version != "" && info.Main.Version != "(devel)" {
			return info.Main.Version
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" && len(s.Value) >= 12 {
				return "devel-" + s.Value[:12]
			}
		}
	}
	return "devel"
}
