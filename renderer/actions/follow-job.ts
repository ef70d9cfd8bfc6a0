/** Long work of the application that tells how far it is. */
import { ProblemError } from "../../main/api/wire.js";
import { dismissNoticeByKey, showNotice } from "../stores/app-store.js";
import type { DocumentSession } from "../stores/document-session.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";

let jobs = 0;

/**
 * Shows the progress of work on a document that can be cancelled; undefined if it was.
 *
 * @param key of the document's notice, which stays when the work is done
 * @param message says what is done; without a number at first
 */
export async function followJob<T>(
  session: DocumentSession,
  key: string,
  message: (percent?: number) => string,
  work: (jobId: string) => Promise<T>,
): Promise<T | undefined> {
  const jobId = `${key}-${Date.now()}-${jobs++}`;
  const tell = (share: number) =>
    showNotice({
      kind: "info",
      ...{ key, session },
      problem: { code: "OK", message: message(share > 0 ? Math.floor(share * 100) : undefined) },
      action: { label: texts.common.cancel, run: () => client().call("tensors.cancel", { jobId }) },
    });
  tell(0);
  const unlisten = client().on("tensorJobs", (all) => {
    const job = all.find((one) => one.jobId === jobId);
    if (job) tell(job.done);
  });
  try {
    return await work(jobId);
  } catch (error) {
    dismissNoticeByKey(key, session);
    if (error instanceof ProblemError && error.problem.code === "CANCELLED") return undefined;
    throw error;
  } finally {
    unlisten();
  }
}
