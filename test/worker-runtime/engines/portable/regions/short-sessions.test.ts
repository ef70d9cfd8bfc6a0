import { describe, expect, onTestFinished, test, vi } from "vitest";
import { DeviceTensor } from "../../../../../worker-runtime/engines/portable/gpu/device-tensor.js";
import { ModelBuilder } from "../../../../../worker-runtime/engines/portable/onnx/model-builder.js";
import { RegionDevice } from "../../../../../worker-runtime/engines/portable/regions/device.js";
import { SessionError } from "../../../../../worker-runtime/engines/portable/regions/device-errors.js";
import { ShortSessions } from "../../../../../worker-runtime/engines/portable/regions/short-sessions.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

const { signal } = new AbortController();
const SHORT = 1;
const LONG = 1000;

/** x + x */
function model(): Uint8Array {
  const builder = new ModelBuilder();
  const x = builder.input("float32", 1);
  builder.output(builder.node("Add", [x, x], "float32"));
  return builder.build("twice");
}

/** Sessions of which number 1 has run elsewhere, so many times and so long. */
function observed(millis: readonly number[], input: Tensor, makeMillis = SHORT): ShortSessions {
  const sessions = new ShortSessions("onnxruntime-node", 1);
  onTestFinished(() => sessions.releaseAll());
  sessions.made(1, { model: model(), usesOneThread: true, millis: makeMillis });
  for (const each of millis) {
    sessions.ranElsewhere(1, [input], each);
  }
  return sessions;
}

const many = (millis: number) => new Array<number>(200).fill(millis);
const pair = Tensor.of([1, 2], "float32");

async function shortSession(): Promise<ShortSessions> {
  const sessions = observed(many(SHORT), pair);
  await vi.waitFor(() => expect(sessions.takes(1, [pair])).toBe(true), { timeout: 10_000 });
  return sessions;
}

describe("a session whose runs are short", () => {
  test("comes to this thread, for inputs as large as those observed", async () => {
    const sessions = await shortSession();
    const [output] = await sessions.run(1, [pair], false, signal);
    expect(output).toEqual({ shape: [2], data: Float32Array.of(2, 4).buffer });
    expect(sessions.takes(1, [Tensor.of([1], "float32")])).toBe(true);
    expect(sessions.takes(1, [Tensor.of([1, 2, 3], "float32")])).toBe(false);
    expect(sessions.takes(2, [pair])).toBe(false);
  });

  test("fails with the message of ONNX Runtime", async () => {
    const sessions = await shortSession();
    const run = sessions.run(1, [Tensor.of([[1]], "float32")], false, signal);
    await expect(run).rejects.toThrow(SessionError);
    await expect(run).rejects.toThrow(/rank/i);
  });

  test("does not run for a step that was cancelled, nor once it was released", async () => {
    const sessions = await shortSession();
    await expect(sessions.run(1, [pair], false, AbortSignal.abort())).rejects.toMatchObject({
      codeName: "CANCELLED",
    });
    sessions.release(1);
    expect(sessions.takes(1, [pair])).toBe(false);
    expect(sessions.isEmpty).toBe(true);
    await expect(sessions.run(1, [pair], false, signal)).rejects.toThrow(SessionError);
  });

  test("goes back if its inputs are always on the other thread", async () => {
    const sessions = await shortSession();
    for (let i = 0; i < 100 && sessions.takes(1, [pair]); i += 1) {
      await sessions.run(1, [pair], i !== 3, signal);
    }
    expect(sessions.takes(1, [pair])).toBe(false);
  });
});

test.each([
  ["runs are long", many(LONG), SHORT],
  ["every second run is long", many(SHORT).map((millis, i) => (i % 2 === 0 ? LONG : millis)), SHORT],
  ["making it takes long", many(SHORT), LONG],
])("a session stays where it is if %s", async (_, millis, makeMillis) => {
  const sessions = observed(millis, pair, makeMillis);
  const other = await shortSession();
  // Made after it.
  expect(other.isEmpty).toBe(false);
  expect(sessions.takes(1, [pair])).toBe(false);
});

test("a variable that stays on the device's thread follows a session that leaves it", async () => {
  const device = new RegionDevice();
  onTestFinished(() => device.close());
  const session = await device.makeSession(model(), [{ dtype: "float32", stays: true }], true);
  let variable: Tensor = Tensor.of([1, -1], "float32");
  let steps = 0;
  let wasOnThread = false;
  const step = async () => {
    const [next] = await session.run([variable], signal);
    variable = next as Tensor;
    steps += 1;
    wasOnThread ||= variable instanceof DeviceTensor;
    return variable instanceof DeviceTensor;
  };
  for (let i = 0; i < 100 && ((await step()) || i < 30); i += 1) {
    // A float32 can be doubled 127 times.
  }
  expect(wasOnThread).toBe(true);
  expect(variable).not.toBeInstanceOf(DeviceTensor);
  expect([...(variable.data as Float32Array)]).toEqual([2 ** steps, -(2 ** steps)]);
});
