// Pieces that several views show: legends, figures, ribbons, tables, the details of the cursor.

/** A row of buttons of which one is on. */
function Choice({label, value, options, onPick}) {
  return html`<div class="choice" role="group" aria-label=${label}>${options.map(([key, text]) => html`
    <button key=${key} aria-pressed=${value === key} onClick=${() => onPick(key)}>${text}</button>`)}</div>`;
}

/** Listens to keys that are a view's own: `{key: what it does}`. */
function useCommands(commands) {
  const newest = useRef(commands);
  newest.current = commands;
  useEffect(() => {
    const act = (event) => newest.current[event.detail] && newest.current[event.detail]();
    addEventListener("command", act);
    return () => removeEventListener("command", act);
  }, []);
}

const after = (list, one) => list[(list.indexOf(one) + 1) % list.length];

function Legend({entries}) {
  return html`<ul class="legend">${entries.map(([name, text]) => html`
    <li key=${name}><${Swatch} fate=${name} />${text}</li>`)}</ul>`;
}

const FATE_LEGEND = [["raw", "raw"], ["compacted", "compacted"], ["truncated", "truncated"],
  ["folded", "folded"], ["summarized", "summarized"], ["dropped", "dropped"], ["engine", "engine-made"]];

function Figure({name, value, children}) {
  return html`<div class="figure"><dt>${name}</dt><dd><strong>${value}</strong> <span>${children}</span></dd></div>`;
}

/** A block's fate over the calls, as one bar; reasons written on it where there is room. */
function Ribbon({series, row, call, words, range}) {
  const [first, last] = range || [0, callCount()], count = Math.max(1, last - first);
  return html`<div class="ribbon">
    ${wordedRuns(series, row).filter(({from, to}) => to > first && from < last).map(({from, to, fate, what}) => {
      const start = (Math.max(from, first) - first) / count, wide = (Math.min(to, last) - Math.max(from, first)) / count;
      return html`<span class=${FATES[fate]} style=${{left: `${100 * start}%`, width: `${100 * wide}%`}}
        title=${`${what}, calls ${from + 1} to ${to}`}>${words && wide > 0.12 ? what : ""}</span>`;
    })}
    <i class="cross" style=${{left: `${100 * (call + 0.5 - first) / count}%`}}></i></div>`;
}

/** A real table: `columns` is `[[head, numeric], ...]`. */
function Table({caption, columns, rows, onRow, selected}) {
  return html`<table><caption class=${caption ? "" : "quiet"}>${caption}</caption>
    <thead><tr>${columns.map(([head, numeric]) => html`<th scope="col" class=${numeric ? "num" : ""}>${head}</th>`)}</tr></thead>
    <tbody>${rows.map(({key, cells}) => html`<tr key=${key} aria-selected=${selected === key}
      class=${selected === key ? "selected" : ""} onClick=${onRow && (() => onRow(key))}>
      ${cells.map((cell, at) => html`<td class=${columns[at][1] ? "num" : ""}>${cell}</td>`)}</tr>`)}</tbody></table>`;
}

const refOf = (row) => `event://${DATA.blocks.id[row]}`;

/** What the cursor stands on: the call, the block, what is around it. */
function Details({cursor, go, order, zoom, setZoom}) {
  const series = seriesOf(cursor), {c: call, b: row} = cursor;
  if (!callCount()) return null;
  return html`<${Sheet}>
    ${(zoom.calls || zoom.rows) && html`<${Minimap} series=${series} rows=${order} zoom=${zoom} setZoom=${setZoom} cursor=${cursor} />`}
    <${CallDetails} series=${series} call=${call} />
    ${blockCount() > 0 && html`<${BlockDetails} series=${series} row=${row} call=${call} go=${go} />
    <${Around} series=${series} row=${row} call=${call} go=${go} order=${order} />`}
  </${Sheet}>`;
}

const SHUT = 30, PEEK = 148;

/** What stands beside the views; on a narrow screen a sheet above the tabs, which is dragged by its
 * handle, opened by a click, and put down by Escape. */
function Sheet({children}) {
  const [high, setHigh] = useState(PEEK), drag = useRef(null), most = () => Math.round(0.7 * innerHeight);
  useEffect(() => {
    if (high <= PEEK) return undefined;
    const press = (event) => {
      if (event.key !== "Escape" || event.target.closest("dialog") || !narrow()) return;
      event.stopPropagation();
      setHigh(PEEK);
    };
    document.addEventListener("keydown", press);  // before the page's own, which hears it on the window
    return () => document.removeEventListener("keydown", press);
  }, [high]);
  const begin = (event) => { drag.current = {y: event.clientY, high, moved: false}; event.currentTarget.setPointerCapture(event.pointerId); };
  const move = (event) => {
    const one = drag.current;
    if (!one || !one.moved && Math.abs(event.clientY - one.y) < DRAGGED) return;
    one.moved = true;
    setHigh(Math.min(most(), Math.max(SHUT, one.high + one.y - event.clientY)));
  };
  const end = () => {
    const moved = drag.current && drag.current.moved;
    if (moved) setHigh((now) => [SHUT, PEEK, most()].sort((a, b) => Math.abs(a - now) - Math.abs(b - now))[0]);
    setTimeout(() => { drag.current = null; }, 0);
  };
  const turn = () => { if (!drag.current || !drag.current.moved) setHigh(high > PEEK ? PEEK : most()); };
  return html`<aside aria-label="Cursor" class="details" style=${{"--sheet": `${high}px`}}>
    <button class="grip" aria-label=${high > PEEK ? "less of the cursor" : "more of the cursor"} aria-expanded=${high > PEEK}
      onPointerDown=${begin} onPointerMove=${move} onPointerUp=${end} onPointerCancel=${end} onClick=${turn}></button>${children}</aside>`;
}

const narrow = () => matchMedia("(max-width: 700px)").matches;

function CallDetails({series, call}) {
  const error = series.errors.find(([at]) => at === call), engine = engineAt(series, call);
  const note = engine.find((one) => one.note), loss = valueExact(series.losses, call);
  if (error) {
    return html`<section><h2>Call ${number(call + 1)}</h2><p class="problem">▲ ${error[1]}</p>
      <p class="second">${error[2]}</p><p>${error[3]}</p></section>`;
  }
  return html`<section><h2>Call ${number(call + 1)} <small>turn ${number(DATA.calls.turn[call] + 1)} · ${
      plural(messageCount(series, call), "message")}</small></h2>
    <dl class="pairs">
      <dt>request</dt><dd><b data-value="tokens">${number(series.tokens[call])}</b> of <span data-value="budget">${number(series.budget[call])}</span></dd>
      <dt>prefix</dt><dd><span data-value="prefix">${number(series.prefix[call])}</span> kept · ${number(Math.max(0, series.tokens[call] - series.prefix[call]))} new</dd>
      ${known() && html`<dt>cost</dt><dd><span data-value="cost">${cents(series.cost[call])}</span> <span class="second">everything ${cents(DATA.everything.cost[call])}</span></dd>`}
    </dl>
    <div class="bar" aria-hidden="true">${LAYERS.map((name) => html`<span class=${`layer-${name}`} style=${{
      width: `${100 * series.layers[name][call] / Math.max(1, series.budget[call])}%`}}></span>`)}</div>
    ${note && html`<p class="second">the note stands for ${number(note.before)} tokens: ${note.reason}</p>`}
    ${loss && html`<${Loss} loss=${loss} />`}
  </section>`;
}

const valueExact = (list, call) => { const entry = list.find(([at]) => at === call); return entry && entry[1]; };

function Loss({loss}) {
  return html`<div class="loss"><p><b>${SPEC_CAUSES.has(loss.cause) ? "▲" : "△"} prefix lost</b>: ${causeOf(loss)}${
      loss.reason ? html`<span class="second"> (${loss.reason})</span>` : ""}</p>
    <dl class="pairs">
      ${loss.piece && html`<dt>differs</dt><dd><code>${loss.piece}</code>, byte ${number(loss.byte || 0)}</dd>`}
      ${loss.block && html`<dt>block</dt><dd><code>${loss.block}</code></dd>`}
      <dt>lost</dt><dd>${number(loss.tokens || 0)} tokens${known() && loss.microdollars ? html` · ${cents(loss.microdollars)}` : ""}</dd>
    </dl></div>`;
}

function BlockDetails({series, row, call, go}) {
  const [fate, why, since] = fateAt(series, row, call), [step, reason, what] = series.why[why] || ["", "", ""];
  const now = sizesAt(series, call).get(row), whole = originalTokens()[row];
  return html`<section data-block=${DATA.blocks.id[row]}>
    <h2><code>${DATA.blocks.id[row]}</code> <${Name} row=${row} size=${26} /></h2>
    <p class="second"><span data-value="original">${originalCount(row)}</span> tokens${now !== undefined && now < whole ? html` → ${number(now)}` : ""}
      ${DATA.blocks.pinned[row] ? " · pinned" : ""} · turn ${number(DATA.blocks.turn[row] + 1)}</p>
    <${Ribbon} series=${series} row=${row} call=${call} />
    <dl class="pairs">
      <dt>now</dt><dd><${Swatch} fate=${fate} /><span data-value="fate">${!fate ? "not yet" : what && what !== FATES[fate] ? `${FATES[fate]}: ${what}` : FATES[fate]}</span></dd>
      ${fate > 0 && html`<dt>since</dt><dd>call ${number(since + 1)}</dd>`}
      ${step && html`<dt>by</dt><dd><code data-value="step">${step}</code></dd>`}
      ${reason && html`<dt>why</dt><dd data-value="reason">${reason}</dd>`}
      <dt>trust</dt><dd data-value="trust">${DATA.blocks.trust[row]}</dd>
      <dt>whole</dt><dd><${CopyRef} text=${refOf(row)} /></dd>
    </dl>
    <p class="buttons">
      <button onClick=${() => go({v: "call"})}>Open call <kbd>⏎</kbd></button>
      <button onClick=${() => go({v: "where", q: whereText(row)})}>Where <kbd>w</kbd></button>
      <button onClick=${() => go({t: `whole:${row}`})}>Whole <kbd>o</kbd></button>
    </p></section>`;
}

/** What to search for to follow a block: its longest word with a digit, else its first words. */
function whereText(row) {
  const text = DATA.blocks.begins[row], words = text.match(/[\w#.@/-]{4,40}/g) || [];
  const telling = words.filter((word) => /\d/.test(word)).sort((a, b) => b.length - a.length)[0];
  return telling || words.sort((a, b) => b.length - a.length)[0] || DATA.blocks.who[row];
}

function CopyRef({text}) {
  const [done, setDone] = useState(false);
  const copy = () => copied(text).then(() => { setDone(true); setTimeout(() => setDone(false), 1500); });
  return html`<button class="link" title="copy" onClick=${copy}><code>${text}</code>${done ? " copied" : ""}</button>`;
}

async function copied(text) {
  try { await navigator.clipboard.writeText(text); } catch {
    const area = document.createElement("textarea");  // pages opened from a file may have no clipboard
    area.value = text;
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
  }
}

const AROUND = 6;

/** The blocks around the cursor's, by name: what the map is at one place. A grid of one column. */
function Around({series, row, call, go, order}) {
  const rows = order || [...DATA.blocks.id.keys()], at = Math.max(0, rows.indexOf(row));
  const shown = rows.slice(Math.max(0, at - AROUND), at + AROUND + 1), sizes = sizesAt(series, call);
  return html`<section><h2>Around it <small>original → now</small></h2>
    <div role="grid" aria-label="Blocks around the cursor" aria-rowcount=${rows.length} tabindex="0" class="around">
    ${shown.map((one) => {
      const [fate] = fateAt(series, one, call);
      return html`<div role="row" key=${one} aria-rowindex=${rows.indexOf(one) + 1} aria-selected=${one === row}
          class=${one === row ? "selected" : ""} onClick=${() => go({b: one})}>
        <span role="gridcell"><${Swatch} fate=${fate} /><code>${DATA.blocks.id[one]}</code></span>
        <span role="gridcell" class="grow"><${Name} row=${one} size=${30} /></span>
        <span role="gridcell" class="num">${originalCount(one)}</span>
        <span role="gridcell" class="num">${fate === RAW ? "raw" : sizes.has(one) ? number(sizes.get(one)) : fateWord(series, one, call)}</span></div>`;
    })}</div></section>`;
}
