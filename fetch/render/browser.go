package render

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// programs are the names under which a Chromium may be installed. The headless shell is the same engine without a user
// interface, and starts in half the time.
var programs = []string{"chromium-headless-shell", "chrome-headless-shell", "chromium", "chromium-browser", "google-chrome", "chrome"}

// Find returns the path of the browser: program, or "" for the first that is on PATH. The error is an *fetch.Unavailable that says how
// to get one.
func Find(program string) (string, error) {
	if program != "" {
		if path, err := exec.LookPath(program); err == nil {
			return path, nil
		}
		return "", missing(program + " is no program")
	}
	for _, name := range programs {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", missing("there is no " + strings.Join(programs, ", ") + " on the PATH")
}

// flags start a browser that has no way to the network and asks nobody anything. Whatever a page finds to connect with
// that is not a request which can be paused (WebSocket, WebRTC, WebTransport, reports) ends at these.
var flags = []string{
	"--headless=new",
	"--remote-debugging-pipe",

	// No name is found and no address either (the rule holds for both); what asks for no name goes to a proxy, the local
	// machine included, and that proxy is not found. UDP goes through the proxy or nowhere.
	"--host-resolver-rules=MAP * ~NOTFOUND",
	"--proxy-server=http://proxy.invalid:9",
	"--proxy-bypass-list=<-loopback>",
	"--webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
	"--disable-quic",
	"--dns-prefetch-disable",
	"--no-pings",

	// Nothing of its own to do, at the start or behind the page.
	"--no-first-run",
	"--no-default-browser-check",
	"--disable-background-networking",
	"--disable-breakpad",
	"--disable-client-side-phishing-detection",
	"--disable-component-extensions-with-background-pages",
	"--disable-component-update",
	"--disable-default-apps",
	"--disable-domain-reliability",
	"--disable-extensions",
	"--disable-field-trial-config",
	"--disable-search-engine-choice-screen",
	"--disable-sync",
	"--metrics-recording-only",
	"--password-store=basic",
	"--use-mock-keychain",
	// HttpsUpgrades asks for another URL than it was told; the others fetch or start what nobody asked for.
	"--disable-features=HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,Prerender2,NoStatePrefetch,MediaRouter,DialMediaRouteProvider," +
		"OptimizationHints,OptimizationGuideModelDownloading,Translate,AutofillServerCommunication,CertificateTransparencyComponentUpdater," +
		"InterestFeedContentSuggestions,NetworkErrorLogging,Reporting,Fledge,AttributionReporting,PrivateAggregationApi,WebUSB,WebBluetooth",

	// Nothing to ask, nothing to open, nothing to hear.
	"--incognito",
	"--block-new-web-contents",
	"--deny-permission-prompts",
	"--disable-file-system",
	"--disable-notifications",
	"--disable-print-preview",
	"--disable-speech-api",
	"--hide-scrollbars",
	"--mute-audio",
	"--noerrdialogs",

	// Small: one page from one site, with no secret of anybody in it, needs few processes.
	"--disable-3d-apis",
	"--disable-dev-shm-usage",
	"--disable-gpu",
	"--disable-site-isolation-trials",
	"--disable-software-rasterizer",
	"--disk-cache-size=1",
	"--in-process-gpu",
	"--js-flags=--max-old-space-size=256",
	"--renderer-process-limit=1",

	// Not slowed down for being out of sight.
	"--disable-background-timer-throttling",
	"--disable-backgrounding-occluded-windows",
	"--disable-hang-monitor",
	"--disable-renderer-backgrounding",
	"--window-size=1280,2000",
}

// A browser is a running Chromium with a profile of its own.
type browser struct {
	cmd    *exec.Cmd
	link   *link
	dir    string        // profile, temporary files and last words
	pipes  [2]*os.File   // our ends
	exited chan struct{} // closed when the process ended
}

// start runs a browser. It inherits nothing of our environment, where keys may be.
func start(program, agent string, limit int64, event func(*link, message)) (*browser, error) {
	dir, err := os.MkdirTemp(home(), "ibid-")
	if err != nil {
		return nil, fmt.Errorf("make a profile: %w", err)
	}
	b := &browser{dir: dir, exited: make(chan struct{})}
	if err := b.run(program, agent, limit, event); err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", program, err), os.RemoveAll(dir))
	}
	return b, nil
}

func (b *browser) run(program, agent string, limit int64, event func(*link, message)) error {
	words, err := os.Create(filepath.Join(b.dir, "stderr"))
	if err != nil {
		return err
	}
	defer words.Close()
	theirIn, ourOut, err := os.Pipe()
	if err != nil {
		return err
	}
	defer theirIn.Close()
	ourIn, theirOut, err := os.Pipe()
	if err != nil {
		return errors.Join(err, ourOut.Close())
	}
	defer theirOut.Close()

	args := append(append([]string{}, flags...), "--user-data-dir="+b.dir)
	if agent != "" {
		args = append(args, "--user-agent="+agent)
	}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox") // Chromium has none for root
	}
	b.cmd = exec.Command(program, append(args, "about:blank")...)
	b.cmd.Env = []string{"HOME=" + b.dir, "TMPDIR=" + b.dir, "LANG=C.UTF-8", "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
	b.cmd.Dir = b.dir
	b.cmd.Stderr = words
	b.cmd.ExtraFiles = []*os.File{theirIn, theirOut} // 3 and 4, as --remote-debugging-pipe wants them
	apart(b.cmd)
	if err := b.cmd.Start(); err != nil {
		return errors.Join(err, ourIn.Close(), ourOut.Close())
	}
	b.pipes = [2]*os.File{ourIn, ourOut}
	b.link = newLink(ourIn, ourOut, limit, event)
	go func() {
		defer close(b.exited)
		b.cmd.Wait() // it is killed as a rule, so how it ended says nothing
	}()
	return nil
}

// stop ends the browser: asked first, if there is patience, so that it takes its children along; then by force. Its
// profile is removed.
func (b *browser) stop(patience time.Duration) {
	if patience > 0 && b.link.send("", "Browser.close", nil) == nil {
		select {
		case <-b.exited:
		case <-time.After(patience):
		}
	}
	kill(b.cmd.Process)
	<-b.exited
	for _, f := range b.pipes {
		f.Close()
	}
	<-b.link.gone
	for wait := time.Millisecond; wait < 200*time.Millisecond; wait *= 2 {
		reap(b.dir)
		if os.RemoveAll(b.dir) == nil { // a process that is just dying may still write
			return
		}
		time.Sleep(wait)
	}
}

// explain names the reason of a connection that ended.
func (b *browser) explain(err error) error {
	if errors.Is(err, errGone) {
		return crashed(b.lastWords())
	}
	return err
}

// lastWords returns why the browser went, or else the last line that it wrote, as the end of a sentence.
func (b *browser) lastWords() string {
	select {
	case <-b.exited:
	case <-time.After(100 * time.Millisecond):
		return ""
	}
	text, err := os.ReadFile(filepath.Join(b.dir, "stderr"))
	if err != nil {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(strings.ToValidUTF8(string(text), "")), "\n")
	told := lines[len(lines)-1]
	for _, line := range lines {
		if strings.Contains(line, "FATAL") { // said before its crash reporter speaks
			told = line
		}
	}
	if told == "" {
		return ""
	}
	return fmt.Sprintf(", saying %.200q", told)
}
