import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { RegisterGraphRequest } from "../../../../protos/generated/tensorflow/worker.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { invalidArgument } from "../../../protocol/status.js";
import { compilingGraph } from "../executor/compiled-graph.js";
import type { CompiledGraph } from "../executor/compiled-node.js";
import { FunctionLibrary } from "../executor/function-library.js";
import type { FunctionCaller } from "../executor/step-context.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { withPauses } from "../pauses.js";
import type { TaskDevices } from "./task-devices.js";

/** A partition that a master registered: ready to run. */
export interface RegisteredGraph {
  readonly compiled: CompiledGraph;
  readonly functions: FunctionCaller;
  /** Collective ops of graphs with one key belong together; 0 for a graph without them. */
  readonly collectiveGraphKey: bigint;
  /**
   * The task that leads the groups of its collectives, according to the session; "" for the one that runs the graph.
   */
  readonly groupLeader: string;
  /** The original graph, for masters that request partition graphs. */
  readonly graphDef: GraphDef;
}

export interface GraphEnvironment {
  readonly kernels: KernelRegistry;
  readonly ops: OpRegistry;
}

/**
 * Prepares a partition. A large one yields to other work meanwhile.
 *
 * @throws TensorFlowError INVALID_ARGUMENT for a device of another task, in TensorFlow's words; what `compileGraph`
 *   throws: UNIMPLEMENTED naming every node that has no kernel, INVALID_ARGUMENT for a broken graph.
 */
export async function registerGraph(
  { graphDef, collectiveGraphKey, configProto }: RegisterGraphRequest,
  devices: TaskDevices,
  environment: GraphEnvironment,
): Promise<RegisteredGraph> {
  const graph = graphDef ?? GraphDef.create();
  for (const device of new Set(graph.node.map((node) => node.device))) {
    if (!devices.matches(device)) {
      throw invalidArgument(`${device} unknown device.`);
    }
  }
  const { kernels } = environment;
  const { library } = graph;
  const options = {
    kernels,
    ops: environment.ops.withFunctions(library),
    defaultDevice: devices.defaultDevice,
    ...(library === undefined ? {} : { library }),
  };
  return {
    compiled: await withPauses(compilingGraph(graph.node, options)),
    functions: new FunctionLibrary(options),
    collectiveGraphKey,
    groupLeader: configProto?.experimental?.collectiveGroupLeader ?? "",
    graphDef: graph,
  };
}
