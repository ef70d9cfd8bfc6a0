import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("the tour for new users", () => {
  test.override({ appOptions: { tour: true } });

  test("goes on by the user's own clicks and keys, or by itself, ends with a result, and comes again only when asked for", async ({
    window,
  }) => {
    const { page } = window;
    const card = (name: string) => page.getByRole("dialog", { name });
    await card("Start two workers").waitFor();
    await expect
      .poll(() => card("Start two workers").evaluate((element) => element === document.activeElement))
      .toBe(true);
    await window.button("Start 2 workers").click();
    await card("Move y to worker/1").waitFor();
    await window.select("y");
    await window.press("p");
    await window.press("2");
    await window.chip("y").getByText("worker/1").waitFor();
    await card("Run the graph").getByRole("button", { name: "Do it for me" }).press("Enter");
    await card("Look at z").waitFor();
    await window.select("z");
    const end = card("z is 11.0");
    await end
      .getByText(/worker\/1 computed it on CPU:0 in .*s, from x of worker\/0 and y of worker\/1/)
      .waitFor();
    await end.getByRole("button", { name: "Finish" }).click();
    await end.waitFor({ state: "detached" });

    await window.menu("Take the tour");
    // The workers run already.
    await card("Move y to worker/0").waitFor();
    await window.press("Escape");
    await card("Move y to worker/0").waitFor({ state: "detached" });

    await page.reload();
    await window.ready();
    await window.canvas
      .getByText(/^Ran on|Press Run/)
      .first()
      .waitFor();
    expect(await page.getByRole("dialog").count()).toBe(0);
  });
});
