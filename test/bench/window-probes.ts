/** Measurements of a page: how long input was blocked, what is idle, frames, memory, and what can be read. */
import { readFileSync } from "node:fs";
import type { Browser, CDPSession, Page } from "playwright-core";

/** Letters of this size in pixels can be read. */
const READABLE = 9;
const IDLE_SECONDS = 5;
/** A window that computes less than this in a second is at rest; examining a graph takes more. */
const REST_SHARE = 0.1;
const REST_SECONDS = 3;
/** One that is not at rest by then is measured as it is. */
const MOST_SECONDS = 40;
/** How long the view is moved in one way. */
const MOVE_MILLIS = 1500;

const WATCH = `(() => {
  window.longest = 0;
  window.slowest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: "longtask" });
  new PerformanceObserver((list) => {
    for (const { processingStart, processingEnd } of list.getEntries())
      window.slowest = Math.max(window.slowest, processingEnd - processingStart);
  }).observe({ type: "event", durationThreshold: 16 });
})()`;

const LOOK = `(() => {
  const canvas = document.querySelector("[data-canvas]").getBoundingClientRect();
  const nodes = [...document.querySelectorAll(".react-flow__node")];
  const zoom = new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport")).transform).a;
  const names = nodes.flatMap((node) => [...node.querySelectorAll("b")].slice(0, 1))
    .filter((title) => parseFloat(getComputedStyle(title).fontSize) * zoom >= ${READABLE}).length;
  const whole = nodes.every((node) => {
    const { left, top, right, bottom } = node.getBoundingClientRect();
    return left >= canvas.left && top >= canvas.top && right <= canvas.right && bottom <= canvas.bottom;
  });
  return { names, whole };
})()`;

const COUNT_FRAMES = `(() => {
  const started = performance.now();
  let frames = 0;
  let last = started;
  const count = (now) => {
    frames++;
    last = now;
    if (window.stopCounting) return;
    requestAnimationFrame(count);
  };
  window.stopCounting = false;
  window.framesPerSecond = () => {
    window.stopCounting = true;
    return (frames * 1000) / Math.max(1, last - started);
  };
  requestAnimationFrame(count);
})()`;

export interface Seen {
  readonly names: number;
  /** Whether all that is drawn is in view. */
  readonly whole: boolean;
}

/** Begins to watch how long input is blocked. */
export async function watch(page: Page): Promise<void> {
  await page.evaluate(WATCH);
}

/** The longest time since it was last asked, in milliseconds; 0 for less than 50 ms. */
export async function longestBlock(page: Page): Promise<number> {
  return Number(await page.evaluate("[window.longest, (window.longest = 0)][0]"));
}

/** The longest time that an input event was handled since it was last asked, in milliseconds; 0 for less than a frame. */
export async function slowestEvent(page: Page): Promise<number> {
  return Number(await page.evaluate("[window.slowest, (window.slowest = 0)][0]"));
}

export async function look(page: Page): Promise<Seen> {
  return (await page.evaluate(LOOK)) as Seen;
}

async function withSession<T>(page: Page, work: (session: CDPSession) => Promise<T>): Promise<T> {
  const session = await page.context().newCDPSession(page);
  try {
    return await work(session);
  } finally {
    await session.detach();
  }
}

async function metric(session: CDPSession, wanted: string): Promise<number> {
  const { metrics } = await session.send("Performance.getMetrics");
  return metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN;
}

/** The share of one core that the page computes while nothing happens to it, once it has done what followed from before. */
export async function idleShare(page: Page): Promise<number> {
  return withSession(page, async (session) => {
    // The time is counted from when a session enables it, so all readings are of one session.
    await session.send("Performance.enable");
    const share = async (seconds: number) => {
      const before = await metric(session, "TaskDuration");
      await page.waitForTimeout(seconds * 1000);
      return ((await metric(session, "TaskDuration")) - before) / seconds;
    };
    let resting = 0;
    for (let passed = 0; passed < MOST_SECONDS && resting < REST_SECONDS; passed++)
      resting = (await share(1)) < REST_SHARE ? resting + 1 : 0;
    return share(IDLE_SECONDS);
  });
}

/** The garbage-collected memory of the page in MB, once its garbage is collected. */
export async function heapMegabytes(page: Page): Promise<number> {
  return withSession(page, async (session) => {
    await session.send("HeapProfiler.collectGarbage");
    await session.send("Performance.enable");
    return (await metric(session, "JSHeapUsedSize")) / 1e6;
  });
}

/** The memory of the largest process that draws pages, in MB: that of the only page. */
export async function processMegabytes(browser: Browser): Promise<number> {
  const session = await browser.newBrowserCDPSession();
  try {
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    const sizes = processInfo.flatMap(({ type, id }) => (type === "renderer" ? [residentBytes(id)] : []));
    return Math.max(...sizes) / 1e6;
  } finally {
    await session.detach();
  }
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes ?? Number.NaN) * 1024;
}

/** The zoom of the canvas. */
export async function zoomNow(page: Page): Promise<number> {
  return Number(
    await page.evaluate(
      `new DOMMatrix(getComputedStyle(document.querySelector(".react-flow__viewport")).transform).a`,
    ),
  );
}

/** Frames a second while the graph is moved with the mouse. */
export async function panFrames(page: Page): Promise<number> {
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  await page.keyboard.down("Space");
  await page.mouse.down();
  const frames = await framesDuring(page, (share) => {
    const angle = share * 4 * Math.PI;
    return page.mouse.move(x + 150 * Math.sin(angle), y + 100 * (1 - Math.cos(angle)));
  });
  await page.mouse.up();
  await page.keyboard.up("Space");
  return frames;
}

/** Frames a second while the wheel zooms in and out again. */
export async function zoomFrames(page: Page): Promise<number> {
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  return framesDuring(page, (share) => page.mouse.wheel(0, share < 0.5 ? -30 : 30));
}

/** Turns the wheel until the graph is about as large as wanted. */
export async function zoomTo(page: Page, wanted: number): Promise<void> {
  const { x, y } = await middle(page);
  await page.mouse.move(x, y);
  for (let turns = 0; turns < 60; turns++) {
    const ratio = wanted / (await zoomNow(page));
    if (ratio > 0.85 && ratio < 1.18) return;
    await page.mouse.wheel(0, ratio > 1 ? -100 : 100);
  }
}

async function middle(page: Page): Promise<{ x: number; y: number }> {
  const box = await page.locator("[data-canvas]").boundingBox();
  if (!box) throw new Error("The canvas is not shown.");
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/**
 * Frames a second while something is moved.
 *
 * @param move gets the part of the time that has passed, from 0 to 1
 */
export async function framesDuring(page: Page, move: (share: number) => Promise<void>): Promise<number> {
  await page.evaluate(COUNT_FRAMES);
  const started = performance.now();
  for (let passed = 0; passed < MOVE_MILLIS; passed = performance.now() - started) {
    await move(passed / MOVE_MILLIS);
  }
  return Number(await page.evaluate("window.framesPerSecond()"));
}
