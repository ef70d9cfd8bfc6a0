/** One browser for everything in a process. */
import type { Browser } from "playwright-core";
import { launchBrowser } from "../../support/browser.js";

let browser: Promise<Browser> | undefined;

/** The process's browser; ended with the process. */
export function sharedBrowser(): Promise<Browser> {
  browser ??= launchBrowser();
  return browser;
}

/** Ends the process's browser; a test file's `afterAll` does. */
export async function closeBrowser(): Promise<void> {
  await (await browser)?.close();
  browser = undefined;
}
