import { expect, test, vi } from "vitest";
import { Tensor } from "../../../../worker-runtime/protocol/tensor.js";
import type { Outcome } from "./evaluate.js";
import { withoutFalseDuplicates } from "./false-duplicates.js";

const aborted = (message: string): Outcome => ({ kind: "error", code: "ABORTED", message });
const received = (what: string) =>
  aborted(
    `From /job:localhost/replica:0/task:0:\nThe same ${what} request was received twice. graph_handle: "0000000000000004"`,
  );
const falseAlarm = received("RunGraph (Worker)");
const value: Outcome = { kind: "values", values: [Tensor.of(1, "float32")] };

test("cases with a false alarm of TensorFlow are run once more, all others are not", async () => {
  const again = vi.fn(async (indices: readonly number[]) => indices.map(() => [value, value]));
  const first = [[value], [value, falseAlarm], [aborted("The step was aborted.")], [falseAlarm]];
  expect(await withoutFalseDuplicates(first, again)).toEqual([
    [value],
    [value, value],
    [aborted("The step was aborted.")],
    [value, value],
  ]);
  expect(again.mock.calls).toEqual([[[1, 3]]]);
});

test("an alarm of which the session itself would be the cause stays, as one that comes twice does", async () => {
  const again = vi.fn(async () => [[falseAlarm]]);
  const ofSession = [[received("RunStep (Master)")]];
  expect(await withoutFalseDuplicates(ofSession, again)).toEqual(ofSession);
  expect(again).not.toHaveBeenCalled();
  expect(await withoutFalseDuplicates([[falseAlarm]], again)).toEqual([[falseAlarm]]);
  expect(again).toHaveBeenCalledOnce();
});
