// View 4: two specs at one call, by block and over all calls; or two calls of one spec.

function CompareView({cursor, go}) {
  const [filter, setFilter] = useState("all"), [other, setOther] = useState(0);
  const [kind, setKind] = useState("specs");
  const specs = DATA.series.length > 1 && kind === "specs", call = cursor.c, before = Math.max(0, other ? other - 1 : call - 1);
  const at = specs ? (cursor.s + 1) % DATA.series.length : cursor.s;
  const sides = specs ? [[SPEC_NAMES[cursor.s], seriesOf(cursor), call], [SPEC_NAMES[at], DATA.series[at], call]]
    : [[`call ${number(before + 1)}`, seriesOf(cursor), before], [`call ${number(call + 1)}`, seriesOf(cursor), call]];
  if (!callCount()) return html`<${Empty} />`;
  const rows = useMemo(() => differences(sides), [cursor.s, at, call, before]);
  const groups = {all: rows, first: rows.filter((one) => one.first && !one.second), second: rows.filter((one) => one.second > one.first), same: rows.filter((one) => one.first === one.second)};
  const [[one, , ], [two, , ]] = sides;
  return html`<div class="compare"><div class="compare-head"><section aria-label="Both requests"><header><h2>${specs ? html`Call ${number(call + 1)} under both <small>same moment, same session, two specs</small>` : html`Two calls of one spec`}</h2>
      <${Legend} entries=${STACK_LEGENDS.layer()} />
      ${DATA.series.length > 1 && html`<${Choice} label="Compare" value=${kind} onPick=${setKind} options=${[["specs", "two specs"], ["calls", "two calls"]]} />`}</header>
      ${!specs && html`<label class="second">call before <input type="number" min="1" max=${callCount()} value=${before + 1} onInput=${(event) => setOther(Number(event.target.value))} /></label>`}
      <${Bars} sides=${sides} /></section>
    <${Differences} sides=${sides} specs=${specs} /></div>
    ${specs && html`<${Verdict} sides=${sides} go=${go} />`}
    <div class="compare-body"><section aria-label="By block"><header><h2>By block <small>largest difference first</small></h2><${Legend} entries=${FATE_LEGEND} />
      <${Choice} label="Blocks" value=${filter} onPick=${setFilter} options=${[["all", `all ${number(groups.all.length)}`], ["first", `only in ${one} ${number(groups.first.length)}`], ["second", `more in ${two} ${number(groups.second.length)}`], ["same", `same ${number(groups.same.length)}`]]} /></header>
      <${BlockTable} rows=${groups[filter]} sides=${sides} cursor=${cursor} go=${go} /></section>
    ${specs && html`<section aria-label="Where they part" class="parting"><h2>Where they part, all calls <small>blocks × calls</small></h2>
      <${PartingMap} sides=${sides} cursor=${cursor} go=${go} /></section>`}</div></div>`;
}

/** Every block that had happened, with its tokens on both sides, the largest difference first. */
function differences([[, left, at], [, right, then]]) {
  const sizes = [new Map(sizesAt(left, at)), new Map(sizesAt(right, then))], rows = [];
  for (let row = 0; row < blockCount(); row += 1) {
    const fates = [fateAt(left, row, at)[0], fateAt(right, row, then)[0]];
    if (fates[0] || fates[1]) rows.push({key: row, row, fates, first: sizes[0].get(row) || 0, second: sizes[1].get(row) || 0});
  }
  const made = [engineAt(left, at), engineAt(right, then)];
  for (const id of new Set(made.flat().map((one) => one.id))) {
    const tokens = made.map((list) => list.find((one) => one.id === id)?.tokens || 0);
    rows.push({key: id, row: -1, id, fates: [0, 0], first: tokens[0], second: tokens[1], reason: made.flat().find((one) => one.id === id).reason});
  }
  return rows.sort((a, b) => Math.abs(b.second - b.first) - Math.abs(a.second - a.first));
}

function Bars({sides}) {
  const top = topOf(Math.max(...sides.map(([, series, call]) => Math.max(series.tokens[call], Math.min(series.budget[call], 4 * series.tokens[call])))));
  return html`<div class="bars">${sides.map(([name, series, call]) => html`<div class="bar-row" key=${name}><b>${name}</b><div><div class="bar" aria-hidden="true">${LAYERS.map((layer) => html`<span class=${`layer-${layer}`} style=${{width: `${100 * series.layers[layer][call] / top}%`}}></span>`)}</div>
    <div class="read-bar" style=${{width: `${100 * series.read[call] / top}%`}} title="read from the cache"></div></div><b class="num" data-value="tokens">${number(series.tokens[call])}</b></div>`)}
    <p class="second">0 to ${number(top)} tokens; the line below: read from the cache</p></div>`;
}

function Differences({sides, specs}) {
  const [[one, left, at], [two, right, then]] = sides, bills = [bill(left), bill(right)];
  const money = known() ? [["this request, ¢", left.cost[at] / 1e4, right.cost[then] / 1e4, 2], ...(specs ? [["whole session, $", bills[0].cost / 1e6, bills[1].cost / 1e6, bills[0].cost < 1e5 ? 4 : bills[0].cost < 1e6 ? 3 : 2]] : [])] : [];
  const rows = [["tokens", left.tokens[at], right.tokens[then]], ["prefix kept", left.prefix[at], right.prefix[then]], ...money,
    ...(specs ? [["tokens, whole session", bills[0].tokens, bills[1].tokens], ["prefixes lost", bills[0].losses.length, bills[1].losses.length]] : [])];
  const show = (value, digits) => digits ? value.toFixed(digits).replace("-", MINUS) : number(value);
  return html`<${Table} caption="" columns=${[["", 0], [one, 1], [two, 1], [`${two} ${MINUS} ${one}`, 1]]} rows=${rows.map(([name, a, b, digits]) => ({key: name, cells: [name, show(a, digits), show(b, digits), html`<b>${b > a ? "+" : ""}${show(b - a, digits)}</b>`]}))} />`;
}

/** One sentence with the cause. */
function Verdict({sides, go}) {
  const [[one, left], [two, right]] = sides, a = bill(left), b = bill(right);
  if (!a.tokens || !b.tokens) return null;
  const fewer = 1 - b.tokens / a.tokens, dearer = a.cost ? b.cost / a.cost - 1 : 0;
  const causes = Object.entries(b.groups).sort((x, y) => y[1].count - x[1].count).map(([name, group]) => `${number(group.count)} to the ${name}`).join(", ");
  const first = b.losses[0];
  return html`<p class="verdict"><b>${two} sends ${percent(Math.abs(fewer))} ${fewer >= 0 ? "fewer" : "more"} tokens${known() ? ` and costs ${percent(Math.abs(dearer))} ${dearer > 0 ? "more" : "less"}` : ""}.</b> It loses ${plural(b.losses.length, "prefix").replace("prefixs", "prefixes")}${causes ? ` (${causes})` : ""}, ${one} ${number(a.losses.length)}; of what it sends ${percent(b.share)} is read from the cache, of ${one} ${percent(a.share)}.
    ${first ? html` <button class="link" onClick=${() => go({s: DATA.series.indexOf(right), c: first.call, v: "session"})}>Show the first</button>` : ""}</p>`;
}

const MOST_DIFFERENCES = 60;

function BlockTable({rows, sides, cursor, go}) {
  const [all, setAll] = useState(false), shown = all ? rows.slice(0, 2000) : rows.slice(0, MOST_DIFFERENCES);
  const sizes = rows.filter((one) => one.row >= 0).map((one) => Math.abs(one.second - one.first)), most = Math.max(1, ...sizes.slice(0, 50));
  const [[one, left, at], [two, right, then]] = sides;
  const cell = (row, side, series, call) => row.row < 0 ? (side ? html`<${Swatch} fate="engine" />${number(side)}` : "not in it")
    : html`<${Swatch} fate=${fateAt(series, row.row, call)[0]} />${side ? number(side) : fateWord(series, row.row, call)}`;
  const list = shown.map((row) => ({key: row.key, cells: [
    html`<code>${row.row >= 0 ? DATA.blocks.id[row.row] : clip(row.id, 14)}</code>`, row.row >= 0 ? html`<${Name} row=${row.row} size=${28} />` : html`<span class="second">${["engine-made", clip(row.reason || "", 40)].filter(Boolean).join(", ")}</span>`,
    row.row >= 0 ? originalCount(row.row) : "", cell(row, row.first, left, at), cell(row, row.second, right, then), html`<${Difference} value=${row.second - row.first} most=${most} />`]}));
  return html`<div class="table-box"><${Table} caption="" columns=${[["block", 0], ["", 0], ["original", 1], [one, 0], [two, 0], [`tokens, ${two} ${MINUS} ${one}`, 0]]} rows=${list} selected=${cursor.b} onRow=${(key) => typeof key === "number" && go({b: key})} /></div>
    ${shown.length < rows.length && html`<button onClick=${() => setAll(true)}>${number(rows.length - shown.length)} blocks more</button>`}`;
}

/** A bar to the left or the right of a middle; one that does not fit is visibly broken. */
function Difference({value, most}) {
  const share = Math.min(1, Math.abs(value) / most);
  return html`<span class="difference"><i class=${`${value < 0 ? "less" : "more"} ${Math.abs(value) > most ? "broken" : ""}`} style=${{width: `${50 * share}%`}}></i><small>${value ? signed(value) : ""}</small></span>`;
}

function PartingMap({sides, cursor, go}) {
  const [[one, left], [two, right]] = sides, rows = useMemo(() => [...DATA.blocks.id.keys()], []);
  const draw = (context, width, height, ratio) => drawPart(context, width, height, ratio, left, right, rows);
  const point = (x, y) => go({c: Math.floor(x * callCount()), b: Math.floor(y * blockCount())});
  return html`<div class="parting-map"><${Canvas} draw=${draw} deps=${[left, right]} onPoint=${point} label=${`Where ${one} and ${two} part, ${number(blockCount())} blocks over ${plural(callCount(), "call")}`} />
    <i class="cross" style=${{left: `${100 * (cursor.c + 0.5) / callCount()}%`}}></i></div>
    <${Legend} entries=${[["raw", `more of it in ${one}`], ["compacted", `more of it in ${two}`], ["dropped", "alike"]]} />`;
}

/** A block's runs under both, cut where either changes. */
function drawPart(context, width, height, ratio, left, right, rows) {
  const colours = [packed("dropped"), packed("raw"), packed("compacted")];
  const both = {fates: rows.map((row) => {
    const flat = [], starts = new Set([...runsOf(left, row), ...runsOf(right, row)].map(([from]) => from));
    for (const call of [...starts].sort((a, b) => a - b)) {
      const fates = [fateAt(left, row, call)[0] || 9, fateAt(right, row, call)[0] || 9];
      flat.push(call, fates[0] === fates[1] ? 0 : fates[0] < fates[1] ? 1 : 2, 0);
    }
    return flat;
  })};
  return drawMap(context, width, height, ratio, both, rows, [0, callCount()], (kind) => colours[kind]);
}
