import { describe, expect, test } from "vitest";
import type { Sent } from "../../../../../worker-runtime/engines/portable/rendezvous/rendezvous.js";
import {
  type RemoteReceiver,
  StepRendezvous,
} from "../../../../../worker-runtime/engines/portable/rendezvous/step-rendezvous.js";
import { aborted, StatusCode } from "../../../../../worker-runtime/protocol/status.js";
import { Tensor } from "../../../../../worker-runtime/protocol/tensor.js";

const here = "/job:worker/replica:0/task:0/device:CPU:0";
const there = "/job:ps/replica:0/task:0/device:CPU:0";
const key = (name: string, sender = here): string => `${sender};1;${here};${name};0:0`;
const value = (number: number): Sent => ({ isDead: false, value: Tensor.of(number) });
const never = (): AbortSignal => new AbortController().signal;

describe("the rendezvous of a step", () => {
  test("hands a value over in either order", async () => {
    const rendezvous = new StepRendezvous();
    rendezvous.send(key("a"), value(1));
    expect(await rendezvous.recv(key("a"), never())).toEqual(value(1));
    const waiting = rendezvous.recv(key("b"), never());
    rendezvous.send(key("b"), value(2));
    expect(await waiting).toEqual(value(2));
    expect(rendezvous.isIdle).toBe(true);
  });

  test("hands dead values over", async () => {
    const rendezvous = new StepRendezvous();
    rendezvous.send(key("a"), { isDead: true });
    expect(await rendezvous.recv(key("a"), never())).toEqual({ isDead: true });
  });

  test("values and waiters of one key stand in line", async () => {
    const rendezvous = new StepRendezvous();
    rendezvous.send(key("a"), value(1));
    rendezvous.send(key("a"), value(2));
    const received = [1, 2, 3, 4].map(() => rendezvous.recv(key("a"), never()));
    rendezvous.send(key("a"), value(3));
    rendezvous.send(key("a"), value(4));
    expect(await Promise.all(received)).toEqual([1, 2, 3, 4].map(value));
    expect(rendezvous.isIdle).toBe(true);
  });

  test("a cancelled wait ends and takes no value", async () => {
    const rendezvous = new StepRendezvous();
    const caller = new AbortController();
    const given = rendezvous.recv(key("a"), caller.signal);
    const other = rendezvous.recv(key("a"), never());
    caller.abort();
    await expect(given).rejects.toMatchObject({ code: StatusCode.CANCELLED });
    rendezvous.send(key("a"), value(1));
    expect(await other).toEqual(value(1));
    await expect(rendezvous.recv(key("a"), caller.signal)).rejects.toMatchObject({
      code: StatusCode.CANCELLED,
    });
    expect(rendezvous.isIdle).toBe(true);
  });

  test("an aborted one fails who waits, who comes and who sends, with the first error", async () => {
    const rendezvous = new StepRendezvous();
    rendezvous.send(key("kept"), value(1));
    const waiting = rendezvous.recv(key("a"), never());
    rendezvous.abort(aborted("first"));
    rendezvous.abort(aborted("second"));
    await expect(waiting).rejects.toThrow("first");
    await expect(rendezvous.recv(key("kept"), never())).rejects.toThrow("first");
    expect(() => rendezvous.send(key("b"), value(1))).toThrow("first");
    expect(rendezvous.isIdle).toBe(true);
  });

  test("asks the other task for what it sends, and only for that", async () => {
    const asked: string[] = [];
    const remote: RemoteReceiver = {
      isLocal: (device) => device === here,
      receive: async (wanted) => {
        asked.push(wanted);
        return value(7);
      },
    };
    const rendezvous = new StepRendezvous();
    rendezvous.attach(remote);
    expect(await rendezvous.recv(key("a", there), never())).toEqual(value(7));
    rendezvous.send(key("b"), value(8));
    expect(await rendezvous.recv(key("b"), never())).toEqual(value(8));
    expect(asked).toEqual([key("a", there)]);
  });
});
