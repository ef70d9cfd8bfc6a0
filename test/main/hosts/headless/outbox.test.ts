import { describe, expect, it } from "vitest";
import type { EventName } from "../../../../main/api/contract.js";
import type { NumberedEvent } from "../../../../main/api/missed-events.js";
import type { WireMessage } from "../../../../main/api/wire.js";
import { Outbox } from "../../../../main/hosts/headless/outbox.js";

/** A socket that takes messages only when it is told to. */
function slowSocket() {
  const sent: WireMessage[] = [];
  const newest = new Map<EventName, NumberedEvent>();
  let full = true;
  let overflowed = 0;
  let sequence = 0;
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
    newest: (event) => newest.get(event),
  });
  const emit = (event: EventName, data: unknown) => {
    sequence++;
    newest.set(event, { event, data, sequence });
    outbox.pushEvent(event, data, sequence);
  };
  const drain = () => {
    full = false;
    outbox.push({ id: 99, ok: true });
    taken();
  };
  return { outbox, emit, sent, drain, overflowed: () => overflowed };
}

describe("what waits for a slow tab", () => {
  it("keeps the order of its numbers, without states that newer ones supersede", () => {
    const { outbox, emit, sent, drain } = slowSocket();
    emit("cluster", "before");
    emit("taskLog", "one");
    emit("samples", "first");
    emit("cluster", "after");
    outbox.push({ id: 1, ok: true });
    emit("run", "step 1");
    emit("samples", "second");
    emit("run", "step 2");
    expect(sent).toEqual([]);
    drain();
    expect(sent).toEqual([
      { event: "taskLog", data: "one", sequence: 2 },
      { event: "samples", data: "first", sequence: 3 },
      { event: "cluster", data: "after", sequence: 4 },
      { id: 1, ok: true },
      { event: "samples", data: "second", sequence: 6 },
      { event: "run", data: "step 2", sequence: 7 },
      { id: 99, ok: true },
    ]);
  });

  it("never grows without end", () => {
    const { emit, sent, drain, overflowed } = slowSocket();
    for (let i = 0; i < 10_000; i++) emit("taskLog", i);
    expect(overflowed()).toBe(1);
    drain();
    expect(sent).toEqual([]);
  });
});
