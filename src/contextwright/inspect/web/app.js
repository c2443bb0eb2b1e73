// The page: banner, views, keys, and the cursor that all of them share and the address holds.

const VIEWS = [["session", "Session"], ["call", "Call"], ["where", "Where"], ["compare", "Compare"], ["try", "Try"]];
const KEYS = [
  ["1 \u2013 5", "views"], ["/", "where did \u2026 go?"], ["\u2190 \u2192", "call"], ["\u2191 \u2193", "block"],
  ["\u21e7 \u2190 \u2192", "next loss, step or change of fate"], ["[ ]", "call before, after"], ["\u23ce", "open call"], ["Esc", "up"],
  ["w", "where this block went"], ["o", "whole text"], ["y", "copy ref"], ["n N", "next, previous shortened or carrier"],
  ["d", "beside or inline"], ["t", "text, JSON, original"], ["s", "other order"], ["g", "a block, by turn, step, tool"], ["Space", "open a group"], ["m", "treemap"], ["T", "as a table"], ["b", "budget (live)"], [".", "take the fix (live)"], ["u", "undo (live)"], ["c", "other spec"], ["+ \u2212 0", "zoom calls"], ["\u21e7 + \u2212", "zoom rows"], ["?", "all keys"], ["k", "single keys on or off"],
];
const FEET = {
  session: ["\u2190 \u2192", "\u2191 \u2193", "\u21e7 \u2190 \u2192", "\u23ce", "w", "g", "Space", "c", "+ \u2212 0", "?"],
  call: ["[ ]", "\u2191 \u2193", "n N", "d", "m", "o", "y", "Esc", "?"],
  where: ["/", "n N", "\u2190 \u2192", "\u23ce", "Esc", "?"],
  compare: ["\u2190 \u2192", "\u2191 \u2193", "c", "\u23ce", "Esc", "?"],
  try: ["\u2190 \u2192", "b", ".", "u", "Esc", "?"],
};

const VIEW_PARTS = {session: SessionView, call: CallView, where: WhereView, compare: CompareView, try: TryView};

// A page opens in slices: the bill, the charts, the map, what is beside it, each a task of its own.
const STAGES = 4;

function App() {
  const [cursor, setCursor] = useState(readCursor), [help, setHelp] = useState(false);
  const [zoom, setZoom] = useState({calls: null, rows: null}), [mode, setMode] = useState({inline: false, keys: true});
  const [, refresh] = useState(0), search = useRef(null), [stage, setStage] = useState(0);
  useEffect(() => { if (stage < STAGES) setTimeout(() => setStage(stage + 1), 0); }, [stage]);
  const go = (change) => setCursor((old) => {
    const next = bounded({...old, ...change});
    const hash = hashOf(next);
    if (hash !== location.hash) history[next.v !== old.v || next.q !== old.q ? "pushState" : "replaceState"](null, "", hash);
    return next;
  });
  useEffect(() => {
    const read = () => setCursor(readCursor());
    addEventListener("hashchange", read);
    addEventListener("popstate", read);
    return () => { removeEventListener("hashchange", read); removeEventListener("popstate", read); };
  }, []);
  useEffect(() => {
    const press = (event) => keyPressed(event, {cursor, go, zoom, setZoom, mode, setMode, setHelp, help, search});
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [cursor, zoom, mode, help]);
  useEffect(() => { if (DATA.live) return followed(() => { setCursor(readCursor()); refresh((n) => n + 1); }); }, []);
  useEffect(() => { document.title = `${VIEWS.find(([key]) => key === cursor.v)?.[1]} \u00b7 ${DATA.title} \u00b7 ctx inspect`; }, [cursor.v]);
  useEffect(() => setZoom((old) => followedBy(old, cursor)), [cursor.c, cursor.b]);
  const View = VIEW_PARTS[cursor.v] || SessionView;
  return html`<header class="banner" role="banner"><strong>ctx inspect</strong>
      ${DATA.sessions && html`<${SessionChoice} />`}<span class="title">${DATA.title} <small>${plural(DATA.events, "event")} · ${plural(callCount(), "call")}</small></span>
      <nav aria-label="Views">${VIEWS.map(([key, name], at) => html`<a key=${key} href=${hashOf({...cursor, v: key})} aria-current=${cursor.v === key ? "page" : null}
        onClick=${(event) => { event.preventDefault(); go({v: key}); }}>${name} <kbd>${at + 1}</kbd></a>`)}</nav>
      <form role="search" onSubmit=${(event) => { event.preventDefault(); go({v: "where", q: search.current.value}); search.current.blur(); }}>
        <input ref=${search} type="search" aria-label="Where did it go?" placeholder="Where did \u2026 go?" value=${cursor.q} /><kbd>/</kbd></form></header>
    <div class="specs" role="group" aria-label="Specs">${DATA.series.map((one, at) => html`<button key=${at} aria-pressed=${at === cursor.s} onClick=${() => go({s: at})}><b>${SPEC_NAMES[at]}</b> <code>${one.spec}</code></button>`)}
      <span class="second">${DATA.target.model} · ${DATA.target.exact ? `counted with ${DATA.target.counter}` : `estimate ×${DATA.target.factor}`} · ${DATA.target.format}${
        Object.keys(DATA.redactions).length ? ` · redacted: ${Object.entries(DATA.redactions).map(([kind, count]) => `${number(count)} ${kind}`).join(", ")}` : ""}</span></div>
    ${DATA.left && html`<p class="left-note" role="note">${number(DATA.left.texts)} texts (${(DATA.left.bytes / 1e6).toFixed(1)} MB) are not in this page: ${
      DATA.left.whole ? `the newest ${plural(DATA.left.whole, "call")} ${DATA.left.whole === 1 ? "is" : "are"} whole` : "no call is whole"}, of the others some texts stand by their digest. ${
      DATA.live ? "They load when asked for." : html`<code>ctx inspect --texts MB</code> keeps more, <code>--serve</code> loads them when asked for, <code>ctx expand REF SESSION</code> prints one.`}</p>`}
    <main aria-busy=${stage < STAGES}><${View} stage=${stage} cursor=${cursor} go=${go} zoom=${zoom} setZoom=${setZoom} mode=${mode} /></main>
    <p class="live" role="status" aria-live="polite">${telling(cursor)}</p>
    <footer>${FEET[cursor.v]?.map((key) => html`<span key=${key}><kbd>${key}</kbd> ${KEYS.find(([one]) => one === key)?.[1]}</span>`)}${mode.keys ? "" : html`<span>single keys are off: <kbd>k</kbd></span>`}</footer>
    ${cursor.t.startsWith("whole:") && html`<${Whole} row=${Number(cursor.t.slice(6))} close=${() => go({t: ""})} mark=${cursor.q} />`}
    ${help && html`<${Help} close=${() => setHelp(false)} />`}`;
}

/** The other sessions of the folder: each has a page of its own beside this one. */
function SessionChoice() {
  const {links, here} = DATA.sessions, leave = (event) => { location.href = encodeURIComponent(event.target.value); };
  return html`<a href="index.html">all ${number(links.length)}</a> <select aria-label="Session" value=${here} onChange=${leave}>${links.map(([id, name]) => html`<option key=${name} value=${name}>${clip(id.replace(HIDDEN, "\u00b7"), 40)}</option>`)}</select>`;
}

/** The cursor in a sentence, for a reader of the screen. */
function telling(cursor) {
  if (!callCount() || !blockCount()) return "";
  const series = seriesOf(cursor), [fate, why, since] = fateAt(series, cursor.b, cursor.c);
  if (!fate) return `call ${cursor.c + 1}, ${nameText(cursor.b)}, not yet`;
  const [step, , what] = series.why[why];
  return `call ${cursor.c + 1}, ${nameText(cursor.b)}, ${FATES[fate]}: ${what} since call ${since + 1}${step ? ` by ${step}` : ""}, ${originalCount(cursor.b)} tokens`;
}

function Dialog({label, close, children}) {
  const box = useRef(null);
  useEffect(() => { const before = document.activeElement; box.current.showModal(); return () => before && before.focus && before.focus(); }, []);
  return html`<dialog ref=${box} aria-label=${label} onClose=${close} onClick=${(event) => event.target === box.current && close()}>
    <button class="close" onClick=${close}>close <kbd>Esc</kbd></button>${children}</dialog>`;
}

function Help({close}) {
  return html`<${Dialog} label="All keys" close=${close}><h2>Keys</h2><dl class="pairs">${KEYS.map(([key, what]) => html`<dt><kbd>${key}</kbd></dt><dd>${what}</dd>`)}</dl></${Dialog}>`;
}

function Whole({row, close, mark}) {
  return html`<${Dialog} label="Whole text" close=${close}><h2><code>${DATA.blocks.id[row]}</code> <${Name} row=${row} /></h2>
    <p class="second">${originalCount(row)} tokens · <${CopyRef} text=${refOf(row)} /></p>
    ${DATA.blocks.texts[row].map(([kind, text, name]) => html`<h3>${DATA.kinds[kind]} ${name}</h3><pre><${StoredText} number=${text} mark=${mark} /></pre>`)}</${Dialog}>`;
}

/** What a key does; in inputs only Escape does something. */
function keyPressed(event, app) {
  const {cursor, go, zoom, setZoom, mode, setMode, help, setHelp, search} = app, key = event.key;
  const typing = event.target.closest("input, textarea, select, dialog");
  if (typing) { if (key === "Escape" && event.target.blur) event.target.blur(); return; }
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (key === "k") { setMode({...mode, keys: !mode.keys}); return; }
  if (!mode.keys && key.length === 1) return;
  const series = seriesOf(cursor), order = zoom.order || [...DATA.blocks.id.keys()];
  const block = (by) => go({b: order[Math.min(order.length - 1, Math.max(0, order.indexOf(cursor.b) + by))]});
  const arrow = {ArrowLeft: -1, ArrowRight: 1}[key], reading = event.target.closest(".messages");
  const act = {
    "/": () => search.current.focus(), "?": () => setHelp(true), "[": () => go({c: cursor.c - 1}), "]": () => go({c: cursor.c + 1}),
    ArrowUp: () => block(-1), ArrowDown: () => block(1), Escape: () => go({v: "session", t: ""}),
    w: () => go({v: "where", q: whereText(cursor.b)}), o: () => go({t: `whole:${cursor.b}`}), y: () => copied(refOf(cursor.b)),
    c: () => go({s: (cursor.s + 1) % DATA.series.length}), d: () => setMode({...mode, inline: !mode.inline}),
    n: () => go({b: nextBlock(cursor, series, 1)}), N: () => go({b: nextBlock(cursor, series, -1)}),
    "+": () => setZoom(zoomed(zoom, cursor, event.shiftKey && event.code === "NumpadAdd" ? "rows" : "calls", 0.5)),
    "-": () => setZoom(zoomed(zoom, cursor, "calls", 2)), "_": () => setZoom(zoomed(zoom, cursor, "rows", 2)),
    "*": () => setZoom(zoomed(zoom, cursor, "rows", 0.5)), "=": () => setZoom(zoomed(zoom, cursor, "calls", 0.5)),
    0: () => setZoom({...zoom, calls: null, rows: null}),
  };
  for (const command of "TstgbUm.u") act[command] ??= () => dispatchEvent(new CustomEvent("command", {detail: command}));
  if (arrow) go({c: event.shiftKey ? nextEvent(cursor, series, arrow) : cursor.c + arrow});
  else if (key >= "1" && key <= "5") go({v: VIEWS[Number(key) - 1][0]});
  else if (key === "Enter" && !event.target.closest("button, a")) go({v: "call"});
  else if (key === " " && !event.target.closest("button, a, [role=feed]")) dispatchEvent(new CustomEvent("command", {detail: " "}));
  else if (act[key] && !(reading && key.startsWith("Arrow") && !event.shiftKey)) act[key]();
  else return;
  event.preventDefault();
}

/** The next call with a lost prefix, a step, or a change of the block's fate. */
function nextEvent(cursor, series, by) {
  const calls = [...lossesOf(series).map((loss) => loss.call), ...runsOf(series, cursor.b).map(([from]) => from)];
  const ahead = calls.filter((call) => by > 0 ? call > cursor.c : call < cursor.c).sort((a, b) => a - b);
  return (by > 0 ? ahead[0] : ahead[ahead.length - 1]) ?? cursor.c;
}

/** The next block that is shortened in this call or, while one searches, that carries it. */
function nextBlock(cursor, series, by) {
  const rows = cursor.v === "where" && cursor.q ? carriersOf(cursor.q)
    : [...DATA.blocks.id.keys()].filter((row) => { const [fate] = fateAt(series, row, cursor.c); return fate > RAW && fate < FOLDED; });
  const ahead = rows.filter((row) => by > 0 ? row > cursor.b : row < cursor.b);
  return (by > 0 ? ahead[0] ?? rows[0] : ahead[ahead.length - 1] ?? rows[rows.length - 1]) ?? cursor.b;
}

/** The zoom with half or twice as many calls or rows, around the cursor. */
function zoomed(zoom, cursor, axis, factor) {
  const size = axis === "calls" ? callCount() : blockCount(), [first, last] = zoom[axis] || [0, size];
  const wanted = Math.min(size, Math.max(Math.min(8, size), Math.round((last - first) * factor)));
  const middle = axis === "calls" ? cursor.c : Math.max(0, (zoom.order || []).indexOf(cursor.b));
  const start = Math.min(size - wanted, Math.max(0, middle - (wanted >> 1)));
  return {...zoom, [axis]: wanted === size ? null : [start, start + wanted]};
}

/** The zoom moved as little as it takes to show the cursor. */
function followedBy(zoom, cursor) {
  const shown = (range, at) => {
    if (!range || at < 0 || at >= range[0] && at < range[1]) return range;
    const start = at < range[0] ? at : at + 1 - (range[1] - range[0]);
    return [start, start + range[1] - range[0]];
  };
  const calls = shown(zoom.calls, cursor.c), rows = zoom.rows && shown(zoom.rows, (zoom.order || []).indexOf(cursor.b));
  return calls === zoom.calls && rows === zoom.rows ? zoom : {...zoom, calls, rows};
}

setTimeout(() => render(html`<${App} />`, document.getElementById("app")), 0);  // reading the data is a task of its own
