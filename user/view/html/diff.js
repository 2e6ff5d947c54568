// `diff --html`: the page of two recordings. A measure is [old, new, low, high], the last two the
// interval of new - old; what includes 0 may be noise.
const change = ([before, after]) => after - before;
const isSure = ([, , low, high]) => low > 0 || high < 0;
const signed = (value) => (value < 0 ? "" : "+") + value.toFixed(2).replace("-0.00", "0.00");

// ---- summary --------------------------------------------------------------------------------

function showSides() {
  const body = byId("sides").tBodies[0];
  for (const [label, before, after] of data.sides) {
    body.append(make("tr", {}, ...[label, before, after].map((text) => make("td", {}, text))));
  }
  byId("method").textContent = data.method;
  byId("compared").hidden = !data.compared;
  for (const unit of document.querySelectorAll(".unit")) unit.textContent = data.unit;
}

// ---- measures -------------------------------------------------------------------------------

// What half the width of a bar stands for: room for every interval that is sure, and for every
// change.
function scaleOf(measures) {
  return Math.max(1e-9, ...measures.flatMap((m) =>
    isSure(m) ? [Math.abs(m[2]), Math.abs(m[3])] : [Math.abs(change(m))]));
}

function changeBar(measure, scale) {
  const at = (value) => 50 + 50 * Math.max(-1, Math.min(1, value / scale));
  const span = (from, to) => ({ left: `${Math.min(from, to)}%`, width: `${Math.abs(to - from)}%` });
  const by = change(measure);
  return make("div", { className: "change", ariaHidden: "true" }, // its figures stand beside it
    make("i", { className: by > 0 ? "more" : "less", style: span(50, at(by)) }),
    make("b", { style: span(at(measure[2]), at(measure[3])) }));
}

function measureCells(measure, scale) {
  const noise = isSure(measure) ? "" : " noise";
  const number = (text) => make("td", { className: "number" + noise }, text);
  return [number(measure[0].toFixed(2)), number(measure[1].toFixed(2)),
    number(signed(change(measure))),
    make("td", { className: "number interval" + noise }, `${signed(measure[2])} … ${signed(measure[3])}`),
    make("td", { className: "drawn" + noise }, changeBar(measure, scale))];
}

function mark(sure) {
  return make("td", { title: sure ? "changed" : "may be sampling noise" }, sure ? "✓" : "~");
}

// ---- classes, and where the code is ---------------------------------------------------------

function showClasses() {
  const [classes, places] = byId("class-changes").tBodies;
  const scale = scaleOf([...data.changes, ...data.places].map(([, measure]) => measure));
  const row = (name, measure) => make("tr", { className: isSure(measure) ? "" : "noise" },
    mark(isSure(measure)), name, ...measureCells(measure, scale));
  for (const [cls, measure] of data.changes) {
    classes.append(row(make("td", {}, make("div", { className: "key" }, classKey(cls, ""))), measure));
  }
  for (const [name, measure] of data.places) places.append(row(make("td", {}, name), measure));
}

// ---- functions ------------------------------------------------------------------------------

// In the order of the data the surest come first, the largest change before the smaller.
function showFunctions() {
  const rows = data.functions.map((f, at) => {
    const total = f.total || f.self;
    return { ...f, rank: -at, old: f.self[0], new: f.self[1], change: change(f.self),
      oldTotal: total[0], newTotal: total[1], changeTotal: change(total) };
  });
  const scale = scaleOf(rows.map((f) => f.self));
  const totalScale = scaleOf(rows.map((f) => f.total || f.self));
  const badge = (text) => text ? [" ", make("span", { className: "badge" }, text)] : [];
  functionTable(rows, "rank", (f) => make("tr", { tabIndex: 0, className: f.significant ? "" : "noise" },
    mark(f.significant),
    make("td", { className: "name" }, f.name, ...badge(f.matched)),
    make("td", { className: "number" }, f.place),
    ...measureCells(f.self, scale),
    ...(f.total ? measureCells(f.total, totalScale) : []),
    make("td", {}, make("div", { className: "key" },
      ...f.classes.map(([cls, by]) => classKey(cls, signed(by)))))));
  if (!data.totals) for (const head of document.querySelectorAll(".total")) head.remove();
  byId("left-out").textContent = data.left_out;
}

showHeader();
showSides();
showClasses();
showFunctions();
listenToKeys(["summary", "classes", "table"], {}, () => {});
