/** The browser of the browser tests, driven by Playwright. */
import { type Browser, chromium } from "playwright-core";
import { browserPath } from "./find-peers.js";

/** On a busy machine a browser takes many times as long as on an idle one. */
const LAUNCH_MILLIS = 120_000;

/** Starts a browser without a window. The caller closes it. */
export async function launchBrowser(): Promise<Browser> {
  return await chromium.launch({
    executablePath: browserPath(),
    headless: true,
    timeout: LAUNCH_MILLIS,
    // Tests may run as root and in containers, where Chromium's sandbox cannot be created.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu", "--font-render-hinting=none"],
  });
}
