/**
 * Problems of a call: it hands over, or expects, what its function does not take or give, or a node of the function's
 * body, or of one that this calls in turn, cannot run. Bodies are examined once and remembered, until they or what they
 * call change.
 */
import type { FunctionDef } from "../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../protos/generated/tensorflow/node_def.js";
import type { OpDef, OpDef_ArgDef } from "../../protos/generated/tensorflow/op_def.js";
import { DataType } from "../../protos/generated/tensorflow/types.js";
import type { Sliced } from "../../worker-runtime/graph/slices.js";
import { dtypeName } from "../../worker-runtime/protocol/dtype.js";
import { texts } from "../texts/texts.js";
import { slicedBodyNodes } from "./body-nodes.js";
import { callRole } from "./call-roles.js";
import { namedFunctions } from "./function-effects.js";
import { nameOf } from "./library.js";
import type { NodeProblem, ProblemMap } from "./node-problem.js";
import { type OpLookup, signatureOf } from "./signature.js";

const words = texts.functionCalls;

/** How bodies are examined. */
export interface Examination {
  readonly opsKnown: boolean;
  /** The problems of a body's nodes; what these call is examined already. */
  examine(nodes: ReadonlyMap<string, NodeDef>, lookup: OpLookup): Sliced<ProblemMap>;
}

/** The facts about a body, and all that they depend on, as it was. */
interface Findings {
  readonly opsKnown: boolean;
  readonly ops: ReadonlyMap<string, OpDef | undefined>;
  readonly functions: ReadonlyMap<string, FunctionDef | undefined>;
  /** How many nodes have a problem, and the first of them; undefined: none has. */
  readonly trouble: { readonly count: number; readonly first: NodeProblem } | undefined;
}

const remembered = new WeakMap<FunctionDef, Findings>();

/** Whether it still holds; what it depends on is looked up, so that what depends on it knows that, too. */
function holds({ opsKnown, ops, functions }: Findings, lookup: OpLookup, known: boolean): boolean {
  if (opsKnown !== known) return false;
  let isSame = true;
  for (const [name, definition] of functions) isSame = lookup.functionNamed?.(name) === definition && isSame;
  for (const [op, definition] of ops) isSame = lookup(op) === definition && isSame;
  return isSame;
}

/** The functions of the library that a node names. */
function functionsOf(node: NodeDef, lookup: OpLookup): FunctionDef[] {
  const { functionNamed } = lookup;
  if (!functionNamed) return [];
  return [...new Set(namedFunctions(node))].flatMap((name) => functionNamed(name) ?? []);
}

/** Functions that are being examined; one that calls itself is not examined again within. */
type Within = ReadonlySet<string>;
const NOWHERE: Within = new Set();

/** Examines the functions that nodes call, for `callProblems`. */
export function* slicedCalls(
  nodes: Iterable<NodeDef>,
  lookup: OpLookup,
  examination: Examination,
  within: Within = NOWHERE,
): Sliced<void> {
  if (!lookup.functionNamed) return;
  const seen = new Set<FunctionDef>();
  for (const node of nodes) {
    for (const definition of functionsOf(node, lookup)) {
      if (seen.has(definition)) continue;
      seen.add(definition);
      yield* slicedBody(definition, lookup, examination, within);
    }
  }
}

function* slicedBody(
  definition: FunctionDef,
  lookup: OpLookup,
  examination: Examination,
  within: Within,
): Sliced<void> {
  const name = nameOf(definition);
  const known = remembered.get(definition);
  if (within.has(name) || (known && holds(known, lookup, examination.opsKnown))) return;
  const ops = new Map<string, OpDef | undefined>();
  const functions = new Map<string, FunctionDef | undefined>();
  const recording: OpLookup = Object.assign(
    (op: string) => {
      const found = lookup(op);
      ops.set(op, found);
      return found;
    },
    {
      functionNamed: (called: string) => {
        const found = lookup.functionNamed?.(called);
        functions.set(called, found);
        return found;
      },
    },
  );
  // Those that it calls come first: what is wrong in them is a problem of their calls here.
  yield* slicedCalls(definition.nodeDef, recording, examination, new Set([...within, name]));
  const nodes = yield* slicedBodyNodes(definition, recording);
  const problems = yield* examination.examine(nodes, recording);
  remembered.set(definition, {
    opsKnown: examination.opsKnown,
    ...{ ops, functions },
    trouble: troubleOf(nodes, problems),
  });
}

function troubleOf(nodes: ReadonlyMap<string, NodeDef>, problems: ProblemMap): Findings["trouble"] {
  for (const name of nodes.keys()) {
    const [first] = problems.get(name) ?? [];
    if (first) return { count: problems.size, first };
  }
  return undefined;
}

/** Problems of a node as a call; those of bodies as `slicedCalls` found them. */
export function callProblems(node: NodeDef, lookup: OpLookup): NodeProblem[] {
  return functionsOf(node, lookup).flatMap((definition) => [
    ...fitProblems(node, definition, lookup),
    ...bodyProblem(node, definition),
  ]);
}

function bodyProblem(node: NodeDef, definition: FunctionDef): NodeProblem[] {
  const trouble = remembered.get(definition)?.trouble;
  if (!trouble) return [];
  const { first, count } = trouble;
  const name = nameOf(definition);
  const within = first.within ?? { function: name, node: first.node };
  const message = words.within({ count, function: name, call: node.name, problem: first.message });
  return [
    {
      ...{ code: first.code, node: node.name, short: words.withinShort({ function: name }), message, within },
      remedy: words.withinRemedy(within),
    },
  ];
}

/** Whether a call hands over and expects what its function takes and gives. Of ops that decide it themselves, nothing is said. */
function fitProblems(node: NodeDef, definition: FunctionDef, lookup: OpLookup): NodeProblem[] {
  const name = nameOf(definition);
  const { inputArg = [], outputArg = [] } = definition.signature ?? {};
  const call = callAs(node, name);
  const role = call && call.as !== "" ? callRole(node, call, lookup) : undefined;
  const signature = signatureOf(node, lookup);
  if (!role || role.kind === "captured" || !signature) return [];
  const given = signature.inputs.slice(role.offset).map(({ dtype }) => dtype);
  const expected =
    role.kind === "loop" && call?.as === "cond"
      ? [DataType.DT_BOOL]
      : signature.outputs.map(({ dtype }) => dtype);
  const names = { call: node.name, function: name };
  const problem = (message: string, remedy: string): NodeProblem[] => [
    {
      code: "INVALID_ARGUMENT",
      node: node.name,
      short: words.fitsNotShort({ function: name }),
      message,
      remedy,
    },
  ];
  if (given.length !== inputArg.length) {
    const counts = { ...names, given: given.length, taken: inputArg.length };
    return problem(words.argumentCount(counts), words.argumentRemedy(names));
  }
  if (expected.length !== outputArg.length) {
    const counts = { ...names, given: expected.length, taken: outputArg.length };
    return problem(words.resultCount(counts), words.resultRemedy(names));
  }
  const differing = differingType(given, inputArg);
  if (differing) {
    return problem(words.argumentType({ ...names, ...differing }), words.argumentRemedy(names));
  }
  // A condition may give what TensorFlow makes a truth value of.
  const other = call?.as === "cond" ? undefined : differingType(expected, outputArg);
  return other ? problem(words.resultType({ ...names, ...other }), words.resultRemedy(names)) : [];
}

function differingType(types: readonly DataType[], args: readonly OpDef_ArgDef[]) {
  const index = types.findIndex((dtype, at) => {
    const wanted = args[at]?.type ?? DataType.DT_INVALID;
    return dtype !== DataType.DT_INVALID && wanted !== DataType.DT_INVALID && dtype !== wanted;
  });
  const [type, arg] = [types[index], args[index]];
  return type === undefined || !arg
    ? undefined
    : { given: dtypeName(type), taken: dtypeName(arg.type), name: arg.name };
}

/** How a node names a function: by its op, or by an attribute. */
function callAs(
  { op, attr }: NodeDef,
  name: string,
): { readonly as: string; readonly name: string } | undefined {
  if (op === name) return { as: "", name };
  for (const [as, { value }] of attr) {
    if (value?.$case === "func" && value.value.name === name) return { as, name };
    if (value?.$case === "list" && value.value.func.some((one) => one.name === name)) return { as, name };
  }
  return undefined;
}
