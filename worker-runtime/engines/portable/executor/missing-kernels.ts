import { invalidArgument, type TensorFlowError, unimplemented } from "../../../protocol/status.js";
import type { KernelNode } from "../kernels/kernel-node.js";
import type { KernelRegistry, MissingKernel } from "../kernels/registry.js";

/** Number of nodes of one op that are named. */
const NODES_NAMED = 5;

/** Collects the nodes of a graph that have no kernel, so that one error can name all of them. */
export class MissingKernels {
  // Nodes by the missing kernel, in words.
  readonly #nodes = new Map<string, string[]>();
  /** Whether TensorFlow's own engine lacks all of these kernels, too. */
  #isRefusedEverywhere = true;

  get isEmpty(): boolean {
    return this.#nodes.size === 0;
  }

  /** A node whose op no TensorFlow has. */
  addUnknownOp(op: string, node: string): void {
    this.#isRefusedEverywhere = false;
    this.#add(
      `'${op}' (Op type not registered: no TensorFlow op and no function of the graph has this name)`,
      node,
    );
  }

  /** A node whose op has no kernel at all. */
  addOp(op: string, node: string): void {
    this.#isRefusedEverywhere = false;
    this.#add(`'${op}'`, node);
  }

  /** A node whose op, dtypes or device the registry has no kernel for. */
  add(node: KernelNode, deviceType: string, kernels: KernelRegistry): void {
    const missing = kernels.explain(node, deviceType);
    this.#isRefusedEverywhere &&= missing.reason === "refused";
    this.#add(describe(node, deviceType, missing), node.name);
  }

  /**
   * An error with all missing kernels and what to do about them: UNIMPLEMENTED if TensorFlow's own engine might run the
   * graph; INVALID_ARGUMENT, as there, if that engine has no kernel either.
   */
  error(): TensorFlowError {
    const lines = [...this.#nodes].map(([what, nodes]) => {
      const named = nodes.slice(0, NODES_NAMED).map((name) => `{{node ${name}}}`);
      const more = nodes.length > NODES_NAMED ? ` and ${nodes.length - NODES_NAMED} more` : "";
      return `No OpKernel was registered to support Op ${what} used by ${named.join(", ")}${more}`;
    });
    if (this.#isRefusedEverywhere) {
      return invalidArgument(`${lines.join("\n")}\nTensorFlow has none for the CPU either.`);
    }
    return unimplemented(
      `The portable engine cannot run this graph:\n${lines.join("\n")}\n` +
        "Start the worker with TensorFlow's own engine (--engine tensorflow), or place these nodes on a task that runs it.",
    );
  }

  #add(what: string, node: string): void {
    const nodes = this.#nodes.get(what);
    if (nodes === undefined) {
      this.#nodes.set(what, [node]);
    } else {
      nodes.push(node);
    }
  }
}

function describe(node: KernelNode, deviceType: string, missing: MissingKernel): string {
  switch (missing.reason) {
    case "op":
      return `'${node.op}'`;
    case "device":
      return `'${node.op}' on ${deviceType} (it runs on ${missing.deviceTypes.join(", ")})`;
    case "refused":
    case "types": {
      const types = Object.entries(missing.types).map(([attr, dtype]) => `${attr}=${dtype}`);
      return `'${node.op}' with these attrs: [${types.join(", ")}]`;
    }
  }
}
