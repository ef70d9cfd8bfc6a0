import type { NameAttrList } from "../../../../protos/generated/tensorflow/attr_value.js";
import { type FunctionDef, FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import { taskOfDevice } from "../../../cluster/device-name.js";
import { instantiateBody } from "../../../graph/functions/instantiate-body.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { notFound, resourceExhausted, unimplemented } from "../../../protocol/status.js";
import type { KernelRegistry } from "../kernels/registry.js";
import type { RegionFormer } from "../regions/contraction.js";
import type { Value } from "../values.js";
import { calleeKey } from "./callee-key.js";
import { compileGraph } from "./compiled-graph.js";
import type { CompiledGraph } from "./compiled-node.js";
import { runGraph } from "./executor.js";
import { RunningStep } from "./running-step.js";
import type { FunctionCaller, StepContext } from "./step-context.js";

/** Functions that call each other deeper than this most probably never end. */
const MAX_CALL_DEPTH = 2000;

export interface FunctionLibraryOptions {
  /** TensorFlow's ops and the library's functions. */
  readonly ops: OpRegistry;
  readonly kernels: KernelRegistry;
  /** Undefined for a graph without functions. */
  readonly library?: FunctionDefLibrary | undefined;
  /** Nodes of bodies are grouped in regions; not unless given. */
  readonly regions?: RegionFormer | undefined;
}

/** The functions of one graph's library, compiled when they are first called. */
export class FunctionLibrary implements FunctionCaller {
  readonly #functions = new Map<string, FunctionDef>();
  readonly #library: FunctionDefLibrary;
  readonly #ops: OpRegistry;
  readonly #kernels: KernelRegistry;
  readonly #regions: RegionFormer | undefined;
  /** By function, values of its attributes, and device. */
  readonly #compiled = new Map<string, CompiledGraph>();
  /** The same by the calling node's callee object, so that a call encodes nothing; then by device. */
  readonly #byCallee = new WeakMap<NameAttrList, Map<string, CompiledGraph>>();

  constructor({ library = FunctionDefLibrary.create(), ops, kernels, regions }: FunctionLibraryOptions) {
    for (const definition of library.function) {
      this.#functions.set(definition.signature?.name ?? "", definition);
    }
    this.#library = library;
    this.#ops = ops;
    this.#kernels = kernels;
    this.#regions = regions;
  }

  async call(
    callee: NameAttrList,
    args: readonly Value[],
    device: string,
    step: StepContext,
  ): Promise<readonly Value[]> {
    if (step instanceof RunningStep && step.callDepth > MAX_CALL_DEPTH) {
      throw resourceExhausted(
        `Functions call each other more than ${MAX_CALL_DEPTH} deep, at '${callee.name}'.`,
      );
    }
    return runGraph(this.compiled(callee, device), { step, args, functions: this });
  }

  /**
   * The body of a function, ready to be run.
   * @throws TensorFlowError NOT_FOUND for no such function; what `compileGraph` throws for its body.
   */
  compiled(callee: NameAttrList, device: string): CompiledGraph {
    const known = this.#byCallee.get(callee)?.get(device);
    if (known !== undefined) {
      return known;
    }
    const scope = calleeKey(callee);
    const key = `${device}\n${scope}`;
    const graph = this.#compiled.get(key) ?? this.#compile(callee, device, scope);
    this.#compiled.set(key, graph);
    const byDevice = this.#byCallee.get(callee) ?? new Map<string, CompiledGraph>();
    this.#byCallee.set(callee, byDevice.set(device, graph));
    return graph;
  }

  #compile({ name, attr }: NameAttrList, device: string, scope: string): CompiledGraph {
    const definition = this.#functions.get(name);
    if (definition === undefined) {
      throw notFound(`Function ${name} is not defined.`);
    }
    const graph = compileGraph(instantiateBody(definition, attr, this.#ops), {
      ops: this.#ops,
      kernels: this.#kernels,
      defaultDevice: device,
      library: this.#library,
      scope,
      regions: this.#regions,
    });
    checkTask(name, graph, device);
    return graph;
  }
}

/**
 * A body runs where its caller is.
 * @throws TensorFlowError UNIMPLEMENTED for nodes that are placed on another task.
 */
function checkTask(name: string, { nodes }: CompiledGraph, device: string): void {
  const own = taskOfDevice(device);
  const elsewhere = nodes.find((node) => {
    const task = taskOfDevice(node.device);
    return task?.job !== own?.job || task?.index !== own?.index;
  });
  if (elsewhere !== undefined) {
    throw unimplemented(
      `{{node ${elsewhere.node.name}}} of function '${name}' is placed on ${elsewhere.device}, but the function is called on ` +
        `${device}: the portable engine runs a function within one task. Call it there, or start the worker with ` +
        "--engine tensorflow.",
    );
  }
}
