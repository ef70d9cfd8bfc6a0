import { formatHostPort } from "../cluster/address.js";
import { unavailable } from "../protocol/status.js";
import { connectHttp2 } from "../rpc/http2-connection.js";
import { messagePrefix } from "../rpc/message-prefix.js";

const RETRY_MILLIS = 20;

/**
 * Waits until a server answers tensorflow.WorkerService/GetStatus.
 *
 * Written on node:http2 alone: a worker needs this one call, and a gRPC library would cost it a tenth of a second of
 * its start and 20 MB for its whole life. A request without fields is an empty message.
 * @throws TensorFlowError UNAVAILABLE when it has not answered by the deadline.
 */
export async function awaitServing(host: string, port: number, deadlineMillis: number): Promise<void> {
  const until = Date.now() + deadlineMillis;
  let last = "no answer";
  while (Date.now() < until) {
    try {
      await getStatus(host, port, until - Date.now());
      return;
    } catch (error) {
      last = error instanceof Error ? error.message : String(error);
    }
    await new Promise((resolve) => setTimeout(resolve, RETRY_MILLIS));
  }
  throw unavailable(
    `The server was started and does not answer on ${host}:${port} (${last}). Does a firewall stand in the way?`,
  );
}

/** One GetStatus; rejects when the connection fails, the call ends with another status than OK, or time is up. */
export function getStatus(host: string, port: number, deadlineMillis: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const session = connectHttp2(formatHostPort({ host, port }));
    const end = (error?: Error) => {
      clearTimeout(timer);
      session.destroy();
      if (error === undefined) {
        resolve();
      } else {
        reject(error);
      }
    };
    const timer = setTimeout(() => end(new Error("no answer in time")), deadlineMillis);
    session.on("error", end);
    const call = session.request({
      ":method": "POST",
      ":path": "/tensorflow.WorkerService/GetStatus",
      "content-type": "application/grpc",
      te: "trailers",
    });
    const judge = (headers: { readonly [name: string]: unknown }) => {
      const status = headers["grpc-status"];
      if (status !== undefined) {
        end(status === "0" ? undefined : new Error(`gRPC status ${String(status)}`));
      }
    };
    call.on("error", end);
    // A call that fails at once has its status in the headers.
    call.on("response", judge);
    call.on("trailers", judge);
    call.resume();
    call.end(messagePrefix(0));
  });
}
