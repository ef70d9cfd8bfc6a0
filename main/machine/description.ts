import type { MachineFacts } from "../api/machines.js";

/** What a machine says of itself: the same whoever asks. */
export type MachineDescription = Pick<
  MachineFacts,
  | "name"
  | "platform"
  | "osName"
  | "arch"
  | "cores"
  | "memoryBytes"
  | "gpus"
  | "addresses"
  | "agentPort"
  | "version"
  | "engines"
  | "exposure"
>;

/** Stands for the description of a machine that has said nothing of itself yet. */
export function unknownMachine(): Omit<MachineDescription, "name"> {
  return {
    ...{ platform: "", osName: "", arch: "", cores: 0, memoryBytes: 0 },
    ...{ gpus: [], addresses: [], version: "", engines: [] },
  };
}
