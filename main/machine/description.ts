import type { MachineFacts } from "../api/machines.js";

/** A machine's report about itself, the same for every caller. */
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

/** The placeholder for a machine that has not reported anything about itself yet. */
export function unknownMachine(): Omit<MachineDescription, "name"> {
  return {
    ...{ platform: "", osName: "", arch: "", cores: 0, memoryBytes: 0 },
    ...{ gpus: [], addresses: [], version: "", engines: [] },
  };
}
