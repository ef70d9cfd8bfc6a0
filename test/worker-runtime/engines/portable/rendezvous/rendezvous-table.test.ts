import { describe, expect, test } from "vitest";
import { RecentRequestIds } from "../../../../../worker-runtime/engines/portable/rendezvous/recent-request-ids.js";
import { RendezvousTable } from "../../../../../worker-runtime/engines/portable/rendezvous/rendezvous-table.js";
import { StatusCode } from "../../../../../worker-runtime/protocol/status.js";

const never = (): AbortSignal => new AbortController().signal;

describe("the table of rendezvous", () => {
  test("gives the same one to whoever comes first and second", () => {
    const table = new RendezvousTable();
    expect(table.get(1n)).toBe(table.get(1n));
    expect(table.get(2n)).not.toBe(table.get(1n));
    expect(table.size).toBe(2);
  });

  test("the end of a step fails who waits, and who comes late", async () => {
    const table = new RendezvousTable();
    const waiting = table.get(1n).recv("k", never());
    table.end(1n);
    await expect(waiting).rejects.toMatchObject({ code: StatusCode.ABORTED });
    expect(() => table.get(1n)).toThrow(expect.objectContaining({ code: StatusCode.ABORTED }));
    expect(table.size).toBe(0);
  });

  test("the end of a step that never was is fine, and counts", () => {
    const table = new RendezvousTable();
    table.end(5n);
    expect(() => table.get(5n)).toThrow("Step 5 has ended");
  });

  test("does not remember ended steps for ever", () => {
    const table = new RendezvousTable();
    for (let step = 1n; step <= 10_001n; step += 1n) {
      table.end(step);
    }
    expect(() => table.get(1n)).not.toThrow();
    expect(() => table.get(2n)).toThrow();
  });

  test("forgets what a caller made who went away, and keeps what others use", async () => {
    const table = new RendezvousTable();
    const caller = new AbortController();
    const waiting = table.get(1n).recv("k", caller.signal);
    caller.abort();
    await expect(waiting).rejects.toThrow();
    table.releaseUnused(1n);
    expect(table.size).toBe(0);
    table.get(2n).send("k", { isDead: true });
    table.releaseUnused(2n);
    expect(table.size).toBe(1);
  });
});

describe("recent request ids", () => {
  const describeRequest = (): string => "step_id: 1";

  test("a repeated one is refused, 0 never", () => {
    const ids = new RecentRequestIds();
    ids.track(5n, 1n, "RunGraph (Worker)", describeRequest);
    expect(() => ids.track(5n, 1n, "RunGraph (Worker)", describeRequest)).toThrow(
      expect.objectContaining({
        code: StatusCode.ABORTED,
        message: "The same RunGraph (Worker) request was received twice. step_id: 1",
      }),
    );
    ids.track(0n, 1n, "RunGraph (Worker)", describeRequest);
    ids.track(0n, 1n, "RunGraph (Worker)", describeRequest);
    ids.track(-5n, 1n, "RunGraph (Worker)", describeRequest);
  });

  test("the same id for another step is a coincidence, whose repetition is refused", () => {
    const ids = new RecentRequestIds(2);
    ids.track(5n, 1n, "x", describeRequest);
    ids.track(5n, 2n, "x", describeRequest);
    expect(() => ids.track(5n, 2n, "x", describeRequest)).toThrow();
    ids.track(6n, 3n, "x", describeRequest);
    ids.track(7n, 4n, "x", describeRequest);
    ids.track(5n, 2n, "x", describeRequest);
  });

  test("the oldest are forgotten", () => {
    const ids = new RecentRequestIds(3);
    for (const id of [1n, 2n, 3n, 4n]) {
      ids.track(id, 1n, "x", describeRequest);
    }
    ids.track(1n, 1n, "x", describeRequest);
    expect(() => ids.track(3n, 1n, "x", describeRequest)).toThrow();
    expect(() => ids.track(2n, 1n, "x", describeRequest)).not.toThrow();
  });
});
