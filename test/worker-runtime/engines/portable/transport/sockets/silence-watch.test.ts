import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { watchSilence } from "../../../../../../worker-runtime/engines/portable/transport/sockets/silence-watch.js";

const limits = { lookMillis: 1000, looksUntilAsked: 2, looksUntilGone: 5 };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A peer that does what a test sets. */
function watched() {
  const peer = { count: 0, isAwaitedNow: true, asked: 0, timesGone: 0 };
  const stop = watchSilence(
    {
      signs: () => peer.count,
      isAwaited: () => peer.isAwaitedNow,
      ask: () => {
        peer.asked += 1;
      },
      gone: () => {
        peer.timesGone += 1;
      },
    },
    limits,
  );
  return { peer, stop, looks: (count: number) => vi.advanceTimersByTime(count * limits.lookMillis) };
}

describe("a silent peer of which something is awaited", () => {
  test("is asked at each look, and given up after some", () => {
    const { peer, looks } = watched();
    looks(1);
    expect(peer).toMatchObject({ asked: 0, timesGone: 0 });
    looks(3);
    expect(peer).toMatchObject({ asked: 3, timesGone: 0 });
    looks(1);
    expect(peer).toMatchObject({ asked: 3, timesGone: 1 });
  });

  test("stays as long as it gives signs, however late", () => {
    const { peer, looks } = watched();
    for (let sign = 0; sign < 10; sign += 1) {
      looks(4);
      peer.count += 1;
    }
    expect(peer.timesGone).toBe(0);
  });

  test("is not given up by a process that was held up itself, before that has read what came", () => {
    const { peer, looks } = watched();
    looks(1);
    vi.setSystemTime(Date.now() + 3_600_000);
    looks(1);
    peer.count += 1;
    looks(3);
    expect(peer.timesGone).toBe(0);
  });
});

test("a peer of which nothing is awaited may be silent, and has its whole time afterwards", () => {
  const { peer, looks } = watched();
  peer.isAwaitedNow = false;
  looks(20);
  peer.isAwaitedNow = true;
  looks(4);
  expect(peer).toMatchObject({ asked: 3, timesGone: 0 });
  looks(1);
  expect(peer.timesGone).toBe(1);
});

test("a watch that was ended looks no more", () => {
  const { stop } = watched();
  stop();
  expect(vi.getTimerCount()).toBe(0);
});
