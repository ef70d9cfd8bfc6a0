import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ClientConnection } from "../../../../../worker-runtime/engines/portable/clients/client-connection.js";

const MINUTE_MILLIS = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

/** A connection that had one call of so many minutes, and then none for so many. */
function used(callMinutes: number, idleMinutes: number): ClientConnection {
  const connection = new ClientConnection();
  connection.beginCall();
  vi.advanceTimersByTime(callMinutes * MINUTE_MILLIS);
  connection.endCall();
  vi.advanceTimersByTime(idleMinutes * MINUTE_MILLIS);
  return connection;
}

test("a connection that had no call for half an hour was closed to save it", () => {
  const connection = used(1, 30);
  expect(connection.isClosed).toBe(false);
  connection.close();
  expect(connection.isClosed).toBe(true);
  expect(connection.wasIdle).toBe(true);
});

test("one that was in use a while ago was lost", () => {
  const connection = used(60, 20);
  connection.close();
  expect(connection.wasIdle).toBe(false);
});

test("one with a call that lasts was lost, however long it lasts", () => {
  const connection = used(1, 1);
  connection.beginCall();
  vi.advanceTimersByTime(60 * MINUTE_MILLIS);
  connection.close();
  connection.endCall();
  expect(connection.wasIdle).toBe(false);
});

test("who asked is told once", () => {
  const connection = new ClientConnection();
  const told = vi.fn();
  connection.onClose(told);
  connection.onClose(told);
  connection.close();
  connection.close();
  connection.onClose(told);
  expect(told.mock.calls).toEqual([[connection]]);
});
