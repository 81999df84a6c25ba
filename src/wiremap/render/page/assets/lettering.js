// How wide texts are, and texts that fit.

const FONT = '"DejaVu Sans", Verdana, "Segoe UI", system-ui, sans-serif';
const TITLE = { size: 13, weight: 600 };
const SMALL = { size: 11, weight: 400 };
const pen = document.createElement("canvas").getContext("2d");
const widths = new Map();

function widthOf(text, style) {
  const key = `${style.weight}/${style.size}/${text}`;
  if (!widths.has(key)) {
    pen.font = `${style.weight} ${style.size}px ${FONT}`;
    widths.set(key, Math.ceil(pen.measureText(text).width));
  }
  return widths.get(key);
}

const graphemes = new Intl.Segmenter(undefined, { granularity: "grapheme" });

// The end says most of a dotted name, so the middle gives way.
function shortened(text, limit, style) {
  if (widthOf(text, style) <= limit) return text;
  const letters = [...graphemes.segment(text)].map((part) => part.segment);
  let low = 0, high = letters.length;
  const cut = (kept) => {
    const head = Math.floor(kept / 3);
    return `${letters.slice(0, head).join("")}\u2026${letters.slice(letters.length - (kept - head)).join("")}`;
  };
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (widthOf(cut(middle), style) <= limit) low = middle; else high = middle - 1;
  }
  return cut(low);
}
