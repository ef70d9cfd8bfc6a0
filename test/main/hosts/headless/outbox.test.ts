import { describe, expect, it } from "vitest";
import type { WireMessage } from "../../../../main/api/wire.js";
import { Outbox } from "../../../../main/hosts/headless/outbox.js";

/** A socket that takes messages only when it is told to. */
function slowSocket() {
  const sent: WireMessage[] = [];
  let full = true;
  let overflowed = 0;
  let taken: () => void = () => undefined;
  const outbox = new Outbox({
    bufferedBytes: () => (full ? 1 << 30 : 0),
    send: (message, done) => {
      sent.push(message);
      taken = done;
    },
    overflow: () => {
      overflowed++;
    },
  });
  const drain = () => {
    full = false;
    outbox.push({ id: 99, ok: true });
    taken();
  };
  return { outbox, sent, drain, overflowed: () => overflowed };
}

const cluster = (n: number): WireMessage => ({ event: "cluster", data: n });
const log = (n: number): WireMessage => ({ event: "taskLog", data: n });
const run = (runId: string, step: number): WireMessage => ({ event: "run", data: { runId, step } });

describe("what waits for a slow tab", () => {
  it("keeps its order, without states that newer ones supersede", () => {
    const { outbox, sent, drain } = slowSocket();
    outbox.push(cluster(1));
    outbox.push(log(1));
    outbox.push(run("a", 1));
    outbox.push(cluster(2));
    outbox.push(run("b", 1));
    outbox.push({ id: 1, ok: true });
    outbox.push(run("a", 2));
    outbox.push(log(2));
    expect(sent).toEqual([]);
    drain();
    expect(sent).toEqual([
      log(1),
      cluster(2),
      run("b", 1),
      { id: 1, ok: true },
      run("a", 2),
      log(2),
      { id: 99, ok: true },
    ]);
  });

  it("never grows without end", () => {
    const { outbox, sent, drain, overflowed } = slowSocket();
    for (let i = 0; i < 10_000; i++) outbox.push(log(i));
    expect(overflowed()).toBe(1);
    drain();
    expect(sent).toEqual([]);
  });
});
