/** What the rooms of the application have in common. */
import { reportFault } from "../../worker-runtime/faults.js";

/** What a composition of a room gives to the application, besides the ports that other rooms are given. */
export interface Room<H> {
  /** One for each method of its slice of the contract. */
  readonly handlers: H;
  /**
   * Ends the work of the room: tasks, runs, tests. Called for all rooms at once, while each of them still serves the
   * others: tasks end while sessions close, since a session whose master is gone has nothing left to close, and other
   * machines are told of both. Left out where there is no work to end. May be called more than once.
   */
  endWork?(): Promise<void>;
  /** Ends everything that the room began, its work too; resolves when it is gone. May be called more than once. */
  dispose(): Promise<void>;
}

/** The work, which is done with the first call; every other one waits for it. For what ends a room. */
export function once(work: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  return () => {
    done ??= work();
    return done;
  };
}

/**
 * Ends rooms, given in the order in which they were made: the work of all at once, then one after the other, the last
 * first. One that fails is reported and keeps no other from ending. Never rejects.
 */
export async function endAll(rooms: readonly Room<unknown>[]): Promise<void> {
  const lastFirst = [...rooms].reverse();
  await Promise.all(lastFirst.map((room) => room.endWork?.().catch(reportFault)));
  for (const room of lastFirst) await room.dispose().catch(reportFault);
}
