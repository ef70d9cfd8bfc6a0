import type { ServerHttp2Session } from "node:http2";
import { type SilenceLimits, watchSilence } from "../sockets/silence-watch.js";

/**
 * Ends an HTTP/2 connection whose client is silent and does not answer pings, with all calls on it. All clients answer
 * them, even while no call is in progress.
 */
export function watchSession(session: ServerHttp2Session, limits: SilenceLimits): void {
  const { socket } = session;
  const stop = watchSilence(
    {
      // A session that is being destroyed has no socket any more.
      signs: () => (session.destroyed ? 0 : socket.bytesRead),
      isAwaited: () => !session.destroyed,
      ask: () => session.ping(() => undefined),
      gone: () => session.destroy(),
    },
    limits,
  );
  session.once("close", stop);
}
