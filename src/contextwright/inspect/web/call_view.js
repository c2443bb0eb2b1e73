// View 2: one call as the model reads it; the original beside what was shortened.

const SHOWN = 40;

function CallView({cursor, go, mode}) {
  const series = seriesOf(cursor), call = cursor.c;
  const messages = useMemo(() => messagesAt(series, call), [series, call]);
  const [form, setForm] = useState("text"), list = useRef(null), [frame, setFrame] = useState([0, 1]);
  const error = series.errors.find(([at]) => at === call);
  useCommands({t: () => setForm(after(["text", "json", "original"], form))});
  if (!callCount()) return html`<${Empty} />`;
  const flat = useMemo(() => flatParts(series, call, messages), [series, call, messages]);
  return html`<div class="call-view">
    <${CallSide} series=${series} call=${call} go=${go} />
    <section class="reading" aria-label="As the model reads it"><header><h2>As the model reads it <small>${plural(messages.length, "message")} · ${DATA.target.format}</small></h2>
      <${Choice} label="Form" value=${form} options=${[["text", "text"], ["json", "JSON"], ["original", "original"]]} onPick=${setForm} /></header>
      ${error ? html`<p class="problem">▲ ${error[1]}</p><p>${error[2]}</p><p>${error[3]}</p>`
        : html`<${Messages} flat=${flat} form=${form} cursor=${cursor} go=${go} series=${series} inline=${mode.inline} onFrame=${setFrame} list=${list} />`}</section>
    <${Icicle} flat=${flat} series=${series} cursor=${cursor} go=${go} frame=${frame} />
  </div>`;
}

/** The parts of a call with what a row shows of each: `{part, first, tokens, fate, turn}`; the
 * tokens of a block stand with its first part, and are divided by text for the heights. */
function flatParts(series, call, messages) {
  const sizes = sizesAt(series, call), seen = new Set(), engine = new Map(engineAt(series, call).map((one) => [one.id, one]));
  const lengths = new Map(), flat = [];
  messages.forEach((parts, message) => parts.forEach((part, at) => {
    const key = part.row >= 0 ? part.row : part.block || `${message}.${at}`;
    lengths.set(key, (lengths.get(key) || 0) + lengthOf(part.text) + 1);
    flat.push({part, message, head: !at, key, first: !seen.has(key)});
    seen.add(key);
  }));
  for (const one of flat) {
    const made = engine.get(one.part.block);
    const fixed = one.part.role === "system" && !made;
    one.whole = one.part.row >= 0 ? sizes.get(one.part.row) || 0 : made ? made.tokens : fixed ? series.layers.instruction[call] : 0;
    // the instruction stands above all in the icicle, with the tools
    one.tokens = fixed ? 0 : one.whole * (lengthOf(one.part.text) + 1) / lengths.get(one.key);
    one.fixed = fixed;
    one.fate = one.part.row >= 0 ? fateAt(series, one.part.row, call)[0] : 0;
    one.engine = one.part.row < 0 && !fixed;
    one.turn = one.part.row >= 0 ? DATA.blocks.turn[one.part.row] : -1;
    one.made = made;
  }
  return flat;
}

const isShortened = (one) => one.part.original >= 0;

function CallSide({series, call, go}) {
  const words = valueAt(series.words, call) || [], counts = valueAt(series.counts, call) || {};
  const tools = valueAt(series.tools, call) || [], steps = new Map();
  for (const [step, action, count, before, after] of words) {
    const one = steps.get(step) || [];
    one.push([action, count, before, after]);
    steps.set(step, one);
  }
  const loss = valueExact(series.losses, call);
  return html`<aside class="call-side" aria-label="This call"><section><h2>Call ${number(call + 1)} <small>of ${number(callCount())}</small>
      <button aria-label="call before" onClick=${() => go({c: call - 1})}>[</button><button aria-label="call after" onClick=${() => go({c: call + 1})}>]</button></h2>
    <dl class="pairs"><dt>request</dt><dd><b data-value="tokens">${number(series.tokens[call])}</b> of ${number(series.budget[call])}</dd>
      <dt>prefix</dt><dd>${number(series.prefix[call])} kept</dd>
      ${known() && html`<dt>cost</dt><dd>${cents(series.cost[call])}</dd>`}
      <dt>pack</dt><dd><code>${clip(series.pack[call] || "none", 18)}</code></dd></dl></section>
    ${loss && html`<${Loss} loss=${loss} />`}
    <section><h2>Layers</h2><dl class="pairs sums">${LAYERS.filter((name) => series.layers[name][call]).map((name) => html`<dt key=${name}>${LAYER_NAMES[name]}</dt><dd class="num" data-layer=${name}>${number(series.layers[name][call])}</dd>`)}
      <dt>request</dt><dd class="num"><b>${number(series.tokens[call])}</b></dd></dl></section>
    <section><h2>What each word did <small>tokens</small></h2>${steps.size ? html`<dl class="words">${[...steps].map(([step, rows]) => html`<dt><code>${step}</code></dt>
      ${rows.map(([action, count, before, after]) => html`<dd>${number(count)} ${action} <span class="num">${signed(after - before)}</span></dd>`)}`)}</dl>` : html`<p class="second">nothing was changed</p>`}</section>
    <section><h2>Not in it</h2><dl class="pairs sums"><dt>not selected</dt><dd class="num">${number(counts.unselected || 0)}</dd>
      <dt>dropped</dt><dd class="num">${number(sum(words.filter(([, action]) => action === "dropped").map(([, , count]) => count)))}</dd>
      <dt>unrendered parts</dt><dd class="num">${number(counts.unrendered || 0)}</dd>
      <dt>redacted blocks</dt><dd class="num" data-value="redacted">${number(counts.redacted || 0)}</dd></dl></section>
    <section><h2>Tools <small>${number(tools.length)}${counts.inferred ? ", inferred from the calls" : tools.length ? ", given" : ""}</small></h2>
      <p class="second">${tools.map((name) => clip(name, 30)).join(", ") || "none"}</p></section></aside>`;
}

/** The messages in their order; only those near the view are in the document. */
function Messages({flat, form, cursor, go, series, inline, onFrame, list}) {
  const [from, setFrom] = useState(0), heights = useRef(new Map()), target = useRef(null);
  const box = useRef(null);
  const guess = (at) => heights.current.get(at) || 76;
  const offset = (until) => { let all = 0; for (let at = 0; at < until; at += 1) all += guess(at); return all; };
  const wanted = flat.findIndex((one) => one.part.row === cursor.b);
  useLayoutEffect(() => {
    if (wanted >= 0 && (wanted < from || wanted >= from + SHOWN - 8)) setFrom(Math.max(0, wanted - 8));
    target.current = wanted;
  }, [cursor.b, cursor.c, flat]);
  useLayoutEffect(() => {
    const element = box.current;
    for (const child of element.querySelectorAll("[data-at]")) heights.current.set(Number(child.dataset.at), child.offsetHeight);
    if (target.current >= 0) {
      const row = element.querySelector(`[data-at="${target.current}"]`);
      if (row) { element.scrollTop = row.offsetTop - element.offsetTop - 60; target.current = -1; }
    }
    report();
  });
  const report = () => {
    const element = box.current, rows = [...element.querySelectorAll("[data-at]")], top = element.scrollTop + element.offsetTop;
    const seen = rows.filter((row) => row.offsetTop + row.offsetHeight > top && row.offsetTop < top + element.clientHeight).map((row) => Number(row.dataset.at));
    if (seen.length) onFrame((old) => old[0] === seen[0] && old[1] === seen[seen.length - 1] + 1 ? old : [seen[0], seen[seen.length - 1] + 1]);
  };
  const scroll = () => {
    const top = box.current.scrollTop;
    let at = 0, all = 0;
    while (at < flat.length && all + guess(at) < top) { all += guess(at); at += 1; }
    if (at < from + 4 && from > 0 || at > from + SHOWN - 18) setFrom(Math.max(0, Math.min(at - 12, Math.max(0, flat.length - SHOWN))));
    report();
  };
  const stop = Math.min(flat.length, from + SHOWN);
  let rest = 0;
  for (let at = stop; at < flat.length; at += 1) rest += guess(at);
  return html`<div class="messages" ref=${box} onScroll=${scroll} tabindex="0" role="feed" aria-label="Messages">
    <div style=${{height: `${offset(from)}px`}}></div>
    ${flat.slice(from, stop).map((one, at) => html`<${Message} key=${`${cursor.c}.${from + at}`} one=${one} at=${from + at} before=${flat[from + at - 1]} form=${form} cursor=${cursor} go=${go} series=${series} inline=${inline} />`)}
    <div style=${{height: `${rest}px`}}></div></div>`;
}

function Message({one, at, before, form, cursor, go, series, inline}) {
  const {part} = one, [, why] = part.row >= 0 ? fateAt(series, part.row, cursor.c) : [0, -1];
  const [step, reason, what] = series.why[why] || ["", "", ""], on = part.row >= 0 && part.row === cursor.b;
  const turn = one.turn >= 0 && one.turn !== (before ? before.turn : -1);
  const whole = part.row >= 0 ? originalTokens()[part.row] : 0;
  const trust = trustOf(one);
  return html`<article data-at=${at} aria-posinset=${at + 1} aria-setsize="-1" data-trust=${trust || null} class=${`message ${one.engine ? "by-engine" : one.fixed ? "fixed" : FATES[one.fate]} ${on ? "selected" : ""}`}
      onClick=${() => part.row >= 0 && part.row !== cursor.b && go({b: part.row})}>
    ${turn && html`<h3>turn ${number(one.turn + 1)}</h3>`}
    <div class="gutter">${one.first && html`<b>${number(one.whole)}</b>${whole > one.whole && one.fate > RAW ? html` <s>${number(whole)}</s>` : ""}`}
      <code>${part.row >= 0 ? DATA.blocks.id[part.row] : ""}</code></div>
    <div class="body"><p class="who"><span>${one.fixed ? "instruction" : who(part)}</span> ${UNTRUSTED.has(trust) && html`<span class="tag" title="whose words these are">${trust}, untrusted</span>`}
      ${part.row >= 0 && one.fate > RAW && html`<span><${Swatch} fate=${one.fate} />${what}${step ? html` by <code>${step}</code>` : ""}${reason ? `: ${reason}` : ""}</span>`}
      ${one.engine && html`<span><${Swatch} fate="engine" />${part.block ? `made by the engine: ${clip(one.made && one.made.reason || part.block, 60)}` : "put in by the engine"}</span>`}</p>
      <${Body} part=${part} form=${form} inline=${inline} mark=${cursor.q} /></div></article>`;
}

/** Whose words a part holds: a result the tool's, an engine's text those that it was made of. */
function trustOf({part, made, fixed}) {
  if (part.row < 0) return made && made.trust || (fixed ? "operator" : "");
  return part.kind === "result" ? "tool" : {system: "operator"}[part.role] || part.role;
}

/** Words that anybody may have put there. */
const UNTRUSTED = new Set(["tool", "foreign"]);

function who(part) {
  if (part.kind === "call") return html`assistant → <b>${clip(part.tool, 40)}</b>`;
  if (part.kind === "result") return html`result${part.tool ? html` of <b>${clip(part.tool, 40)}</b>` : ""}`;
  return part.kind === "text" ? part.role : `${part.role}, ${part.kind}`;
}

function Body({part, form, inline, mark}) {
  const stored = (at, show) => html`<pre><${StoredText} key=${at} number=${at} mark=${mark} render=${show} /></pre>`;
  const json = () => JSON.stringify({role: part.role, kind: part.kind, tool: part.tool || undefined, text: textOf(part.text)}, null, 1);
  if (form === "json") return stored(part.text, () => html`${json()}`);
  if (form === "original") return stored(part.original >= 0 ? part.original : part.text);
  if (part.original < 0) return stored(part.text, () => html`<${Content} text=${textOf(part.text)} mark=${mark} engine=${part.row < 0} />`);
  const sent = stored(part.text, () => html`${piecesOf(part.text).map((piece) => piece.kept ? html`<${Content} text=${piece.text} mark=${mark} whole />`
    : html`<ins><${Content} text=${piece.text} engine whole /></ins>`)}`);
  const original = stored(part.original, () => leftOut(part.text) || !Array.isArray(entryOf(part.text)) ? html`<${Content} text=${textOf(part.original)} mark=${mark} />` : html`${cutsOf(part.text).map((piece) => piece.kept ? html`<${Content} text=${piece.text} mark=${mark} whole />`
    : html`<${Cut} text=${piece.text} mark=${mark} />`)}`);
  if (inline) return sent;
  return html`<div class="beside"><div><h4>Sent</h4>${sent}</div><div><h4>Original</h4>${original}</div></div>`;
}

const CUT_LINES = 4, CUT_CHARS = 400;

/** What was taken out: hatched; the middle of a long one behind a button. */
function Cut({text, mark}) {
  const [open, setOpen] = useState(false), lines = text.split("\n");
  const brief = lines.length <= CUT_LINES + 2;
  if (open || (brief && text.length < 2 * CUT_CHARS)) return html`<del><${Content} text=${text} mark=${mark} whole /></del>`;
  return html`<del><${Content} text=${lines.slice(0, CUT_LINES).join("\n").slice(0, CUT_CHARS)} mark=${mark} whole />${brief ? "\u2026 " : "\n"}
    <button class="link" onClick=${(event) => { event.stopPropagation(); setOpen(true); }}>${brief ? `${number(text.length - CUT_CHARS)} characters more` : `${number(lines.length - CUT_LINES)} lines more`}</button>${"\n"}</del>`;
}

/** The request in reading order, height = tokens: layer, turn, block; the frame is what is shown. */
function Icicle({flat, series, cursor, go, frame}) {
  const [shape, setShape] = useState("icicle");
  useCommands({T: () => setShape(shape === "table" ? "icicle" : "table"), m: () => setShape(shape === "treemap" ? "icicle" : "treemap")});
  const call = cursor.c, head = sum(["instruction", "tools", "overhead"].map((name) => series.layers[name][call]));
  const total = Math.max(1, head + sum(flat.map((one) => one.tokens)));
  const places = [];
  let reached = head;
  for (const one of flat) { places.push([reached, one.tokens]); reached += one.tokens; }
  const start = places.length && frame[0] < places.length ? places[frame[0]][0] / total : 0;
  const end = places.length ? (places[Math.min(places.length, frame[1]) - 1] || [0, 0]).reduce((a, b) => a + b) / total : 1;
  const draw = (context, width, height) => {
    const colour = palette(), dark = matchMedia("(prefers-color-scheme: dark)").matches, left = 46;
    const y = (tokens) => tokens / total * height;
    context.fillStyle = colour.fixed;
    context.fillRect(left, 0, width - left, Math.max(0, y(head) - 0.5));
    context.font = "11px system-ui, sans-serif";
    context.textBaseline = "middle";
    let at = 0;
    while (at < flat.length) {
      let stop = at;
      while (stop < flat.length && flat[stop].turn === flat[at].turn) stop += 1;
      const top = y(places[at][0]), bottom = y(places[stop - 1][0] + places[stop - 1][1]);
      context.fillStyle = colour.line;
      context.fillRect(0, top, width, 0.5);
      if (bottom - top > 13 && flat[at].turn >= 0) {
        context.fillStyle = colour.second;
        context.fillText(`turn ${flat[at].turn + 1}`, 2, (top + bottom) / 2, left - 4);
      }
      at = stop;
    }
    flat.forEach((one, place) => {
      const top = y(places[place][0]), high = y(places[place][1]);
      context.fillStyle = one.engine ? colour.engine : colour[FATES[one.fate]] || colour.raw;
      context.fillRect(left, top, width - left, Math.max(0.5, high - (high > 3 ? 1 : 0)));
      if (high < 14) return;
      const light = one.fate === RAW || one.fate === 2;
      context.fillStyle = one.engine || !light ? (dark ? (one.engine ? colour.paper : colour.ink) : colour.ink) : dark ? (one.fate === 2 ? "#fff" : colour.paper) : "#fff";
      const name = one.engine ? one.part.block || one.part.role : `${one.part.tool || DATA.blocks.who[one.part.row]} ${clip(beginsOf(one.part.row), 30)}`;
      context.fillText(clip(name.replace(HIDDEN, "·"), 34), left + 5, top + high / 2, width - left - 50);
      context.textAlign = "right";
      context.fillText(number(one.tokens), width - 5, top + high / 2);
      context.textAlign = "left";
    });
  };
  const point = (x, share) => {
    const tokens = share * total, at = places.findIndex(([from, size]) => tokens >= from && tokens < from + size);
    if (at >= 0 && flat[at].part.row >= 0) go({b: flat[at].part.row});
    else if (at >= 0) go({t: `part:${at}`});
  };
  const pick = html`<${Choice} label="Tokens as" value=${shape} options=${[["icicle", "in order"], ["treemap", "treemap"], ["table", "table"]]} onPick=${setShape} />`;
  return html`<section class="icicle" aria-label="Tokens of the call"><header><h2>Tokens <small>${{icicle: "height = tokens", treemap: "area = tokens", table: ""}[shape]}</small></h2>${pick}</header>
    ${shape === "table" ? html`<${PartsTable} flat=${flat} series=${series} cursor=${cursor} go=${go} />`
      : html`<div class=${`icicle-box ${shape}`}>${shape === "treemap" ? html`<${Treemap} flat=${flat} series=${series} cursor=${cursor} go=${go} />`
        : html`<${Canvas} draw=${draw} deps=${[flat, series]} onPoint=${point} label=${`${plural(flat.length, "part")} of ${number(series.tokens[call])} tokens in reading order`} />
    <i class="frame" style=${{top: `${100 * start}%`, height: `${Math.max(0.8, 100 * (end - start))}%`}}></i>`}</div>`}</section>`;
}
