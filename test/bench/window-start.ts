import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { launchBrowser } from "../support/browser.js";
import { repositoryRoot } from "../support/find-peers.js";
import { spawnPeer } from "../support/processes.js";
import { type Measurement, median, type Row } from "./report.js";

const ROUNDS = 4;
const GOAL_MILLIS = 1_500;
const TIMEOUT_MILLIS = 60_000;

async function measure(browser: Browser): Promise<number> {
  const dataDir = await mkdtemp(join(tmpdir(), "tensordeck-bench-"));
  // A browser that has never seen the window; its own start is none of ours.
  const context = await browser.newContext();
  const page = await context.newPage();
  try {
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const started = performance.now();
    const host = await spawnPeer(npm, ["start", "--", "--headless", "--port", "0", "--data-dir", dataDir], {
      cwd: repositoryRoot,
      ready: /open (http:\/\/\S+)/,
      group: true,
    });
    try {
      await page.goto(host.match?.[1] ?? "", { waitUntil: "commit", timeout: TIMEOUT_MILLIS });
      // It can be used once Run can be pressed and there is something to run: the last node of the welcome graph. Looked at
      // in every frame; a locator would look again after half a second.
      await page.waitForFunction(
        () => {
          const run = [...document.querySelectorAll("button")].find((one) => one.textContent === "Run");
          const lastNode = document.querySelector('.react-flow__node[data-id="z"]');
          return (
            run?.checkVisibility() === true &&
            !run.disabled &&
            run.ariaDisabled !== "true" &&
            lastNode?.checkVisibility({ visibilityProperty: true }) === true
          );
        },
        undefined,
        { polling: "raf", timeout: TIMEOUT_MILLIS },
      );
      return performance.now() - started;
    } finally {
      await host.stop();
    }
  } finally {
    await context.close();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** From `npm start -- --headless` to a window that shows the welcome graph and whose Run button can be pressed. The first round may build and does not count. */
export const windowStartMeasurement: Measurement = {
  name: "npm start to an interactive window",
  async run(): Promise<readonly Row[]> {
    const browser = await launchBrowser();
    try {
      const times: number[] = [];
      for (let round = 0; round <= ROUNDS; round += 1) {
        const millis = await measure(browser);
        if (round > 0) times.push(millis);
      }
      const ours = median(times);
      const note = `goal < ${GOAL_MILLIS} ms: ${ours < GOAL_MILLIS ? "met" : "missed"}`;
      return [
        {
          what: "npm start to interactive window",
          unit: "ms",
          ours,
          theirs: undefined,
          note,
        },
      ];
    } finally {
      await browser.close();
    }
  },
};
