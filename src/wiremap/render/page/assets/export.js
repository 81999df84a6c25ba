// The picture as a file of its own, in the colours of the moment.

function standalone() {
  const copy = svg.cloneNode(true);
  const margin = 16;
  copy.setAttribute("xmlns", SVG);
  copy.setAttribute("viewBox", `${bounds.x - margin} ${bounds.y - margin} ${bounds.width + 2 * margin} ${bounds.height + 2 * margin}`);
  copy.setAttribute("width", bounds.width + 2 * margin);
  copy.setAttribute("height", bounds.height + 2 * margin);
  copy.querySelectorAll(".toggle").forEach((sign) => sign.remove());
  const colours = getComputedStyle(document.documentElement);
  const ground = element("rect", { x: bounds.x - margin, y: bounds.y - margin, width: "100%", height: "100%", fill: "var(--ground)" });
  copy.prepend(ground);
  return new XMLSerializer().serializeToString(copy).replaceAll(/var\((--[a-z-]+)\)/g, (_, name) => colours.getPropertyValue(name).trim());
}

function download(blob, name) {
  const anchor = html("a", { href: URL.createObjectURL(blob), download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(anchor.href), 10000);
}

function exportSvg() {
  download(new Blob([standalone()], { type: "image/svg+xml" }), "wiring.svg");
}

const LARGEST_SIDE = 8192; // browsers refuse larger canvases

async function exportPng() {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(standalone())}`;
  await image.decode();
  const factor = Math.min(2, LARGEST_SIDE / Math.max(image.width, image.height));
  const canvas = html("canvas", { width: Math.ceil(image.width * factor), height: Math.ceil(image.height * factor) });
  canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
  canvas.toBlob((blob) => download(blob, "wiring.png"), "image/png");
}
