/**
 * Which nodes are the parameters of others: constants, and variables with what only serves them (reads, assignments,
 * initializers). A graph is drawn without them; each is listed at the nodes that use it, as Netron does. Pure.
 */
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import { paused, type Sliced, STEPS_AT_ONCE } from "../../worker-runtime/graph/slices.js";
import { ASKING } from "./asking-ops.js";
import type { Edge, Wiring } from "./wiring.js";

type Nodes = ReadonlyMap<string, NodeDef>;

/** A constant or a variable as a node uses it. */
export interface Parameter {
  /** The constant or variable. */
  readonly name: string;
  /** Position in `NodeDef.input` of the user. */
  readonly input: number;
}

export interface Weights {
  /** By the name of each folded node: the nodes that it is shown at. */
  readonly owners: ReadonlyMap<string, ReadonlySet<string>>;
  /** By the name of a node that uses some. */
  readonly parameters: ReadonlyMap<string, readonly Parameter[]>;
  /** By the name of a node: everything that is folded into it. */
  readonly folded: ReadonlyMap<string, readonly string[]>;
}

const VARIABLE_OPS: ReadonlySet<string> = new Set(["Variable", "VariableV2", "VarHandleOp"]);
/** Ops whose result is that of their first input in another form; of a parameter they make a parameter. */
const READS: ReadonlySet<string> = new Set([
  ...["ReadVariableOp", "Identity", "Cast", "Reshape", "ExpandDims", "Squeeze", "Transpose", "StopGradient"],
  ...["Pack", "ConcatV2", "Fill", "Enter", "RefEnter", "Shape", "Unpack", "StridedSlice"],
]);
const ASSIGNS: ReadonlySet<string> = new Set(["Assign", "AssignVariableOp"]);

const NO_EDGES: readonly Edge[] = [];

/** Linear in the size of the graph. */
export function weightsOf(nodes: Nodes, wiring: Wiring): Sliced<Weights> {
  return new Folding(nodes, wiring).run();
}

class Folding {
  readonly #nodes: Nodes;
  readonly #wiring: Wiring;
  /** By the name of a parameter, or of a read of one: the constant or variable. */
  readonly #roots = new Map<string, string>();
  /** By the name of a node that serves a variable only: that variable. */
  readonly #servants = new Map<string, string>();
  readonly #owners = new Map<string, Set<string>>();
  readonly #parameters = new Map<string, Parameter[]>();

  constructor(nodes: Nodes, wiring: Wiring) {
    this.#nodes = nodes;
    this.#wiring = wiring;
  }

  *run(): Sliced<Weights> {
    yield* this.#findParameters();
    yield* paused(this.#nodes.values(), ({ name, op }) => {
      if (VARIABLE_OPS.has(op)) this.#findServants(name);
    });
    yield* this.#findOwners();
    const folded = new Map<string, string[]>();
    yield* paused(this.#owners, ([name, owners]) => {
      for (const owner of owners) {
        const list = folded.get(owner);
        if (list) list.push(name);
        else folded.set(owner, [name]);
      }
    });
    return { owners: this.#owners, parameters: this.#parameters, folded };
  }

  #in(name: string): readonly Edge[] {
    return this.#wiring.incoming.get(name) ?? NO_EDGES;
  }

  #out(name: string): readonly Edge[] {
    return this.#wiring.outgoing.get(name) ?? NO_EDGES;
  }

  /** Parameters are constants, variables, and reads of nothing but parameters. */
  *#findParameters(): Sliced<void> {
    /** Data inputs of a read that are parameters so far. */
    const counts = new Map<string, number>();
    const open: string[] = [];
    yield* paused(this.#nodes.values(), ({ name, op }) => {
      if (op !== "Const" && !VARIABLE_OPS.has(op)) return;
      this.#roots.set(name, name);
      open.push(name);
    });
    let visits = 0;
    for (let name = open.pop(); name !== undefined; name = open.pop()) {
      if (++visits % STEPS_AT_ONCE === 0) yield;
      for (const { to, output } of this.#out(name)) {
        if (output < 0 || this.#roots.has(to) || !READS.has(this.#nodes.get(to)?.op ?? "")) continue;
        const count = (counts.get(to) ?? 0) + 1;
        counts.set(to, count);
        const inputs = this.#in(to).filter((edge) => edge.output >= 0);
        if (count < inputs.length) continue;
        // Of "reshape(kernel, shape)" the kernel is the parameter.
        this.#roots.set(to, this.#roots.get(inputs[0]?.from ?? "") ?? name);
        open.push(to);
      }
    }
  }

  /** Assignments of a variable whose value nothing else reads, with all that computes this value. */
  #findServants(variable: string): void {
    for (const { to } of this.#out(variable)) {
      const op = this.#nodes.get(to)?.op ?? "";
      if (ASKING.has(op) && !this.#out(to).some(({ output }) => output >= 0))
        this.#servants.set(to, variable);
      if (!ASSIGNS.has(op) || this.#in(to)[0]?.from !== variable) continue;
      const cone = this.#initializerOf(to, variable);
      if (cone === undefined) continue;
      this.#servants.set(to, variable);
      for (const name of cone) this.#servants.set(name, variable);
    }
  }

  /**
   * What computes the value of an assignment; undefined if it depends on a variable, a placeholder or a file, or if other
   * nodes read it, in which case the assignment is part of what the graph computes. What is in the variable's own scope
   * `Initializer` may read another variable: TensorFlow 2 makes copies of a model's variables that way when it saves them.
   */
  #initializerOf(assign: string, variable: string): Set<string> | undefined {
    const cone = new Set<string>();
    const open = this.#in(assign).slice(1);
    for (let edge = open.pop(); edge !== undefined; edge = open.pop()) {
      if (cone.has(edge.from)) continue;
      const op = this.#nodes.get(edge.from)?.op ?? "";
      if (VARIABLE_OPS.has(op) && edge.to.startsWith(`${variable}/Initializer/`)) continue;
      if (VARIABLE_OPS.has(op) || /^(Placeholder|Restore|Iterator|Arg|_Arg)/.test(op)) return undefined;
      if (cone.size >= MAX_INITIALIZER) return undefined;
      cone.add(edge.from);
      open.push(...this.#in(edge.from));
    }
    for (const name of cone) {
      const serves = this.#out(name).every(({ to }) => cone.has(to) || to === assign);
      if (!serves) return undefined;
    }
    return cone;
  }

  *#findOwners(): Sliced<void> {
    yield* paused(this.#roots, ([name, root]) => {
      if (root === name && !this.#servants.has(name)) this.#foldRoot(name);
    });
    yield* paused(this.#servants, ([servant, variable]) => {
      const owners = this.#owners.get(variable) ?? new Set([variable]);
      this.#owners.set(servant, owners);
    });
  }

  /** Folds a constant or variable with its reads into the nodes that use them. */
  #foldRoot(root: string): void {
    const chain = new Set([root]);
    const users = new Set<string>();
    const found: { user: string; input: number }[] = [];
    for (const name of chain) {
      for (const { to, output, input } of this.#out(name)) {
        if (this.#servants.has(to)) continue;
        // A node that only runs after a parameter does not use it.
        if (output < 0) continue;
        if (this.#roots.has(to)) {
          chain.add(to);
        } else {
          users.add(to);
          found.push({ user: to, input });
        }
      }
    }
    if (users.size === 0) return;
    for (const { user, input } of found) {
      const list = this.#parameters.get(user);
      if (list) list.push({ name: root, input });
      else this.#parameters.set(user, [{ name: root, input }]);
    }
    for (const name of chain) {
      const owners = this.#owners.get(name);
      if (owners) for (const user of users) owners.add(user);
      else this.#owners.set(name, new Set(users));
    }
  }
}

/** Nodes of an initializer; larger ones are part of what the graph computes. */
const MAX_INITIALIZER = 64;
