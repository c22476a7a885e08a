package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// What the files in deploy start, the program understands; and where the tools that read the files are here, they do.
func TestDeploy(t *testing.T) {
	unit, err := os.ReadFile("../../deploy/ibid.service")
	if err != nil {
		t.Fatal(err)
	}
	compose, err := os.ReadFile("../../deploy/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var commands [][]string
	for _, m := range regexp.MustCompile(`(?m)^ExecStart=/usr/local/bin/ibid (.*)$`).FindAllStringSubmatch(string(unit), -1) {
		commands = append(commands, strings.Fields(m[1]))
	}
	for _, m := range regexp.MustCompile(`(?m)^    command: (\[.*\])$`).FindAllStringSubmatch(string(compose), -1) {
		var args []string
		if err := json.Unmarshal([]byte(m[1]), &args); err != nil {
			t.Fatal(err)
		}
		commands = append(commands, args)
	}
	if len(commands) != 3 {
		t.Errorf("%d commands are found: %v", len(commands), commands)
	}
	for _, args := range commands {
		parser, err := kong.New(&cli{}, kong.Exit(func(int) {}))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse(args); err != nil {
			t.Errorf("%v: %v", args, err)
		}
	}
	if systemd, err := exec.LookPath("systemd-analyze"); err == nil {
		here := filepath.Join(t.TempDir(), "ibid.service")
		text := strings.ReplaceAll(string(unit), "/usr/local/bin/ibid", os.Args[0]) // which is there
		if err := os.WriteFile(here, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(systemd, "verify", "--man=no", here).CombinedOutput(); err != nil || strings.Contains(string(out), here) {
			t.Errorf("systemd-analyze: %v\n%s", err, out)
		}
	}
	if err := exec.Command("docker", "compose", "version").Run(); err == nil {
		if out, err := exec.Command("docker", "compose", "-f", "../../deploy/compose.yaml", "config", "--quiet").CombinedOutput(); err != nil {
			t.Errorf("docker compose: %v\n%s", err, out)
		}
	}
	if err := exec.Command("python3", "-c", "import yaml").Run(); err == nil {
		if out, err := exec.Command("python3", "-c", `import yaml; assert set(yaml.safe_load(open("../../deploy/compose.yaml"))["services"]) == {"database", "api", "worker"}`).CombinedOutput(); err != nil {
			t.Errorf("YAML: %v\n%s", err, out)
		}
	}
	if out, err := exec.Command("sh", "-n", "../../deploy/entry.sh").CombinedOutput(); err != nil {
		t.Errorf("sh: %v\n%s", err, out)
	}
}
