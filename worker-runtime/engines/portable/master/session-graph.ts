import type { FunctionDef, FunctionDefLibrary } from "../../../../protos/generated/tensorflow/function.js";
import type { GraphDef } from "../../../../protos/generated/tensorflow/graph.js";
import type { VersionDef } from "../../../../protos/generated/tensorflow/versions.js";
import { equalFunctions } from "../../../equal-definitions.js";
import type { OpRegistry } from "../../../graph/op-registry.js";
import { aborted, invalidArgument, resourceExhausted } from "../../../protocol/status.js";
import { checkRoomForGraph } from "../kernels/support/allocation.js";
import { eachOf, type PausingWork } from "../pauses.js";
import { checkEdges, type EdgeAhead, noteEdgesAhead } from "./graph-checks.js";
import type { GraphNode, NodeLookup, NodeMap } from "./graph-node.js";
import { lowerFunctions } from "./lower-functions.js";
import { readNodes } from "./node-reading.js";
import { type PlacedDevices, type Placement, placeNodes } from "./placer.js";

/** The context in which a session's graph is created. */
export interface SessionGraphOptions {
  /** Without the graph's own functions. */
  readonly ops: OpRegistry;
  readonly placement: Placement;
  /** Maximum number of nodes. */
  readonly maxNodes: number;
}

/**
 * The graph of a session: it only grows, and nodes never move to other devices. Extending it takes long with many
 * nodes; only one extension may be in progress at a time.
 */
export class SessionGraph {
  readonly #options: SessionGraphOptions;
  #nodes = new Map<string, GraphNode>();
  #devices: Map<string, string> = new Map();
  readonly #functions = new Map<string, FunctionDef>();
  #library: FunctionDefLibrary | undefined;
  #ops: OpRegistry;
  #versions: VersionDef | undefined;
  #version = 0n;

  /** An empty graph. */
  constructor(options: SessionGraphOptions) {
    this.#options = options;
    this.#ops = options.ops;
  }

  /** Counts the extensions. */
  get version(): bigint {
    return this.#version;
  }

  get nodes(): NodeMap {
    return this.#nodes;
  }

  /** The full names of the devices by node. */
  get devices(): PlacedDevices {
    return this.#devices;
  }

  /** The functions of the graph; undefined if it has none. */
  get library(): FunctionDefLibrary | undefined {
    return this.#library;
  }

  /** The ops and functions that nodes may have. */
  get ops(): OpRegistry {
    return this.#ops;
  }

  get versions(): VersionDef | undefined {
    return this.#versions;
  }

  /** Adds the nodes that a session begins with. @throws TensorFlowError when the graph is invalid. */
  begin(graph: GraphDef): PausingWork<void> {
    return this.#add(graph, false);
  }

  /**
   * Adds nodes. If they are refused, the graph stays unchanged.
   * @param currentVersion the graph's version according to the client.
   * @returns the new version.
   * @throws TensorFlowError ABORTED for another version; INVALID_ARGUMENT for existing nodes.
   */
  *extend(graph: GraphDef | undefined, currentVersion: bigint): PausingWork<bigint> {
    if (currentVersion !== this.#version) {
      throw aborted(`Current version is ${this.#version} but caller expected ${currentVersion}.`);
    }
    if (graph !== undefined) {
      yield* this.#add(graph, true);
    }
    this.#version += 1n;
    return this.#version;
  }

  *#add(graph: GraphDef, isExtension: boolean): PausingWork<void> {
    const { maxNodes } = this.#options;
    if (this.#nodes.size + graph.node.length > maxNodes) {
      throw resourceExhausted(
        `The graph of a session may have ${maxNodes} nodes; this one has ${this.#nodes.size + graph.node.length}.`,
      );
    }
    checkRoomForGraph();
    const functions = this.#newFunctions(graph.library);
    const library = joinLibraries(this.#library, graph.library, functions);
    const ops = functions.length === 0 ? this.#ops : this.#options.ops.withFunctions(library);
    const earlier = (name: string) => this.#nodes.get(name)?.toNodeDef(this.#devices.get(name) ?? "");
    const facts = this.#options.placement.kernels;
    const added = yield* readNodes(lowerFunctions(graph.node, library, { ops, facts }, earlier), ops);
    const fresh = new Map<string, GraphNode>();
    const ahead: EdgeAhead[] = [];
    yield* eachOf(added, (node) => {
      if (this.#nodes.has(node.name) && isExtension) {
        throw invalidArgument(
          `GraphDef argument to Extend includes node '${node.name}', which was created by a previous call to Create ` +
            "or Extend in this session.",
        );
      }
      if (fresh.has(node.name)) {
        throw invalidArgument(`Node '${node.name}' is not unique`);
      }
      noteEdgesAhead(node, fresh, ahead);
      fresh.set(node.name, node);
    });
    const all: NodeLookup = {
      get: (name) => fresh.get(name) ?? this.#nodes.get(name),
      has: (name) => fresh.has(name) || this.#nodes.has(name),
    };
    yield* checkEdges(added, all, ahead);
    const devices = yield* placeNodes(added, { graph: all, devices: this.#devices }, this.#options.placement);
    // Steps that are being prepared meanwhile need nothing of it, but must not find a node without its device.
    if (this.#nodes.size === 0) {
      this.#devices = devices;
      this.#nodes = fresh;
    } else {
      yield* eachOf(devices, ([name, device]) => this.#devices.set(name, device));
      yield* eachOf(added, (node) => this.#nodes.set(node.name, node));
    }
    for (const definition of functions) {
      this.#functions.set(definition.signature?.name ?? "", definition);
    }
    this.#library = library;
    this.#ops = ops;
    this.#versions = graph.versions ?? this.#versions;
  }

  /** The functions that are new. @throws TensorFlowError INVALID_ARGUMENT for another body of a known name. */
  #newFunctions(library: FunctionDefLibrary | undefined): FunctionDef[] {
    return (library?.function ?? []).filter((definition) => {
      const name = definition.signature?.name ?? "";
      const known = this.#functions.get(name);
      if (known === undefined) {
        return true;
      }
      if (!equalFunctions(known, definition)) {
        throw invalidArgument(
          `Cannot add function '${name}' because a different function with the same name already exists.`,
        );
      }
      return false;
    });
  }
}

function joinLibraries(
  known: FunctionDefLibrary | undefined,
  given: FunctionDefLibrary | undefined,
  functions: readonly FunctionDef[],
): FunctionDefLibrary | undefined {
  if (given === undefined || known === undefined) {
    return known ?? given;
  }
  return {
    function: [...known.function, ...functions],
    gradient: [...known.gradient, ...given.gradient],
    registeredGradients: [...known.registeredGradients, ...given.registeredGradients],
  };
}
