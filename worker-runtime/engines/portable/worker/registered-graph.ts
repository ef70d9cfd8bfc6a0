import { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { NodeDef } from "../../../../protos/generated/tensorflow/node_def.js";
import type { RegisterGraphRequest } from "../../../../protos/generated/tensorflow/worker.js";
import { inBackground } from "../../../faults.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { invalidArgument } from "../../../protocol/status.js";
import { DumpFolder } from "../debug/dump-files.js";
import { TensorWatches } from "../debug/tensor-watches.js";
import { compilingGraph } from "../executor/compiled-graph.js";
import type { CompiledGraph } from "../executor/compiled-node.js";
import { FunctionLibrary } from "../executor/function-library.js";
import type { FunctionCaller } from "../executor/step-context.js";
import type { KernelRegistry } from "../kernels/registry.js";
import { type PausingWork, withPauses } from "../pauses.js";
import type { GraphRegions, TaskRegions } from "../regions/task-regions.js";
import type { FileAccess } from "../resources/file-access.js";
import { type DebugTools, withDebugNodes } from "./debug-nodes.js";
import type { TaskDevices } from "./task-devices.js";

/**
 * Regions are worth the time that it takes to form them if a graph's kernels are expected to take so long: on average, for
 * with cheaper ones a step takes as long as all that is done around them, which is less here than in a session; and all
 * together. Both are far below what pays (regions/README.md), since these are estimates: what the kernels really take is
 * measured before a session is made.
 */
const MIN_NANOS_PER_NODE = 100;
const MIN_NANOS = 20_000;

/** A partition that a master registered, ready to run. */
export class RegisteredGraph {
  readonly functions: FunctionCaller;
  /** Collective ops of graphs with one key belong together; 0 for a graph without them. */
  readonly collectiveGraphKey: bigint;
  /**
   * The task that leads the groups of its collectives, according to the session; "" for the one that runs the graph.
   */
  readonly groupLeader: string;
  /** The original graph, for masters that request partition graphs. */
  readonly graphDef: GraphDef;
  readonly #regions: GraphRegions | undefined;
  #compiled: CompiledGraph;
  /** Compiles it once more, with regions; undefined if it has them, or does without. */
  #compileWithRegions: (() => PausingWork<CompiledGraph>) | undefined;
  #isReleased = false;

  constructor(
    { graphDef, collectiveGraphKey, configProto }: RegisterGraphRequest,
    functions: FunctionCaller,
    compiled: CompiledGraph,
    regions: GraphRegions | undefined,
    compileWithRegions: (() => PausingWork<CompiledGraph>) | undefined,
  ) {
    this.functions = functions;
    this.collectiveGraphKey = collectiveGraphKey;
    this.groupLeader = configProto?.experimental?.collectiveGroupLeader ?? "";
    this.graphDef = graphDef ?? GraphDef.create();
    this.#compiled = compiled;
    this.#regions = regions;
    this.#compileWithRegions = compileWithRegions;
  }

  get compiled(): CompiledGraph {
    return this.#compiled;
  }

  /**
   * A step has run the compiled graph.
   * @param kernelNanos what its kernels were expected to take.
   */
  ran(kernelNanos: number): void {
    const compile = this.#compileWithRegions;
    const least = Math.max(MIN_NANOS, this.graphDef.node.length * MIN_NANOS_PER_NODE);
    if (compile !== undefined && kernelNanos >= least) {
      this.#compileWithRegions = undefined;
      inBackground(this.#formRegions(compile));
    }
  }

  /** To be called when it is not run any more. */
  release(): void {
    this.#isReleased = true;
    this.#regions?.release();
  }

  async #formRegions(compile: () => PausingWork<CompiledGraph>): Promise<void> {
    const compiled = await withPauses(compile());
    if (this.#isReleased) {
      this.#regions?.release();
    } else {
      this.#compiled = compiled;
    }
  }
}

export interface GraphEnvironment {
  readonly kernels: KernelRegistry;
  readonly ops: OpRegistry;
  /** The folders to which watched tensors may be written. */
  readonly files: FileAccess;
  /** Makes regions of its nodes; none unless given. */
  readonly regions?: TaskRegions | undefined;
}

/**
 * Prepares a partition. A large one yields to other work meanwhile.
 *
 * @throws TensorFlowError INVALID_ARGUMENT for a device of another task, in TensorFlow's words; what `compileGraph`
 *   throws: UNIMPLEMENTED naming every node that has no kernel, INVALID_ARGUMENT for a broken graph.
 */
export async function registerGraph(
  request: RegisterGraphRequest,
  devices: TaskDevices,
  environment: GraphEnvironment,
): Promise<RegisteredGraph> {
  const { node: given, library } = request.graphDef ?? GraphDef.create();
  for (const device of new Set(given.map((node) => node.device))) {
    if (!devices.matches(device)) {
      throw invalidArgument(`${device} unknown device.`);
    }
  }
  const { kernels } = environment;
  const regions = environment.regions?.forGraph();
  const options = {
    regions,
    kernels,
    ops: environment.ops.withFunctions(library),
    defaultDevice: devices.defaultDevice,
    ...(library === undefined ? {} : { library }),
  };
  const nodes = await watchedNodes(request, options, environment.files);
  // The first step does not wait for regions, and those of a graph that is cheap to run are never formed.
  const isLate = environment.regions?.mayFormLate === true;
  return new RegisteredGraph(
    request,
    new FunctionLibrary(options),
    await withPauses(compilingGraph(nodes, isLate ? { ...options, regions: undefined } : options)),
    regions,
    isLate ? () => compilingGraph(nodes, options) : undefined,
  );
}

/**
 * The nodes of a partition with those that publish its watched tensors; the graph that they make is published, too.
 * @throws TensorFlowError what `TensorWatches` and `withDebugNodes` throw; PERMISSION_DENIED for a folder that graphs may
 *   not write to; the error of a file.
 */
async function watchedNodes(
  { graphDef, debugOptions }: RegisterGraphRequest,
  tools: DebugTools,
  files: FileAccess,
): Promise<readonly NodeDef[]> {
  const { node: nodes, versions } = graphDef ?? GraphDef.create();
  const watches = new TensorWatches(debugOptions?.debugTensorWatchOpts ?? []);
  if (watches.isEmpty) {
    return nodes;
  }
  const withPublishers = withDebugNodes(nodes, watches, tools);
  const deviceOf = ({ device }: NodeDef) => (device === "" ? tools.defaultDevice : device);
  const devices = new Set(withPublishers.map(deviceOf));
  for (const folder of watches.folders) {
    const dump = new DumpFolder(folder, files);
    for (const device of devices) {
      const node = withPublishers.filter((one) => deviceOf(one) === device);
      await dump.writeGraph(device, { ...GraphDef.create(), node, versions });
    }
  }
  return withPublishers;
}
