// Numbers and texts as people read them. Content is only ever a text node; what is not printable
// is a named box.

const MINUS = "\u2212";
// by hand: toLocaleString takes a tenth of a millisecond, and a step of the cursor writes hundreds
const number = (value) => String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, ",").replace("-", MINUS);
const signed = (value) => (value > 0 ? "+" : "") + number(value);
const known = () => Boolean(DATA.target.prices);
const dollars = (micro) => `${micro < 0 ? MINUS : ""}$${(Math.abs(micro) / 1e6).toFixed(
  Math.abs(micro) < 1e5 ? 4 : Math.abs(micro) < 1e6 ? 3 : 2)}`;
const cents = (micro) => `${micro < 0 ? MINUS : ""}${(Math.abs(micro) / 1e4).toFixed(2)} ¢`;
const percent = (share) => `${(100 * share).toFixed(share < 0.1 ? 1 : 0)} %`;
const short = (value) => value >= 1e6 ? `${(value / 1e6).toFixed(2)} M`
  : value >= 1e4 ? `${(value / 1e3).toFixed(value < 1e5 ? 1 : 0)} k` : number(value);
const plural = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : noun.endsWith("x") ? "es" : "s"}`;
const plain = (text) => text.replace(/\s+/g, " ").trim();

// control characters, zero-width ones, and those that turn the direction of a line; not the first
// half of a line's end as Windows writes it
const HIDDEN = /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufe00-\ufe0f\ufeff\ufff9-\ufffb]/g;
const OURS = /<\/?(?:context_block|context_pack|section)\b[^>]*>|\[full output: [^\]\n]{1,200}\]|\[(?:interrupted|pending)[^\]\n]{0,80}\]/g;
const LINE = 2000, LINES = 400;

/** A text as nodes: hidden characters and markers as boxes, long lines and texts folded. */
function Content({text, mark, engine, whole}) {
  const [open, setOpen] = useState(false);
  const lines = text.split("\n"), folded = !open && !whole && lines.length > LINES;
  const shown = (folded ? lines.slice(0, LINES) : lines).map((line) =>
    line.length > LINE && !open ? `${line.slice(0, LINE)}\u2026 ${number(line.length - LINE)} characters more` : line);
  const body = shown.join("\n");
  return html`${boxed(body, mark, engine)}${folded && html`
    <button class="link" onClick=${() => setOpen(true)}>${number(lines.length - LINES)} lines more</button>`}`;
}

/** A text by its number; one that the page does not hold says so, and live is fetched. */
function StoredText({number: at, render: show, mark}) {
  const [, again] = useState(0), left = leftOut(at);
  if (!left) return show ? show() : html`<${Content} text=${textOf(at)} mark=${mark} />`;
  const load = async () => {
    const {entry} = await (await fetch(`text?sha256=${left.sha256}`)).json();
    if (entry === null) return;
    loaded.set(left.sha256, entry);
    again((n) => n + 1);
  };
  return html`<span class="left-out">not in this page: ${number(left.left)} characters, sha256 ${left.sha256}${
    DATA.live ? html` <button class="link" onClick=${load}>load</button>` : ""}</span>`;
}

function boxed(text, mark, engine) {
  const pattern = new RegExp(`${HIDDEN.source}|${OURS.source}`, "g"), nodes = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    if (match.index > at) nodes.push(...marked(text.slice(at, match.index), mark));
    const hit = match[0];
    if (hit.length === 1 || HIDDEN.test(hit)) {
      nodes.push(html`<span class="hidden-char" title="a character that can not be seen">U+${
        hit.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}</span>`);
    } else if (engine) nodes.push(html`<span class="engine">${hit}</span>`);
    else nodes.push(html`<span class="marker" title="a marker of ours, in content">${hit}</span>`);
    HIDDEN.lastIndex = 0;
    at = match.index + hit.length;
  }
  if (at < text.length) nodes.push(...marked(text.slice(at), mark));
  return nodes;
}

/** The places of what is searched for, underlined. */
function marked(text, mark) {
  if (!mark) return [text];
  const nodes = [], low = text.toLowerCase(), hit = mark.toLowerCase();
  let at = 0;
  for (let next = low.indexOf(hit); next >= 0; next = low.indexOf(hit, at)) {
    if (next > at) nodes.push(text.slice(at, next));
    nodes.push(html`<mark>${text.slice(next, next + hit.length)}</mark>`);
    at = next + hit.length;
  }
  nodes.push(text.slice(at));
  return nodes;
}

const clip = (text, size) => { const flat = plain(text); return flat.length > size ? `${flat.slice(0, size - 1)}\u2026` : flat; };

const TELLING = /"(?:path|file_path|filename|file|command|cmd|query|q|url|pattern|name|id)"\s*:\s*"((?:[^"\\]|\\.)*)/;

const ANY_VALUE = /:\s*"((?:[^"\\]|\\.)+)/;

/** How a block begins; of a call the argument that tells most, of a path its end. */
function beginsOf(row) {
  const text = DATA.blocks.begins[row], match = text.startsWith("{") && (TELLING.exec(text) || ANY_VALUE.exec(text));
  const words = match ? (/^[^\s]*\/[^\s]*$/.test(match[1]) ? match[1].split("/").filter(Boolean).pop() : match[1]) : text;
  return (words || text).replace(HIDDEN, "\u00b7");
}

/** Who said a block, and how it begins, without characters that can not be seen. */
function Name({row, size = 48}) {
  const begins = beginsOf(row);
  return html`<b>${clip(DATA.blocks.who[row].replace(HIDDEN, "\u00b7"), 20)}</b> <span class="second">${clip(begins, size)}</span>`;
}

const nameText = (row) => `${DATA.blocks.id[row]} ${clip(DATA.blocks.who[row], 20)} ${clip(beginsOf(row), 40)}`;

function Swatch({fate}) {
  return html`<span class=${`swatch ${FATES[fate] || fate}`} aria-hidden="true"></span>`;
}

/** What is left of a block at a call, in a word. */
function fateWord(series, row, call) {
  const [fate, why] = fateAt(series, row, call);
  if (!fate) return "not yet";
  const [, , what] = series.why[why] || ["", "", ""];
  if (fate === SUMMARIZED) return what.startsWith("its values") ? "values" : "summary";
  return {1: "raw", 2: "compacted", 3: "truncated", 4: "a line", 6: what === "not selected" ? "not selected" : "dropped"}[fate];
}
