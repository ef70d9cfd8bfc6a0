import { expect, it } from "vitest";
import { Watchers } from "../../../main/shared/watchers.js";

it("what only windows need goes on from the first of them to the last", () => {
  const watchers = new Watchers();
  const said: string[] = [];
  const stop = watchers.whileAny(() => {
    said.push("begins");
    return () => said.push("ends");
  });
  const first = watchers.add();
  const second = watchers.add();
  first();
  // A window that goes twice is one that went.
  first();
  expect([watchers.any, said]).toEqual([true, ["begins"]]);
  second();
  expect([watchers.any, said]).toEqual([false, ["begins", "ends"]]);
  const third = watchers.add();
  stop();
  third();
  expect(said).toEqual(["begins", "ends", "begins", "ends"]);
});

it("what comes after the first window begins at once", () => {
  const watchers = new Watchers();
  watchers.add();
  let began = 0;
  watchers.whileAny(() => {
    began++;
    return () => {};
  });
  expect(began).toBe(1);
});
