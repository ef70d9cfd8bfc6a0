/** Keeps a burst of connections to one machine from looking like an attack there: an agent limits its handshakes. */
import type { DialTunnel } from "./tunnel-entrance.js";

/**
 * Handshakes with one machine at once. Each takes milliseconds, so a hundred connections are quickly established.
 */
const DIALS_AT_ONCE = 16;

interface Gate {
  running: number;
  readonly queue: (() => void)[];
}

/** A dialler with a limit on concurrent dials to one machine; the others wait for their turn. */
export function gated(dial: DialTunnel, dialsAtOnce = DIALS_AT_ONCE): DialTunnel {
  const gates = new Map<string, Gate>();
  return async (request) => {
    const { deviceId } = request;
    const gate = gates.get(deviceId) ?? { running: 0, queue: [] };
    gates.set(deviceId, gate);
    if (gate.running < dialsAtOnce) gate.running++;
    // A finished dial passes its slot on. A cancelled one takes its turn and ends at once.
    else await new Promise<void>((resolve) => gate.queue.push(resolve));
    try {
      return await dial(request);
    } finally {
      const next = gate.queue.shift();
      if (next) next();
      else if (--gate.running === 0) gates.delete(deviceId);
    }
  };
}
