/** Chromium, driven by Playwright as in all tests of the window. */
import { launchBrowser } from "../../../support/browser.js";
import { type DrivenPage, MOVE_STEPS, NOTE_VIOLATIONS, PAGE } from "./driven-page.js";

export async function openChromium(): Promise<DrivenPage> {
  const browser = await launchBrowser();
  const context = await browser.newContext({ viewport: PAGE, colorScheme: "dark", reducedMotion: "reduce" });
  const page = await context.newPage();
  await page.addInitScript(NOTE_VIOLATIONS);
  return {
    browser: `Chromium ${browser.version()}`,
    open: async (address) => void (await page.goto(address)),
    evaluate: (body) => page.evaluate(`(() => { ${body} })()`),
    moveTo: ({ x, y }) => page.mouse.move(x, y, { steps: MOVE_STEPS }),
    press: () => page.mouse.down(),
    release: () => page.mouse.up(),
    violations: () => page.evaluate("violations"),
    screenshot: () => page.screenshot(),
    close: () => browser.close(),
  };
}
