// Finds nodes by their names, types, files and cells.

const searchInput = document.getElementById("search");
const searchResults = document.getElementById("results");
const MOST_RESULTS = 40;

const cellsOf = nodes.map(() => new Set());
for (const [provider, consumer, cells] of scene.cells) for (const [name] of cells) { cellsOf[provider].add(name); cellsOf[consumer].add(name); }

// Best first: the name begins with it, the name has it, the type or file has it, a cell has it.
function matches(query) {
  const wanted = query.trim().toLowerCase();
  if (!wanted) return [];
  const found = [];
  nodes.forEach((node, at) => {
    const title = node.title.toLowerCase();
    const cell = () => [...cellsOf[at]].find((name) => name.toLowerCase().includes(wanted));
    let rank, why = node.source ?? node.type ?? "";
    if (title.startsWith(wanted)) rank = 0;
    else if (title.includes(wanted)) rank = 1;
    else if ([node.type, node.source, node.path].some((text) => text?.toLowerCase().includes(wanted))) rank = 2;
    else if (cell()) { rank = 3; why = `cell ${cell()}`; }
    else return;
    found.push({ at, rank, why });
  });
  return found.sort((a, b) => a.rank - b.rank || nodes[a.at].title.length - nodes[b.at].title.length || a.at - b.at);
}

function setUpSearch(reveal) {
  let found = [], chosen = 0;
  const close = () => { searchResults.hidden = true; searchInput.setAttribute("aria-expanded", "false"); searchInput.removeAttribute("aria-activedescendant"); };
  const show = () => {
    searchResults.replaceChildren(...found.slice(0, MOST_RESULTS).map(({ at, why }, index) => {
      const item = html("li", { id: `result-${index}`, role: "option", "aria-selected": index === chosen }, titleOf(at), html("small", {}, why));
      item.addEventListener("pointerdown", (event) => { event.preventDefault(); take(index); });
      return item;
    }));
    if (!found.length) searchResults.append(html("li", { role: "option", "aria-disabled": "true" }, "Nothing has that in its name, type, file or cells."));
    if (found.length > MOST_RESULTS) searchResults.append(html("li", { role: "option", "aria-disabled": "true" }, `${found.length - MOST_RESULTS} more`));
    searchResults.hidden = false;
    searchInput.setAttribute("aria-expanded", "true");
    if (found.length) searchInput.setAttribute("aria-activedescendant", `result-${chosen}`);
    searchResults.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: "nearest" });
  };
  const take = (index) => { if (found[index]) { close(); searchInput.value = ""; reveal(found[index].at); } };
  searchInput.addEventListener("input", () => { found = matches(searchInput.value); chosen = 0; if (searchInput.value.trim()) show(); else close(); });
  searchInput.addEventListener("blur", close);
  searchInput.addEventListener("keydown", (event) => {
    const last = Math.min(found.length, MOST_RESULTS) - 1;
    if (event.key === "ArrowDown") chosen = Math.min(chosen + 1, last);
    else if (event.key === "ArrowUp") chosen = Math.max(chosen - 1, 0);
    else if (event.key === "Enter") return take(chosen);
    else if (event.key === "Escape") { searchInput.value = ""; close(); return searchInput.blur(); }
    else return;
    event.preventDefault();
    if (found.length) show();
  });
}
