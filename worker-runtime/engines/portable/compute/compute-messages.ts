import type { StatusCode } from "../../../protocol/status.js";
import type { LedgerShare } from "../kernels/support/resident-ledger.js";
import type { PackedTensor } from "./tensor-transfer.js";

/** The data that a thread gets when it starts. */
export interface ComputeThreadData {
  readonly maxTensorBytes: number;
  readonly maxResidentBytes: number;
  /** Its part of the shared ledger of all threads; undefined if none is left. */
  readonly ledger: LedgerShare | undefined;
}

/** A node for a thread that does not know it yet. */
export interface KernelMessage {
  /** A serialized NodeDef. */
  readonly def: Uint8Array;
  /** A serialized OpDef. */
  readonly opDef: Uint8Array;
  readonly deviceType: string;
}

/** Asks a thread for one run of a kernel. A thread gets the next request once it has answered. */
export interface RunMessage {
  /** Names the kernel on this thread. */
  readonly kernel: number;
  /** Present the first time. */
  readonly definition: KernelMessage | undefined;
  /** A kernel that the thread no longer needs to keep. */
  readonly forget: number | undefined;
  readonly inputs: readonly PackedTensor[];
}

/** A thread waits until the thread that answers gRPC has collected its garbage. */
export interface RoomMessage {
  readonly wantsRoom: true;
}

export type AnswerMessage =
  | {
      readonly outputs: readonly PackedTensor[];
      /** How long the kernel took, with unpacking its inputs. */
      readonly millis: number;
    }
  | {
      readonly code: StatusCode;
      readonly message: string;
      /** Whether the kernel was created and is kept. */
      readonly hasKernel: boolean;
    };
