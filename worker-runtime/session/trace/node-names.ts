/**
 * Suffixes of names that TensorFlow gives to nodes it derives from the user's: constant folding in a worker
 * ("x/_0__cf__0"), copies for functions and loops ("x/_3"), the two ends of a transfer ("x_S1", "x/_4", "x_G12").
 */
const DERIVED_SUFFIXES = [/__cf__\d+$/, /\/_\d+$/, /_[SG]\d+$/, /_edge_\d+_.*$/, /-folded-\d+$/];

/** Prefixes of nodes of the master's optimizers: "ConstantFolding/x-folded-0", "ArithmeticOptimizer/AddOp_x". */
const OPTIMIZER_PREFIX = /^(?:ConstantFolding(?:Ctrl)?|\w*Optimizer|Func|Remapper)\//;

/**
 * The user's node to which a recorded node corresponds.
 *
 * @param known the names of the user's nodes; without them, only suffixes that are unique to TensorFlow are removed
 * @returns undefined if it is not one of the user's nodes
 */
export function userNodeName(recorded: string, known: ReadonlySet<string> | undefined): string | undefined {
  if (known === undefined) return recorded.replace(/(?:\/_\d+)?__cf__\d+$/, "");
  const found = knownForm(recorded, known) ?? knownForm(recorded.replace(OPTIMIZER_PREFIX, ""), known);
  if (found !== undefined) return found;
  // A node inside a function, inlined under the name of the node that calls it: "call/inner/Add".
  for (let end = recorded.lastIndexOf("/"); end > 0; end = recorded.lastIndexOf("/", end - 1)) {
    const caller = recorded.slice(0, end);
    if (known.has(caller)) return caller;
  }
  return undefined;
}

function knownForm(name: string, known: ReadonlySet<string>): string | undefined {
  let form = name;
  for (;;) {
    if (known.has(form)) return form;
    const shorter = DERIVED_SUFFIXES.reduce(
      (text, suffix) => (text === form ? text.replace(suffix, "") : text),
      form,
    );
    if (shorter === form || shorter === "") return undefined;
    form = shorter;
  }
}
