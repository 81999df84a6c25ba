// What is laid over the graph: which tests are known to reach what, and one test's own part of it.

const MARK_WORDS = { added: "+ added", removed: "\u2212 removed", changed: "~ changed", edited: "\u270e edited inside" };
const overlay = { name: isChange ? "change" : "" }; // "": none; "change": what a change does; "tests": numbers of tests; "test:N": what one test reaches
function overlayTest() {
  return overlay.name.startsWith("test:") ? Number(overlay.name.slice(5)) : null;
}

function changeBadge(at) {
  const own = nodes[at].mark;
  if (own) return MARK_WORDS[own];
  return [...marksOf(at)].sort().map((mark) => `${MARK_WORDS[mark]} inside`.replace("inside inside", "inside")).join(", ");
}

function changeLook(at) {
  const marks = marksOf(at);
  if (!marks.size) return {};
  const mark = nodes[at].mark ?? (marks.size === 1 && marks.has("edited") ? "edited" : "changed");
  return { stroke: mark === "edited" ? "var(--accent)" : `var(--${mark})`, dash: mark === "removed" ? "6 4" : null };
}

function overlayBadge(at) {
  if (overlay.name === "change") return changeBadge(at);
  if (overlay.name === "tests") {
    const count = testsOf(at).size;
    return count === 0 ? "no test" : count === 1 ? "1 test" : `${count} tests`;
  }
  if (overlayTest() !== null) return testsOf(at).has(overlayTest()) ? "\u2713 reached" : "";
  return "";
}

function overlayLook(at) {
  if (overlay.name === "change") return changeLook(at);
  if (overlay.name === "tests" && testsOf(at).size === 0) return { stroke: "var(--warn)", fill: "var(--warn-ground)", dash: "5 3" };
  if (overlayTest() !== null) return testsOf(at).has(overlayTest()) ? { stroke: "var(--accent)", fill: "var(--hit)" } : { faded: true };
  return {};
}

function overlayLegend() {
  if (overlay.name === "change") return " + green: added. \u2212 red, dashed: removed. ~ amber: changed. \u270e: code edited.";
  if (overlay.name === "tests") return " Dashed: no recorded test executes code of it.";
  if (overlayTest() !== null) return ` Ticked: ${scene.tests[overlayTest()]} executes code of it.`;
  return "";
}

function fillOverlayChoice(select) {
  if (!scene.tests && !isChange) return;
  const offer = (value, text) => select.append(new Option(text, value));
  if (isChange) offer("change", "what changes");
  offer("", "wiring only");
  if (scene.tests) offer("tests", isChange ? "tests to run" : "tests of each component");
  (scene.tests ?? []).forEach((test, at) => offer(`test:${at}`, `reached by ${test}`));
  document.getElementById("overlay-choice").hidden = false;
}
