// Writes the document down as HTML, with what web components show in the place of their hosts. Scripts and styles are
// left out, since they did their work, and so is what stands in for scripts; data about the page stays.
limit => {
  const flatten = root => {
    for (const host of root.querySelectorAll("*")) {
      const shadow = host.shadowRoot;
      if (!shadow) continue;
      flatten(shadow);
      for (const slot of shadow.querySelectorAll("slot")) {
        const shown = slot.assignedNodes();
        const part = document.createDocumentFragment();
        for (const node of shown.length ? shown : [...slot.childNodes]) part.appendChild(node);
        slot.replaceWith(part);
      }
      const part = document.createDocumentFragment();
      while (shadow.firstChild) part.appendChild(shadow.firstChild);
      host.replaceChildren(part);
    }
  };
  flatten(document);
  const mute = "script:not([type='application/ld+json' i]), style, noscript, meta[charset], meta[http-equiv='content-type' i]";
  for (const e of document.querySelectorAll(mute)) e.remove();
  if (document.head) {
    const meta = document.createElement("meta");
    meta.setAttribute("charset", "utf-8");
    document.head.prepend(meta);
  }
  const root = document.documentElement;
  const html = root ? "<!DOCTYPE html>\n" + root.outerHTML : "";
  if (html.length > limit) return { large: true };
  return { html, text: /\S/.test(document.body ? document.body.textContent : "") };
}
