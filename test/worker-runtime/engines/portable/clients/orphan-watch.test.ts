import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ClientConnection } from "../../../../../worker-runtime/engines/portable/clients/client-connection.js";
import {
  type OrphanLimits,
  OrphanWatch,
} from "../../../../../worker-runtime/engines/portable/clients/orphan-watch.js";

const HOUR_MILLIS = 3_600_000;
const limits: OrphanLimits = { maxLost: 2, lostMillis: HOUR_MILLIS, idleMillis: 24 * HOUR_MILLIS };

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function watchWith(more: Partial<OrphanLimits> = {}): { watch: OrphanWatch; ended: string[] } {
  const ended: string[] = [];
  return { watch: new OrphanWatch({ ...limits, ...more }, (handle) => ended.push(handle)), ended };
}

test("of the sessions that lost their connections the last are kept, each for its time", () => {
  const { watch, ended } = watchWith();
  const connection = new ClientConnection();
  for (const handle of ["a", "b", "c", "d"]) {
    watch.used(handle, connection);
  }
  connection.close();
  expect(ended).toEqual(["a", "b"]);
  vi.advanceTimersByTime(HOUR_MILLIS - 1);
  expect(ended).toEqual(["a", "b"]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(["a", "b", "c", "d"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a session stays while one connection of its own is open", () => {
  const { watch, ended } = watchWith({ maxLost: 0 });
  const [first, second] = [new ClientConnection(), new ClientConnection()];
  watch.used("a", first);
  watch.used("a", second);
  first.close();
  expect(ended).toEqual([]);
  second.close();
  expect(ended).toEqual(["a"]);
});

test("a client that comes back keeps its session, and does not count among the lost", () => {
  const { watch, ended } = watchWith({ maxLost: 1 });
  const first = new ClientConnection();
  watch.used("a", first);
  first.close();
  vi.advanceTimersByTime(HOUR_MILLIS / 2);
  const [second, other] = [new ClientConnection(), new ClientConnection()];
  watch.used("a", second);
  watch.used("b", other);
  other.close();
  vi.advanceTimersByTime(HOUR_MILLIS / 2);
  expect(ended).toEqual([]);
  second.beginCall();
  second.close();
  expect(ended).toEqual(["b"]);
  vi.advanceTimersByTime(HOUR_MILLIS);
  expect(ended).toEqual(["b", "a"]);
});

test("where clients saved an idle connection, any number of sessions is kept, and for longer", () => {
  const { watch, ended } = watchWith({ maxLost: 0 });
  const connection = new ClientConnection();
  watch.used("a", connection);
  watch.used("b", connection);
  vi.advanceTimersByTime(HOUR_MILLIS / 2);
  connection.close();
  vi.advanceTimersByTime(24 * HOUR_MILLIS - 1);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(["a", "b"]);
});

test("no session is kept for longer than an idle one", () => {
  const { watch, ended } = watchWith({ idleMillis: 1000 });
  const connection = new ClientConnection();
  watch.used("a", connection);
  connection.close();
  vi.advanceTimersByTime(1000);
  expect(ended).toEqual(["a"]);
});

test("a time that no timer takes is waited for all the same", () => {
  const year = 365 * 24 * HOUR_MILLIS;
  const { watch, ended } = watchWith({ lostMillis: year, idleMillis: year });
  const connection = new ClientConnection();
  watch.used("a", connection);
  connection.close();
  vi.advanceTimersByTime(year - 1);
  expect(ended).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(ended).toEqual(["a"]);
});

test("all are kept where sessions stay until somebody ends them", () => {
  const { watch, ended } = watchWith({ maxLost: 0, idleMillis: 0 });
  const connection = new ClientConnection();
  watch.used("a", connection);
  connection.close();
  expect(vi.getTimerCount()).toBe(0);
  expect(ended).toEqual([]);
});

test("a session of a caller whose connection is not known is never alone", () => {
  const { watch, ended } = watchWith({ maxLost: 0 });
  const connection = new ClientConnection();
  watch.used("a", undefined);
  watch.used("a", connection);
  connection.close();
  expect(ended).toEqual([]);
});

test("a session whose connection was gone when it was made is alone from the beginning", () => {
  const { watch, ended } = watchWith();
  const connection = new ClientConnection();
  connection.close();
  watch.used("a", connection);
  vi.advanceTimersByTime(HOUR_MILLIS / 2);
  watch.used("a", connection);
  vi.advanceTimersByTime(HOUR_MILLIS / 2);
  expect(ended).toEqual(["a"]);
});

test("a session that was closed is forgotten", () => {
  const { watch, ended } = watchWith({ maxLost: 1 });
  const connection = new ClientConnection();
  watch.used("a", connection);
  watch.used("b", connection);
  watch.used("c", connection);
  watch.forget("a");
  connection.close();
  expect(ended).toEqual(["b"]);
  watch.forget("c");
  expect(vi.getTimerCount()).toBe(0);
});
