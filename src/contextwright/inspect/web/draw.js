// Canvases: one way to draw, at device pixels, in slices that leave the page free.

const COLOURS = ["raw", "running", "compacted", "truncated", "folded", "summarized", "dropped",
  "engine", "fixed", "accent", "ink", "second", "third", "paper", "line"];
let colours = null;

/** The page's colours by name, as the style sheet has them in this theme. */
function palette() {
  if (!colours) {
    const style = getComputedStyle(document.documentElement);
    colours = Object.fromEntries(COLOURS.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }
  return colours;
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
  colours = null;
  dispatchEvent(new Event("theme"));
});

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

const DRAGGED = 5;  // pixels that a press moves before it is a drag and no click

/** A canvas that is drawn anew when `deps`, its size or the theme change. `onDrag(from, to, phase)`
 * is told of a drag, "start", "move" and "end"; with `band` the stretch is shown. */
function Canvas({draw, height, deps, label, onPoint, onOpen, onDrag, band, className = ""}) {
  const canvas = useRef(null), [size, setSize] = useState([0, 0, 0]), drag = useRef(null), [stretch, setStretch] = useState(null);
  useLayoutEffect(() => {
    const box = canvas.current.parentElement;
    const measure = () => setSize((old) => {
      const next = [box.clientWidth, height || box.clientHeight, devicePixelRatio];
      return next.every((one, at) => one === old[at]) ? old : next;
    });
    const observer = new ResizeObserver(measure), theme = () => setSize((old) => [...old]);
    observer.observe(box);
    measure();
    addEventListener("theme", theme);
    return () => { observer.disconnect(); removeEventListener("theme", theme); };
  }, [height]);
  useLayoutEffect(() => {
    const [width, high, ratio] = size, element = canvas.current;
    if (!width || !high) return undefined;
    element.width = Math.round(width * ratio);
    element.height = Math.round(high * ratio);
    element.style.width = `${width}px`;
    element.style.height = `${high}px`;
    const context = element.getContext("2d");
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    return draw(context, width, high, ratio);
  }, [size, ...deps]);
  const at = (event) => {
    const box = canvas.current.getBoundingClientRect();
    return [(event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height];
  };
  const press = (event) => {
    if (event.button) return;
    drag.current = {x: event.clientX, y: event.clientY, from: at(event), moved: false};
    canvas.current.setPointerCapture(event.pointerId);
  };
  const move = (event) => {
    const one = drag.current;
    if (!one || !one.moved && Math.hypot(event.clientX - one.x, event.clientY - one.y) < DRAGGED) return;
    onDrag(one.from, at(event), one.moved ? "move" : "start");
    one.moved = true;
    if (band) setStretch([one.from[0], at(event)[0]].map((x) => Math.min(1, Math.max(0, x))).sort((a, b) => a - b));
  };
  const release = (event) => {
    const one = drag.current;
    drag.current = null;
    setStretch(null);
    if (!one || !one.moved) return;
    addEventListener("click", (click) => click.stopPropagation(), {capture: true, once: true});
    setTimeout(() => dispatchEvent(new Event("click")), 0);  // where the browser sends none, the listener goes with this one
    if (event.type === "pointerup") onDrag(one.from, at(event), "end");
  };
  const dragging = onDrag ? {onPointerDown: press, onPointerMove: move, onPointerUp: release, onPointerCancel: release} : {};
  return html`<canvas ref=${canvas} class=${onDrag ? `${className} draggable` : className} role="img" aria-label=${label} ...${dragging}
    onClick=${onPoint && ((event) => onPoint(...at(event)))}
    onDblClick=${onOpen && ((event) => onOpen(...at(event)))}></canvas>
    ${stretch && html`<i class="band" style=${{left: `${100 * stretch[0]}%`, width: `${100 * (stretch[1] - stretch[0])}%`}}></i>`}`;
}

/** Bars stacked over calls: `columns` is `[[colour, values], ...]`, the first at the bottom. */
function drawStack(context, width, height, columns, range, top) {
  const [first, last] = range, count = last - first, colour = palette();
  const bins = Math.min(count, Math.max(1, Math.floor(width)));
  for (let bin = 0; bin < bins; bin += 1) {
    const from = first + Math.floor(bin * count / bins), to = first + Math.floor((bin + 1) * count / bins);
    let pick = from;  // of several calls in a pixel, the largest: no peak is hidden
    const total = (call) => columns.reduce((all, [, values]) => all + values[call], 0);
    for (let call = from + 1; call < to; call += 1) if (total(call) > total(pick)) pick = call;
    const x = Math.round(bin * width / bins), next = Math.round((bin + 1) * width / bins);
    const wide = next - x - (width / bins > 4 ? 1 : 0);
    let y = height;
    for (const [name, values] of columns) {
      const high = values[pick] / top * height;
      context.fillStyle = colour[name] || name;
      context.fillRect(x, y - high, wide, high + 0.4);
      y -= high;
    }
  }
}

/** How much of a map is drawn: a line on its upper edge, gone with the last slice. */
function hairline(context, wide, share) {
  context.canvas.dataset.drawn = Math.round(100 * share);
  if (share >= 1) return;
  context.save();
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = palette().accent;
  context.fillRect(0, 0, Math.round(wide * share), Math.max(1, devicePixelRatio));
  context.restore();
}

/** The map of fates: rows are blocks, columns calls; painted once for a size and a range. */
function drawMap(context, width, height, ratio, series, rows, range, colourOf) {
  const wide = Math.round(width * ratio), high = Math.round(height * ratio);
  const image = context.createImageData(wide, high), pixels = new Uint32Array(image.data.buffer);
  const [first, last] = range, count = last - first, size = rows.length;
  const perRow = high / Math.max(1, size);
  let y = 0, stopped = false, frame = 0;
  const line = new Uint32Array(wide);
  const paintRow = (row) => {
    line.fill(0);
    for (const [from, to, fate, why] of runsOf(series, row)) {
      if (to <= first || from >= last) continue;
      const colour = colourOf(fate, why, row, from);
      if (!colour) continue;
      const start = Math.max(0, Math.round((from - first) / count * wide));
      const stop = Math.min(wide, Math.max(start + 1, Math.round((to - first) / count * wide)));
      line.fill(colour, start, stop);
    }
  };
  const slice = () => {
    const begun = performance.now();
    while (y < high && performance.now() - begun < 8) {
      // of several blocks in a pixel the one whose fate is rarest next to its neighbours is shown
      const row = Math.min(size - 1, Math.floor((y + 0.5) / perRow));
      paintRow(rows[row]);
      const until = perRow >= 1 ? Math.min(high, Math.ceil((row + 1) * perRow)) : y + 1;
      for (; y < until; y += 1) pixels.set(line, y * wide);
      if (y < high && y < Math.floor((row + 1) * perRow)) y = Math.floor((row + 1) * perRow);
    }
    context.putImageData(image, 0, 0);
    hairline(context, wide, y / high);
    if (y < high && !stopped) frame = requestAnimationFrame(slice);
  };
  if (size && count) slice();
  return () => { stopped = true; cancelAnimationFrame(frame); };
}

/** The map by groups: a cell is split by the original tokens of its members' fates, the whole on
 * top, so that a group never hides a small whole block. */
function drawGroups(context, width, height, ratio, series, groups, range, colour) {
  const wide = Math.round(width * ratio), high = Math.round(height * ratio), whole = originalTokens();
  const image = context.createImageData(wide, high), pixels = new Uint32Array(image.data.buffer);
  const [first, last] = range, count = last - first;
  let line = 0, stopped = false, frame = 0;
  const paint = ({rows}, at) => {
    const top = Math.round(at * high / groups.length), bottom = Math.max(top + 1, Math.round((at + 1) * high / groups.length) - (high / groups.length > 6 ? 1 : 0));
    const sums = Array.from({length: FATES.length}, () => new Float64Array(count));
    for (const row of rows) {
      for (const [from, to, fate] of runsOf(series, row)) {
        for (let call = Math.max(from, first); call < Math.min(to, last); call += 1) sums[fate][call - first] += whole[row] + 1;
      }
    }
    for (let x = 0; x < wide; x += 1) {
      const call = Math.floor(x / wide * count), total = sums.reduce((all, one) => all + one[call], 0);
      if (!total) continue;
      let reached = top, upto = 0;
      for (let fate = 1; fate < FATES.length; fate += 1) {
        if (!sums[fate][call]) continue;
        upto += sums[fate][call];
        const stop = Math.max(reached + 1, Math.round(top + upto / total * (bottom - top)));
        for (; reached < Math.min(stop, bottom); reached += 1) pixels[reached * wide + x] = colour[fate];
      }
    }
  };
  const slice = () => {
    const begun = performance.now();
    while (line < groups.length && performance.now() - begun < 8) { paint(groups[line], line); line += 1; }
    context.putImageData(image, 0, 0);
    hairline(context, wide, line / groups.length);
    if (line < groups.length && !stopped) frame = requestAnimationFrame(slice);
  };
  if (count) slice();
  return () => { stopped = true; cancelAnimationFrame(frame); };
}

/** A colour of the palette as one number for an image's pixels. */
function packed(name) {
  const [r, g, b] = rgb(palette()[name]);
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

/** The colours of the fates as numbers. */
const fateColours = () => FATES.map((name) => name ? packed(name) : 0);

/** A round number above a value: the top of an axis; of nothing, one. */
function topOf(value) {
  const power = 10 ** Math.floor(Math.log10(value || 1));
  return [1, 2, 2.5, 4, 5, 8, 10].map((one) => one * power).find((one) => one >= value) || value;
}
