// The state of the page, what may happen to it, and what is drawn after.

let state = fromAddress(location.hash);
let part = visiblePart(state);
let drawings = 0;

const notice = document.getElementById("notice");
const overlaySelect = document.getElementById("overlay");

function say(text) { document.getElementById("status").textContent = text; }

async function redraw({ refit = false, sight = null } = {}) {
  const mine = ++drawings;
  part = visiblePart(state);
  history.replaceState(null, "", toAddress(state) || location.pathname + location.search);
  fillPanel(state, part, act);
  overlaySelect.value = overlay.name;
  document.getElementById("show-all").hidden = state.focus === null;
  document.getElementById("toggle-containment").setAttribute("aria-pressed", state.containment);
  document.getElementById("legend").textContent = `Blue: cells, from provider to consumer. Grey: containment, from what is contained to its container.${overlayLegend()}`;
  let laidOut;
  try {
    laidOut = await layOut(part, state.open);
  } catch (error) {
    if (mine === drawings) explainNoPicture(error);
    return;
  }
  if (mine !== drawings) return; // somebody clicked on meanwhile
  notice.hidden = true;
  const focused = document.activeElement?.closest?.(".box")?.dataset.at;
  bounds = { x: 0, y: 0, width: Math.max(laidOut.width, 1), height: Math.max(laidOut.height, 1) };
  svg.replaceChildren(drawing(laidOut, part, state));
  if (refit) fit();
  const wanted = sight ?? (focused === undefined ? null : Number(focused));
  const box = wanted === null ? null : svg.querySelector(`.box[data-at="${wanted}"]`) ?? svg.querySelector(`.group[data-at="${wanted}"]`);
  if (focused !== undefined || sight !== null) box?.focus?.({ preventScroll: true });
  if (box && !refit) bringIntoSight(inPicture(box));
  document.body.dataset.drawn = String(mine);
}

function inPicture(box) {
  const [, x, y] = box.getAttribute("transform").match(/translate\(([-\d.]+),([-\d.]+)\)/).map(Number);
  const { width, height } = box.querySelector("rect.edge-of-box, rect").getBBox();
  return { x, y, width, height };
}

function explainNoPicture(error) {
  svg.replaceChildren();
  notice.hidden = false;
  notice.textContent = `No picture of these ${part.shown.size} nodes: ${error.message}. The list beside it has all edges. Close some nodes (c closes all), or focus on one.`;
  document.body.dataset.drawn = `none-${drawings}`;
}

const act = {
  select(at) {
    state.selected = at;
    redraw();
    say(at === null ? "Nothing selected" : `${titleOf(at)} selected`);
  },
  toggle(at) {
    if (!nodes[at].children.length) return;
    if (!state.open.delete(at)) state.open.add(at);
    redraw({ refit: true });
    say(`${titleOf(at)} ${state.open.has(at) ? "open" : "closed"}, ${part.shown.size} nodes shown`);
  },
  // Opens all that hides it. One that the focus leaves out ends the focus.
  reveal(at) {
    ancestors(at).forEach((up) => state.open.add(up));
    state.selected = at;
    if (state.focus !== null && !visiblePart(state).shown.has(at)) state.focus = null;
    redraw({ sight: at });
    say(`${titleOf(at)} selected`);
  },
  focus(at, depth) {
    const isOff = state.focus === at && state.depth === depth;
    Object.assign(state, { focus: isOff ? null : at, depth, selected: at });
    redraw({ refit: true });
    say(isOff ? "Whole graph" : `Focus on ${titleOf(at)}, ${part.shown.size} nodes shown`);
  },
  showAll() {
    state.focus = null;
    redraw({ refit: true });
    say("Whole graph");
  },
  collapse() {
    Object.assign(state, { open: firstOpen(), focus: null });
    redraw({ refit: true });
    say("Collapsed");
  },
  show(name) {
    overlay.name = name;
    redraw();
    say(overlayLegend() || "Wiring only");
  },
};

// Mouse

svg.addEventListener("click", (event) => {
  const sign = event.target.closest("[data-toggle]");
  if (sign) return act.toggle(Number(sign.dataset.toggle));
  const box = event.target.closest(".box");
  if (box) return act.select(Number(box.dataset.at));
  if (state.selected !== null) act.select(null);
});
svg.addEventListener("dblclick", (event) => {
  const box = event.target.closest(".box, .group");
  if (box && !event.target.closest("[data-toggle]")) act.toggle(Number(box.dataset.at));
});
const clicks = {
  "zoom-in": () => zoom(1.25), "zoom-out": () => zoom(0.8), fit, "collapse-all": act.collapse, "show-all": act.showAll,
  "export-svg": exportSvg, "export-png": exportPng,
  "toggle-containment": () => { state.containment = !state.containment; redraw({ refit: true }); },
  theme: () => {
    const root = document.documentElement;
    root.dataset.theme = root.dataset.theme === "dark" ? "light" : "dark";
  },
};
for (const [id, action] of Object.entries(clicks)) document.getElementById(id).addEventListener("click", () => action());
overlaySelect.addEventListener("change", () => act.show(overlaySelect.value));

// Keys

// The nearest box that lies mostly in one direction.
function boxTowards(from, [x, y]) {
  const centre = (box) => { const { left, right, top, bottom } = box.getBoundingClientRect(); return [(left + right) / 2, (top + bottom) / 2]; };
  const [fromX, fromY] = centre(from);
  let best = null, least = Infinity;
  for (const box of svg.querySelectorAll(".box")) {
    const [toX, toY] = centre(box);
    const along = (toX - fromX) * x + (toY - fromY) * y, across = Math.abs((toX - fromX) * y) + Math.abs((toY - fromY) * x);
    const cost = along + 2 * across;
    if (box !== from && along > 1 && cost < least) { best = box; least = cost; }
  }
  return best;
}

const DIRECTIONS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

document.addEventListener("keydown", (event) => {
  if (event.target.closest("input, select, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
  const box = document.activeElement?.closest?.(".box");
  const at = box ? Number(box.dataset.at) : state.selected;
  const onBox = Boolean(box);
  const keys = {
    "/": () => searchInput.focus(), "+": () => zoom(1.25), "=": () => zoom(1.25), "-": () => zoom(0.8), 0: fit, c: act.collapse,
    Escape: () => (state.focus !== null ? act.showAll() : act.select(null)),
    f: () => at !== null && act.focus(at, state.focus === at && state.depth === 1 ? 2 : 1),
    ...(onBox ? { Enter: () => act.select(at), " ": () => act.toggle(at) } : {}),
  };
  if (DIRECTIONS[event.key] && (onBox || document.activeElement === document.body)) {
    const next = onBox ? boxTowards(box, DIRECTIONS[event.key]) : svg.querySelector(".box");
    next?.focus({ preventScroll: true });
    if (next) bringIntoSight(inPicture(next));
  } else if (keys[event.key]) keys[event.key]();
  else return;
  event.preventDefault();
});

window.addEventListener("hashchange", () => { state = fromAddress(location.hash); redraw({ refit: true }); });

document.documentElement.dataset.theme = matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
fillOverlayChoice(overlaySelect);
setUpSearch((at) => act.reveal(at));
redraw({ refit: true });
