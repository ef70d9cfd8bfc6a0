import { expect, it, vi } from "vitest";
import { AskedDocumentQueue } from "../../../main/app/asked-documents.js";
import { createApp } from "../../../main/app/room.js";
import { THIS_PROGRAM } from "../../../main/shared/caller.js";

const emit = () => undefined;

it("says what the host can do", async () => {
  const desktop = createApp({ host: { kind: "electron", pickFile: async () => undefined }, emit });
  expect(desktop.handlers["app.info"](undefined, THIS_PROGRAM)).toMatchObject({
    host: "electron",
    fileDialogs: "native",
  });
  expect(() => desktop.handlers["app.newWindowUrl"](undefined, THIS_PROGRAM)).toThrow("not available here");
  const headless = createApp({ host: { kind: "headless", newWindowUrl: () => "http://new" }, emit });
  expect(headless.handlers["app.info"](undefined, THIS_PROGRAM)).toMatchObject({
    host: "headless",
    fileDialogs: "window",
  });
  expect(headless.handlers["app.newWindowUrl"](undefined, THIS_PROGRAM)).toBe("http://new");
  await desktop.dispose();
});

it("gives each document that the system asks for to one window, whether it comes before the window or later", async () => {
  const askedDocuments = new AskedDocumentQueue();
  const tell = vi.fn();
  askedDocuments.add(["/a.pbtxt", "/b.pb", "/a.pbtxt"]);
  const { handlers } = createApp({ host: { kind: "electron", askedDocuments }, emit: tell });
  expect(tell).toHaveBeenLastCalledWith("askedDocuments", { waiting: 2 });
  const take = () => handlers["app.takeAskedDocuments"](undefined, THIS_PROGRAM);
  expect(take()).toEqual(["/a.pbtxt", "/b.pb"]);
  expect(tell).toHaveBeenLastCalledWith("askedDocuments", { waiting: 0 });
  expect(take()).toEqual([]);
  askedDocuments.add(["/a.pbtxt"]);
  expect(tell).toHaveBeenLastCalledWith("askedDocuments", { waiting: 1 });
  askedDocuments.add(Array.from({ length: 50 }, (_, index) => `/${index}.pb`));
  expect(take()).toHaveLength(20);
  const { handlers: headless } = createApp({ host: { kind: "headless" }, emit: tell });
  expect(headless["app.takeAskedDocuments"](undefined, THIS_PROGRAM)).toEqual([]);
});
