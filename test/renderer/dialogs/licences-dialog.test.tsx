// @vitest-environment happy-dom
import { readFile } from "node:fs/promises";
import { screen, within } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LicencesDialog } from "../../../renderer/dialogs/licences-dialog.js";
import { expectAccessible, show } from "../support/components.js";

beforeEach(() => {
  // The built list, as the hosts serve it beside the page.
  vi.stubGlobal("fetch", async (address: string) => {
    expect(address).toBe("./licences.json");
    return new Response(await readFile("build/out/renderer/licences.json"));
  });
});
afterEach(() => vi.unstubAllGlobals());

test("lists the packages, finds them by name and licence, and shows their terms when asked", async () => {
  const { user } = show(<LicencesDialog />);
  expect((await screen.findAllByRole("listitem")).length).toBeGreaterThan(100);
  await expectAccessible();
  await user.type(screen.getByRole("searchbox", { name: "Find a package or licence" }), "EPL-2.0");
  const items = screen.getAllByRole("listitem");
  expect(items).toHaveLength(1);
  expect(screen.getByText("1 package")).toBeDefined();
  const [elk] = items;
  if (!elk) return;
  expect(within(elk).queryByText(/Eclipse Public License/)).toBeNull();
  await user.click(within(elk).getByText("elkjs", { exact: false }));
  expect(await within(elk).findByText(/Eclipse Public License/)).toBeDefined();
});

test("a list that is missing says what to do", async () => {
  vi.stubGlobal("fetch", async () => new Response("Not found.", { status: 404 }));
  show(<LicencesDialog />);
  await vi.waitFor(async () => {
    const { useApp } = await import("../../../renderer/stores/app-store.js");
    expect(JSON.stringify(useApp.getState())).toContain("npm run build");
  });
});
