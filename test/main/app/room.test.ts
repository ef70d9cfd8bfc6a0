import { expect, it } from "vitest";
import { createApp } from "../../../main/app/room.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";

it("says what the host can do", async () => {
  const desktop = createApp({ host: { kind: "electron", pickFile: async () => undefined } });
  expect(desktop.handlers["app.info"](undefined, THIS_PROGRAM)).toMatchObject({
    host: "electron",
    fileDialogs: "native",
  });
  expect(() => desktop.handlers["app.newWindowUrl"](undefined, THIS_PROGRAM)).toThrow("not available here");
  const headless = createApp({ host: { kind: "headless", newWindowUrl: () => "http://new" } });
  expect(headless.handlers["app.info"](undefined, THIS_PROGRAM)).toMatchObject({
    host: "headless",
    fileDialogs: "window",
  });
  expect(headless.handlers["app.newWindowUrl"](undefined, THIS_PROGRAM)).toBe("http://new");
  await desktop.dispose();
});
