import { type FunctionDef, FunctionDefLibrary } from "../../../protos/generated/tensorflow/function.js";
import { notFound } from "../../protocol/status.js";
import { didYouMean } from "../similar-names.js";

/** The functions of a graph, by name. They are only ever added. */
export class FunctionLibrary {
  readonly #functions: Map<string, FunctionDef>;
  readonly #rest: FunctionDefLibrary | undefined;

  constructor(library?: FunctionDefLibrary) {
    this.#functions = new Map(library?.function.map((one) => [one.signature?.name ?? "", one]));
    this.#rest = library;
  }

  has(name: string): boolean {
    return this.#functions.has(name);
  }

  /** @throws TensorFlowError NOT_FOUND, with similar names, if there is no such function */
  require(name: string): FunctionDef {
    const found = this.#functions.get(name);
    if (found) return found;
    throw notFound(`The graph has no function "${name}".${didYouMean(name, this.#functions.keys())}`);
  }

  /** A name that no function has: the given one, with a number behind it if need be. */
  uniqueName(base: string): string {
    let name = base;
    for (let i = 1; this.#functions.has(name); i++) name = `${base}_${i}`;
    return name;
  }

  add(definition: FunctionDef): void {
    this.#functions.set(definition.signature?.name ?? "", definition);
  }

  /** As a GraphDef holds them; undefined if there are none. */
  toProto(): FunctionDefLibrary | undefined {
    if (this.#functions.size === 0 && !this.#rest) return undefined;
    return { ...(this.#rest ?? FunctionDefLibrary.create()), function: [...this.#functions.values()] };
  }
}
