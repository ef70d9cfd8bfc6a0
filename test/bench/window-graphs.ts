/** Graphs of real size in the window: when they are seen, what of them can be read, and what they cost while idle. */
import { execFile } from "node:child_process";
import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Browser, Page } from "playwright-core";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import { startApp } from "../e2e/support/app.js";
import { WindowPage } from "../e2e/support/window-page.js";
import { launchBrowser } from "../support/browser.js";
import { tensorflowPython } from "../support/find-peers.js";
import { environmentWithoutProxies } from "../support/processes.js";
import type { Measurement, Row } from "./report.js";

const SIZES = [500, 5_000, 50_000];
/** Letters of this size in pixels can be read. */
const READABLE = 9;
const IDLE_SECONDS = 5;

const float = { value: { $case: "type" as const, value: DataType.DT_FLOAT } };

/** Layers with a weight each, in nested scopes. */
function nestedGraph(count: number): Uint8Array {
  const nodes: NodeDef[] = [];
  const add = (name: string, op: string, input: string[] = []) => {
    const key = op === "Const" || op === "Placeholder" ? "dtype" : "T";
    nodes.push({ ...NodeDef.fromPartial({ name, op }), input, attr: new Map([[key, float]]) });
    return name;
  };
  let last = add("x", "Placeholder");
  for (let unit = 0; nodes.length < count; unit++) {
    const scope = `encoder/layer_${Math.floor((unit * 48) / count)}/part_${unit % 20}/unit_${unit}`;
    const weight = add(`${scope}/weight/read`, "Identity", [add(`${scope}/weight`, "Const")]);
    last = add(`${scope}/Tanh`, "Tanh", [add(`${scope}/Mul`, "Mul", [last, weight])]);
  }
  return GraphDef.encode({ ...GraphDef.fromPartial({}), node: nodes }).finish();
}

interface Seen {
  readonly names: number;
  readonly whole: boolean;
}

const WATCH = `(() => {
  window.longest = 0;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
  }).observe({ type: "longtask" });
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

/** The share of one core that the page computes while nothing happens to it. */
async function idleShare(page: Page): Promise<number> {
  // The time is counted from when a session enables it, so both readings are of one session.
  const session = await page.context().newCDPSession(page);
  try {
    await session.send("Performance.enable");
    const busySeconds = async () => {
      const { metrics } = await session.send("Performance.getMetrics");
      return metrics.find(({ name }) => name === "TaskDuration")?.value ?? Number.NaN;
    };
    const before = await busySeconds();
    await page.waitForTimeout(IDLE_SECONDS * 1000);
    return ((await busySeconds()) - before) / IDLE_SECONDS;
  } finally {
    await session.detach();
  }
}

async function measure(browser: Browser, file: string, content: string): Promise<Row[]> {
  const app = await startApp();
  try {
    const window = await WindowPage.open(browser, app.link);
    const { page } = window;
    await window.ready();
    const name = `${file}.pb`;
    copyFileSync(content, join(app.folder, name));
    await page.evaluate(WATCH);
    await window.press("Control+o");
    const dialog = page.getByRole("dialog", { name: "Open a graph" });
    await dialog.getByRole("option", { name }).click();
    const started = performance.now();
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    await page.getByTitle(name).first().waitFor();
    await page.locator("[data-canvas][aria-busy=false] .react-flow__node").first().waitFor();
    const first = performance.now() - started;
    const seen = (await page.evaluate(LOOK)) as Seen;
    const longest = Number(await page.evaluate("window.longest"));
    const idle = await idleShare(page);
    await window.close();
    const row = (what: string, unit: string, ours: number, note: string): Row => ({
      what: `${file}: ${what}`,
      unit,
      ours,
      theirs: undefined,
      note,
    });
    return [
      row("first picture", "ms", first, "goal < 1500 ms, at 50,000 nodes < 5000 ms"),
      row("names that can be read", "", seen.names, `goal 20; ${seen.whole ? "whole" : "not whole"} in view`),
      row("longest time that input was blocked", "ms", longest, "goal < 50 ms"),
      row("idle window", "% of a core", idle * 100, "goal < 2 %"),
    ];
  } finally {
    await app.stop();
  }
}

/** Keras's networks, and graphs of nested scopes. */
export const windowGraphsMeasurement: Measurement = {
  name: "graphs of real size in the window",
  async run({ progress }): Promise<readonly Row[]> {
    const folder = mkdtempSync(join(tmpdir(), "tensordeck-graphs-"));
    const browser = await launchBrowser();
    try {
      const script = new URL("network_graphs.py", import.meta.url).pathname;
      await promisify(execFile)(tensorflowPython(), [script, folder], { env: environmentWithoutProxies() });
      for (const size of SIZES) writeFileSync(join(folder, `${size} nodes.pb`), nestedGraph(size));
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
