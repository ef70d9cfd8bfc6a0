import { connect as connectTcp, type OnReadOpts } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { parseHostPort } from "../../../cluster/address.js";
import { Channel } from "../../../rpc/channel.js";
import { workerClient } from "../../../rpc/worker-client.js";
import type { WorkerTransport } from "../worker/worker-transport.js";
import type { BulkDialer } from "./bulk/bulk-receiver.js";
import { MAX_MESSAGE_BYTES } from "./receiving/message-limits.js";
import { peerSocketOptions } from "./sockets/peer-socket.js";
import { type PeerTrust, TASK_SERVER_NAME } from "./sockets/peer-trust.js";
import { SILENCE_LIMITS, type SilenceLimits } from "./sockets/silence-watch.js";
import { StreamCaller } from "./stream/stream-caller.js";

export interface PeerTransportOptions {
  /** Plain connections unless given. */
  readonly trust?: PeerTrust | undefined;
  /** Largest answer, in bytes. */
  readonly maxMessageBytes?: number | undefined;
  /** When a silent task is considered gone. */
  readonly silence?: SilenceLimits | undefined;
}

/**
 * All calls to a task on one stream that stays open, if the task offers it; a call then costs a quarter, and a large
 * tensor does not block other calls. Large answers use a separate connection to the same port. Other tasks, such as
 * TensorFlow's own, get unary calls.
 */
export function streamTransport(options: PeerTransportOptions = {}): WorkerTransport {
  const { trust, maxMessageBytes = MAX_MESSAGE_BYTES, silence = SILENCE_LIMITS } = options;
  return {
    connect: (address) => {
      const channel = new Channel(address, trust?.channelCredentials(), {
        serverName: TASK_SERVER_NAME,
        maxMessageBytes,
      });
      const dialBulk = bulkDialer(address, trust);
      const caller = new StreamCaller(channel, { dialBulk, maxMessageBytes, silence });
      const close = (): void => {
        channel.close();
        caller.close();
      };
      return { worker: workerClient(channel, caller), close };
    },
  };
}

/** Undefined for an address that cannot be dialled; the channel reports that. */
function bulkDialer(address: string, trust: PeerTrust | undefined): BulkDialer | undefined {
  const target = parseHostPort(address);
  if (target === undefined) {
    return undefined;
  }
  const options = { ...target, ...peerSocketOptions };
  return (onread) => {
    if (trust === undefined) {
      return connectTcp({ ...options, onread });
    }
    // Documented for tls.connect, and missing in its types.
    const secure: ConnectionOptions & { onread: OnReadOpts } = {
      ...options,
      ...trust.connectionOptions(),
      onread,
    };
    return connectTls(secure);
  };
}
