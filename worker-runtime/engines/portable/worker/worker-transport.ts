import { connect as connectTcp, type OnReadOpts } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import { parseHostPort } from "../../../cluster/address.js";
import { Channel } from "../../../rpc/channel.js";
import { workerClient } from "../../../rpc/worker-client.js";
import { peerSocketOptions } from "../peer-socket.js";
import { type PeerTrust, TASK_SERVER_NAME } from "../service/peer-trust.js";
import type { BulkDialer } from "../stream/bulk-receiver.js";
import { StreamCaller } from "../stream/stream-caller.js";
import type { WorkerInterface } from "./worker-interface.js";

/** A worker of another task, over a connection of its own that is opened with the first call and kept. */
export interface ConnectedWorker {
  readonly worker: WorkerInterface;
  /** Closes the connection. Whoever still waits for an answer gets UNAVAILABLE. */
  close(): void;
}

/**
 * How calls reach the worker of another task. The one place to add another way. What any of them must keep:
 * - a call is carried out once. A RecvTensor that was sent must not be sent again, not even after the connection broke:
 *   the value is handed out once, and the worker refuses the second request with the same id. The caller gets the error.
 * - calls are not answered in order; a RecvTensor may wait for hours while others pass it.
 * - an aborted signal reaches the other side, which then stops waiting.
 */
export interface WorkerTransport {
  /** @param address "host:port". @throws TensorFlowError INVALID_ARGUMENT when it cannot be dialled. */
  connect(address: string): ConnectedWorker;
}

/**
 * All calls to a task on one stream that stays open, where the task offers it; a call costs a quarter then, and a large
 * tensor holds up nobody. Large answers take a connection of their own to the same port. Other tasks, such as TensorFlow's
 * own, get unary calls.
 * @param trust plain connections unless given.
 */
export function streamTransport(trust?: PeerTrust): WorkerTransport {
  return {
    connect: (address) => {
      const channel = new Channel(address, trust?.channelCredentials(), TASK_SERVER_NAME);
      const caller = new StreamCaller(channel, bulkDialer(address, trust));
      const close = (): void => {
        channel.close();
        caller.close();
      };
      return { worker: workerClient(channel, caller), close };
    },
  };
}

/** Undefined for an address that cannot be dialled; the channel says so. */
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
