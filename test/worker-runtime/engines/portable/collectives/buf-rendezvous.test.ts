import { expect, test } from "vitest";
import { BufRendezvous } from "../../../../../worker-runtime/engines/portable/collectives/buf-rendezvous.js";
import { BufTable } from "../../../../../worker-runtime/engines/portable/collectives/buf-table.js";
import {
  aborted,
  cancelled,
  internalError,
  StatusCode,
} from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

const never = new AbortController().signal;
const tensor = Tensor.of([1, 2, 3]);

test("a producer waits for its consumer, and a consumer for its producer", async () => {
  const buffers = new BufRendezvous();
  let isTaken = false;
  const provided = buffers.provide("a", tensor, never).then(() => {
    isTaken = true;
  });
  await Promise.resolve();
  expect(isTaken).toBe(false);
  expect(await buffers.consume("a", never)).toBe(tensor);
  await provided;
  const consumed = buffers.consume("a", never);
  await buffers.provide("a", tensor, never);
  expect(await consumed).toBe(tensor);
  expect(buffers.isIdle).toBe(true);
});

test("a key has one producer and one consumer", async () => {
  const buffers = new BufRendezvous();
  const waits = buffers.consume("b", never);
  await expect(buffers.consume("b", never)).rejects.toMatchObject({
    code: StatusCode.INTERNAL,
    message: "Second consumer arrived for key b",
  });
  await buffers.provide("b", tensor, never);
  await waits;
  const offered = buffers.provide("b", tensor, never);
  await expect(buffers.provide("b", tensor, never)).rejects.toMatchObject({
    code: StatusCode.INTERNAL,
    message: "BufRendezvous::ProvideBuf already called for key b",
  });
  await buffers.consume("b", never);
  await offered;
});

test("waits end with their signal and leave nothing behind", async () => {
  const buffers = new BufRendezvous();
  const controller = new AbortController();
  const waits = [buffers.consume("a", controller.signal), buffers.provide("b", tensor, controller.signal)];
  controller.abort(cancelled("enough"));
  for (const wait of waits) {
    await expect(wait).rejects.toMatchObject({ code: StatusCode.CANCELLED, message: "enough" });
  }
  expect(buffers.isIdle).toBe(true);
  await expect(buffers.consume("a", controller.signal)).rejects.toMatchObject({ message: "enough" });
});

test("an error ends the waits that are and those to come", async () => {
  const buffers = new BufRendezvous();
  const waits = [buffers.consume("a", never), buffers.provide("b", tensor, never)];
  buffers.abort(internalError("broken"));
  buffers.abort(internalError("broken again"));
  for (const wait of [...waits, buffers.consume("b", never), buffers.provide("a", tensor, never)]) {
    await expect(wait).rejects.toMatchObject({ message: "broken" });
  }
});

test("others may ask before a step begins here; when nobody waits any more nothing is kept", async () => {
  const table = new BufTable();
  const controller = new AbortController();
  const early = table.of(1n).consume("a", controller.signal);
  expect(table.begin(1n)).toBe(table.of(1n));
  controller.abort();
  await expect(early).rejects.toMatchObject({ code: StatusCode.CANCELLED });
  table.releaseUnused(1n);
  expect(table.size).toBe(1);
  table.end(1n, () => aborted("cleaned up"));
  expect(table.size).toBe(0);
  table.of(2n);
  table.releaseUnused(2n);
  expect(table.size).toBe(0);
});

test("a step that failed says so to those who come later, until its id is used again", async () => {
  const table = new BufTable();
  table.begin(1n);
  table.fail(1n, internalError("a node failed"));
  table.end(1n, () => aborted("cleaned up"));
  expect(() => table.of(1n)).toThrow("Step 1 has failed on this task: a node failed");
  table.begin(1n);
  expect(() => table.of(1n)).not.toThrow();
});
