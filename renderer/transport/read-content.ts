import type { ContentReader } from "../../main/api/contract.js";
import { CONTENT_PATH } from "../../main/api/headless.js";
import { problemSchema } from "../../main/api/problem.js";
import { ProblemError } from "../../main/api/wire.js";
import { texts } from "../texts/texts.js";

const words = texts.transport.readContent;

/** Reads content from the page's origin, in one response. */
export function contentReader(secret: string): ContentReader {
  return async function* ({ id, offset }) {
    const query = new URLSearchParams({ id, offset: String(offset) });
    const abort = new AbortController();
    try {
      const response = await fetch(`${CONTENT_PATH}?${query}`, {
        headers: { authorization: `Bearer ${secret}` },
        cache: "no-store",
        signal: abort.signal,
      });
      if (!response.ok || response.body === null) throw await refusalOf(response);
      const reader = response.body.getReader();
      for (let read = await reader.read(); !read.done; read = await reader.read()) yield read.value;
    } catch (error) {
      if (error instanceof ProblemError) throw error;
      throw new ProblemError({
        code: "UNAVAILABLE",
        message: words.lost,
        remedy: words.openAgain,
      });
    } finally {
      // Nothing if it is read to its end.
      abort.abort();
    }
  };
}

async function refusalOf(response: Response): Promise<ProblemError> {
  const problem = problemSchema.safeParse(await response.json().catch(() => undefined));
  if (problem.success) return new ProblemError(problem.data);
  return new ProblemError({
    code: "UNAVAILABLE",
    message: words.refused({ status: String(response.status) }),
    remedy: words.openAgain,
  });
}
