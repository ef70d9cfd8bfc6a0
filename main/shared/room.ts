/** Types that the rooms of the application share. */
import { reportFault } from "../../worker-runtime/faults.js";

/** The result of a room's composition for the application, besides the ports for other rooms. */
export interface Room<H> {
  /** One handler for each method of its slice of the contract. */
  readonly handlers: H;
  /**
   * Ends the work of the room: tasks, runs, tests. Called for all rooms at once, while each of them still serves the
   * others: tasks end while sessions close, since a session whose master has ended can no longer be closed, and other
   * machines are told about both. Absent if there is no work to end. May be called more than once.
   */
  endWork?(): Promise<void>;
  /**
   * Ends everything that the room started, including its work; resolves when that is done. May be called more than
   * once.
   */
  dispose(): Promise<void>;
}

/** Wraps the function that ends a room: the first call does the work and every later one waits for it. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/**
 * Ends rooms, given in the order of creation: first the work of all at once, then the rooms one by one in reverse
 * order. A room that fails is reported and does not keep the others from ending. Never rejects.
 */
export async function endAll(rooms: readonly Room<unknown>[]): Promise<void> {
  const lastFirst = [...rooms].reverse();
  await Promise.all(lastFirst.map((room) => room.endWork?.().catch(reportFault)));
  for (const room of lastFirst) await room.dispose().catch(reportFault);
}
