"""How fast the page of `ctx inspect` is with many blocks, in a Chromium that is there.

python -m benchmarks.inspector    # writes docs/reference/inspector.md
"""

import os
import platform
import random
import statistics
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from urllib.parse import urlencode
from urllib.request import urlopen

from tests.inspect.browser import PATH
from tests.inspect.builders import data_of, support_session

from contextwright import C, target
from contextwright.compiler.spec_compiler import SpecCompiler
from contextwright.engine.engine import memo_of
from contextwright.inspect.call_moments import call_moments
from contextwright.inspect.live_server import LiveServer
from contextwright.inspect.live_session import LiveSession
from contextwright.inspect.live_sources import StillSource
from contextwright.inspect.page import page

PAGE = Path(__file__).parents[1] / "docs" / "reference" / "inspector.md"
BLOCKS, CALLS, TIMES = 10_000, 5_000, 5
PAINT = "performance.getEntriesByName('first-contentful-paint')[0].startTime"
TASKS = """window.tasks = []; new PerformanceObserver(list => list.getEntries().forEach(
    one => window.tasks.push(one.duration))).observe({type: "longtask", buffered: true})"""
STEP = """key => { const begun = performance.now();
    document.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true}));
    return Promise.resolve().then(() => {}).then(() => {}).then(() => {
        document.body.offsetHeight; return performance.now() - begun; }) }"""
"""A step of the cursor in the page itself: script, and the layout that follows."""
FRAME = "() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0)))"


def large():
    """A page's data with so many blocks and calls; fates drawn at random, texts repeated."""
    dice = random.Random(1)
    data = data_of(support_session(6), ("C.default() | C.compaction(2400)",))
    series, blocks = data["series"][0], data["blocks"]
    for name, column in blocks.items():
        blocks[name] = [column[at % len(column)] for at in range(BLOCKS)]
    blocks["id"] = [f"e{at}" for at in range(BLOCKS)]
    blocks["turn"] = [at // 4 for at in range(BLOCKS)]
    blocks["start"] = [2 * at for at in range(BLOCKS)]
    data["turns"] = [f"question {at}" for at in range(BLOCKS // 4)]
    data["calls"] = {
        "position": [4 * at + 1 for at in range(CALLS)],
        "turn": [at // 2 for at in range(CALLS)],
    }
    long = ("tokens", "budget", "prefix", "read", "written", "cost", "pack")
    for holder, names in (
        (series, long),
        (series["layers"], series["layers"]),
        (data["everything"], data["everything"]),
    ):
        for name in list(names):
            holder[name] = [holder[name][min(at, len(holder[name]) - 1)] for at in range(CALLS)]
    items = [0, [-1, 0] * 20, 0]
    series["requests"] = [*series["requests"], *[items] * CALLS][:CALLS]
    series["sizes"] = [[2 * at, 500, 2 * at + 1, 40] for at in range(CALLS)]
    series["fates"] = [runs_of(at // 2, dice, len(series["why"])) for at in range(BLOCKS)]
    return data


def runs_of(born, dice, whys):
    """A block's life: whole, then told in a note in ever other forms."""
    runs, at, fate = [born, 1, 0], born + dice.randint(20, 60), 4
    while at < CALLS and len(runs) < 36:
        runs += [at, fate, dice.randrange(whys)]
        fate, at = dice.choice([4, 5, 6]), at + dice.randint(100, 700)
    return runs


def opened(browser, address):
    """First paint in ms, and the longest task while it opens."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    context.add_init_script(TASKS)
    tab = context.new_page()
    tab.goto(address)
    tab.wait_for_timeout(1500)
    paint = tab.evaluate(PAINT)
    return tab, paint, max(tab.evaluate("window.tasks"), default=0)


def browsed(folder):
    """Figures of the page in the browser."""
    from playwright.sync_api import sync_playwright

    bare, full = folder / "bare.html", folder / "full.html"
    bare.write_text("<!doctype html><title>bare</title><p>nothing</p>")
    html = page(large())
    full.write_text(html, encoding="utf-8", newline="\n")
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=PATH, args=["--no-sandbox"])
        pairs = [  # in turns: both have what else the machine does
            (opened(browser, bare.as_uri())[1], opened(browser, full.as_uri()))
            for _ in range(TIMES)
        ]
        bares, loads = zip(*pairs, strict=True)
        tab, steps = loads[-1][0], []
        tab.evaluate("window.tasks.length = 0")
        for key in ("ArrowLeft", "ArrowUp") * 10:
            begun = time.perf_counter()
            tab.keyboard.press(key)
            tab.evaluate(FRAME)
            steps.append(1000 * (time.perf_counter() - begun))
        own = [tab.evaluate(STEP, key) for key in ("ArrowLeft", "ArrowUp") * 10]
        walking = max(tab.evaluate("window.tasks"), default=0)
        tab.keyboard.press("2")
        tab.wait_for_timeout(500)
        tab.evaluate("window.tasks.length = 0")
        tab.mouse.move(700, 500)
        for _ in range(20):
            tab.mouse.wheel(0, 500)
            tab.wait_for_timeout(50)
        scrolling = max(tab.evaluate("window.tasks"), default=0)
        version = browser.version
        browser.close()
    return {
        "size": len(html), "bare": statistics.median(bares), "version": version,
        "paint": statistics.median(one[1] for one in loads),
        "opening": statistics.median(one[2] for one in loads),
        "step": statistics.median(steps), "own": statistics.median(own), "walking": walking, "scrolling": scrolling,
    }  # fmt: skip


def live():
    """Seconds of one compile of a call, and of the live page's answer to a moved slider."""
    session, spec = support_session(60), C.default() | C.compaction(8000)
    receiver = target("gpt-5")
    shown = LiveSession(StillSource(session), [(repr(spec), spec)], receiver, "s")
    moment = call_moments(session)[-1].snapshot(session)
    compiles, answers = [], []
    with LiveServer(shown) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        for budget in range(4000, 8000, 400):
            moved = C.default() | C.compaction(budget)
            begun = time.perf_counter()
            SpecCompiler(moved, memo=memo_of(session.log)).compile(moment, receiver)
            compiles.append(time.perf_counter() - begun)
            fields = {"spec": repr(spec), "call": 1 << 20, "budget": budget + 200}
            begun = time.perf_counter()
            urlopen(f"{server.address}try?{urlencode(fields)}").read()  # noqa: S310
            answers.append(time.perf_counter() - begun)
        server.shutdown()
    return statistics.median(compiles), statistics.median(answers)


def main():
    """Measure, and write the page."""
    with TemporaryDirectory() as folder:
        seen = browsed(Path(folder))
    compile_s, answer_s = live()
    rows = [
        ("first paint, a bare page", f"{seen['bare']:.0f} ms", "1.0"),
        ("first paint", f"{seen['paint']:.0f} ms", f"{seen['paint'] / seen['bare']:.1f}"),
        ("longest task while it opens", f"{seen['opening']:.0f} ms", ""),
        ("a step of the cursor, script and layout", f"{seen['own']:.0f} ms", ""),
        (
            "a step of the cursor, to the next frame, the driver's time in it",
            f"{seen['step']:.0f} ms",
            "",
        ),
        ("longest task over 50 ms in 20 steps", f"{seen['walking']:.0f} ms", ""),
        ("longest task over 50 ms while a request scrolls", f"{seen['scrolling']:.0f} ms", ""),
        ("one compile of the call at hand", f"{1000 * compile_s:.1f} ms", "1.0"),
        (
            "the slider's answer, over HTTP, with all that the page shows",
            f"{1000 * answer_s:.1f} ms",
            f"{answer_s / compile_s:.1f}",
        ),
    ]
    table = "\n".join(f"| {what} | {value} | {ratio} |" for what, value, ratio in rows)
    PAGE.write_text(
        f"""# The inspector's speed

Written by `python -m benchmarks.inspector`: a page of {BLOCKS:,} blocks over {CALLS:,} calls (made up, {seen["size"] / 1e6:.1f} MB), in
Chromium {seen["version"]}, 1440 × 900, on {platform.machine()}; medians of {TIMES}. The slider: a session of 241 messages, live.
{os.cpu_count()} processors, {os.getloadavg()[0]:.0f} programs waiting for them or running: what is compared was measured in turns.
Read the ratios; 0 means that no task took 50 ms.

| what | time | ratio |
| --- | ---: | ---: |
{table}

The page without data is {len(page({}).encode()) / 1000:.0f} kB.
"""
    )
    print(PAGE.read_text())


if __name__ == "__main__":
    main()
