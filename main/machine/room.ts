/** This machine: its description and its load. Other rooms contribute the facts that only they know. */
import { inBackground } from "../../worker-runtime/faults.js";
import type { SettingsPort } from "../settings/room.js";
import type { Room } from "../shared/room.js";
import { machineEngines } from "./engines.js";
import { MachineDescriber, type MachineKnowledge } from "./machine-describer.js";

export interface MachineOptions {
  readonly settings: SettingsPort;
  /** See `MachineKnowledge`. */
  readonly listGpus?: NonNullable<MachineKnowledge["listGpus"]>;
}

/** The facts that other rooms know about this machine. */
export type AddedKnowledge = Pick<MachineKnowledge, "agentPort" | "engines" | "exposure" | "taskOfPid">;

export interface MachineRoom
  extends Room<Record<never, never>>,
    Pick<MachineDescriber, "description" | "gpus" | "onChange" | "onSample" | "tellChanges"> {
  /**
   * Adds a source of facts from another room, which must itself report when they change (`tellChanges`). Those
   * rooms depend on this one, for its GPUs and its name, so they cannot be created before it.
   */
  add(knowledge: Partial<AddedKnowledge>): void;
}

export function createMachine({ settings, listGpus }: MachineOptions): MachineRoom {
  let added: AddedKnowledge = {
    agentPort: () => undefined,
    engines: () => machineEngines(undefined),
    exposure: () => undefined,
    taskOfPid: () => undefined,
  };
  const describer = new MachineDescriber({
    name: () => settings.now().machineName,
    agentPort: () => added.agentPort(),
    engines: () => added.engines(),
    exposure: () => added.exposure?.(),
    taskOfPid: (pid) => added.taskOfPid(pid),
    ...(listGpus ? { listGpus } : {}),
  });
  const stopListening = settings.onChange(({ before, now }) => {
    if (now.machineName !== before.machineName) describer.tellChanges();
  });
  inBackground(describer.start());
  return {
    handlers: {},
    description: () => describer.description(),
    gpus: () => describer.gpus(),
    onChange: (listener) => describer.onChange(listener),
    onSample: (listener) => describer.onSample(listener),
    tellChanges: () => describer.tellChanges(),
    add: (knowledge) => {
      added = { ...added, ...knowledge };
    },
    dispose: async () => {
      stopListening();
      describer.dispose();
    },
  };
}
