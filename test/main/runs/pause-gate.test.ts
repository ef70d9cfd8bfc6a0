import { expect, it } from "vitest";
import { PauseGate } from "../../../main/runs/pause-gate.js";

it("holds those who come while it is closed, until it is open", async () => {
  const gate = new PauseGate();
  const { signal } = new AbortController();
  await gate.pass(signal);
  gate.close();
  gate.close();
  const passed: string[] = [];
  const waiting = gate.pass(signal).then(() => passed.push("first"));
  await Promise.resolve();
  expect([gate.isClosed, passed]).toEqual([true, []]);
  gate.open();
  await waiting;
  expect([gate.isClosed, passed]).toEqual([false, ["first"]]);
});

it("lets go who gives up", async () => {
  const gate = new PauseGate();
  const abort = new AbortController();
  gate.close();
  const waiting = gate.pass(abort.signal);
  abort.abort(new Error("the task has ended"));
  await expect(waiting).rejects.toThrow("the task has ended");
});
