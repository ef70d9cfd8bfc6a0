/** A step of very many events in the timeline: when it is seen, and how it is moved, zoomed and searched. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import type { NodeRun, Transfer } from "../../main/api/runs.js";
import { RunArchive } from "../../main/runs/run-archive.js";
import { RunStatus } from "../../main/runs/run-status.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { StepStats } from "../../protos/generated/tensorflow/step_stats.js";
import { settleIn, startApp } from "../e2e/support/app.js";
import { WindowPage } from "../e2e/support/window-page.js";
import { launchBrowser } from "../support/browser.js";
import { nestedGraph } from "./nested-graph.js";
import type { Measurement, Row } from "./report.js";
import { framesDuring, heapMegabytes, longestBlock, processMegabytes, watch } from "./window-probes.js";

const EVENTS = 200_000;
const TASKS = 4;
/** Every so many nodes, one reads from another task. */
const NODES_PER_TRANSFER = 4;
const FILE = "traced.pb";
/** The zooms at which the timeline is moved, each so many times the one before. */
const ZOOMS = 4;
const ZOOM_STEP = 10;
const BAR_MICROS = 8;

const device = (task: number) => `/job:worker/replica:0/task:${task % TASKS}/device:CPU:0`;

function events(count: number): { nodes: NodeRun[]; transfers: Transfer[] } {
  const nodes: NodeRun[] = [];
  const transfers: Transfer[] = [];
  for (let index = 0; nodes.length + transfers.length < count; index++) {
    const node = `unit_${index}/Mul`;
    const startMicros = Math.floor(index / TASKS) * BAR_MICROS;
    const durationMicros = 1 + (index % BAR_MICROS);
    nodes.push({ node, device: device(index), startMicros, durationMicros, outputBytes: 4 });
    if (index % NODES_PER_TRANSFER > 0) continue;
    const [fromDevice, toDevice] = [
      device(index),
      device(index + 1 + (Math.floor(index / TASKS) % (TASKS - 1))),
    ];
    transfers.push({
      ...{ tensor: `${node}:0`, fromDevice, toDevice, startMicros: startMicros + durationMicros },
      ...{ durationMicros: BAR_MICROS, bytes: 4, timed: true },
    });
  }
  return { nodes, transfers };
}

/** Keeps a run whose first step has few events and whose second very many, as the application does at its end. */
async function keepRun(folder: string, path: string): Promise<void> {
  const status = new RunStatus(
    { steps: 2, trace: true, origin: { document: FILE, digest: "", path } },
    () => undefined,
  );
  for (const [index, count] of [1000, EVENTS].entries()) {
    const { nodes, transfers } = events(count);
    status.stepDone(
      [],
      { millis: 1000, registeredGraph: false },
      {
        ...{ step: index + 1, nodes, transfers, memory: [], computeMillis: 1000 },
        ...{ stepStats: StepStats.fromPartial({}), graph: GraphDef.fromPartial({}) },
      },
    );
  }
  status.end("done");
  const archive = new RunArchive(folder);
  archive.keep({
    ...{ number: 1, startedAt: Date.now(), status },
    settings: { fetches: [], targets: [], feeds: [] },
  });
  await archive.settled();
}

async function measure(browser: Browser, folder: string): Promise<Row[]> {
  const rows: Row[] = [];
  const row = (what: string, unit: string, ours: number, note: string) => {
    rows.push({ what: `timeline of ${EVENTS} events: ${what}`, unit, ours, theirs: undefined, note });
  };
  const app = await startApp({ folder });
  try {
    const window = await WindowPage.open(browser, app.link);
    const { page } = window;
    await window.ready();
    await watch(page);
    await window.press("Control+o");
    const dialog = page.getByRole("dialog", { name: "Open a graph" });
    await dialog.getByRole("option", { name: FILE }).click();
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByTitle(FILE).first().waitFor();
    await window.dockTab("Timeline").click();
    await longestBlock(page);
    const started = performance.now();
    await page.getByRole("radio", { name: "Compare" }).click();
    const plot = page.getByRole("region", { name: "B", exact: true }).getByRole("img", { name: /^Timeline/ });
    await plot.locator("canvas").first().waitFor();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
    row("seen after", "ms", performance.now() - started, "two steps compared");
    row("longest time that input was blocked by opening", "ms", await longestBlock(page), "goal < 50 ms");
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.boundingBox();
    if (!box) throw new Error("The timeline is not shown.");
    const [x, y] = [box.x + box.width / 2, box.y + Math.min(box.height, 150) / 2];
    await page.mouse.move(x, y);
    for (let zoom = 0; zoom < ZOOMS; zoom++) {
      const at = zoom === 0 ? "the whole step" : `1/${ZOOM_STEP ** zoom} of it`;
      const turn = (share: number) => page.mouse.wheel(0, share < 0.5 ? -30 : 30);
      row(`zoomed at ${at}`, "frames/s", await framesDuring(page, turn), "goal 30");
      await page.mouse.down();
      const drag = (share: number) => page.mouse.move(x + 100 * Math.sin(share * 4 * Math.PI), y);
      row(`moved at ${at}`, "frames/s", await framesDuring(page, drag), "goal 30");
      await page.mouse.move(x, y);
      await page.mouse.up();
      for (let turns = 0; turns < 11; turns++) await page.mouse.wheel(0, -100);
    }
    row(
      "longest time that input was blocked by moving",
      "ms",
      await longestBlock(page),
      "goal < 50 ms; 0: less",
    );
    for (const text of ["unit_77", "unit_777"]) {
      const began = performance.now();
      await page.getByRole("textbox", { name: /^Find/ }).fill(text);
      await page.getByText(/^\d[\d,]* of \d/).waitFor();
      await page.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))");
      row(`search for ${text}`, "ms", performance.now() - began, "");
    }
    row(
      "longest time that input was blocked by searching",
      "ms",
      await longestBlock(page),
      "goal < 50 ms; 0: less",
    );
    row("memory: objects of the page", "MB", await heapMegabytes(page), "");
    row("memory: its process", "MB", await processMegabytes(browser), "");
    await window.close();
    return rows;
  } finally {
    await app.stop();
  }
}

/** A kept run is opened, as a user opens it: its document, then both of its traced steps. */
export const windowTimelineMeasurement: Measurement = {
  name: "a step of very many events in the window",
  async run(): Promise<readonly Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-timeline-"));
    const browser = await launchBrowser();
    try {
      const data = join(folder, "data");
      settleIn(data);
      writeFileSync(join(folder, FILE), nestedGraph(500));
      await keepRun(join(data, "runs"), join(folder, FILE));
      return await measure(browser, folder);
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
