import { afterAll, describe, expect } from "vitest";
import { peerMissing } from "../support/peers.js";
import { closeBrowser, test } from "./support/fixtures.js";

afterAll(closeBrowser);

describe.skipIf(peerMissing("chromium"))("run configurations in the window", () => {
  test("one that ends early is made and run, chosen beside Run, and is there when the file is opened again", async ({
    window,
  }) => {
    await window.startTwoWorkers();
    await window.press("Control+5");
    const column = window.page.getByRole("region", { name: "Run configurations" });
    await column.getByRole("button", { name: "New" }).click();
    const fill = async (name: string, text: string) => {
      await column.getByRole("textbox", { name }).fill(text);
      await window.press("Enter");
    };
    await fill("Name", "until high");
    await fill("Steps", "5000");
    await column.getByRole("button", { name: "Add condition" }).click();
    await column.getByRole("combobox", { name: "Condition 1", exact: true }).selectOption("rises above");
    await fill("Limit of condition 1", "10");
    await window.button(/Run 5,?000 steps/).click();
    await window.dockTab("Results").click();
    const results = window.page.getByRole("tabpanel", { name: "Results" });
    await results.getByText(/step 1 .*ended because z:0 rose above 10/).waitFor();

    await window.button("Run configuration: until high").click();
    await window.page.getByRole("menuitemcheckbox", { name: "Main" }).click();
    await window.button(/Run 1,?000 steps/).waitFor();
    await window.saveAs("configured.pbtxt");
    await window.closeDocument();
    await window.openFile("configured.pbtxt");
    await window.button("Run configuration: Main").click();
    await window.page.getByRole("menuitemcheckbox", { name: "until high" }).click();
    await window.button(/Run 5,?000 steps/).waitFor();
    expect(await window.undoButton.isEnabled()).toBe(true);
  });
});
