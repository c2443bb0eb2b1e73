// View 1: what it cost, when and why the cache was lost, what became of every block.

function Bill({cursor}) {
  const series = seriesOf(cursor), own = bill(series), everything = DATA.everything;
  const others = DATA.series.map((one, at) => [SPEC_NAMES[at], bill(one)]).filter((_, at) => at !== cursor.s);
  const compare = (read) => others.map(([name, one]) => ` · ${name}\u00a0${read(one)}`).join("");
  const groups = Object.entries(own.groups).sort((a, b) => b[1].spec - a[1].spec || b[1].money - a[1].money);
  return html`<dl class="bill" aria-label="Bill">
    ${known() ? html`<${Figure} name="cost of requests" value=${dollars(own.cost)}>everything ${dollars(sum(everything.cost))}${compare((one) => dollars(one.cost))}</${Figure}>`
      : html`<${Figure} name="cost of requests" value="no prices">${DATA.target.model} has none in the table: tokens only</${Figure}>`}
    <${Figure} name="tokens sent" value=${short(own.tokens)}>of ${short(sum(everything.tokens))}${compare((one) => short(one.tokens))}</${Figure}>
    <${Figure} name="read from cache" value=${percent(own.share)}>${compare((one) => percent(one.share)).replace(" · ", "")}</${Figure}>
    <${Figure} name="prefix lost" value=${`${number(own.losses.length)} ×`}>${groups.map(([name, group]) =>
      `${group.spec ? "▲" : "△"} ${number(group.count)} ${name}${known() && group.money >= 50 ? ` ${dollars(group.money)}` : ""}`).join(" · ")}${compare((one) => number(one.losses.length))}</${Figure}>
    <${Figure} name="nearest to the budget" value=${`${(100 * own.nearness).toFixed(1)} %`}>call ${number(own.nearest + 1)}${own.nearness <= 1 ? " · never over" : ""}</${Figure}>
  </dl>`;
}

const FIXED = ["instruction", "tools", "overhead"];
const frame = (series) => [["fixed", addedUp(series, FIXED)], ["engine", addedUp(series, ["note", "text"])]];
const STACKS = {
  layer: (series) => [...frame(series), ["raw", series.layers.earlier], ["running", series.layers.running]],
  fate: (series) => forms(series),
  tool: (series) => tools(series),
};

function addedUp(series, names) {
  return series.tokens.map((_, call) => names.reduce((all, name) => all + series.layers[name][call], 0));
}

const stacks = new WeakMap();

/** The columns of the request's bars in one of three cuts; each sums to the tokens. */
function stackOf(series, mode) {
  const known = stacks.get(series) || {};
  stacks.set(series, known);
  return known[mode] ||= STACKS[mode](series);
}

function forms(series) {
  const columns = {raw: [], compacted: [], truncated: []};
  series.tokens.forEach((_, call) => {
    const sums = {raw: 0, compacted: 0, truncated: 0};
    for (const [row, tokens] of sizesAt(series, call)) {
      const fate = FATES[fateAt(series, row, call)[0]];
      sums[fate in sums ? fate : "compacted"] += tokens;
    }
    for (const name in sums) columns[name].push(sums[name]);
  });
  return [...frame(series), ...["truncated", "compacted", "raw"].map((name) => [name, columns[name]])];
}

const TOOL_COLOURS = ["raw", "compacted", "truncated", "folded", "running"];

function tools(series) {
  const sums = new Map(), whole = originalTokens();
  DATA.blocks.who.forEach((who, row) => sums.set(who, (sums.get(who) || 0) + whole[row]));
  const names = [...sums].sort((a, b) => b[1] - a[1]).slice(0, TOOL_COLOURS.length).map(([name]) => name);
  const columns = names.map(() => []), rest = [];
  series.tokens.forEach((_, call) => {
    const own = names.map(() => 0);
    let other = 0;
    for (const [row, tokens] of sizesAt(series, call)) {
      const at = names.indexOf(DATA.blocks.who[row]);
      if (at < 0) other += tokens; else own[at] += tokens;
    }
    own.forEach((tokens, at) => columns[at].push(tokens));
    rest.push(other);
  });
  return [...frame(series), ["summarized", rest], ...names.map((name, at) => [TOOL_COLOURS[at], columns[at], clip(name, 16)])];
}
const STACK_LEGENDS = {
  layer: () => [["fixed", "instruction, tools"], ["engine", "note, state"], ["raw", "earlier turns"], ["running", "running turn"]],
  fate: () => [["fixed", "instruction, tools"], ["engine", "engine-made"], ["truncated", "truncated"], ["compacted", "compacted"], ["raw", "raw"]],
  tool: (series) => [["fixed", "instruction, tools"], ["engine", "engine-made"], ["summarized", "other"], ...stackOf(series, "tool").slice(3).map(([name, , text]) => [name, text])],
};

/** The rows of the map in an order. */
function orderOf(series, mode, call) {
  const rows = [...DATA.blocks.id.keys()];
  const key = {size: (row) => -originalTokens()[row], fate: (row) => fateAt(series, row, call)[0] || 9,
    tool: (row) => DATA.blocks.who[row]}[mode];
  if (!key) return rows;
  const keys = rows.map(key);
  return rows.sort((a, b) => keys[a] < keys[b] ? -1 : keys[a] > keys[b] ? 1 : a - b);
}

function SessionView({cursor, go, zoom, setZoom, stage}) {
  const series = seriesOf(cursor), [sort, setSort] = useState("age"), [table, setTable] = useState(false), [by, setBy] = useState("block"), [opened, setOpened] = useState([]);
  const group = (kind) => { setBy(kind); setOpened([]); };
  const toggle = (key) => setOpened((old) => old.includes(key) ? old.filter((one) => one !== key) : [...old, key]);
  useCommands({T: () => setTable(!table), s: () => setSort(after(["age", "size", "fate", "tool"], sort)), g: () => group(after(["block", "turn", "step", "tool"], by)),
    " ": () => by !== "block" && toggle(GROUPS[by](cursor.b))});
  const calls = zoom.calls || [0, callCount()];
  const order = useMemo(() => orderOf(series, sort, sort === "fate" ? cursor.c : 0), [series, sort, sort === "fate" && cursor.c]);
  const rows = useMemo(() => zoom.rows ? order.slice(...zoom.rows) : order, [order, zoom.rows]);
  zoom.order = order;
  const count = calls[1] - calls[0];
  const frac = (cursor.c + 0.5 - calls[0]) / Math.max(1, count);
  const select = (from, to, phase) => phase === "end" && setZoom(spanned(zoom, calls, from[0], to[0]));
  const pick = (x) => go({c: Math.min(calls[1] - 1, calls[0] + Math.floor(x * count))});
  const inside = frac >= 0 && frac <= 1;
  const cross = inside && html`<i class="cross" style=${{left: `${100 * frac}%`}}></i>`;
  if (!callCount()) return html`<${Empty} />`;
  return html`<div class="session"><${Bill} cursor=${cursor} /><div class="columns"><div class="charts">
    ${stage > 0 && html`<section aria-label="Request"><header><h2>Request <small>tokens a call</small></h2>
      <${Legend} entries=${STACK_LEGENDS[cursor.m](series)} />
      <${Choice} label="Request by" value=${cursor.m} options=${[["layer", "layer"], ["fate", "fate"], ["tool", "tool"]]} onPick=${(m) => go({m})} />
      <button class="quiet-button" aria-pressed=${table} onClick=${() => setTable(!table)}>table <kbd>T</kbd></button></header>
      <${RequestTrack} series=${series} mode=${cursor.m} calls=${calls} cross=${cross} pick=${pick} select=${select} go=${go} cursor=${cursor} /></section>`}
    ${stage > 1 && html`<section aria-label="Cost"><header><h2>${known() ? "Cost" : "Tokens"} <small>${known() ? "cents a call" : "a call"}</small></h2>
      <${Legend} entries=${[["read", "read"], ["written", "written"]]} />
      <span class="second legend-text">▲ prefix lost to the spec · △ to something else</span></header>
      <${CostTrack} series=${series} calls=${calls} cross=${cross} pick=${pick} select=${select} go=${go} /></section>`}
    ${table && html`<${CallsTable} series=${series} cursor=${cursor} go=${go} />`}
    ${stage > 2 && html`<section aria-label="Fate of every block" class="map-section"><header><h2>Fate of every block <small>${plural(blockCount(), "block")} × ${plural(callCount(), "call")}</small></h2>
      <${Legend} entries=${FATE_LEGEND} />
      <${Choice} label="Order" value=${sort} options=${[["age", "age"], ["size", "size"], ["fate", "fate"], ["tool", "tool"]]} onPick=${setSort} />
      <${Choice} label="Rows" value=${by} options=${[["block", "a block"], ["turn", "by turn"], ["step", "by step"], ["tool", "by tool"]]} onPick=${group} /></header>
      <${MapTrack} by=${by} opened=${opened} toggle=${toggle} series=${series} rows=${rows} calls=${calls} cursor=${cursor} go=${go} cross=${cross} frac=${frac} sort=${sort} select=${select} /></section>`}
    </div>${stage > 3 && html`<${Details} cursor=${cursor} go=${go} order=${order} zoom=${zoom} setZoom=${setZoom} />`}</div></div>`;
}

function Empty() {
  return html`<div class="empty"><h1>This session has no model call yet</h1>
    <p>A call is shown where a message of the assistant's follows a user's. <code>ctx demo --save demo.jsonl</code> writes a session that has some.</p></div>`;
}

function RequestTrack({series, mode, calls, cross, pick, select, go, cursor}) {
  const budget = useMemo(() => largestOf(series.budget), [series]), largest = bill(series).largest;
  const limited = budget < 8 * largest, top = topOf(Math.max(largest, limited ? budget : 0) * 1.02);
  const columns = stackOf(series, mode), everything = DATA.everything.tokens;
  const draw = (context, width, height) => {
    drawStack(context, width, height, columns, calls, top);
    hatch(context, width, height, series, calls);
    const colour = palette();
    context.strokeStyle = colour.third;
    context.setLineDash([2, 3]);
    context.beginPath();
    for (let call = calls[0]; call < calls[1]; call += 1) {
      const x = (call + 0.5 - calls[0]) / (calls[1] - calls[0]) * width, y = height - everything[call] / top * height;
      if (y < 0) break;
      if (call === calls[0]) context.moveTo(x, y); else context.lineTo(x, y);
    }
    context.stroke();
    context.setLineDash([]);
    if (limited) {
      context.fillStyle = colour.ink;
      for (let call = calls[0]; call < calls[1]; call += 1) {
        const y = Math.round(height - series.budget[call] / top * height);
        context.fillRect((call - calls[0]) / (calls[1] - calls[0]) * width, y, width / (calls[1] - calls[0]) + 1, 1);
      }
    }
  };
  const last = everything[everything.length - 1] || 0;
  return html`<div class="track" style=${{height: "124px"}}><div class="axis"><span style=${{top: 0}}>${short(top)}</span><span style=${{top: "50%"}}>${short(top / 2)}</span><span style=${{top: "100%"}}>0</span></div>
    <div class="plot"><${Canvas} height=${124} draw=${draw} deps=${[series, mode, calls[0], calls[1]]} onPoint=${pick} onDrag=${select} band
      onOpen=${(x) => { pick(x); go({v: "call"}); }}
      label=${`Tokens of ${callCount()} requests by ${mode}; largest ${number(largest)}, cursor at call ${cursor.c + 1} with ${number(series.tokens[cursor.c])}`} />
      ${last > top && html`<span class="note-line">↗ everything: ${short(last)} at the last call</span>`}
      ${limited ? html`<span class="budget-label" style=${{top: `${100 * (1 - budget / top)}%`}}>budget</span>` : html`<span class="budget-label far">limit ${short(budget)}, far above</span>`}
      ${cross}</div></div>`;
}

/** The largest of many numbers: more than an argument list may hold. */
const largestOf = (list) => list.reduce((most, one) => Math.max(most, one), 0);

/** Calls without a request: hatched, with the sign of a warning. */
function hatch(context, width, height, series, calls) {
  const count = calls[1] - calls[0];
  context.strokeStyle = palette().third;
  for (const [call] of series.errors) {
    const x = (call - calls[0]) / count * width, wide = Math.max(2, width / count);
    context.save();
    context.beginPath();
    context.rect(x, 0, wide, height);
    context.clip();
    for (let y = -wide; y < height + wide; y += 5) {
      context.beginPath();
      context.moveTo(x, y + wide);
      context.lineTo(x + wide, y);
      context.stroke();
    }
    context.restore();
  }
}

function CostTrack({series, calls, cross, pick, select, go}) {
  const [share, rest, largest] = useMemo(() => {
    const values = known() ? series.cost : series.tokens;
    const read = series.read.map((tokens, call) => known() ? Math.min(series.cost[call], tokens * DATA.target.prices.read / 1e6) : tokens);
    return [read, values.map((value, call) => Math.max(0, value - read[call])), Math.max(1, largestOf(values))];
  }, [series]);
  const top = topOf(largest / (known() ? 1e4 : 1)) * (known() ? 1e4 : 1), count = calls[1] - calls[0];
  const draw = (context, width, height) =>
    drawStack(context, width, height, [["read", share], ["ink", rest]].map(([name, list]) => [name === "read" ? palette().running : name, list]), calls, top);
  const losses = useMemo(() => bill(series).losses.filter((loss) => loss.call >= calls[0] && loss.call < calls[1]), [series, calls[0], calls[1]]);
  const marks = useMemo(() => losses.map((loss) => html`<button key=${loss.call} class="mark" style=${{left: `${100 * (loss.call + 0.5 - calls[0]) / count}%`}}
      aria-label=${`call ${loss.call + 1}: ${causeOf(loss)}`} title=${`call ${loss.call + 1}: ${causeOf(loss)}`} onClick=${() => go({c: loss.call})}>${SPEC_CAUSES.has(loss.cause) ? "▲" : "△"}</button>`), [losses]);
  return html`<div class="track" style=${{height: "70px"}}><div class="axis"><span style=${{top: 0}}>${known() ? `${top / 1e4} ¢` : short(top)}</span><span style=${{top: "100%"}}>0</span></div>
    <div class="plot"><${Canvas} height=${70} draw=${draw} deps=${[series, calls[0], calls[1]]} onPoint=${pick} onDrag=${select} band
      label=${`${known() ? "Cost" : "Tokens"} of each call, read from the cache and written; ${plural(losses.length, "prefix")} lost`} />
    <div class="marks">${marks}</div>
    ${cross}</div></div>`;
}

/** What a block is grouped by. */
const GROUPS = {turn: (row) => DATA.blocks.turn[row], step: (row) => stepsByRow()[row], tool: (row) => DATA.blocks.who[row]};

let rowSteps = null;

/** The step of each block: the call that asked for it or, of what came in between, that first saw it. */
function stepsByRow() {
  if (rowSteps && rowSteps.of === DATA) return rowSteps.list;
  const {position} = DATA.calls;
  let call = 0;
  const list = DATA.blocks.start.map((start) => {
    while (call < position.length - 1 && position[call] < start) call += 1;
    return call;
  });
  rowSteps = {of: DATA, list};
  return list;
}

/** The lines of a grouped map: `{key, rows, nested}`, groups in the order of their first row, those
 * that are opened followed by a line a block. */
function linesOf(rows, by, opened) {
  const groups = new Map();
  for (const row of rows) {
    const key = GROUPS[by](row);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(row);
  }
  return [...groups].flatMap(([key, own]) => [{key, rows: own, nested: false}, ...(opened.includes(key) ? own.map((row) => ({key, rows: [row], nested: true})) : [])]);
}

/** A line's name: a group with its count, or a block. */
function lineName(line, by) {
  if (line.nested) return `  ${DATA.blocks.id[line.rows[0]]} ${clip(beginsOf(line.rows[0]), 16)}`;
  if (by === "step") return stepName(line);
  const name = by === "turn" ? `${line.key + 1} ${clip(DATA.turns[line.key].replace(HIDDEN, "\u00b7"), 22)}` : clip(line.key.replace(HIDDEN, "\u00b7"), 22);
  return `${name}`;
}

/** What a step brought, by its last block: what the model answered. */
function stepName(line) {
  const row = line.rows.reduce((most, one) => Math.max(most, one), 0);
  return `call ${line.key + 1} ${clip(`${DATA.blocks.who[row]} ${beginsOf(row)}`.replace(HIDDEN, "\u00b7"), 18)}`;
}

/** The zoom to a stretch of the calls that are shown; at least eight calls. */
function spanned(zoom, [first, last], from, to) {
  const [low, high] = [from, to].map((x) => Math.min(1, Math.max(0, x))).sort((a, b) => a - b), size = last - first;
  const start = first + Math.floor(low * size), wanted = Math.min(callCount(), Math.max(8, Math.ceil((high - low) * size)));
  const begin = Math.max(0, Math.min(start, callCount() - wanted));
  return {...zoom, calls: wanted >= callCount() ? null : [begin, begin + wanted]};
}

function MapTrack({series, rows, calls, cursor, go, cross, frac, sort, by, opened, toggle, select}) {
  const count = calls[1] - calls[0], whole = originalTokens(), most = useMemo(() => Math.log(Math.max(2, largestOf(whole))), [whole]);
  const groups = useMemo(() => by === "block" ? null : linesOf(rows, by, opened), [rows, by, opened]);
  const lines = groups ? groups.length : rows.length, own = groups && GROUPS[by](cursor.b);
  const nested = groups ? groups.findIndex((line) => line.nested && line.rows[0] === cursor.b) : -1;
  const at = !groups ? rows.indexOf(cursor.b) : nested >= 0 ? nested : groups.findIndex((line) => line.key === own);
  const y = (at + 0.5) / Math.max(1, lines), everything = !groups && count === callCount() && lines === blockCount();  // else no corner is empty
  const point = (x, high) => {
    const line = Math.min(lines - 1, Math.floor(high * lines)), inside = high * lines - line;
    const row = groups ? groups[line].rows[Math.min(groups[line].rows.length - 1, Math.floor(inside * groups[line].rows.length))] : rows[line];
    go({c: Math.min(calls[1] - 1, calls[0] + Math.floor(x * count)), b: row ?? cursor.b});
  };
  const draw = (context, width, height, ratio) => {
    const colour = fateColours();
    if (groups) return drawGroups(context, width, height, ratio, series, groups, calls, colour);
    return drawMap(context, width, height, ratio, series, rows, calls, (fate) => colour[fate]);
  };
  const sizes = (context, width, height) => {
    context.fillStyle = palette().second;
    const high = height / Math.max(1, lines), sizeOf = (place) => groups ? sum(groups[place].rows.map((row) => whole[row])) : whole[rows[place]];
    const top = groups ? Math.log(groups.reduce((all, _, place) => Math.max(all, sizeOf(place)), 2)) : most;
    for (let place = 0; place < lines; place += 1) {
      const size = sizeOf(place);
      if (size) context.fillRect(0, place * high, Math.log(size + 1) / top * width, Math.max(0.6, high * 0.9));
    }
  };
  const [fate, why] = fateAt(series, cursor.b, cursor.c);
  const label = `Fate of ${plural(rows.length, "block")} over ${plural(count, "call")}; cursor at call ${cursor.c + 1}, block ${DATA.blocks.id[cursor.b]}, ${fate ? FATES[fate] : "not yet"}`;
  const steps = useMemo(() => stepsOf(series).filter((step) => step.call >= calls[0] && step.call < calls[1]), [series, calls[0], calls[1]]);
  const lane = useMemo(() => html`<${EngineLane} series=${series} calls=${calls} />`, [series, calls[0], calls[1]]);
  const labels = useMemo(() => groups ? lineLabels(groups) : sort === "age" ? turnLabels(rows) : [], [groups, rows, sort]);
  const table = useMemo(() => html`<${AtCall} series=${series} call=${cursor.c} place=${everything && !narrow() ? "at-call" : "at-below"} />`, [series, cursor.c, everything]);
  return html`${lane}
    <div class="track map"><div class="row-labels">${groups ? labels.map(([share, line]) => html`
        <span key=${`${line.key}.${line.rows[0]}`} class=${line.nested ? "nested" : ""} style=${{top: `${100 * share}%`}}>${line.nested ? lineName(line, by)
          : html`<button class="plain" aria-expanded=${opened.includes(line.key)} onClick=${() => toggle(line.key)}>${opened.includes(line.key) ? "▾" : "▸"} ${lineName(line, by)}</button>`}</span>`)
        : labels.map(([share, turn]) => html`
        <span key=${turn} aria-hidden="true" style=${{top: `${100 * share}%`}}>${turn + 1} ${clip(DATA.turns[turn].replace(HIDDEN, "·"), 22)}</span>`)}</div>
      <div class="plot" tabindex="0" role="group" aria-label="Map: arrow keys walk calls and blocks">
        <${Canvas} className="map-canvas" draw=${draw} deps=${[series, rows, groups, calls[0], calls[1]]} onPoint=${point} onOpen=${(x, high) => { point(x, high); go({v: "call"}); }} onDrag=${select} band label=${label} />
        ${everything && !narrow() && table}
        ${at >= 0 && html`<i class="cross-row" style=${{top: `${100 * y}%`}}></i>`}
        ${cross}${cross && at >= 0 && html`<i class="dot" style=${{left: `${100 * frac}%`, top: `${100 * y}%`}}></i>`}</div>
      <div class="size-bars"><${Canvas} draw=${sizes} deps=${[rows, groups]} label="Original size of each block, log scale" /></div></div>
    <div class="x-axis" aria-hidden="true">${spread(steps.map((step) => [100 * (step.call - calls[0]) / count, `step ${step.number}`]), 7).map(([left, text]) => html`<span class="step" style=${{left: `${left}%`}}>${text}</span>`)}
      ${ticks(calls).map((call) => html`<span style=${{left: `${100 * (call - calls[0]) / count}%`}}>${call === calls[0] ? "call " : ""}${number(call + 1)}</span>`)}</div>
    ${everything && !narrow() ? "" : table}`;
}

/** Labels far enough from the one before, in percent. */
function spread(entries, least) {
  let before = -Infinity;
  return entries.filter(([place]) => place - before >= least && (before = place, true));
}

function ticks([first, last]) {
  const step = topOf((last - first) / 5), out = [first];
  for (let call = Math.ceil((first + 1) / step) * step - 1; call < last; call += step) if (call > first + step / 2 && call < last - 1) out.push(call);
  return out;
}

/** The turns that have most rows, at the place of their first. */
function turnLabels(rows) {
  const spans = new Map();
  rows.forEach((row, at) => {
    const turn = DATA.blocks.turn[row], span = spans.get(turn) || [at, 0];
    spans.set(turn, [span[0], span[1] + 1]);
  });
  const all = [...spans].map(([turn, [at]]) => [100 * at / Math.max(1, rows.length), turn]);
  return spread(all, 4).map(([share, turn]) => [share / 100, turn]);
}

const lineLabels = (groups) => spread(groups.map((line, at) => [100 * at / groups.length, line]), 4).map(([share, line]) => [share / 100, line]);

const EDGE = 7;  // pixels beside an edge of the frame that take hold of it

/** The whole map, with a frame around what the zoom shows: drag it, or its edges. */
function Minimap({series, rows, zoom, setZoom, cursor}) {
  const calls = zoom.calls || [0, callCount()], lines = zoom.rows || [0, rows.length], held = useRef(null), box = useRef([1, 1]);
  const draw = (context, width, height, ratio) => {
    const colour = fateColours();
    box.current = [width, height];
    return drawMap(context, width, height, ratio, series, rows, [0, callCount()], (fate) => colour[fate]);
  };
  const drag = (from, to, phase) => {
    if (phase === "start") held.current = {calls, lines, grip: [gripOf(from[0], calls, callCount(), box.current[0]), gripOf(from[1], lines, rows.length, box.current[1])]};
    const {calls: first, lines: own, grip} = held.current;
    const next = {...zoom, calls: moved(first, grip[0], (to[0] - from[0]) * callCount(), callCount()), rows: moved(own, grip[1], (to[1] - from[1]) * rows.length, rows.length)};
    setZoom(next);
  };
  const centre = (x, y) => setZoom({...zoom, calls: moved(calls, 0, x * callCount() - (calls[0] + calls[1]) / 2, callCount()), rows: moved(lines, 0, y * rows.length - (lines[0] + lines[1]) / 2, rows.length)});
  const part = (value, size) => `${100 * value / Math.max(1, size)}%`;
  return html`<section aria-label="All of it"><h2>All of it <small>${number(rows.length)} × ${number(callCount())}, shown: calls ${number(calls[0] + 1)}\u2013${number(calls[1])}</small></h2>
    <div class="minimap"><${Canvas} draw=${draw} deps=${[series, rows]} onPoint=${centre} onDrag=${drag} label=${`The whole map; shown are calls ${calls[0] + 1} to ${calls[1]} and rows ${lines[0] + 1} to ${lines[1]}`} />
      <i class="frame" style=${{left: part(calls[0], callCount()), width: part(calls[1] - calls[0], callCount()), top: part(lines[0], rows.length), height: part(lines[1] - lines[0], rows.length)}}></i></div>
    <p class="second">The frame is what the map shows. Drag it, or its edges. <button class="link" onClick=${() => setZoom({...zoom, calls: null, rows: null})}>everything <kbd>0</kbd></button></p></section>`;
}

/** What a pointer takes hold of: -1 and 1 an edge of the frame, 0 all of it. */
function gripOf(at, [first, last], size, pixels) {
  const near = (edge) => Math.abs(at - edge / Math.max(1, size)) * pixels < EDGE;
  return near(first) ? -1 : near(last) ? 1 : 0;
}

/** A range moved, or one of its edges; null where it is everything. */
function moved([first, last], grip, by, size) {
  const least = Math.min(8, size), shift = Math.round(by);
  let start = first, stop = last;
  if (grip < 0) start = Math.max(0, Math.min(first + shift, last - least));
  else if (grip > 0) stop = Math.min(size, Math.max(last + shift, first + least));
  else { start = Math.max(0, Math.min(first + shift, size - (last - first))); stop = start + last - first; }
  return start === 0 && stop === size ? null : [start, stop];
}

/** The notes that the engine made, with their tokens, over the calls. */
function EngineLane({series, calls}) {
  const count = calls[1] - calls[0], spans = [];
  let before = null;
  for (let call = calls[0]; call < calls[1]; call += 1) {
    const made = engineAt(series, call).filter((one) => one.note), key = made.map((one) => one.reason).join();
    if (before && before.key === key) before.stop = call + 1;
    else { before = {key, start: call, stop: call + 1, made}; spans.push(before); }
  }
  return html`<div class="track lane"><div class="row-labels">engine-made</div><div class="plot">
    ${spans.filter((span) => span.made.length).map((span) => {
      const wide = 100 * (span.stop - span.start) / count, tokens = number(sum(span.made.map((one) => one.tokens)));
      return html`<span key=${span.start} style=${{left: `${100 * (span.start - calls[0]) / count}%`, width: `${wide}%`}}
        title=${span.made.map((one) => one.reason).join("; ")}>${wide > 9 ? `note ${tokens}` : wide > 5 ? tokens : ""}</span>`;
    })}</div></div>`;
}

/** At this call: how many blocks have each fate, and what they take. */
function AtCall({series, call, place = "at-call"}) {
  const rows = new Map(), sizes = sizesAt(series, call), whole = originalTokens();
  for (let row = 0; row < blockCount(); row += 1) {
    const [fate] = fateAt(series, row, call);
    if (!fate) continue;
    const one = rows.get(fate) || [0, 0, 0];
    rows.set(fate, [one[0] + 1, one[1] + whole[row], one[2] + (sizes.get(row) || 0)]);
  }
  const note = sum(engineAt(series, call).filter((one) => one.note).map((one) => one.tokens));
  return html`<div class=${place}><h3>At call ${number(call + 1)}</h3><table><thead><tr><th></th><th class="num">blocks</th><th class="num">original</th><th class="num">now</th></tr></thead>
    <tbody>${[...rows].sort((a, b) => a[0] - b[0]).map(([fate, [count, tokens, now]]) => html`<tr key=${fate} data-fate=${FATES[fate]}><td><${Swatch} fate=${fate} />${FATES[fate]}</td>
      <td class="num">${number(count)}</td><td class="num">${number(tokens)}</td><td class="num">${now ? number(now) : fate === FOLDED || fate === SUMMARIZED ? html`<small>in the note</small>` : "0"}</td></tr>`)}
    ${note > 0 && html`<tr data-fate="engine"><td><${Swatch} fate="engine" />note</td><td></td><td></td><td class="num">${number(note)}</td></tr>`}</tbody></table></div>`;
}

const MOST_ROWS = 2000;

function CallsTable({series, cursor, go}) {
  const columns = [["call", 1], ["tokens", 1], ["prefix", 1], ["read", 1], ["written", 1], [known() ? "cost" : "", 1], ["prefix lost", 0]];
  const rows = series.tokens.slice(0, MOST_ROWS).map((tokens, call) => {
    const loss = valueExact(series.losses, call);
    return {key: call, cells: [number(call + 1), number(tokens), number(series.prefix[call]), number(series.read[call]), number(series.written[call]),
      known() ? cents(series.cost[call]) : "", loss ? causeOf(loss) : ""]};
  });
  return html`<div class="scroll" role="region" aria-label="Calls as a table" tabindex="0"><${Table} caption="Calls" columns=${columns} rows=${rows} selected=${cursor.c} onRow=${(c) => go({c})} /></div>`;
}
