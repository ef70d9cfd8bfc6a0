/** Clusters and lists of kernels for tests of what a portable task lacks. */
import type { Machine, Task } from "../../../main/api/cluster.js";
import type { KernelList } from "../../../main/api/kernels.js";
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import { FunctionDef as FunctionDefMessage } from "../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import type { RunConfig } from "../../../renderer/document/model.js";
import type { OpLookup } from "../../../renderer/document/signature.js";
import { KernelCatalogue } from "../../../renderer/kernels/kernel-catalogue.js";
import { KernelNeeds } from "../../../renderer/kernels/kernel-needs.js";
import { findMissingKernels, type MissingKernels } from "../../../renderer/kernels/missing-kernels.js";
import { type ClusterEngines, clusterEngines } from "../../../renderer/kernels/task-engines.js";
import { documentOf, lookup } from "../document/graphs.js";
import { machineOf, taskOf } from "../support/cluster-states.js";

export const VERSION = "0.1.0";
export const PORTABLE = { engine: "portable", version: VERSION, gpu: false } as const;
export const TENSORFLOW = { engine: "tensorflow", version: "2.21.0", gpu: false } as const;

const cpu = (op: string, types: Record<string, string[]> = {}) => ({ op, deviceType: "CPU", types });

/** Neither Svd nor Qr; MatMul of float32 alone. */
export const kernelList: KernelList = {
  version: VERSION,
  kernels: [
    cpu("Const"),
    cpu("Placeholder"),
    cpu("VarHandleOp"),
    cpu("ReadVariableOp"),
    cpu("PartitionedCall"),
    cpu("If"),
    cpu("AddV2", { T: ["float32", "int32"] }),
    cpu("MatMul", { T: ["float32"] }),
    cpu("Cast", { SrcT: ["float32"], DstT: ["float32", "int32"] }),
  ],
};

/** A cluster of one machine: worker/0 by name and what it runs. */
export function enginesOf(
  tasks: Readonly<Record<string, Task["engine"]>>,
  machine: Partial<Machine> = { engines: [PORTABLE] },
): ClusterEngines {
  const list = Object.entries(tasks).map(([name, engine]) => taskOf(name, { engine }));
  return clusterEngines([machineOf("pc", { ...machine, tasks: list })], VERSION, true);
}

export interface Missing {
  readonly nodes: readonly NodeDef[];
  readonly engines: ClusterEngines;
  readonly library?: readonly FunctionDef[];
  readonly runConfig?: Partial<RunConfig>;
}

export function missingOf({ nodes, engines, library = [], runConfig = {} }: Missing): MissingKernels {
  const document = documentOf(nodes);
  const signatures = new Map(library.map(({ signature }) => [signature?.name, signature]));
  const known: OpLookup = (op) => signatures.get(op) ?? lookup(op);
  return findMissingKernels({
    document: { ...document, runConfig: { ...document.runConfig, ...runConfig } },
    lookup: known,
    needs: new KernelNeeds(known, library),
    catalogue: new KernelCatalogue(kernelList),
    engines,
  });
}

/** A function of a library without arguments. */
export function functionOf(name: string, nodeDef: readonly NodeDef[]): FunctionDef {
  return { ...FunctionDefMessage.fromPartial({ signature: { name } }), nodeDef: [...nodeDef] };
}
