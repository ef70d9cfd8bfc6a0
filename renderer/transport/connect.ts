import type { ApplicationClient } from "../../main/api/contract.js";
import { type Arrival, arrive, socketAddress } from "./arrive.js";
import { BridgeClient } from "./bridge-client.js";
import { contentReader } from "./read-content.js";
import { forgetSecret, isForgotten, type Refusal } from "./session.js";
import { WebSocketClient } from "./web-socket-client.js";

export type Connection =
  | { readonly ok: true; readonly client: ApplicationClient }
  | { readonly ok: false; readonly refusal: Refusal };

/**
 * Connects this window to its application: over Electron's bridge if there is one, otherwise over a WebSocket to
 * the page's origin.
 *
 * @param arrival what the page has begun while its modules were loaded
 * @param onRefused called when a secret that worked is no longer accepted
 */
export async function connect(
  arrival: Promise<Arrival> | undefined,
  onRefused: () => void,
): Promise<Connection> {
  if (window.tensordeck !== undefined) return { ok: true, client: new BridgeClient(window.tensordeck) };
  const { admission, socket } = await (arrival ?? arrive());
  if (!admission.ok) return admission;
  const client = new WebSocketClient({
    ...socketAddress(admission.secret),
    ...(socket && { socket }),
    readContent: contentReader(admission.secret),
    isRefused: () => isForgotten(admission.secret),
    onRefused: () => {
      forgetSecret();
      onRefused();
    },
  });
  return { ok: true, client };
}
