/**
 * The list of the portable engine's kernels, as sent by the application. The kernels themselves stay with the engine.
 */
import type { KernelList } from "../../main/api/kernels.js";
import { texts } from "../texts/texts.js";

const words = texts.kernels.kernelCatalogue;

/** The kernels that an engine must have to run a node. */
export interface KernelNeed {
  readonly op: string;
  /** Names of the dtypes by type attribute, as far as they are known: "T" → "float32". */
  readonly types: ReadonlyMap<string, string>;
  /** The device that the node requests; "" if none. */
  readonly device: string;
  /** The function whose body the node belongs to; absent for a node of the graph itself. */
  readonly calledBy?: string;
}

type Kernel = KernelList["kernels"][number];

export class KernelCatalogue {
  /** The version of Tensordeck that the list is of. */
  readonly version: string;
  readonly #byOp = new Map<string, Kernel[]>();

  constructor({ version, kernels }: KernelList) {
    this.version = version;
    for (const kernel of kernels) {
      const list = this.#byOp.get(kernel.op);
      if (list) list.push(kernel);
      else this.#byOp.set(kernel.op, [kernel]);
    }
  }

  /** Whether there is a kernel for the op, of any dtype and on any device. */
  has(op: string): boolean {
    return this.#byOp.has(op);
  }

  /**
   * The op for which there is no kernel on devices of these types: "Svd", "MatMul of complex64". Undefined if there is one, or
   * may be one: a dtype that is not known yet fits every kernel, and some kernels have conditions that only they can
   * tell.
   */
  missing({ op, types }: KernelNeed, deviceTypes: readonly string[]): string | undefined {
    const kernels = this.#byOp.get(op);
    if (!kernels) return op;
    if (kernels.some((kernel) => deviceTypes.includes(kernel.deviceType) && fits(kernel, types))) {
      return undefined;
    }
    const named = new Set(kernels.flatMap((kernel) => Object.keys(kernel.types)));
    const given = [...types].filter(([attr]) => named.has(attr));
    const [only] = given;
    if (given.length === 1 && only) return words.ofDtype({ op, dtype: only[1] });
    return given.length === 0 ? op : `${op} (${given.map(([attr, dtype]) => `${attr} ${dtype}`).join(", ")})`;
  }
}

function fits(kernel: Kernel, types: ReadonlyMap<string, string>): boolean {
  return Object.entries(kernel.types).every(([attr, allowed]) => {
    const dtype = types.get(attr);
    return dtype === undefined || allowed.includes(dtype);
  });
}
