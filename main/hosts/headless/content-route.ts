/** Large content in one response, which a browser takes several times as fast as messages of a WebSocket. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { contentQuerySchema } from "../../api/headless.js";
import { answerCall, type RequestHandler } from "../shared/dispatcher.js";

/**
 * Answers with the held content from the offset of the query on, or with a problem as JSON. A response that is cut off says
 * that the rest is no longer here. Never rejects.
 */
export async function sendContent(
  application: RequestHandler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  response.setHeader("Cache-Control", "no-store");
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const query = contentQuerySchema.safeParse(Object.fromEntries(searchParams));
  if (!query.success) {
    sendProblem(response, 400, { code: "INVALID_ARGUMENT", message: "The query must be id=…&offset=…." });
    return;
  }
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  const { id } = query.data;
  let { offset } = query.data;
  while (!gone.signal.aborted) {
    const answer = await answerCall(application, "documents.part", { id, offset }, { gone: gone.signal });
    if (!answer.ok) {
      if (response.headersSent) response.destroy();
      else sendProblem(response, 404, answer.problem);
      return;
    }
    const part = answer.result;
    if (!(part instanceof Uint8Array) || part.length === 0) break;
    offset += part.length;
    if (response.write(part)) continue;
    // Rejects when the browser went away.
    await once(response, "drain", { signal: gone.signal }).catch(() => undefined);
  }
  response.end();
}

function sendProblem(response: ServerResponse, status: number, problem: object): void {
  response.writeHead(status, { "Content-Type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(problem));
}
