/** The hash table of recent request ids against a list of them. */
import { expect, test } from "vitest";
import { RecentRequestIds } from "../../../../../worker-runtime/engines/portable/rendezvous/recent-request-ids.js";
import fc from "../../../../support/seeded-check.js";

/** Few enough for each to come several times, and spread as the random ids of requests are. */
const KINDS = 24n;
const spread = (kind: bigint): bigint => BigInt.asIntN(64, (kind + 1n) * 0x9e3779b97f4a7c15n);

interface Recent {
  readonly id: bigint;
  stepId: bigint;
}

/** True if a request is refused, by a list of the most recent ids, the oldest first. */
function refuses(recent: Recent[], capacity: number, id: bigint, stepId: bigint): boolean {
  const known = recent.find((one) => one.id === id);
  if (known?.stepId === stepId) return true;
  if (known !== undefined) {
    known.stepId = stepId;
    return false;
  }
  recent.push({ id, stepId });
  if (recent.length > capacity) recent.shift();
  return false;
}

test("refuses what a list of the most recent ids refuses", () => {
  const request = fc.record({
    // Some of them side by side, so that they have neighbouring or the same slots.
    id: fc.oneof(fc.bigInt(0n, KINDS).map(spread), fc.bigInt(1n, KINDS), fc.bigInt(-KINDS, -1n)),
    stepId: fc.bigInt(1n, 3n),
  });
  const requests = fc.array(request, { minLength: 50, maxLength: 300 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), requests, (capacity, all) => {
      const ids = new RecentRequestIds(capacity);
      const recent: Recent[] = [];
      for (const { id, stepId } of all) {
        const track = () => ids.track(id, stepId, "RunGraph (Worker)", () => "");
        if (refuses(recent, capacity, id, stepId)) expect(track).toThrow("was received twice");
        else track();
      }
    }),
    { numRuns: 300 },
  );
});

test("as many as a task remembers are found again, but the oldest", () => {
  const count = 100_000;
  const ids = new RecentRequestIds(count);
  const track = (kind: number) => ids.track(spread(BigInt(kind)), 1n, "RunGraph (Worker)", () => "");
  for (let kind = 0; kind <= count; kind += 1) track(kind);
  for (let kind = 1; kind <= count; kind += 997) expect(() => track(kind)).toThrow("was received twice");
  expect(() => track(0)).not.toThrow();
});
