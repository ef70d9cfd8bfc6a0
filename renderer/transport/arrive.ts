/** The work of a browser tab before the modules of the window are loaded: the application answers meanwhile. */
import { SOCKET_PATH, socketProtocols } from "../../main/api/headless.js";
import { type Admission, enter } from "./session.js";

export interface Arrival {
  readonly admission: Admission;
  /** The first connection, which may still be opening; present if and only if the tab was admitted. */
  readonly socket?: WebSocket;
}

/** Signs in and connects. Never rejects. */
export async function arrive(): Promise<Arrival> {
  const admission = await enter();
  if (!admission.ok) return { admission };
  const { url, protocols } = socketAddress(admission.secret);
  return { admission, socket: new WebSocket(url, protocols) };
}

/** Where the application of this page listens, and the subprotocols that admit the tab. */
export function socketAddress(secret: string): { readonly url: string; readonly protocols: string[] } {
  const scheme = window.location.protocol === "https:" ? "wss" : "ws";
  return { url: `${scheme}://${window.location.host}${SOCKET_PATH}`, protocols: socketProtocols(secret) };
}
