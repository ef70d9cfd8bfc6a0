/**
 * The ports of tasks, and of the tunnels to them on other machines: a separate range, so that no other machine controls
 * what a program of this one finds at the port of its database, or a browser at that of a notebook.
 */

/** TensorFlow's conventional first port. */
export const FIRST_TASK_PORT = 2222;
/** Development servers begin at 3000. The ports below are enough for the largest cluster. */
export const LAST_TASK_PORT = 2999;

/** Well-known ports of other programs within the range. */
const KNOWN_PORTS: ReadonlySet<number> = new Set([
  ...[2300, 2375, 2376, 2377, 2379, 2380, 2381, 2382, 2404, 2424, 2427, 2447, 2480, 2483, 2484, 2525, 2598],
  ...[2601, 2602, 2603, 2604, 2605, 2606, 2628, 2638, 2701, 2710, 2775, 2809, 2828, 2947, 2967],
]);

/** "2222 to 2999", for people. */
export const TASK_PORTS_TEXT = `${FIRST_TASK_PORT} to ${LAST_TASK_PORT}`;

/** Whether a port is one that tasks and tunnels may have. */
export function isTaskPort(port: number): boolean {
  return port >= FIRST_TASK_PORT && port <= LAST_TASK_PORT && !KNOWN_PORTS.has(port);
}

/** The first of these ports, from a given one, that is not to be avoided; undefined if none is left. */
export function nextTaskPort(from: number, avoided: ReadonlySet<number>): number | undefined {
  for (let port = Math.max(from, FIRST_TASK_PORT); port <= LAST_TASK_PORT; port++) {
    if (isTaskPort(port) && !avoided.has(port)) return port;
  }
  return undefined;
}
