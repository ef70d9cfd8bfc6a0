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
/** Whatever a busy machine takes is short. */
const anything = { runMillis: Number.POSITIVE_INFINITY, makeMillis: Number.POSITIVE_INFINITY };

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
  sessions.made(1, { model: model(), usesOneThread: true, keepsMemory: true, millis: makeMillis });
  for (const each of millis) {
    sessions.ranElsewhere(1, [input], each);
  }
  return sessions;
}

const many = (millis: number) => new Array<number>(200).fill(millis);
const pair = Tensor.of([1, 2], "float32");

async function shortSession(): Promise<ShortSessions> {
  const sessions = observed(many(SHORT), pair);
  await vi.waitFor(() => expect(takes(sessions, pair)).toBe(true), { timeout: 10_000 });
  return sessions;
}

function takes(sessions: ShortSessions, input: Tensor, number = 1): boolean {
  const borrowed = sessions.borrow(number, [input]);
  borrowed?.giveBack();
  return borrowed !== undefined;
}

describe("a session whose runs are short", () => {
  test("comes to this thread, for inputs as large as those observed", async () => {
    const sessions = await shortSession();
    const session = sessions.borrow(1, [pair]);
    const ran = await session?.run([pair], false, signal);
    session?.giveBack();
    expect(ran?.outputs[0]).toEqual({ shape: [2], data: Float32Array.of(2, 4).buffer });
    expect(takes(sessions, Tensor.of([1], "float32"))).toBe(true);
    expect(takes(sessions, Tensor.of([1, 2, 3], "float32"))).toBe(false);
    expect(takes(sessions, pair, 2)).toBe(false);
  });

  test("fails with the message of ONNX Runtime", async () => {
    const session = (await shortSession()).borrow(1, [pair]);
    const run = session?.run([Tensor.of([[1]], "float32")], false, signal);
    await expect(run).rejects.toThrow(SessionError);
    await expect(run).rejects.toThrow(/rank/i);
    session?.giveBack();
  });

  test("does not run for a step that was cancelled", async () => {
    const session = (await shortSession()).borrow(1, [pair]);
    const run = session?.run([pair], false, AbortSignal.abort());
    await expect(run).rejects.toMatchObject({ codeName: "CANCELLED" });
    session?.giveBack();
  });

  test("is released once the runs that have begun are done", async () => {
    const sessions = await shortSession();
    const session = sessions.borrow(1, [pair]);
    const run = session?.run([pair], false, signal);
    sessions.release(1);
    expect(takes(sessions, pair)).toBe(false);
    expect(sessions.isEmpty).toBe(true);
    expect((await run)?.outputs).toHaveLength(1);
    session?.giveBack();
  });

  test("goes back if its inputs are always on the other thread", async () => {
    const sessions = await shortSession();
    for (let i = 0; i < 100 && takes(sessions, pair); i += 1) {
      const session = sessions.borrow(1, [pair]);
      await session?.run([pair], i !== 3, signal);
      session?.giveBack();
    }
    expect(takes(sessions, pair)).toBe(false);
    expect(sessions.isEmpty).toBe(true);
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
  expect(takes(sessions, pair)).toBe(false);
});

test("a variable that stays on the device's thread follows a session that leaves it", async () => {
  const device = new RegionDevice({ short: anything });
  onTestFinished(() => device.close());
  const builder = new ModelBuilder();
  const one = builder.constant(Tensor.of([1, 2], "float32"));
  builder.output(builder.node("Add", [builder.input("float32", 1), one], "float32"));
  const stays = { dtype: "float32", stays: true } as const;
  const session = await device.makeSession(builder.build("next"), [stays], { usesOneThread: true });
  let variable: Tensor | undefined = Tensor.of([0, 0], "float32");
  let steps = 0;
  do {
    [variable] = await session.run([variable as Tensor], signal);
    steps += 1;
  } while (variable instanceof DeviceTensor);
  expect(steps).toBeGreaterThan(1);
  expect([...((variable as Tensor).data as Float32Array)]).toEqual([steps, 2 * steps]);
});
