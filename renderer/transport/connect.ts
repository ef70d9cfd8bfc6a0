import type { ApplicationClient } from "../../main/api/contract.js";
import { SOCKET_PATH, socketProtocols } from "../../main/api/headless.js";
import { BridgeClient } from "./bridge-client.js";
import { contentReader } from "./read-content.js";
import { enter, forgetSecret, isForgotten, type Refusal } from "./session.js";
import { WebSocketClient } from "./web-socket-client.js";

export type Connection =
  | { readonly ok: true; readonly client: ApplicationClient }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Connects this window to its application: over Electron's bridge if there is one, otherwise over a WebSocket to
 * the page's origin. `onRefused` is called when a secret that worked is no longer accepted.
 */
export async function connect(onRefused: () => void): Promise<Connection> {
  if (window.tensordeck !== undefined) return { ok: true, client: new BridgeClient(window.tensordeck) };
  const admission = await enter();
  if (!admission.ok) return admission;
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  const client = new WebSocketClient({
    url: `${scheme}://${window.location.host}${SOCKET_PATH}`,
    protocols: socketProtocols(admission.secret),
    readContent: contentReader(admission.secret),
    isRefused: () => isForgotten(admission.secret),
    onRefused: () => {
      forgetSecret();
      onRefused();
    },
  });
  return { ok: true, client };
}
