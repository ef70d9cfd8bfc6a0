/** The agent's half of showing this machine's window elsewhere: the protocol that WindowForwarder dials. */
import type { TLSSocket } from "node:tls";
import type { AgentPeer } from "../port/agent-peer.js";
import { includesRole } from "./roles.js";
import type { SharedWindow } from "./shared-window.js";

const PORT_BYTES = 2;
const PREFACE_TIMEOUT_MILLIS = 10_000;

/** Whether a machine may show this one's window: the window can do everything. */
export function admitsToWindow({ trusted }: Pick<AgentPeer, "trusted">): boolean {
  return trusted !== undefined && includesRole(trusted.grantedRole, "manage");
}

/** Passes a connection of the window's protocol to the window. Never rejects. */
export async function acceptWindow(socket: TLSSocket, window: SharedWindow): Promise<void> {
  const tooLate = setTimeout(() => socket.destroy(), PREFACE_TIMEOUT_MILLIS);
  const port = await readPreface(socket);
  clearTimeout(tooLate);
  if (port === undefined || port === 0) socket.destroy();
  else window.serve(socket, port);
}

/**
 * The preface of a forwarded connection: the port under which the browser knows the window. The machine answers under
 * no other, so that a foreign page that reaches the port by another name is refused, as it would be on the machine
 * itself.
 */
export function windowPreface(port: number): Uint8Array {
  const preface = Buffer.alloc(PORT_BYTES);
  preface.writeUInt16BE(port);
  return preface;
}

/** Reads the preface; undefined when the connection ends before that. The rest is left unread. */
function readPreface(socket: TLSSocket): Promise<number | undefined> {
  return new Promise((resolve) => {
    const settle = (port: number | undefined) => {
      socket.off("readable", read);
      socket.off("close", gone);
      resolve(port);
    };
    const gone = () => settle(undefined);
    const read = () => {
      const bytes: Buffer | null = socket.read(PORT_BYTES);
      if (bytes !== null) settle(bytes.length === PORT_BYTES ? bytes.readUInt16BE() : undefined);
    };
    socket.on("readable", read);
    socket.once("close", gone);
    read();
  });
}
