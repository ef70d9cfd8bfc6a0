/** Keeps the values of variables in the application before they are replaced or moved, and brings them back. */
import type { DocumentSession } from "../stores/document-session.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";
import { followJob } from "./follow-job.js";

const words = texts.actions.keptValues;

export interface KeptValues {
  /** The application's id of them. */
  readonly keptId: string;
  readonly names: readonly string[];
}

/** The notice of work on the values of a document. */
export const VALUES_NOTICE = "checkpoint";

/**
 * Keeps values aside.
 *
 * @param graphId of the document's graph as it was inspected last
 * @param names of variables that have a value
 * @returns undefined if the user cancelled it
 */
export async function setAside(
  session: DocumentSession,
  graphId: string,
  names: readonly string[],
): Promise<KeptValues | undefined> {
  const count = names.length;
  const message = (percent?: number) =>
    percent === undefined ? words.keeping({ count }) : words.keepingSoFar({ count, percent });
  const kept = await followJob(session, VALUES_NOTICE, message, (jobId) =>
    client().call("variables.setAside", { graphId, names: [...names], jobId }),
  );
  return kept && { keptId: kept.keptId, names };
}

/**
 * Gives variables of a graph, which may have other pins by now, the values that were kept. False if it was cancelled.
 *
 * @param keptAs the names that variables had then, where they have others now
 */
export async function bringBack(
  session: DocumentSession,
  graphId: string,
  { keptId, names }: KeptValues,
  keptAs: ReadonlyMap<string, string> = new Map(),
): Promise<boolean> {
  const count = names.length;
  const message = (percent?: number) =>
    percent === undefined ? words.bringingBack({ count }) : words.bringingBackSoFar({ count, percent });
  const answer = await followJob(session, VALUES_NOTICE, message, (jobId) =>
    client().call("variables.bringBack", {
      ...{ graphId, names: [...names], keptId, jobId },
      ...(keptAs.size > 0 ? { keptAs: Object.fromEntries(keptAs) } : {}),
    }),
  );
  return answer !== undefined;
}
