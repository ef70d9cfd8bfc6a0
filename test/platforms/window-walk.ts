/** The window of a headless host on another platform, in Chromium on this one. */
import assert from "node:assert/strict";
import type { Locator } from "playwright-core";
import { WindowPage } from "../e2e/support/window-page.js";
import { launchBrowser } from "../support/browser.js";
import { failurePicture } from "../support/pictures.js";

/** Settings without which the first window asks whether to show the tour. */
export const SETTINGS = JSON.stringify({ tourSeen: true, runtimeBannerDismissed: true });

export const WALK =
  "the window of the headless host starts two workers, runs, pins by dragging, saves and opens a file, trains 50 steps";

const HEADLESS = "build/out/program/headless/main.js";
const TRAINING_STEPS = 50;
const MAX_ATTEMPTS = 5;
const ATTEMPT_MILLIS = 120_000;

/** The arguments of Node that start such a host, and the line by which it says its address. */
export function headlessHost(program: (path: string) => string, dataFolder: string) {
  return {
    args: [program(HEADLESS), "--port", "0", "--data-dir", dataFolder],
    env: { TENSORDECK_NETWORK: "loopback" },
    ready: /^open (http:\/\/127\.0\.0\.1:\d+\/#token=[\w-]+)$/m,
  };
}

/**
 * Starts two workers, runs, pins by dragging, saves and opens a file, and trains.
 *
 * @param name of the file that is saved, in the folder that the dialog opens
 */
export async function walkThroughWindow(link: string, name: string, hangingMillis: number): Promise<void> {
  const browser = await launchBrowser();
  try {
    const window = await WindowPage.open(browser, link);
    window.page.setDefaultTimeout(hangingMillis);
    try {
      await walk(window, name);
    } catch (error) {
      await window.page.screenshot({ path: failurePicture("platform") });
      throw error;
    }
  } finally {
    await browser.close();
  }
}

async function walk(window: WindowPage, name: string): Promise<void> {
  await window.ready();
  await startWorkers(window);
  await runAndSee(window);
  await window.drag(window.node("x"), window.task("worker/1"));
  await window.chip("x").getByText("worker/1").waitFor();
  await runAndSee(window);
  await window.saveAs(name);
  await window.closeDocument();
  await window.openFile(name);
  await window.chip("x").getByText("worker/1").waitFor();
  await train(window);
  assert.deepEqual(window.errors, []);
}

/** A worker that does not answer in time is started again. */
async function startWorkers(window: WindowPage): Promise<void> {
  await window.button("Start 2 workers").click();
  for (const name of ["worker/0", "worker/1"]) {
    const running = window.task(name).and(window.page.getByRole("treeitem", { name: /, running,/ }));
    const again = window.task(name).getByRole("button", { name: "Start again" });
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
      await running.or(again).first().waitFor();
      if (await running.isVisible()) break;
      await again.click();
      await again.waitFor({ state: "hidden" });
    }
  }
  await dismissAlerts(window);
}

function runAndSee(window: WindowPage): Promise<void> {
  const value = window.node("z").locator("[data-node-value=result]").getByText("11.0", { exact: true });
  return tryUntil(window, value, () => window.runButton.click());
}

/** On handwritten digits, whose model has a part on each worker. */
async function train(window: WindowPage): Promise<void> {
  await window.menu("Open example", "Train on digits");
  await window.button("Run configuration: train").waitFor();
  await window.dockTab("Runs").click();
  const done = window.page.getByRole("row", { name: new RegExp(`^run \\d+ .*done ${TRAINING_STEPS}`) });
  await tryUntil(window, done, async () => {
    await window.startSteps(TRAINING_STEPS);
    const withoutValues = window.button("Run init, then run again");
    await until(done.or(withoutValues).or(window.alerts));
    if (!(await withoutValues.isVisible())) return;
    await withoutValues.click();
    await withoutValues.waitFor({ state: "hidden" });
  });
}

/** Tries something again that has failed or not happened, as a user would: an overloaded emulation misses deadlines. */
async function tryUntil(window: WindowPage, done: Locator, attempt: () => Promise<void>): Promise<void> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    await attempt();
    await until(done.or(window.alerts));
    if (await done.first().isVisible()) return;
    console.log(`Tried again: ${(await window.alerts.allInnerTexts()).join(" ")}`);
    await dismissAlerts(window);
  }
  throw new Error(`It failed ${MAX_ATTEMPTS} times.`);
}

/** Waits for one of them, but not longer than a user would. */
async function until(one: Locator): Promise<void> {
  await one
    .first()
    .waitFor({ timeout: ATTEMPT_MILLIS })
    .catch(() => undefined);
}

async function dismissAlerts(window: WindowPage): Promise<void> {
  const dismiss = window.alerts.getByRole("button", { name: "Dismiss" });
  while ((await dismiss.count()) > 0) await dismiss.first().click();
}
