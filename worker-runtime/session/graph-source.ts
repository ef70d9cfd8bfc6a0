import type { GradientDef } from "../../protos/generated/tensorflow/function.js";
import { GraphDef } from "../../protos/generated/tensorflow/graph.js";
import { stripPrivateAttrs } from "../graph/private-attrs.js";

/** A source that a session can run besides a GraphDef: a Graph, or any source to which nodes are only appended. */
export interface GraphSource {
  /** Number of nodes. */
  readonly size: number;
  /** The nodes after the first `from`, with the whole library of functions. */
  toGraphDef(from?: number): GraphDef;
}

/** Nodes and functions that a master does not have yet. */
export interface TakenGraph {
  readonly graph: GraphDef;
  /** Marks them as not sent again. */
  putBack(): void;
  /**
   * Like putBack, but drops the GraphDefs among them: the master rejected them and would do so in every later run.
   */
  putBackSource(): void;
}

function functionKey(name: string | undefined): string {
  return `function ${name}`;
}

function gradientKey({ functionName, gradientFunc }: GradientDef): string {
  return `gradient ${functionName} ${gradientFunc}`;
}

/** Delivers a graph incrementally, since a master accepts only nodes that it does not have. */
export class GraphFeed {
  readonly #source: GraphSource | undefined;
  /** GraphDefs that were added and not sent yet. */
  readonly #added: GraphDef[] = [];
  #nodesSent = 0;
  /** Functions and gradients that were sent. */
  readonly #librarySent = new Set<string>();

  constructor(source: GraphSource | GraphDef | undefined) {
    if (source !== undefined && "toGraphDef" in source) {
      this.#source = source;
    } else if (source !== undefined) {
      this.#added.push(source);
    }
  }

  /** Adds nodes that are not part of the source. */
  add(graph: GraphDef): void {
    this.#added.push(graph);
  }

  get hasMore(): boolean {
    return this.#added.length > 0 || (this.#source?.size ?? 0) > this.#nodesSent;
  }

  /**
   * Takes what was not taken before, without Tensordeck's own attributes.
   * @param maxAdded the maximum number of added GraphDefs to take; defaults to all.
   */
  take(maxAdded = this.#added.length): TakenGraph {
    const nodesSent = this.#nodesSent;
    const added = this.#added.splice(0, maxAdded);
    const parts = [...added];
    if (this.#source !== undefined) {
      parts.unshift(this.#source.toGraphDef(nodesSent));
      this.#nodesSent = this.#source.size;
    }
    const graph = GraphDef.create();
    const taken: string[] = [];
    for (const part of parts) {
      graph.versions = part.versions ?? graph.versions;
      for (const node of part.node) {
        graph.node.push(node);
      }
      this.#takeLibrary(part, graph, taken);
    }
    const putBackSource = (): void => {
      this.#nodesSent = nodesSent;
      for (const key of taken) {
        this.#librarySent.delete(key);
      }
    };
    return {
      graph: stripPrivateAttrs(graph),
      putBack: () => {
        this.#added.unshift(...added);
        putBackSource();
      },
      putBackSource,
    };
  }

  #takeLibrary({ library }: GraphDef, graph: GraphDef, taken: string[]): void {
    if (library === undefined) {
      return;
    }
    const isNew = (key: string): boolean => {
      if (this.#librarySent.has(key)) {
        return false;
      }
      this.#librarySent.add(key);
      taken.push(key);
      return true;
    };
    const functions = library.function.filter((one) => isNew(functionKey(one.signature?.name)));
    const gradients = library.gradient.filter((one) => isNew(gradientKey(one)));
    if (functions.length + gradients.length + library.registeredGradients.length > 0) {
      graph.library = {
        function: [...(graph.library?.function ?? []), ...functions],
        gradient: [...(graph.library?.gradient ?? []), ...gradients],
        registeredGradients: [...(graph.library?.registeredGradients ?? []), ...library.registeredGradients],
      };
    }
  }
}
