// View 5: what if? Live behind `--serve`; in a file, the recorded points.

function TryView({cursor, go}) {
  return DATA.live ? html`<${LiveTry} cursor=${cursor} go=${go} />` : html`<${RecordedTry} cursor=${cursor} />`;
}

function RecordedTry() {
  const others = DATA.points || [], points = others.length ? [...others.filter((one) => one.budget !== ownPoint().budget), ownPoint()] : [];
  return html`<div class="empty wide"><h1>${points.length ? "What other budgets would have cost" : "What if the budget were smaller?"}</h1>
    ${points.length > 0 && html`<${Curve} points=${points} /><${PointsTable} points=${points} />`}
    <p class="second">This is a file: it shows what was compiled when it was written. <code>ctx inspect SESSION --point 16k --point 8k</code> records more points; <code>ctx inspect SESSION --serve</code> opens the page live, with an editor and a slider.</p></div>`;
}

/** What spec A took with its own budget, as a point among the others. */
function ownPoint() {
  const series = DATA.series[0], own = bill(series);
  return {budget: largestOf(series.budget), cost: own.cost, tokens: own.tokens, lost: own.losses.length, largest: own.largest, errors: series.errors.length};
}

function PointsTable({points, selected, onRow}) {
  const base = bill(DATA.series[0]), columns = [["budget", 1], ...(known() ? [["cost", 1]] : []), ["tokens", 1], ["prefixes lost", 1], ["largest request", 1], ["", 0]];
  const rows = [...points].sort((a, b) => a.budget - b.budget).map((point) => ({key: point.budget, cells: [number(point.budget), ...(known() ? [dollars(point.cost)] : []),
    number(point.tokens), number(point.lost), number(point.largest), point.errors ? `${plural(point.errors, "call")} without a request` : known() && base.cost ? `${signed(100 * (point.cost / base.cost - 1))} %` : ""]}));
  return html`<${Table} caption=${`Spec A with another budget, the whole session`} columns=${columns} rows=${rows} selected=${selected} onRow=${onRow} />`;
}

const LABEL = 48;  // pixels that a point's name takes

/** Cost of the session by budget; bars below: prefixes lost. */
function Curve({points, budget}) {
  const sorted = [...points].sort((a, b) => a.budget - b.budget), draw = (context, width, height) => {
    if (!sorted.length) return;
    const colour = palette(), value = (point) => known() ? point.cost : point.tokens, top = Math.max(...sorted.map(value)) * 1.15, most = Math.max(1, ...sorted.map((point) => point.lost));
    const low = sorted[0].budget, high = sorted[sorted.length - 1].budget, span = Math.max(1, high - low), line = height - 40;
    const x = (tokens) => 40 + (tokens - low) / span * (width - 90), y = (amount) => line - amount / top * (line - 16);
    context.strokeStyle = colour.ink;
    context.fillStyle = colour.second;
    context.font = "11px system-ui, sans-serif";
    context.beginPath();
    sorted.forEach((point, at) => at ? context.lineTo(x(point.budget), y(value(point))) : context.moveTo(x(point.budget), y(value(point))));
    context.stroke();
    let named = -LABEL;
    for (const point of sorted) {
      context.fillStyle = colour.paper;
      context.beginPath();
      context.arc(x(point.budget), y(value(point)), 3.5, 0, 7);
      context.fill();
      context.stroke();
      context.fillStyle = colour.second;
      context.fillRect(x(point.budget) - 2, line + 4, 4, point.lost / most * 20);
      if (x(point.budget) - named < LABEL) continue;  // no name over another
      named = x(point.budget);
      context.fillText(known() ? dollars(value(point)) : short(value(point)), x(point.budget) - 12, y(value(point)) - 8);
      context.fillText(short(point.budget), x(point.budget) - 12, height - 2);
    }
    if (budget) { context.fillStyle = colour.accent; context.fillRect(x(budget) - 1, 0, 2, line); }
  };
  return html`<div class="curve"><${Canvas} height=${180} draw=${draw} deps=${[points.length, budget]} label=${`Cost by budget, ${plural(points.length, "point")}; bars below: prefixes lost`} /></div>`;
}

/** Told when the session has changed, fetches it; news that comes meanwhile is fetched behind it,
 * once. Gives back what stops it. */
function followed(changed) {
  const events = new EventSource("events");
  let busy = false, more = false;
  events.onmessage = async () => {
    more = true;
    if (busy) return;
    busy = true;
    try {
      while (more) {
        more = false;
        const answer = await fetch("data");
        if (!answer.ok) continue;
        DATA = await answer.json();
        originals = null;
        searches.clear();
        changed();
      }
    } finally { busy = false; }
  };
  return () => events.close();
}

/** An editor with the checker's findings, the call at hand recompiled as one types, and the curve. */
function LiveTry({cursor, go}) {
  const base = seriesOf(cursor), [text, setText] = useState(base.spec), [budget, setBudget] = useState(0);
  const [answer, setAnswer] = useState(null), [good, setGood] = useState(null), [points, setPoints] = useState([]);
  const [busy, setBusy] = useState(""), source = useRef(null), field = useRef(null), undo = useRef([]), slider = useRef(null);
  const [measured, setMeasured] = useState({text: "", rows: []}), rows = measured.text === text ? measured.rows : [];
  const edited = ([start, stop, put]) => change(text.slice(0, start) + put + text.slice(stop));
  const change = (next) => { undo.current.push(text); setText(next); setBudget(0); };
  useEffect(() => {
    const stop = new AbortController();
    let settled = 0;
    const timer = setTimeout(async () => {
      const begun = performance.now();
      const query = new URLSearchParams({spec: text, call: cursor.c, ...(budget ? {budget} : {})});
      try {
        const reply = await (await fetch(`try?${query}`, {signal: stop.signal})).json();
        reply.ms = performance.now() - begun;
        setAnswer(reply);
        if (reply.series && !reply.series.errors.length) setGood(reply);
        // once the slider rests, its budget stands in the text
        if (budget && reply.spec) settled = setTimeout(() => { undo.current.push(text); setText(reply.spec); setBudget(0); }, 400);
      } catch (error) { if (error.name !== "AbortError") setAnswer({findings: [{severity: "error", what: "the server does not answer", fix: "is ctx inspect still running?", line: 1, column: 1}], series: null}); }
    }, 60);
    return () => { clearTimeout(timer); clearTimeout(settled); stop.abort(); };
  }, [text, budget, cursor.c, cursor.s]);
  useEffect(() => () => source.current && source.current.close(), []);
  const session = () => {
    if (source.current) source.current.close();
    setPoints([]);
    setMeasured({text, rows: []});
    setBusy("0 points");
    const events = source.current = new EventSource(`points?${new URLSearchParams({spec: text})}`);
    events.onmessage = (event) => setPoints((old) => { setBusy(plural(old.length + 1, "point")); return [...old.filter((one) => one.budget !== JSON.parse(event.data).budget), JSON.parse(event.data)]; });
    events.addEventListener("done", () => { events.close(); prices(); });
    events.onerror = () => { events.close(); setBusy(""); };
  };
  // what each word costs, behind the points: the server compiles one spec at a time
  const prices = () => {
    const events = source.current = new EventSource(`measured?${new URLSearchParams({spec: text})}`);
    setBusy("each word");
    events.onmessage = (event) => setMeasured((old) => ({...old, rows: [...old.rows, JSON.parse(event.data)]}));
    events.addEventListener("done", () => { events.close(); setBusy(""); });
    events.onerror = () => { events.close(); setBusy(""); };
  };
  const stopAll = () => { source.current && source.current.close(); setBusy(""); };
  const back = () => undo.current.length && setText(undo.current.pop());
  const take = () => {
    const edit = answer && answer.findings.map((one) => one.edit).find(Boolean);
    if (edit) edited(edit);
  };
  useCommands({u: back, ".": take, b: () => slider.current.focus()});
  const press = (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); session(); }
  };
  const limit = good ? good.series.budget[0] : base.budget[cursor.c], top = Math.max(2000, Math.min(DATA.target.window, 2 * base.budget[cursor.c]));
  const point = points.find((one) => one.budget === limit);
  return html`<div class="try"><section aria-label="Spec" class="try-side"><header><h2>Spec <small>edits touch neither the session nor a file</small></h2></header>
      <textarea ref=${field} aria-label="Spec" aria-describedby="findings" spellcheck="false" rows=${Math.max(3, text.split("\n").length)} value=${text} onInput=${(event) => change(event.target.value)} onKeyDown=${press}></textarea>
      <p class="second">${answer ? `${answer.series ? "compiled" : "read"} in ${number(answer.ms || 0)} ms` : "…"} <button onClick=${back}>undo <kbd>u</kbd></button></p>
      <ul id="findings" class="findings" aria-label="Findings">${(answer ? answer.findings : []).map((one, at) => html`<li key=${at}><b class=${one.severity === "error" ? "problem" : ""}>${one.severity === "error" ? "▲" : "△"} ${one.what}</b>
        <span class="second">line ${one.line}, column ${one.column}${one.fix ? ` · ${one.fix}` : ""}</span>
        <${Measured} row=${one.edit && rows.find((row) => `${row.edit}` === `${one.edit}`)} />
        ${one.edit && html`<button onClick=${() => edited(one.edit)}>${one.edit[2]}</button>`}</li>`)}
        ${answer && !answer.findings.length ? html`<li>✓ nothing to say against it</li>` : ""}</ul>
      ${rows.length > 0 && html`<h2>What each word costs here <small>the whole session with it, less without it</small></h2>
        <ul class="findings" aria-label="What each word costs here">${rows.filter((row) => !row.edit[2]).map((row) => html`<li key=${row.edit[0]}><code>${row.what}</code>
          <${Measured} row=${row} /> <button aria-label=${`drop ${row.what}`} onClick=${() => edited(row.edit)}>drop</button></li>`)}</ul>`}
      <h2>Budget <b data-value="budget">${number(budget || limit)}</b> <small>was ${number(base.budget[cursor.c])}</small></h2>
      <input ref=${slider} type="range" aria-label="Budget" min="500" max=${top} step="100" value=${budget || limit} aria-valuetext=${`${number(budget || limit)} tokens${point ? `, ${dollars(point.cost)}, ${plural(point.lost, "prefix")} lost` : ""}`}
        onInput=${(event) => setBudget(Number(event.target.value))} />
      ${points.length > 0 && html`<${Curve} points=${points} budget=${budget || limit} />`}
      <p><button onClick=${busy ? stopAll : session}>${busy ? `stop (${busy})` : html`whole session: other budgets, each word <kbd>Ctrl ⏎</kbd>`}</button></p>
      ${points.length > 0 && html`<${PointsTable} points=${points} selected=${limit} />`}</section>
    <${Attempt} base=${base} good=${good} answer=${answer} cursor=${cursor} go=${go} /></div>`;
}

/** What a word, or what a finding is about, was measured to cost over the whole session. */
function Measured({row}) {
  if (!row) return null;
  const money = known() ? (row.cost < 0 ? `saves ${dollars(-row.cost)}` : row.cost > 0 ? `costs ${dollars(row.cost)} more` : "costs the same")
    : `${signed(row.tokens)} tokens`;
  const lost = row.lost ? `, ${plural(Math.abs(row.lost), "prefix")} ${row.lost > 0 ? "more" : "fewer"} lost` : "";
  const errors = row.errors ? `, ${plural(Math.abs(row.errors), "call")} ${row.errors > 0 ? "more" : "fewer"} without a request` : "";
  return html`<span class="second" data-measured>${(known() ? row.cost : row.tokens) > 0 ? "▲ " : ""}measured here: ${money}${lost}${errors}</span>`;
}

/** Before and after: the bars, and only the blocks that change. */
function Attempt({base, good, answer, cursor, go}) {
  if (!good) return html`<section class="try-main"><p class="second">${answer && answer.findings.length ? answer.findings[0].what : "compiling …"}</p></section>`;
  const after = good.series, call = cursor.c, stale = answer && !answer.series, failed = answer && answer.series && answer.series.errors[0];
  const top = topOf(Math.max(base.tokens[call], after.tokens[0], Math.min(base.budget[call], 4 * base.tokens[call])));
  const sizes = [sizesAt(base, call), sizesAt(after, 0)], rows = [];
  for (let row = 0; row < blockCount(); row += 1) {
    const [was] = fateAt(base, row, call), [now, why] = fateAt(after, row, 0);
    if (was !== now || (sizes[0].get(row) || 0) !== (sizes[1].get(row) || 0)) rows.push({row, was, now, why, left: sizes[0].get(row) || 0, right: sizes[1].get(row) || 0});
  }
  const leave = rows.filter((one) => one.left && !one.right).length, come = rows.filter((one) => !one.left && one.right).length;
  const bars = [["before", base, call], ["after", after, 0]];
  return html`<section class="try-main" aria-label="Before and after"><header><h2>Call ${number(call + 1)}, before and after <small>recompiled as you type</small></h2><${Legend} entries=${STACK_LEGENDS.layer()} /></header>
    ${stale && html`<p class="problem">▲ the text is no spec: this is the last one that was</p>`}${failed && html`<p class="problem">▲ ${failed[1]}: ${failed[3]}</p>`}
    <div class="bars">${bars.map(([name, series, at]) => html`<div class="bar-row" key=${name}><b>${name}</b><div class="bar" aria-hidden="true">${LAYERS.map((layer) => html`<span class=${`layer-${layer}`} style=${{width: `${100 * series.layers[layer][at] / top}%`}}></span>`)}</div><b class="num" data-value=${name}>${number(series.tokens[at])}</b></div>`)}</div>
    <dl class="bill"><${Figure} name="tokens in this request" value=${signed(after.tokens[0] - base.tokens[call])} /><${Figure} name="blocks leave" value=${number(leave)} /><${Figure} name="come in" value=${number(come)} /></dl>
    <h2>What changes <small>${plural(rows.length, "block")}, in reading order</small></h2>
    <div class="scroll tall"><${Table} caption="" columns=${[["block", 0], ["", 0], ["before", 0], ["after", 0], ["why", 0]]} selected=${cursor.b} onRow=${(b) => go({b})} rows=${rows.slice(0, 500).map((one) => {
      const [step, reason, what] = after.why[one.why] || ["", "", ""];
      return {key: one.row, cells: [html`<code>${DATA.blocks.id[one.row]}</code>`, html`<${Name} row=${one.row} size=${30} />`, html`<${Swatch} fate=${one.was} />${one.left ? number(one.left) : fateWord(base, one.row, call)}`,
        html`<${Swatch} fate=${one.now} />${one.right ? number(one.right) : what}`, html`<span class="second">${reason}</span>`]};
    })} /></div></section>`;
}
