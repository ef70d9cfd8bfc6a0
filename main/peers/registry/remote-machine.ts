import type { MachineFacts } from "../../api/machines.js";
import type { MachineSample } from "../../api/samples.js";
import type { TaskHost } from "../../tasks/task-host.js";
import type { TunnelHost } from "../cluster-machine.js";
import type { TrustedMachine } from "../trust/trusted-machine.js";

/** A paired machine, through a connection to its agent that is re-established whenever it ends, until it is closed. */
export interface RemoteMachine extends TaskHost, TunnelHost {
  /** The machine's last report, and whether it answers now. */
  facts(): Omit<MachineFacts, "kind" | "grantedRole">;
  /** "host:port" at which it answers; undefined while it does not. */
  readonly address: string | undefined;
  /** Which process of the machine answered last, if it says so. */
  readonly instance?: string | undefined;
  /** Calls the listener when the facts change, until the returned function is called. */
  onFacts(listener: () => void): () => void;
  /** Calls the listener with each sample of the machine, until the returned function is called. */
  onSample(listener: (sample: MachineSample) => void): () => void;
  open(): void;
  /** Dials now instead of at the next turn. */
  dialNow(): void;
  /** Tells the machine that this one has forgotten it. */
  unpair(): Promise<void>;
  close(): Promise<void>;
}

/**
 * Makes the connection to a trusted machine; the caller opens it.
 *
 * @param addresses Where its agent may be now, "host:port" each, the likeliest first; to be asked before each attempt.
 */
export type ConnectMachine<L extends RemoteMachine> = (
  machine: TrustedMachine,
  addresses: () => readonly string[],
) => L;
