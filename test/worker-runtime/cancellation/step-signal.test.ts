import { afterEach, describe, expect, test, vi } from "vitest";
import { CancellationController } from "../../../worker-runtime/cancellation/cancellation-controller.js";
import { isOfClient, StepSignal } from "../../../worker-runtime/cancellation/step-signal.js";
import { failedPrecondition, StatusCode } from "../../../worker-runtime/protocol/status.js";
import { collectGarbage } from "../../support/garbage.js";
import { KINDS, whenAborted } from "./support/signals.js";

/** Never reached: the tests end the steps themselves. */
const LONG_MILLIS = 3_600_000;

afterEach(() => void vi.useRealTimers());

describe.each(KINDS)("a step with %s signal of its client and its session", (_kind, create) => {
  test("ends with its client, also after a garbage collection", async () => {
    const [client, session] = [create(), create()];
    const ends = { client: client.signal, session: session.signal, timeoutMillis: LONG_MILLIS };
    const ended = whenAborted(new StepSignal(ends).signal);
    await collectGarbage();
    client.abort();
    const reason = await ended;
    expect(reason).toMatchObject({ code: StatusCode.CANCELLED });
    expect(isOfClient(reason)).toBe(true);
  });

  test("ends with its session, also after a garbage collection", async () => {
    const [client, session] = [create(), create()];
    const ends = { client: client.signal, session: session.signal, timeoutMillis: 0 };
    const ended = whenAborted(new StepSignal(ends).signal);
    await collectGarbage();
    session.abort(failedPrecondition("Session has been closed."));
    const reason = await ended;
    expect(reason).toMatchObject({ message: "Session has been closed." });
    expect(isOfClient(reason)).toBe(false);
  });

  test("ends after its time, also after a garbage collection", async () => {
    const [client, session] = [create(), create()];
    const ends = { client: client.signal, session: session.signal, timeoutMillis: 20 };
    const ended = whenAborted(new StepSignal(ends).signal);
    await collectGarbage();
    expect(await ended).toMatchObject({
      code: StatusCode.DEADLINE_EXCEEDED,
      message: "The step did not end within 20 ms (RunOptions.timeout_in_ms).",
    });
  });

  test("has ended if one of them was aborted before", () => {
    const [client, session] = [create(), create()];
    client.abort();
    const { signal } = new StepSignal({ client: client.signal, session: session.signal, timeoutMillis: 0 });
    expect(signal.aborted).toBe(true);
  });

  test("leaves no listener and no timer when it is released", () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const [client, session] = [create(), create()];
    const ends = { client: client.signal, session: session.signal, timeoutMillis: LONG_MILLIS };
    const step = new StepSignal(ends);
    expect([client.listeners(), session.listeners(), vi.getTimerCount()]).toEqual([1, 1, 1]);
    step.release();
    expect([client.listeners(), session.listeners(), vi.getTimerCount()]).toEqual([0, 0, 0]);
  });
});

test("a step needs no client", () => {
  const session = new CancellationController();
  const step = new StepSignal({ session: session.signal, timeoutMillis: 0 });
  expect(step.signal.aborted).toBe(false);
  step.release();
});
