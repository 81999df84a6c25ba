// What of the picture is in sight: moved by dragging, by the wheel and by keys.

const svg = document.getElementById("picture");
const view = { x: 0, y: 0, width: 100, height: 100 };
let bounds = { x: 0, y: 0, width: 100, height: 100 };

function look() {
  svg.setAttribute("viewBox", `${view.x} ${view.y} ${view.width} ${view.height}`);
}

function paneSize() {
  const { width, height } = svg.getBoundingClientRect();
  return { width: Math.max(width, 1), height: Math.max(height, 1) };
}

function scale() { return paneSize().width / view.width; }

// All of the picture, but never larger than life: two boxes should not fill the screen.
function fit() {
  const pane = paneSize(), margin = 24;
  const factor = Math.min((pane.width - 2 * margin) / bounds.width, (pane.height - 2 * margin - 20) / bounds.height, 1.25);
  view.width = pane.width / factor;
  view.height = pane.height / factor;
  view.x = bounds.x + bounds.width / 2 - view.width / 2;
  view.y = bounds.y + bounds.height / 2 - view.height / 2 + 10 / factor;
  look();
}

function zoom(factor, at = null) {
  const pane = paneSize();
  const limited = Math.min(Math.max(scale() * factor, 0.02), 6) / scale();
  const fixed = at ?? { x: pane.width / 2, y: pane.height / 2 };
  const x = view.x + fixed.x / scale(), y = view.y + fixed.y / scale();
  view.x = x - (x - view.x) / limited;
  view.y = y - (y - view.y) / limited;
  view.width /= limited;
  view.height /= limited;
  look();
}

function moveBy(x, y) {
  view.x += x / scale();
  view.y += y / scale();
  look();
}

// Brings a part of the picture into sight, if it is not there.
function bringIntoSight(box) {
  const margin = 20 / scale();
  if (box.x - margin < view.x || box.x + box.width + margin > view.x + view.width) view.x = box.x + box.width / 2 - view.width / 2;
  if (box.y - margin < view.y || box.y + box.height + margin > view.y + view.height) view.y = box.y + box.height / 2 - view.height / 2;
  look();
}

svg.addEventListener("wheel", (event) => {
  event.preventDefault();
  const pane = svg.getBoundingClientRect();
  zoom(Math.exp(-event.deltaY * 0.0015), { x: event.clientX - pane.left, y: event.clientY - pane.top });
}, { passive: false });

let drag = null;
svg.addEventListener("pointerdown", (event) => {
  drag = { id: event.pointerId, x: event.clientX, y: event.clientY, moved: false };
});
svg.addEventListener("pointermove", (event) => {
  if (!drag || drag.id !== event.pointerId) return;
  const x = event.clientX - drag.x, y = event.clientY - drag.y;
  if (!drag.moved && Math.hypot(x, y) < 4) return;
  if (!drag.moved) { svg.setPointerCapture(event.pointerId); svg.classList.add("dragging"); }
  drag = { id: drag.id, x: event.clientX, y: event.clientY, moved: true };
  moveBy(-x, -y);
});
for (const end of ["pointerup", "pointercancel"]) svg.addEventListener(end, () => {
  svg.classList.remove("dragging");
  // The click that follows a drag selects nothing.
  const wasMoved = drag?.moved;
  drag = null;
  if (wasMoved) svg.addEventListener("click", (event) => event.stopPropagation(), { capture: true, once: true });
});
new ResizeObserver(() => { view.height = view.width * paneSize().height / paneSize().width; look(); }).observe(svg);
