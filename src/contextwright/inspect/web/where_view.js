// View 3: where did X go? Found as text in originals, arguments, tool names and engine-made notes.

const searches = new Map();

/** Numbers of the texts that hold what is searched for. */
function hitsOf(query) {
  const key = query.toLowerCase();
  if (!searches.has(key)) {
    const hits = new Set();
    for (let at = 0; key && at < textCount(); at += 1) if (textOf(at).toLowerCase().includes(key)) hits.add(at);
    if (searches.size > 20) searches.clear();
    searches.set(key, hits);
  }
  return searches.get(key);
}

/** The blocks whose original text, or whose tool's name, holds it. */
function carriersOf(query) {
  const hits = hitsOf(query), low = query.toLowerCase();
  return [...DATA.blocks.id.keys()].filter((row) => low && DATA.blocks.texts[row].some(([, text, name]) => hits.has(text) || name.toLowerCase().includes(low)));
}

/** How many texts are not in the page. */
const unread = () => DATA.left && !DATA.live ? DATA.left.texts : 0;

function Unsearched() {
  return unread() ? html`<b> Not searched: ${plural(unread(), "text")} of older calls, which are not in this page (<code>--texts</code> keeps them, <code>--serve</code> searches them). </b>` : null;
}

const ABSENT = 0, IN_NOTE = 1, IN_BLOCK = 2;

/** For each call: in a block, only in what the engine made, or not in the request. */
function presenceOf(series, query) {
  const hits = hitsOf(query), low = query.toLowerCase(), kinds = DATA.parts.map(([, , row, text, , tool]) =>
    hits.has(text) || tool.toLowerCase().includes(low) ? (row >= 0 ? IN_BLOCK : IN_NOTE) : ABSENT);
  return series.tokens.map((_, call) => {
    let best = ABSENT;
    for (const item of itemsAt(series, call)) if (item >= 0 && kinds[item] > best) best = kinds[item];
    return best;
  });
}

/** The calls whose answer holds it: the model used it. */
function usesOf(query) {
  const hits = hitsOf(query), uses = [];
  for (let call = 0; call < callCount(); call += 1) {
    const row = answerRow(call);
    if (row >= 0 && DATA.blocks.texts[row].some(([kind, text]) => DATA.kinds[kind] !== "result" && hits.has(text))) uses.push(call);
  }
  return uses;
}

function WhereView({cursor, go}) {
  const query = cursor.q.trim(), [asked, setAsked] = useState("");
  useEffect(() => {
    if (!query || !DATA.live || !DATA.left) return;
    fetch(`find?${new URLSearchParams({q: query})}`).then((answer) => answer.json()).then(({texts}) => {
      const hits = hitsOf(query);
      for (const one of texts) hits.add(one);
      setAsked(query);
    }).catch(() => setAsked(query));
  }, [query]);
  const found = useMemo(() => query && {
    rows: carriersOf(query), uses: usesOf(query), presence: DATA.series.map((series) => presenceOf(series, query)),
  }, [query, asked === query]);
  if (!query) return html`<div class="empty"><h1>Where did … go?</h1><p>Type a word, a number, a name: <kbd>/</kbd>. The answer says in which requests it was, in which block or note, and what took it out.</p></div>`;
  if (!found.rows.length && !found.presence.flat().some(Boolean)) {
    return html`<div class="empty"><h1>“${query}” is nowhere in this session</h1><p>Searched: ${number(textCount() - unread())} texts of messages, arguments, results and notes.<${Unsearched} />${Object.keys(DATA.redactions).length ? " Redacted values are not in the page and can not be found." : ""}</p></div>`;
  }
  const born = Math.min(...found.rows.map((row) => runsOf(DATA.series[0], row)[0]?.[0] ?? callCount()), callCount());
  const start = found.rows.length ? Math.max(0, born) : 0, range = [Math.max(0, Math.min(start, callCount() - 1)), callCount()];
  const row = found.rows.includes(cursor.b) ? cursor.b : found.rows[0];
  return html`<div class="where columns"><div class="charts">
    <${Answer} query=${query} found=${found} range=${range} go=${go} />
    <section aria-label="In the request"><header><h2>In the request <small>a line a spec</small></h2>
      <${Legend} entries=${[["raw", "in a block"], ["folded", "only in what the engine wrote"], ["dropped", "not in the request"]]} />
      <span class="second legend-text">▼ the model used it</span></header>
      <div class="track"><div class="row-labels">used by the model</div><div class="plot uses">${found.uses.filter((call) => call >= range[0]).map((call) => html`
        <button key=${call} class=${`mark ${found.presence[cursor.s][call] ? "" : "absent"}`} style=${{left: `${100 * (call + 0.5 - range[0]) / (range[1] - range[0])}%`}} aria-label=${`used at call ${call + 1}${found.presence[cursor.s][call] ? "" : ", while it was not in the request"}`}
          onClick=${() => go({c: call})}>▼</button>`)}</div></div>
      ${found.presence.map((list, at) => html`<${Presence} key=${at} name=${SPEC_NAMES[at]} list=${list} range=${range} cursor=${cursor} go=${go} />`)}
      <div class="x-axis plain">${ticks(range).map((call) => html`<span style=${{left: `${100 * (call - range[0]) / (range[1] - range[0])}%`}}>${call === range[0] ? "call " : ""}${number(call + 1)}</span>`)}</div></section>
    <section aria-label="What carries it"><header><h2>What carries it <small>${plural(found.rows.length, "block")}, oldest first</small></h2></header>
      <${Carriers} rows=${found.rows} row=${row} range=${range} cursor=${cursor} go=${go} /></section>
    <p class="second"><${Unsearched} />Found as text, also in arguments, tool names and the notes that the engine made.${Object.keys(DATA.redactions).length ? ` Not searched: ${number(sum(Object.values(DATA.redactions)))} redacted values, which are not in the page.` : ""}</p></div>
    <${Sheet}>${row !== undefined && html`<${Path} row=${row} cursor=${cursor} go=${go} query=${query} />`}</${Sheet}></div>`;
}

/** What became of it, in a sentence a spec. */
function Answer({query, found, range, go}) {
  const total = range[1] - range[0], first = found.rows[0];
  const words = found.presence.map((list, at) => {
    const calls = list.slice(range[0]), gone = calls.filter((one) => one === ABSENT).length, note = calls.filter((one) => one === IN_NOTE).length;
    const used = found.uses.filter((call) => call >= range[0]), blind = used.filter((call) => !list[call]);
    const name = `under ${SPEC_NAMES[at]}`;
    const where = !gone ? `in every request ${name}` : gone === total ? `in no request ${name}` : `missing from ${number(gone)} of ${number(total)} requests ${name}`;
    return {where, note, used, blind, last: gone && calls.lastIndexOf(ABSENT)};
  });
  return html`<section aria-label="Answer"><h1><mark>${query}</mark> is ${words.map((one) => one.where).join(", and ")}.</h1>
    <p class="prose">${first !== undefined ? html`First in <button class="link" onClick=${() => go({b: first})}><code>${DATA.blocks.id[first]}</code></button> (${clip(DATA.blocks.who[first], 20)}), before call ${number(range[0] + 1)}. ` : ""}
    ${words.map((one, at) => html`Under ${SPEC_NAMES[at]} ${one.note ? `${number(one.note)} requests have it only in what the engine wrote; ` : ""}${one.used.length
      ? one.blind.length ? html`the model used it in ${plural(one.used.length, "call")}, in ${number(one.blind.length)} of them without having it: <button class="link" onClick=${() => go({s: at, c: one.blind[0], v: "call"})}>call ${number(one.blind[0] + 1)}</button>. `
        : `the model used it in ${plural(one.used.length, "call")} and had it in sight each time. ` : "the model never wrote it. "}`)}</p></section>`;
}

function Presence({name, list, range, cursor, go}) {
  const spans = [], count = range[1] - range[0];
  for (let call = range[0]; call < range[1]; call += 1) {
    const last = spans[spans.length - 1];
    if (last && last.kind === list[call]) last.stop = call + 1; else spans.push({kind: list[call], start: call, stop: call + 1});
  }
  const absent = list.slice(range[0]).filter((one) => !one).length;
  return html`<div class="track"><div class="row-labels"><b>${name}</b> ${absent ? `missing from ${number(absent)}` : "always there"}</div><div class="plot"><div class="ribbon tall">${spans.map((span) => {
    const wide = 100 * (span.stop - span.start) / count;
    return html`<span key=${span.start} class=${["dropped", "folded", "raw"][span.kind]} style=${{left: `${100 * (span.start - range[0]) / count}%`, width: `${wide}%`}} onClick=${() => go({c: span.start})}>${
      !span.kind && wide > 14 ? `not in ${plural(span.stop - span.start, "request")}` : ""}</span>`;
  })}<i class="cross" style=${{left: `${100 * (cursor.c + 0.5 - range[0]) / count}%`}}></i></div></div></div>`;
}

const MOST_CARRIERS = 60;

function Carriers({rows, row, range, cursor, go}) {
  const [all, setAll] = useState(false), shown = all ? rows : rows.slice(0, MOST_CARRIERS);
  return html`<ul class="carriers">${shown.map((one) => html`<li key=${one} class=${one === row ? "selected" : ""} onClick=${() => go({b: one})}>
    <button class="plain" aria-pressed=${one === row}><code>${DATA.blocks.id[one]}</code> <${Name} row=${one} size=${24} /> <small>${originalCount(one)}</small></button>
    <div>${DATA.series.map((series, at) => html`<${Ribbon} key=${at} series=${series} row=${one} call=${cursor.c} range=${range} words />`)}</div></li>`)}</ul>
    ${shown.length < rows.length && html`<button onClick=${() => setAll(true)}>${number(rows.length - shown.length)} blocks more</button>`}`;
}

/** What became of one carrier under each spec, step by step. */
function Path({row, cursor, go, query}) {
  const text = DATA.blocks.texts[row].map(([, number]) => textOf(number)).find((one) => one.toLowerCase().includes(query.toLowerCase())) || "";
  const at = Math.max(0, text.toLowerCase().indexOf(query.toLowerCase()) - 40);
  return html`<section><h2><code>${DATA.blocks.id[row]}</code> <${Name} row=${row} size=${24} /></h2>
    <p class="second">${originalCount(row)} tokens · turn ${number(DATA.blocks.turn[row] + 1)}</p>
    <pre class="quote"><${Content} text=${text.slice(at, at + 160)} mark=${query} whole /></pre></section>
    ${DATA.series.map((series, place) => html`<section key=${place}><h2>Its path under ${SPEC_NAMES[place]}</h2><ol class="path">${runsOf(series, row).map(([from, to, fate, why]) => {
      const [step, reason, what] = series.why[why];
      return html`<li key=${from}><button class="plain" onClick=${() => go({s: place, c: from, b: row})}>${number(from + 1)}</button>
        <span><${Swatch} fate=${fate} />${what}${step || reason ? html`<small>${step ? html`<code>${step}</code>` : ""} ${reason}</small>` : ""}</span></li>`;
    })}</ol></section>`)}
    <p class="buttons"><button onClick=${() => go({v: "call", b: row})}>Open call <kbd>⏎</kbd></button><button onClick=${() => go({t: `whole:${row}`, b: row})}>Whole <kbd>o</kbd></button></p>`;
}
