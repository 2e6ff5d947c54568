"use strict";
// The page's data is JSON in #data, see html_report.cpp and html_diff.cpp. Names are hostile: they only ever become
// text nodes.
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(properties)) {
    if (key === "style") Object.assign(element.style, value);
    else if (key in element) element[key] = value;
    else element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

// ---- theme ----------------------------------------------------------------------------------

const darkWanted = matchMedia("(prefers-color-scheme: dark)");
function setTheme(dark) { document.documentElement.dataset.theme = dark ? "dark" : "light"; }
const isDark = () => document.documentElement.dataset.theme === "dark";
setTheme(darkWanted.matches);
darkWanted.addEventListener("change", () => setTheme(darkWanted.matches));
byId("theme").addEventListener("click", () => setTheme(!isDark()));

// ---- summary --------------------------------------------------------------------------------

function showHeader() {
  document.title = `${data.title} – aotscope`;
  byId("run").textContent = data.run;
  for (const [label, value] of data.figures) {
    byId("figures").append(make("div", {}, make("b", {}, value), make("span", { className: "dim" }, label)));
  }
  for (const warning of data.warnings) byId("warnings").append(make("p", { className: "warning" }, warning));
}

// A class's name behind its colour.
function classKey(cls, text) {
  return make("span", {}, make("i", { style: { background: data.classes[cls].color } }),
    `${data.classes[cls].id} ${text}`);
}

// ---- functions ------------------------------------------------------------------------------

// The text searched for, in lower case; a page that shows more by it than rows lists what in
// `searchers`.
let needle = "";
const searchers = [];

function search(text) {
  byId("search").value = text;
  needle = text.toLowerCase();
  for (const show of searchers) show();
}

// The table #functions of the objects `rows`, each with a `name`, at first sorted by `column`. A
// head with data-column sorts by that property. `rowOf` makes a row's <tr>; Enter is a click on it.
function functionTable(rows, column, rowOf) {
  const most = 500; // rows at once: the rest is found by searching
  const table = byId("functions");
  const heads = [...table.tHead.querySelectorAll("[data-column]")];
  const sorting = { column, down: true };
  const show = () => {
    const found = rows.filter((row) => row.name.toLowerCase().includes(needle));
    found.sort((a, b) => {
      const [x, y] = [a[sorting.column], b[sorting.column]];
      const order = x < y ? -1 : x > y ? 1 : 0;
      return sorting.down ? -order : order;
    });
    table.tBodies[0].replaceChildren(...found.slice(0, most).map(rowOf));
    byId("count").textContent = found.length > most
      ? `${most} of ${found.length} functions shown` : `${found.length} function${found.length === 1 ? "" : "s"}`;
    for (const head of heads) {
      const sorted = head.dataset.column === sorting.column;
      head.setAttribute("aria-sort", !sorted ? "none" : sorting.down ? "descending" : "ascending");
      head.querySelector("button").textContent =
        head.dataset.title + (sorted ? (sorting.down ? " ▾" : " ▴") : "");
    }
  };
  for (const head of heads) {
    head.dataset.title = head.textContent;
    head.replaceChildren(make("button", { type: "button" }, head.dataset.title));
    head.firstChild.addEventListener("click", () => {
      sorting.down = sorting.column === head.dataset.column ? !sorting.down
        : head.dataset.column !== "name";
      sorting.column = head.dataset.column;
      show();
    });
  }
  table.tBodies[0].addEventListener("keydown", (event) => {
    const row = event.target;
    const next = { ArrowDown: row.nextElementSibling, ArrowUp: row.previousElementSibling }[event.key];
    if (next) { next.focus(); event.preventDefault(); }
    if (event.key === "Enter") row.click();
  });
  byId("search").addEventListener("input", (event) => search(event.target.value));
  searchers.push(show);
  show();
}

// ---- keys -----------------------------------------------------------------------------------

// 1, 2, … lead to the sections; `keys` are the page's own; `back` is what Esc does when there is
// no search to end.
function listenToKeys(sections, keys, back) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") {
      if (needle) search("");
      else back();
      event.target.blur();
      return;
    }
    if (event.target.matches("input, select")) return;
    const section = sections[Number(event.key) - 1];
    if (section) byId(section).scrollIntoView();
    else if (event.key === "/") byId("search").focus();
    else if (event.key === "d") setTheme(!isDark());
    else if (keys[event.key]) keys[event.key]();
    else return;
    event.preventDefault();
  });
}
