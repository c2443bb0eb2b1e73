// The parts of one call as areas: layer, exchange, part. A switch of the icicle, which keeps the
// reading order; here a large part is found at a glance.

/** The call's parts by layer and exchange: `[{name, layer, tokens, groups: [{key, row, tokens, parts}]}]`;
 * the tokens of all layers sum to the call's. */
function layersOf(flat, series, call) {
  const running = flat.reduce((newest, one) => Math.max(newest, one.turn), -1), layers = new Map(LAYERS.map((name) => [name, {name, tokens: series.layers[name][call], groups: new Map()}]));
  const notes = new Set(engineAt(series, call).filter((one) => one.note).map((one) => one.id));
  flat.forEach((one, at) => {
    if (one.fixed) return;
    const row = one.part.row, name = row < 0 ? (notes.has(one.part.block) ? "note" : "text") : DATA.blocks.turn[row] === running ? "running" : "earlier";
    const groups = layers.get(name).groups, key = row >= 0 ? row : one.part.block || `part ${at}`;
    if (!groups.has(key)) groups.set(key, {key, row, tokens: 0, parts: []});
    const group = groups.get(key);
    group.tokens += one.tokens;
    group.parts.push({at, one, tokens: one.tokens});
  });
  return [...layers.values()].filter((layer) => layer.tokens).map((layer) => ({...layer, groups: [...layer.groups.values()]}));
}

/** Rectangles whose areas are as their sizes, as near to squares as they come (Bruls, Huizing, van
 * Wijk 2000): `[[item, x, y, width, height], ...]`. */
function squares(items, size, x, y, width, height) {
  const rest = items.filter((one) => size(one) > 0).sort((a, b) => size(b) - size(a)), out = [];
  let left = sum(rest.map(size)), at = 0;
  while (at < rest.length && width > 0 && height > 0) {
    const short = Math.min(width, height), scale = width * height / left, row = [];
    let total = 0, worst = Infinity;
    while (at + row.length < rest.length) {
      const next = rest[at + row.length], area = (total + size(next)) * scale;
      const sides = [...row, next].map((one) => { const long = area / short, side = size(one) * scale / long; return Math.max(long / side, side / long); });
      if (Math.max(...sides) > worst) break;
      worst = Math.max(...sides);
      row.push(next);
      total += size(next);
    }
    const deep = total * scale / short;
    let along = 0;
    for (const one of row) {
      const share = size(one) / total * short;
      out.push(width >= height ? [one, x, y + along, deep, share] : [one, x + along, y, share, deep]);
      along += share;
    }
    if (width >= height) { x += deep; width -= deep; } else { y += deep; height -= deep; }
    left -= total;
    at += row.length;
  }
  return out;
}

const HEAD = 14;

/** All rectangles of a call: `{depth, name, x, y, wide, high, layer, group, part}`. */
function treemapOf(layers, width, height) {
  const out = [];
  for (const [layer, x, y, wide, high] of squares(layers, (one) => one.tokens, 0, 0, width, height)) {
    out.push({depth: 0, layer, x, y, wide, high});
    const head = high > 2.5 * HEAD && layer.groups.length ? HEAD : 0;
    for (const [group, gx, gy, gw, gh] of squares(layer.groups, (one) => one.tokens, x + 1, y + head, wide - 2, high - head - 1)) {
      out.push({depth: 1, layer, group, x: gx, y: gy, wide: gw, high: gh});
      for (const [part, px, py, pw, ph] of squares(group.parts, (one) => one.tokens, gx + 0.5, gy + 0.5, gw - 1, gh - 1)) out.push({depth: 2, layer, group, part, x: px, y: py, wide: pw, high: ph});
    }
  }
  return out;
}

const partName = (one) => one.part.row >= 0 ? `${one.part.kind === "result" ? "result of " : ""}${one.part.tool || DATA.blocks.who[one.part.row]} ${beginsOf(one.part.row)}` : one.part.block || one.part.role;

/** Ink or paper, whichever is read on a fate's colour. */
function inkOn(fate, colour) {
  const dark = matchMedia("(prefers-color-scheme: dark)").matches;
  if (fate === "raw" || fate === "compacted") return dark && fate === "raw" ? colour.paper : "#fff";
  return dark && (fate === "summarized" || fate === "dropped") ? colour.ink : dark ? colour.paper : colour.ink;
}

function Treemap({flat, series, cursor, go}) {
  const layers = useMemo(() => layersOf(flat, series, cursor.c), [flat, series, cursor.c]), boxes = useRef([]);
  const draw = (context, width, height) => {
    const colour = palette();
    boxes.current = treemapOf(layers, width, height);
    context.textBaseline = "middle";
    for (const {depth, layer, group, part, x, y, wide, high} of boxes.current) {
      const fate = part && (part.one.engine ? "engine" : FATES[part.one.fate] || "raw");
      if (depth === 0) {
        context.fillStyle = layer.groups.length ? colour.line : colour.fixed;
        context.fillRect(x, y, Math.max(0, wide - 1), Math.max(0, high - 1));
        context.font = "600 11px system-ui, sans-serif";
        context.fillStyle = colour.ink;
        if (high > HEAD && wide > 40) context.fillText(clip(`${LAYER_NAMES[layer.name]} ${number(layer.tokens)}`, Math.floor(wide / 6)), x + 4, y + HEAD / 2 + 1, wide - 8);
      } else if (depth === 2) {
        context.fillStyle = colour[fate];
        context.fillRect(x, y, Math.max(0.5, wide - 0.5), Math.max(0.5, high - 0.5));
        if (wide < 48 || high < 14) continue;
        context.font = "11px system-ui, sans-serif";
        context.fillStyle = inkOn(fate, colour);
        context.fillText(clip(partName(part.one).replace(HIDDEN, "\u00b7"), Math.floor(wide / 6)), x + 4, y + 9, wide - 8);
        if (high > 30) context.fillText(number(part.tokens), x + 4, y + 23, wide - 8);
      }
    }
    context.strokeStyle = colour.accent;
    context.lineWidth = 2;
    for (const {depth, group, x, y, wide, high} of boxes.current) if (depth === 1 && group.row >= 0 && group.row === cursor.b) context.strokeRect(x + 1, y + 1, Math.max(1, wide - 2), Math.max(1, high - 2));
  };
  const size = useRef([1, 1]);
  const point = (x, y) => {
    const [wide, high] = size.current;
    const hit = boxes.current.filter((one) => one.depth && x * wide >= one.x && x * wide < one.x + one.wide && y * high >= one.y && y * high < one.y + one.high).pop();
    if (hit && hit.group.row >= 0) go({b: hit.group.row});
  };
  return html`<${Canvas} draw=${(context, width, height) => { size.current = [width, height]; draw(context, width, height); }} deps=${[layers, cursor.b]} onPoint=${point}
    label=${`Treemap of ${number(series.tokens[cursor.c])} tokens: ${layers.map((one) => `${LAYER_NAMES[one.name]} ${number(one.tokens)}`).join(", ")}`} />`;
}

/** The same as a table: layer, exchange, part. */
function PartsTable({flat, series, cursor, go}) {
  const rows = [];
  for (const layer of layersOf(flat, series, cursor.c)) {
    rows.push({key: layer.name, cells: [html`<b>${LAYER_NAMES[layer.name]}</b>`, "", html`<b data-part-layer=${layer.name}>${number(layer.tokens)}</b>`]});
    for (const group of layer.groups) for (const part of group.parts) {
      rows.push({key: group.row >= 0 ? group.row : `${layer.name}.${part.at}`, cells: [group.row >= 0 ? html`<code>${DATA.blocks.id[group.row]}</code>` : "", clip(partName(part.one), 30), number(part.tokens)]});
    }
  }
  return html`<div class="scroll parts-table" role="region" aria-label="Parts as a table" tabindex="0"><${Table} caption="Parts of the call" columns=${[["layer, exchange", 0], ["part", 0], ["tokens", 1]]} rows=${rows} selected=${cursor.b} onRow=${(b) => typeof b === "number" && go({b})} /></div>`;
}
