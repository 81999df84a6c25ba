// The view in the address, so that a link shows what its sender saw: open nodes, selection, focus, overlay.

function toAddress(state) {
  const parts = new URLSearchParams();
  const key = (at) => nodes[at].key;
  const first = firstOpen();
  const opened = [...state.open].filter((at) => !first.has(at)), closed = [...first].filter((at) => !state.open.has(at));
  opened.forEach((at) => parts.append("open", key(at)));
  closed.forEach((at) => parts.append("closed", key(at)));
  if (state.selected !== null) parts.set("select", key(state.selected));
  if (state.focus !== null) { parts.set("focus", key(state.focus)); parts.set("depth", state.depth); }
  if (!state.containment) parts.set("containment", "off");
  if (overlay.name !== (isChange ? "change" : "")) parts.set("show", overlay.name.startsWith("test:") ? `test:${scene.tests[overlayTest()]}` : overlay.name || "wiring");
  const text = parts.toString();
  return text ? `#${text}` : "";
}

// What the address names and the graph does not have (any more) is left out.
function fromAddress(hash) {
  const parts = new URLSearchParams(hash.slice(1));
  const find = (name) => byKey.get(parts.get(name)) ?? null;
  const known = (name) => parts.getAll(name).map((key) => byKey.get(key)).filter((at) => at !== undefined);
  const open = firstOpen();
  known("open").forEach((at) => open.add(at));
  known("closed").forEach((at) => open.delete(at));
  const shown = parts.get("show") ?? (isChange ? "change" : "");
  const test = shown.startsWith("test:") ? (scene.tests ?? []).indexOf(shown.slice(5)) : -1;
  overlay.name = test >= 0 ? `test:${test}` : (shown === "tests" && scene.tests) || (shown === "change" && isChange) ? shown : "";
  return { open, selected: find("select"), focus: find("focus"), depth: Number(parts.get("depth")) === 2 ? 2 : 1, containment: parts.get("containment") !== "off" };
}
