/** Graphs of real size in the window: when they are seen, what of them can be read, and what they cost. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { startApp } from "../e2e/support/app.js";
import { WindowPage } from "../e2e/support/window-page.js";
import { launchBrowser } from "../support/browser.js";
import { tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies } from "../support/processes.js";
import { nestedGraph } from "./nested-graph.js";
import { type Measurement, median, quantile, type Row } from "./report.js";
import {
  heapMegabytes,
  idleShare,
  longestBlock,
  look,
  panFrames,
  processMegabytes,
  slowestEvent,
  watch,
  zoomFrames,
  zoomNow,
  zoomTo,
} from "./window-probes.js";

const SIZES = [500, 3_900, 5_000, 50_000];
const NETWORKS = ["LSTM", "MobileNetV2", "ResNet50", "Transformer"];
/** Half of this graph's nodes are weights, so that 2,000 are drawn when all of its scopes are open. */
const ALL_OPEN = "3900 nodes";
/** So many nodes are deleted, and after each the window is watched so long. */
const EDITS = 10;
const EDIT_MILLIS = 2000;
const PAUSE_MILLIS = 500;
/** Zooms at which the graph is moved; first as it is seen when it was opened. */
const ZOOMS = [0.1, 0.5, 1];

async function measure(browser: Browser, file: string, content: string): Promise<Row[]> {
  const app = await startApp();
  const rows: Row[] = [];
  const row = (what: string, unit: string, ours: number, note: string) => {
    rows.push({ what: `${file}: ${what}`, unit, ours, theirs: undefined, note });
  };
  try {
    const window = await WindowPage.open(browser, app.link);
    const { page } = window;
    await window.ready();
    const name = `${file}.pb`;
    copyFileSync(content, join(app.folder, name));
    await watch(page);
    await window.press("Control+o");
    const dialog = page.getByRole("dialog", { name: "Open a graph" });
    await dialog.getByRole("option", { name }).click();
    await longestBlock(page);
    const started = performance.now();
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByTitle(name).first().waitFor();
    await drawn(window);
    row("first picture", "ms", performance.now() - started, "goal < 1500 ms, at 50,000 nodes < 5000 ms");
    const seen = await look(page);
    const view = seen.whole ? "whole" : "not whole";
    row("names that can be read", "", seen.names, `goal 20; ${view} in view`);
    const idle = await idleShare(page);
    row("longest time that input was blocked", "ms", await longestBlock(page), "goal < 50 ms; 0: less");
    row("idle window", "% of a core", idle * 100, "goal < 2 %");
    if (file === ALL_OPEN) row("layout with all scopes open", "ms", await openAll(window), "goal < 5000 ms");
    for (const zoom of [await zoomNow(page), ...ZOOMS]) {
      await zoomTo(page, zoom);
      const percent = `${Math.round((await zoomNow(page)) * 100)} %`;
      row(`moved at ${percent}`, "frames/s", await panFrames(page), "goal 30");
      row(`zoomed from ${percent}`, "frames/s", await zoomFrames(page), "goal 30");
    }
    row("memory: objects of the page", "MB", await heapMegabytes(page), "");
    row("memory: its process", "MB", await processMegabytes(browser), "goal < 300 MB at 5,000 nodes");
    if (file.endsWith("nodes")) {
      const { millis, blockedAfter } = await edits(window);
      row("edit, median", "ms", median(millis), "0: less than a frame");
      row(`edit, 90th percentile of ${EDITS}`, "ms", quantile(millis, 0.9), "goal < 50 ms");
      row("longest time that input was blocked by edits", "ms", blockedAfter, "goal < 50 ms; 0: less");
    }
    await window.close();
    return rows;
  } finally {
    await app.stop();
  }
}

async function drawn({ page }: WindowPage): Promise<void> {
  await page.locator("[data-canvas][aria-busy=false] .react-flow__node").first().waitFor();
}

async function command(window: WindowPage, label: string): Promise<void> {
  await window.press("Control+Shift+p");
  await window.page.keyboard.type(label);
  await window.press("Enter");
}

/** How long it takes until a graph with all of its scopes open is drawn. */
async function openAll(window: WindowPage): Promise<number> {
  const started = performance.now();
  await command(window, "Open all scopes");
  await window.page.locator("[data-canvas][aria-busy=true]").waitFor();
  await drawn(window);
  return performance.now() - started;
}

interface Edits {
  /** How long the window is busy with each edit, in ms; 0: less than a frame. */
  readonly millis: readonly number[];
  /** The longest time that input was blocked afterwards, when the graph is laid out and examined again. */
  readonly blockedAfter: number;
}

/** Deletes nodes, each in another unit. */
async function edits(window: WindowPage): Promise<Edits> {
  const { page } = window;
  const millis: number[] = [];
  let blockedAfter = 0;
  for (let edit = 0; edit < EDITS; edit++) {
    const unit = `unit_${3 * edit + 7}/`;
    await window.press("Control+f");
    await page.getByLabel("Find a node").fill(`op:mul ${unit}`);
    await page.getByRole("treeitem", { name: new RegExp(`${unit}Mul`) }).waitFor();
    await window.press("Enter");
    await window.press("Escape");
    await window.canvas.focus();
    await page.waitForTimeout(PAUSE_MILLIS);
    await slowestEvent(page);
    await longestBlock(page);
    await window.press("Delete");
    await page.waitForTimeout(EDIT_MILLIS);
    millis.push(await slowestEvent(page));
    blockedAfter = Math.max(blockedAfter, await longestBlock(page));
  }
  return { millis, blockedAfter };
}

/** Keras's networks, and graphs of nested scopes. */
export const windowGraphsMeasurement: Measurement = {
  name: "graphs of real size in the window",
  lines: [...SIZES.map(String), ...NETWORKS],
  async run({ progress, lines }): Promise<readonly Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-graphs-"));
    const browser = await launchBrowser();
    try {
      const isWanted = (line: string) => lines === undefined || lines.includes(line);
      const script = new URL("network_graphs.py", import.meta.url).pathname;
      const networks = NETWORKS.filter(isWanted);
      const env = environmentWithoutProxies();
      if (networks.length > 0)
        await promisify(execFile)(tensorflowPython(), [script, folder, ...networks], { env });
      for (const size of SIZES.filter((one) => isWanted(String(one))))
        writeFileSync(join(folder, `${size} nodes.pb`), nestedGraph(size));
      const rows: Row[] = [];
      for (const file of readdirSync(folder).sort()) {
        progress(file);
        rows.push(...(await measure(browser, file.replace(/\.pb$/, ""), join(folder, file))));
      }
      return rows;
    } finally {
      await browser.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};
