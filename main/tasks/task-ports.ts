/**
 * The ports that tasks have and that tunnels to them take on other machines: a range of their own, so that no other machine
 * decides what a program of this one finds where it looks for its database or a browser for a notebook.
 */

/** TensorFlow's customary first port. */
export const FIRST_TASK_PORT = 2222;
/** Dev servers begin at 3000. What is left is enough for the largest cluster. */
export const LAST_TASK_PORT = 2999;

/** Ports between that programs of other kinds are known for. */
const KNOWN_PORTS: ReadonlySet<number> = new Set([
  ...[2300, 2375, 2376, 2377, 2379, 2380, 2381, 2382, 2404, 2424, 2427, 2447, 2480, 2483, 2484, 2525, 2598],
  ...[2601, 2602, 2603, 2604, 2605, 2606, 2628, 2638, 2701, 2710, 2775, 2809, 2828, 2947, 2967],
]);

/** "2222 to 2999", for people. */
export const TASK_PORTS_TEXT = `${FIRST_TASK_PORT} to ${LAST_TASK_PORT}`;

/** Whether a port is one that tasks and tunnels take. */
export function isTaskPort(port: number): boolean {
  return port >= FIRST_TASK_PORT && port <= LAST_TASK_PORT && !KNOWN_PORTS.has(port);
}

/** The first of these ports, from one on, that is not to be avoided; undefined where none is left. */
export function nextTaskPort(from: number, avoided: ReadonlySet<number>): number | undefined {
  for (let port = Math.max(from, FIRST_TASK_PORT); port <= LAST_TASK_PORT; port++) {
    if (isTaskPort(port) && !avoided.has(port)) return port;
  }
  return undefined;
}
