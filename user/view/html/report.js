// `report --html`: the page of one recording.
const percent = (part) => data.total ? (100 * part) / data.total : 0;

// ---- summary --------------------------------------------------------------------------------

function classBar(counts) {
  const sum = counts.reduce((all, [, count]) => all + count, 0);
  const bar = make("div", { className: "bar" });
  bar.setAttribute("role", "img");
  const words = [];
  for (const [cls, count] of counts) {
    const share = (100 * count) / sum;
    const text = `${data.classes[cls].id} ${share.toFixed(1)} %`;
    if (share >= 1) words.push(text);
    bar.append(make("span", { title: text,
      style: { width: `${share}%`, background: data.classes[cls].color } }));
  }
  bar.setAttribute("aria-label", words.join(", "));
  return bar;
}

function showMix() {
  if (!data.total) return;
  byId("mix").append(classBar(data.mix));
  byId("mix").append(make("div", { className: "key" },
    ...data.mix.map(([cls, count]) => classKey(cls, percent(count).toFixed(1)))));
}

// ---- time line ------------------------------------------------------------------------------

function spark(values, highest) {
  const ns = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(ns, "svg");
  picture.setAttribute("class", "spark");
  picture.setAttribute("viewBox", `0 0 ${values.length} 100`);
  picture.setAttribute("preserveAspectRatio", "none");
  values.forEach((value, at) => {
    if (value <= 0) return;
    const height = Math.max(3, (100 * value) / highest);
    const bar = document.createElementNS(ns, "rect");
    for (const [name, number] of Object.entries({ x: at + 0.05, y: 100 - height, width: 0.9, height })) {
      bar.setAttribute(name, number);
    }
    const title = document.createElementNS(ns, "title");
    const start = data.timeline.starts[at];
    title.textContent = `${start} s: ${(100 * value).toFixed(1)} % of a CPU`;
    bar.append(title);
    picture.append(bar);
  });
  return picture;
}

function showTimeline() {
  const { rows, note } = data.timeline;
  byId("timeline-note").textContent = note;
  if (!rows.length) return;
  const highest = Math.max(...rows[0].values, 1e-9);
  for (const row of rows) {
    const mean = row.values.reduce((sum, value) => sum + value, 0) / row.values.length;
    byId("timeline").append(make("tr", {},
      make("td", { className: "name" }, row.name),
      make("td", { className: "number" }, `${(100 * mean).toFixed(1)} %`),
      make("td", { style: { width: "70%" } }, spark(row.values, highest))));
  }
}

// ---- functions ------------------------------------------------------------------------------

function functionRow(f) {
  const row = make("tr", { tabIndex: 0 },
    make("td", { className: "number" }, percent(f.self).toFixed(2)),
    make("td", { className: "number" }, data.stacks ? percent(f.total).toFixed(2) : "–"),
    make("td", { className: "number" }, f.kernel ? percent(f.kernel).toFixed(2) : ""),
    make("td", { className: "name" }, f.name),
    make("td", { className: "number" }, f.place),
    make("td", { className: "classes" }, f.classes.length ? classBar(f.classes) : ""));
  if (f.listing >= 0) {
    row.className = "has-code";
    row.addEventListener("click", () => openListing(f.listing));
  }
  return row;
}

// ---- flame graph ----------------------------------------------------------------------------

// Node N is [frame, parent, before, self, total]; node 0 is everything.
const flame = data.flame.nodes.map(([frame, parent, before, self, total]) =>
  ({ frame, parent, before, self, total, children: [], depth: 0 }));
flame.forEach((node, at) => {
  if (at === 0) return;
  node.depth = flame[node.parent].depth + 1;
  flame[node.parent].children.push(at);
});
const labelOf = (at) => at === 0 ? "all" : data.flame.frames[flame[at].frame].name;
let root = 0;
let focused = 0;

function describe(at) {
  const node = flame[at];
  const frame = at === 0 ? null : data.flame.frames[node.frame];
  byId("flame-info").textContent = `${labelOf(at)}${frame && frame.file ? `  (${frame.file})` : ""}: ` +
    `${node.total} samples, ${percent(node.total).toFixed(2)} %, self ${percent(node.self).toFixed(2)} %`;
}

// From the outermost frame at the top; what is above the zoomed frame stays as its way back.
function drawFlame() {
  const box = byId("flame");
  const height = 19;
  const narrowest = 0.0004; // of the width: what is narrower cannot be seen
  box.replaceChildren();
  if (!flame.length || !flame[0].total) return;
  let deepest = 0;
  let found = 0;
  const place = (at, left, width, above) => {
    const node = flame[at];
    const frame = at === 0 ? { color: "#c4c4c4" } : data.flame.frames[node.frame];
    const hit = needle !== "" && at !== 0 && labelOf(at).toLowerCase().includes(needle);
    if (hit) found += 1;
    const button = make("button", {
      type: "button", tabIndex: at === focused ? 0 : -1, title: labelOf(at),
      className: (hit ? "found" : "") + (above ? " faded" : ""),
      style: { left: `${100 * left}%`, width: `${100 * width}%`, top: `${node.depth * height}px`,
               background: frame.color },
    }, width > 0.015 ? labelOf(at) : "");
    button.dataset.node = at;
    box.append(button);
    deepest = Math.max(deepest, node.depth);
  };
  for (let at = root; at !== 0;) {
    at = flame[at].parent;
    place(at, 0, 1, true);
  }
  const scale = 1 / flame[root].total;
  const open = [root];
  while (open.length) {
    const at = open.pop();
    const width = flame[at].total * scale;
    if (width < narrowest) continue;
    place(at, (flame[at].before - flame[root].before) * scale, width, false);
    open.push(...flame[at].children);
  }
  box.style.height = `${(deepest + 1) * height}px`;
  byId("found").textContent = needle ? `${found} frames found` : "";
}

function zoom(at) {
  root = at;
  focused = at;
  drawFlame();
  focusNode(at);
}

function focusNode(at) {
  const button = byId("flame").querySelector(`[data-node="${at}"]`);
  if (!button) return;
  const before = byId("flame").querySelector(`[data-node="${focused}"]`);
  if (before) before.tabIndex = -1;
  focused = at;
  button.tabIndex = 0;
  button.focus({ preventScroll: false });
  describe(at);
}

function prepareFlame() {
  const box = byId("flame");
  const nodeOf = (event) => {
    const button = event.target.closest("button");
    return button ? Number(button.dataset.node) : -1;
  };
  box.addEventListener("click", (event) => { const at = nodeOf(event); if (at >= 0) zoom(at); });
  box.addEventListener("mouseover", (event) => { const at = nodeOf(event); if (at >= 0) describe(at); });
  box.addEventListener("keydown", (event) => {
    const at = nodeOf(event);
    if (at < 0) return;
    const siblings = at === 0 ? [0] : flame[flame[at].parent].children;
    const place = siblings.indexOf(at);
    const to = { ArrowDown: flame[at].children[0], ArrowUp: at === 0 ? undefined : flame[at].parent,
                 ArrowLeft: siblings[place - 1], ArrowRight: siblings[place + 1] }[event.key];
    if (to !== undefined) { focusNode(to); event.preventDefault(); }
  });
  byId("reset").addEventListener("click", () => zoom(0));
}

// ---- listing --------------------------------------------------------------------------------

let hotRows = [];
let hotAt = -1;

function showListing(number) {
  const listing = data.listings[number];
  const body = byId("listing").tBodies[0];
  body.replaceChildren();
  hotRows = [];
  hotAt = -1;
  if (!listing) return;
  byId("which").value = number;
  byId("listing-note").textContent = listing.note;
  let hottest = null; // where the listing opens
  let most = 0;
  for (const [offset, samples, cls, waits, text, label, hot] of listing.rows) {
    if (label) body.append(make("tr", { className: "label" }, make("td", { colSpan: 6 }, `${label}:`)));
    const share = listing.self ? (100 * samples) / listing.self : 0;
    const row = make("tr", { className: hot ? "hot-block" : "" },
      make("td", { className: "number" }, samples ? share.toFixed(2) : ""),
      make("td", { className: "number" }, samples ? String(samples) : ""),
      make("td", { className: "number dim" }, `+0x${offset.toString(16)}`),
      make("td", {}, data.classes[cls].id),
      make("td", { className: "dim" }, waits >= 0 ? data.classes[waits].id : ""),
      make("td", {}, text));
    if (share > 0) row.style.background = `rgba(var(--hot), ${Math.min(0.6, share / 25).toFixed(3)})`;
    if (share >= 2) hotRows.push(row);
    if (samples > most) [hottest, most] = [row, samples];
    body.append(row);
  }
  const box = byId("listing").parentElement;
  box.scrollTop = hottest ? hottest.offsetTop - box.clientHeight / 3 : 0;
}

function openListing(number) {
  showListing(number);
  byId("code").scrollIntoView();
  byId("which").focus();
}

function nextHot(step) {
  if (!hotRows.length) return;
  hotAt = (hotAt + step + hotRows.length) % hotRows.length;
  hotRows[hotAt].tabIndex = -1;
  hotRows[hotAt].focus({ preventScroll: true });
  hotRows[hotAt].scrollIntoView({ block: "center" });
}

function prepareListing() {
  data.listings.forEach((listing, number) => {
    byId("which").append(make("option", { value: number }, listing.name));
  });
  byId("which").addEventListener("change", (event) => showListing(Number(event.target.value)));
  showListing(0);
}

showHeader();
showMix();
showTimeline();
functionTable(data.functions, "self", functionRow);
prepareFlame();
searchers.push(drawFlame);
drawFlame();
if (flame.length) describe(0);
prepareListing();
listenToKeys(["summary", "time", "table", "graph", "code"],
  { n: () => nextHot(1), p: () => nextHot(-1) }, () => { if (root !== 0) zoom(0); });
