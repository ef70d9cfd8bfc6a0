/** Tasks, machines and whole clusters as the application describes them, with default values for what a test omits. */
import type { ClusterState, Machine, Task } from "../../../main/api/cluster.js";

/** A running task, by its name, "worker/0". */
export function taskOf(name: string, more: Partial<Task> = {}): Task {
  const [job = "", index = "0"] = name.split("/");
  return {
    id: name,
    job,
    index: Number(index),
    address: "",
    engine: "tensorflow",
    gpu: "auto",
    foreign: false,
    state: "running",
    colour: 0,
    devices: [],
    ...more,
  };
}

/** A machine that is up; its kind defaults to "this". */
export function machineOf(name: string, more: Partial<Machine> = {}): Machine {
  return {
    id: name,
    name,
    kind: "this",
    presence: "online",
    platform: "linux",
    osName: "Debian GNU/Linux 12",
    arch: "x64",
    cores: 8,
    memoryBytes: 16e9,
    gpus: [],
    addresses: [],
    version: "0.1.0",
    engines: [{ engine: "tensorflow", version: "2.21.0", gpu: false }],
    tasks: [],
    ...more,
  };
}

/** A dynamic, secure cluster of the given machines. */
export function clusterOf(machines: readonly Machine[], more: Partial<ClusterState> = {}): ClusterState {
  return {
    membership: "dynamic",
    access: "secure",
    exposures: [],
    discovery: { state: "on" },
    machines: [...machines],
    ...more,
  };
}
