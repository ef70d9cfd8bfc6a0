/** This machine: what it is and how busy it is. Other rooms add what only they know of it. */
import { inBackground } from "../../worker-runtime/faults.js";
import type { SettingsPort } from "../settings/room.js";
import type { Room } from "../shared/room.js";
import { machineEngines } from "./engines.js";
import { MachineDescriber, type MachineKnowledge } from "./machine-describer.js";

export interface MachineOptions {
  readonly settings: SettingsPort;
  /** As of `MachineKnowledge`. */
  readonly listGpus?: NonNullable<MachineKnowledge["listGpus"]>;
}

/** What others know of this machine. */
export type AddedKnowledge = Pick<MachineKnowledge, "agentPort" | "engines" | "exposure" | "taskOfPid">;

export interface MachineRoom
  extends Room<Record<never, never>>,
    Pick<MachineDescriber, "description" | "gpus" | "onChange" | "onSample" | "tellChanges"> {
  /**
   * Adds what another room knows of this machine and has to say by itself when it is otherwise (`tellChanges`). The
   * rooms that know something are given this one, for its GPUs and its name, so they cannot be made before it.
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
