// Tries every way that a script has to make a browser connect to CANARY (host:port of this machine) or to tell another
// site something. What it could start is listed in tried.
const tried = [];
const attempt = (name, f) => { try { const r = f(); if (r && r.catch) r.catch(() => {}); tried.push(name); } catch (e) {} };
const add = (tag, props) => attempt(tag + Object.values(props).join(" "), () => {
  const e = document.createElement(tag);
  for (const [k, v] of Object.entries(props)) e.setAttribute(k, v);
  (document.body || document.documentElement).append(e);
  return e;
});
for (const host of ["127.0.0.1:CANARY", "[::1]:CANARY", "localhost:CANARY", "2130706433:CANARY", "elsewhere.example:CANARY"]) {
  const at = "http://" + host + "/";
  attempt("fetch", () => fetch(at + "fetch", { mode: "no-cors" }));
  attempt("post", () => fetch(at + "post", { mode: "no-cors", method: "POST", body: "x", keepalive: true }));
  attempt("xhr", () => { const x = new XMLHttpRequest(); x.open("PUT", at + "xhr"); x.send("x"); });
  attempt("events", () => new EventSource(at + "events"));
  attempt("socket", () => new WebSocket("ws://" + host + "/socket"));
  attempt("secure socket", () => new WebSocket("wss://" + host + "/socket"));
  attempt("beacon", () => navigator.sendBeacon(at + "beacon", "x"));
  attempt("transport", () => new WebTransport("https://" + host + "/transport").ready);
  attempt("rtc", () => {
    const c = new RTCPeerConnection({ iceServers: [{ urls: "stun:" + host },
      { urls: ["turn:" + host + "?transport=udp", "turn:" + host + "?transport=tcp"], username: "a", credential: "b" }] });
    c.createDataChannel("x");
    return c.createOffer().then(o => c.setLocalDescription(o));
  });
  attempt("later", () => fetchLater(at + "later", { activateAfter: 0 }));
  for (const rel of ["prefetch", "preload", "modulepreload", "preconnect", "dns-prefetch", "stylesheet", "icon", "manifest", "prerender"])
    add("link", { rel, href: at + rel, as: "script" });
  for (const tag of ["img", "video", "audio", "iframe", "embed", "script"]) add(tag, { src: at + tag });
  add("object", { data: at + "object" });
  attempt("image", () => { new Image().src = at + "image"; });
  attempt("font", () => new FontFace("x", "url(" + at + "font)").load());
  attempt("window", () => window.open(at + "window"));
  attempt("rules", () => {
    const s = document.createElement("script");
    s.type = "speculationrules";
    s.textContent = JSON.stringify({ prefetch: [{ urls: [at + "rules"] }], prerender: [{ urls: [at + "rules"] }] });
    document.body.append(s);
  });
  for (const props of [{ target: "_blank" }, { download: "x", href: URL.createObjectURL(new Blob(["x"])) }, { ping: at + "ping", href: "#x" }])
    attempt("click", () => { const a = document.createElement("a"); a.href = at + "click";
      for (const [k, v] of Object.entries(props)) a.setAttribute(k, v);
      document.body.append(a); a.click(); });
  for (const target of ["_blank", "inner"]) attempt("form", () => {
    const f = document.createElement("form");
    f.method = "post"; f.action = at + "form"; f.target = target;
    const inner = document.createElement("iframe"); inner.name = "inner";
    document.body.append(f, inner); f.submit();
  });
  attempt("blob worker", () => new Worker(URL.createObjectURL(new Blob([
    `fetch("${at}worker", { mode: "no-cors" }); new WebSocket("ws://${host}/worker"); try { importScripts("${at}import") } catch (e) {}`]))));
}
attempt("shared", () => new SharedWorker("/worker.js"));
attempt("service", () => navigator.serviceWorker.register("/worker.js"));
attempt("place", () => navigator.geolocation.getCurrentPosition(() => { tried.push("POSITION"); }));
attempt("clipboard", () => navigator.clipboard.readText().then(() => { tried.push("CLIPBOARD"); }));
attempt("notify", () => Notification.requestPermission().then(p => { if (p === "granted") tried.push("NOTIFY"); }));
