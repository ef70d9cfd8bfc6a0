import { SetTable } from "./set-table.js";

/**
 * The condition that decides if a node's outputs are dead, where that is not only whether an input is:
 * - "switch": of its outputs one is alive, chosen by a value. Nodes with the same `selector` have the same value.
 * - "merge": they are alive if an input is.
 * - "loop": a loop variable. It is alive in every iteration: an iteration begins with its variables.
 * - "exit": they are what the loop's inputs are.
 * - "trigger": it runs whatever its inputs are.
 */
export type Liveness =
  | { readonly kind: "switch"; readonly selector: string; readonly outputs: number }
  | { readonly kind: "merge"; readonly inputs: number }
  /** @see LivenessTable.irregularFrames: `next` is the node with its value in the next iteration. */
  | { readonly kind: "loop"; readonly next: number }
  | { readonly kind: "exit" }
  | { readonly kind: "trigger" };

/** A node whose liveness is to be known; nodes are identified by number. */
export interface LivingNode {
  /** The nodes that it waits for, except by back edges of loops. */
  readonly sources: readonly {
    readonly node: number;
    /** The output; undefined for a control input. */
    readonly output: number | undefined;
  }[];
  /** Defaults to "dead if an input is". */
  readonly liveness?: Liveness | undefined;
  /** The loop frame that it takes its inputs in; defaults to none. */
  readonly frame?: { readonly number: number; readonly depth: number } | undefined;
}

/**
 * Finds which nodes are alive together: those with equal sets of conditions. A condition is that a Switch has chosen an
 * output; one of another loop frame begins with its depth.
 *
 * Two Switches with the same selector have the same conditions, and a Merge of all branches has those of what is before
 * them. Within a loop frame, conditions are relative to its iteration. That holds for graphs that clients make; what is not
 * so shows at run time, and a region then runs node by node.
 */
export class LivenessTable {
  readonly #nodes: readonly LivingNode[];
  readonly #sets = new SetTable();
  readonly #conditions: Int32Array;

  /** @param order the nodes' numbers, each after its sources. */
  constructor(nodes: readonly LivingNode[], order: readonly number[]) {
    this.#nodes = nodes;
    this.#conditions = new Int32Array(nodes.length);
    let irregular: ReadonlySet<number> = new Set();
    for (let before = -1; before < irregular.size; ) {
      for (const index of order) {
        this.#conditions[index] = this.#conditionsOf(index, irregular);
      }
      before = irregular.size;
      irregular = new Set([...irregular, ...this.#irregularFrames()]);
    }
  }

  /** Equal for nodes that are alive together. */
  classOf(index: number): number {
    return this.#conditions[index] ?? SetTable.EMPTY;
  }

  #conditionsOf(index: number, irregular: ReadonlySet<number>): number {
    const node = this.#nodes[index];
    if (node === undefined) {
      return SetTable.EMPTY;
    }
    const { sources, liveness, frame = { number: 0, depth: 0 } } = node;
    const given = sources.map((source) => this.#ofSource(source));
    const all = given.reduce((union, set) => this.#sets.union(union, set), SetTable.EMPTY);
    const own = `${frame.depth} n${index}`;
    switch (liveness?.kind) {
      case "merge": {
        const common =
          given.length === liveness.inputs && sources.every(({ output }) => output !== undefined)
            ? this.#beforeBranches(given)
            : undefined;
        return common ?? this.#sets.union(this.#outside(all, frame.depth), this.#sets.single(own));
      }
      case "loop": {
        const outside = this.#outside(all, frame.depth);
        return irregular.has(frame.number) ? this.#sets.union(outside, this.#sets.single(own)) : outside;
      }
      case "exit":
      case "trigger":
        return this.#outside(all, frame.depth);
      default:
        return this.#sets.limited(all, own);
    }
  }

  #ofSource({ node, output }: LivingNode["sources"][number]): number {
    const from = this.#nodes[node];
    const before = this.#conditions[node] ?? SetTable.EMPTY;
    if (from?.liveness?.kind !== "switch" || output === undefined) {
      return before;
    }
    const { selector, outputs } = from.liveness;
    const chosen = this.#sets.single(conditionText(from.frame?.depth ?? 0, selector, output, outputs));
    return this.#sets.union(before, chosen);
  }

  /** The conditions of a set without those of a frame and of frames within it. */
  #outside(set: number, depth: number): number {
    return this.#sets.of(this.#sets.elements(set).filter((one) => Number(one.split(" ", 1)[0]) < depth));
  }

  /**
   * The common part of the conditions of all branches of a Switch; undefined if these are not such, each with one condition
   * more.
   */
  #beforeBranches(branches: readonly number[]): number | undefined {
    const [first = [], ...others] = branches.map((set) => this.#sets.elements(set));
    const common = first.filter((one) => others.every((elements) => elements.includes(one)));
    const chosen = [first, ...others].flatMap((elements) =>
      elements.length === common.length + 1 ? elements.filter((one) => !common.includes(one)) : [],
    );
    const [one = ""] = chosen;
    const { selector, outputs } = readCondition(one);
    const isComplete =
      chosen.length > 0 &&
      chosen.length === branches.length &&
      new Set(chosen).size === outputs &&
      chosen.every((other) => readCondition(other).selector === selector);
    return isComplete ? this.#sets.of(common) : undefined;
  }

  /**
   * The frames with variables that may be dead in an iteration in which others are alive: what makes their next values has
   * conditions that the others' have not.
   */
  #irregularFrames(): readonly number[] {
    const byFrame = new Map<number, Set<number>>();
    for (const { liveness, frame } of this.#nodes) {
      if (liveness?.kind === "loop" && frame !== undefined) {
        const next = this.#sets.elements(this.classOf(liveness.next));
        const within = next.filter((one) => Number(one.split(" ", 1)[0]) >= frame.depth);
        const found = byFrame.get(frame.number) ?? new Set();
        byFrame.set(frame.number, found.add(this.#sets.of(within)));
      }
    }
    return [...byFrame].flatMap(([number, found]) => (found.size > 1 ? [number] : []));
  }
}

/** Conditions are compared and ordered as texts. */
function conditionText(depth: number, selector: string, output: number, outputs: number): string {
  return `${depth} ${selector} ${output} ${outputs}`;
}

function readCondition(text: string): { readonly selector: string; readonly outputs: number } {
  const [depth = "", selector = "", , outputs = ""] = text.split(" ");
  return { selector: `${depth} ${selector}`, outputs: Number(outputs) };
}
