// The data of the page, read once, and what follows from it. Nothing here touches the document but
// the block of JSON; nothing changes the data.

const {html, render, Fragment, useState, useEffect, useLayoutEffect, useRef, useMemo} = Vendor;

let DATA = JSON.parse(document.getElementById("data").textContent);

const FATES = ["", "raw", "compacted", "truncated", "folded", "summarized", "dropped"];
const RAW = 1, FOLDED = 4, SUMMARIZED = 5, DROPPED = 6;
const LAYER_NAMES = {
  instruction: "instruction", tools: "tools", overhead: "overhead", note: "note (engine-made)",
  text: "state, memory", earlier: "earlier turns", running: "running turn",
};
const LAYERS = Object.keys(LAYER_NAMES);
const SPEC_NAMES = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

const callCount = () => DATA.calls.position.length;
const blockCount = () => DATA.blocks.id.length;
const seriesOf = (cursor) => DATA.series[cursor.s] || DATA.series[0];
const sum = (list) => list.reduce((a, b) => a + b, 0);

/** The newest entry of `[[call, value], ...]` at a call. */
function valueAt(list, call) {
  let low = 0, high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle][0] <= call) low = middle + 1; else high = middle;
  }
  return low ? list[low - 1][1] : undefined;
}

/** The runs of a block's fate: `[from, to, fate, why]`, `to` not included. */
function runsOf(series, row) {
  const flat = series.fates[row] || [], runs = [];
  for (let n = 0; n < flat.length; n += 3) {
    const stop = n + 3 < flat.length ? flat[n + 3] : callCount();
    runs.push([flat[n], stop, flat[n + 1], flat[n + 2]]);
  }
  return runs;
}

/** The runs of a block as one reads them: neighbours that leave the same of it are one. */
function wordedRuns(series, row) {
  const runs = [];
  for (const [from, to, fate, why] of runsOf(series, row)) {
    const what = series.why[why][2], last = runs[runs.length - 1];
    if (last && last.fate === fate && last.what === what) last.to = to; else runs.push({from, to, fate, what});
  }
  return runs;
}

/** `[fate, why, since]` of a block at a call; fate 0 where it had not happened. */
function fateAt(series, row, call) {
  const flat = series.fates[row] || [];
  for (let n = flat.length - 3; n >= 0; n -= 3) {
    if (flat[n] <= call) return [flat[n + 1], flat[n + 2], flat[n]];
  }
  return [0, -1, 0];
}

const walks = new WeakMap(), KEPT = 128;  // calls between two values that are kept to go on from

/** What stands at a call where only changes are stored; goes on from the call before, or from the
 * nearest value that was kept. It is changed in place by the next walk: who keeps it copies it. */
function walked(list, call, start, step, copy) {
  let walk = walks.get(list);
  if (!walk) walks.set(list, walk = {call: -1, value: start(), kept: []});
  if (walk.call > call || walk.call < call - KEPT) {
    const near = Math.min(Math.floor(call / KEPT), walk.kept.length) - 1;
    if (near >= 0) { walk.call = (near + 1) * KEPT - 1; walk.value = copy(walk.kept[near]); }
    else if (walk.call > call) { walk.call = -1; walk.value = start(); }
  }
  while (walk.call < call) {
    walk.call += 1;
    walk.value = step(walk.value, list[walk.call]);
    if (walk.call % KEPT === KEPT - 1 && walk.kept.length === (walk.call + 1) / KEPT - 1) walk.kept.push(copy(walk.value));
  }
  return walk.value;
}

/** Numbers of the parts of a call's request, -1 between messages. */
function itemsAt(series, call) {
  return walked(series.requests, call, () => [], (items, change) => {
    if (!change) return items;
    const [head, middle, tail] = change;
    items.splice(head, items.length - head - tail, ...middle);
    return items;
  }, (items) => items.slice());
}

/** Tokens of each block that is sent at a call, by row. */
function sizesAt(series, call) {
  return walked(series.sizes, call, () => new Map(), (sizes, change) => {
    for (let n = 0; change && n < change.length; n += 2) {
      if (change[n + 1] >= 0) sizes.set(change[n], change[n + 1]); else sizes.delete(change[n]);
    }
    return sizes;
  }, (sizes) => new Map(sizes));
}

/** What the engine made at a call. */
function engineAt(series, call) {
  return (valueAt(series.engine, call) || []).map(([id, tokens, reason, before, trust, source]) =>
    ({id, tokens, reason, before, trust, source, note: before > 0}));
}

let originals = null;

/** Tokens of each block when it was whole: the most that it took under any spec, or would have taken
 * where a word shortened it from its first request on. */
function originalTokens() {
  if (originals) return originals;
  originals = new Array(blockCount()).fill(0);
  for (const series of DATA.series) {
    for (const change of [...series.sizes, series.whole]) {
      for (let n = 0; n < change.length; n += 2) {
        if (change[n + 1] > originals[change[n]]) originals[change[n]] = change[n + 1];
      }
    }
  }
  return originals;
}

/** A block's own tokens in words: of one that no request had whole nobody counted them. */
function originalCount(row) {
  return originalTokens()[row] ? number(originalTokens()[row]) : "?";
}

/** Blocks of texts, each read when one of its texts is shown: `[first number, element, texts]`. */
const CHUNKS = [...document.querySelectorAll("script.texts")].map((block) => [Number(block.dataset.from), block, null]);
const loaded = new Map();

const textCount = () => DATA.texts ? DATA.texts.length : DATA.count || 0;

/** A text of the table as it is stored: whole, as edits over another, or left out. */
function entryOf(number) {
  let entry;
  if (DATA.texts) entry = DATA.texts[number];
  else {
    let low = 0, high = CHUNKS.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (CHUNKS[middle][0] <= number) low = middle; else high = middle - 1;
    }
    const chunk = CHUNKS[low];
    if (chunk) entry = (chunk[2] ||= JSON.parse(chunk[1].textContent))[number - chunk[0]];
  }
  return entry && entry.sha256 && loaded.has(entry.sha256) ? loaded.get(entry.sha256) : entry;
}

/** `{left, sha256}` of a text that is not in the page; null of one that is. */
const leftOut = (number) => { const entry = entryOf(number); return entry && entry.sha256 ? entry : null; };

/** A text of the table; of a shortened one, the pieces joined; nothing of one that is left out. */
function textOf(number) {
  const entry = entryOf(number);
  if (typeof entry === "string") return entry;
  return Array.isArray(entry) ? piecesOf(number).map((piece) => piece.text).join("") : "";
}

/** Characters of a text, also of one that is left out. */
function lengthOf(number) {
  const entry = entryOf(number);
  if (!Array.isArray(entry)) return entry ? entry.left || entry.length : 0;
  return sum(entry.slice(1).map((piece) => typeof piece === "string" ? piece.length : piece[1] - piece[0]));
}

/** The characters of a text as Python counts them: code points, not UTF-16 units. A list only
 * where the two differ. */
function pointsOf(text) {
  return /[\ud800-\udbff]/.test(text) ? Array.from(text) : text;
}

const cutFrom = (points, start, stop) => typeof points === "string" ? points.slice(start, stop) : points.slice(start, stop).join("");

/** `[{text, kept, start, stop}]` of a shortened text. */
function piecesOf(number) {
  const entry = entryOf(number);
  if (!Array.isArray(entry)) return [{text: textOf(number), kept: true, start: 0, stop: lengthOf(number)}];
  const [original, ...pieces] = entry, points = pointsOf(textOf(original));
  return pieces.map((piece) => typeof piece === "string"
    ? {text: piece, kept: false, start: 0, stop: 0}
    : {text: cutFrom(points, piece[0], piece[1]), kept: true, start: piece[0], stop: piece[1]});
}

/** The original in pieces: what stayed, and what was cut. */
function cutsOf(number) {
  const entry = entryOf(number);
  if (!Array.isArray(entry)) return [];
  const [original, ...pieces] = entry, points = pointsOf(textOf(original)), out = [];
  let at = 0;
  for (const piece of pieces) {
    if (typeof piece === "string") continue;
    if (piece[0] > at) out.push({text: cutFrom(points, at, piece[0]), kept: false});
    out.push({text: cutFrom(points, piece[0], piece[1]), kept: true});
    at = Math.max(at, piece[1]);
  }
  if (at < points.length) out.push({text: cutFrom(points, at, points.length), kept: false});
  return out;
}

/** A part of a request by its number. */
function partOf(number) {
  const [role, kind, row, text, original, tool, block] = DATA.parts[number];
  return {number, role: DATA.roles[role], kind: DATA.kinds[kind], row, text, original, tool, block};
}

/** How many messages a call has. */
function messageCount(series, call) {
  const items = itemsAt(series, call);
  return items.reduce((count, item) => count + (item < 0), items.length && items[0] >= 0 ? 1 : 0);
}

/** Messages of a call: `[{role, parts}]`. */
function messagesAt(series, call) {
  const messages = [];
  for (const item of itemsAt(series, call)) {
    if (item < 0) messages.push([]);
    else (messages.length ? messages[messages.length - 1] : messages[messages.push([]) - 1]).push(partOf(item));
  }
  return messages;
}

/** Losses that are one: less than half of the request is shared with the one before. */
function lossesOf(series) {
  return series.losses.map(([call, loss]) => ({call, ...loss})).filter((loss) =>
    loss.cause === "clock" || 2 * series.prefix[loss.call] < series.tokens[loss.call]);
}

const SPEC_CAUSES = new Set(["step", "spec", "selection"]);

/** What a loss was due to, in a few words. */
function causeOf(loss) {
  const by = loss.step ? ` by ${loss.step}` : "";
  return {
    step: `step ${loss.step_number}${by}`, spec: `changed${by}`,
    selection: `another selection${by}`, state: `a text of the state changed`,
    tools: "the tools changed", instruction: "the instruction changed",
    layout: "messages were joined otherwise", clock: "the cache had forgotten it",
  }[loss.cause] || loss.cause;
}

const causeNoun = (cause) => ({step: "spec", spec: "spec", selection: "spec", clock: "time"}[cause] || cause);

/** Sums over all calls of a spec. */
function billOf(series) {
  const losses = lossesOf(series), groups = {};
  for (const loss of losses) {
    const group = groups[causeNoun(loss.cause)] ||= {count: 0, money: 0, spec: SPEC_CAUSES.has(loss.cause)};
    group.count += 1;
    group.money += loss.microdollars || 0;
  }
  const tokens = sum(series.tokens);
  let nearest = 0;
  series.tokens.forEach((one, call) => {
    const share = series.budget[call] ? one / series.budget[call] : 0;
    if (share > (series.budget[nearest] ? series.tokens[nearest] / series.budget[nearest] : 0)) nearest = call;
  });
  return {
    tokens, cost: sum(series.cost), read: sum(series.read), written: sum(series.written),
    share: tokens ? sum(series.read) / tokens : 0, losses, groups, nearest,
    largest: Math.max(0, ...series.tokens),
    nearness: series.budget[nearest] ? series.tokens[nearest] / series.budget[nearest] : 0,
  };
}

const bills = new WeakMap();
function bill(series) {
  if (!bills.has(series)) bills.set(series, billOf(series));
  return bills.get(series);
}

/** The calls at which the number of steps of a limit grew: `[{call, number}]`. */
function stepsOf(series) {
  const steps = [];
  let last = 0;
  for (const [call, loss] of series.losses) {
    if (loss.cause === "step" && loss.step_number > last) {
      last = loss.step_number;
      steps.push({call, number: last});
    }
  }
  return steps;
}

/** The block that the model wrote in answer to a call; -1 where the session ends. */
function answerRow(call) {
  const position = DATA.calls.position[call];
  return DATA.blocks.start.indexOf(position);
}

const CURSOR = {v: "session", s: 0, c: 0, b: 0, q: "", m: "layer", t: ""};

/** The cursor as the address has it. */
function readCursor() {
  const fields = new URLSearchParams(location.hash.slice(1));
  const cursor = {...CURSOR, c: Math.max(0, callCount() - 1)};
  for (const [key, value] of fields) {
    if (key === "s") cursor.s = Math.max(0, SPEC_NAMES.indexOf(value));
    else if (key === "c") cursor.c = Number(value) - 1 || 0;
    else if (key === "b") cursor.b = Math.max(0, DATA.blocks.id.indexOf(value));
    else if (key in CURSOR) cursor[key] = value;
  }
  if (!fields.has("b")) cursor.b = firstRow(cursor.c);
  return bounded(cursor);
}

/** The newest block that a call could show. */
function firstRow(call) {
  const position = DATA.calls.position[call] ?? 0;
  let row = 0;
  DATA.blocks.start.forEach((start, at) => { if (start < position) row = at; });
  return row;
}

function bounded(cursor) {
  const within = (value, most) => Math.min(Math.max(0, Math.round(value) || 0), Math.max(0, most));
  return {...cursor, s: within(cursor.s, DATA.series.length - 1), c: within(cursor.c, callCount() - 1),
    b: within(cursor.b, blockCount() - 1)};
}

function hashOf(cursor) {
  const fields = new URLSearchParams({v: cursor.v, s: SPEC_NAMES[cursor.s], c: cursor.c + 1});
  if (blockCount()) fields.set("b", DATA.blocks.id[cursor.b]);
  for (const key of ["q", "m", "t"]) if (cursor[key] !== CURSOR[key]) fields.set(key, cursor[key]);
  return `#${fields}`;
}
