/**
 * The functions that change with the arguments and results of another one: the branches of an If take and give the same,
 * and the body of a While gives what it and the condition take.
 */
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { OpDef, OpDef_ArgDef } from "../../../protos/generated/tensorflow/op_def.js";
import { texts } from "../../texts/texts.js";
import { ARGUMENT, RESULT } from "../body-nodes.js";
import {
  type BorderChange,
  type BorderSlot,
  isUnchanged,
  keepsCalls,
  movedTo,
  remapped,
  remappedKeys,
  sameSlots,
  unchanged,
} from "../border-change.js";
import { type CallRole, callRole, type LoopRole } from "../call-roles.js";
import { bodyAnnotations, borderPlaces, withInputShapes, withSettings } from "../function-settings.js";
import { type Call, callsOf, functionsOf, libraryOf, nameOf } from "../library.js";
import type { GraphDocument } from "../model.js";
import type { OpLookup } from "../signature.js";
import { parseInput, uniqueName } from "../tensor-names.js";
import { Refusal } from "./types.js";

const words = texts.functionCalls;

/** A node of the graph, or of the function `within`, that calls a function. */
export interface CallSite {
  readonly node: NodeDef;
  readonly within: string | undefined;
  readonly call: Call;
  readonly role: CallRole | undefined;
}

/** All calls of functions of the library, in the graph and in functions. */
export function callSites(
  document: Pick<GraphDocument, "nodes" | "metaGraph">,
  lookup: OpLookup,
): CallSite[] {
  const sitesOf = (node: NodeDef, within: string | undefined) =>
    callsOf(node, document).map((call) => ({ node, within, call, role: callRole(node, call, lookup) }));
  return [
    ...[...document.nodes.values()].flatMap((node) => sitesOf(node, undefined)),
    ...functionsOf(document.metaGraph).flatMap((definition) =>
      definition.nodeDef.flatMap((node) => sitesOf(node, nameOf(definition))),
    ),
  ];
}

/** A signature as it was before the edit. */
export type Signatures = (name: string) => OpDef;

export function signaturesOf({ metaGraph }: Pick<GraphDocument, "metaGraph">): Signatures {
  const library = libraryOf(metaGraph);
  return (name) => library.get(name)?.signature ?? OpDef.fromPartial({ name });
}

/** The changes of all functions with the change of one. Throws a `Refusal` where calls cannot follow. */
export function linkedChanges(
  sites: readonly CallSite[],
  were: Signatures,
  name: string,
  change: BorderChange,
): ReadonlyMap<string, BorderChange> {
  const changes = new Map([[name, change]]);
  for (let grows = true; grows; ) {
    grows = false;
    for (const site of sites) {
      const own = changes.get(site.call.name);
      if (!own || keepsCalls(own, were(site.call.name))) continue;
      for (const [linked, wanted] of linksOf(site, own, were)) {
        const known = changes.get(linked);
        const joined = known ? both(known, wanted, were(linked)) : wanted;
        if (!joined) throw new Refusal(words.callsDisagree({ function: linked }));
        if (known && sameSlots(known.args, joined.args) && sameSlots(known.results, joined.results)) continue;
        changes.set(linked, joined);
        grows = true;
      }
    }
  }
  return changes;
}

function linksOf(
  { node, call, role }: CallSite,
  own: BorderChange,
  were: Signatures,
): readonly (readonly [string, BorderChange])[] {
  const names = { call: node.name, op: node.op, function: call.name };
  if (!role) throw new Refusal(words.otherCall(names));
  if (role.kind === "loop") return loopLinks(node, call, role, own, were);
  if (role.kind === "captured") {
    const { inputArg, outputArg } = were(call.name);
    const count = inputArg.length - role.count;
    if (!isUnchanged(own.results, outputArg)) throw new Refusal(words.fixedResults(names));
    const isFixed = isUnchanged(own.args.slice(0, count), inputArg.slice(0, count));
    if (!isFixed) throw new Refusal(words.fixedArgument({ ...names, count }));
    return [];
  }
  return role.functions.flatMap((other) => {
    if (other === call.name) return [];
    const [mine, its] = [were(call.name), were(other)];
    const fits =
      mine.inputArg.length === its.inputArg.length && mine.outputArg.length === its.outputArg.length;
    // A call that does not fit now is left as it is, with its problem.
    if (!fits) return [];
    const args = adapted(own.args, mine.inputArg, its.inputArg);
    return [[other, { args, results: adapted(own.results, mine.outputArg, its.outputArg) }] as const];
  });
}

/** The slots for another function: of its own types and names, where the change is not one of them. */
function adapted(
  slots: readonly BorderSlot[],
  mine: readonly OpDef_ArgDef[],
  its: readonly OpDef_ArgDef[],
): readonly BorderSlot[] {
  return slots.map((slot) => {
    const [was, its0] = slot.from === undefined ? [] : [mine[slot.from], its[slot.from]];
    return was && its0 && slot.type === was.type ? { ...slot, type: its0.type } : slot;
  });
}

function loopLinks(
  node: NodeDef,
  call: Call,
  { cond, body }: LoopRole,
  own: BorderChange,
  were: Signatures,
): readonly (readonly [string, BorderChange])[] {
  const { inputArg, outputArg } = were(call.name);
  const count = inputArg.length;
  const isCondition = call.as === "cond";
  if (isCondition && !isUnchanged(own.results, outputArg)) {
    throw new Refusal(words.conditionResult({ call: node.name, function: call.name }));
  }
  const fits = [were(body).inputArg, were(body).outputArg, were(cond).inputArg].every(
    (list) => list.length === count,
  );
  if (!fits) return [];
  const all = isCondition ? own.args : oneOf(own.args, own.results, inputArg);
  if (!all) throw new Refusal(words.loopDiffers({ call: node.name, function: call.name }));
  return [
    [body, { args: all, results: all }],
    [cond, { args: all, results: unchanged(were(cond).outputArg) }],
  ];
}

function both(
  one: BorderChange,
  other: BorderChange,
  { inputArg, outputArg }: OpDef,
): BorderChange | undefined {
  const args = oneOf(one.args, other.args, inputArg);
  const results = oneOf(one.results, other.results, outputArg);
  return args && results && { args, results };
}

/** The one that changes something; undefined if both do, in different ways. */
function oneOf(
  one: readonly BorderSlot[],
  other: readonly BorderSlot[],
  were: readonly OpDef_ArgDef[],
): readonly BorderSlot[] | undefined {
  if (isUnchanged(other, were) || sameSlots(one, other)) return one;
  return isUnchanged(one, were) ? other : undefined;
}

/** A function with the change that it lacks. Throws a `Refusal` where its body reads what goes. */
export function withBorder(
  definition: FunctionDef,
  args: readonly BorderSlot[] | undefined,
  results: readonly BorderSlot[] | undefined,
  site: CallSite | undefined,
): FunctionDef {
  const { signature } = definition;
  if (!signature || (!args && !results)) return definition;
  if (signature.attr.length > 0) throw new Refusal(words.dependsOnCaller({ name: nameOf(definition) }));
  const resultSlots = results ?? unchanged(signature.outputArg);
  const argSlots = args ?? unchanged(signature.inputArg);
  const taken = new Set([
    ...definition.nodeDef.map(({ name }) => name),
    ...signature.inputArg.map(({ name }) => name),
  ]);
  const inputArg = changedArgs(signature.inputArg, argSlots, taken);
  const outputArg = changedArgs(
    signature.outputArg,
    resultSlots,
    new Set(signature.outputArg.map(({ name }) => name)),
  );
  const ret = new Map<string, string>();
  for (const [index, { from }] of resultSlots.entries()) {
    const arg = outputArg[index];
    if (!arg) continue;
    const isHandedOn = from === undefined && site?.role?.kind === "loop";
    const was = from === undefined ? undefined : definition.ret.get(signature.outputArg[from]?.name ?? "");
    ret.set(arg.name, isHandedOn ? (inputArg[index]?.name ?? "") : (was ?? ""));
  }
  const after = { ...definition, ret };
  for (const [index, { name }] of signature.inputArg.entries()) {
    if (movedTo(index, argSlots) === undefined) refuseIfRead(after, name, site);
  }
  const place = borderPlaces(definition);
  const places = (op: string, slots: readonly BorderSlot[]) =>
    slots.map(({ from }) => (from === undefined ? undefined : place(op, from)));
  return {
    ...after,
    signature: { ...signature, inputArg, outputArg },
    argAttr: remappedKeys(definition.argAttr, argSlots),
    resourceArgUniqueId: remappedKeys(definition.resourceArgUniqueId, argSlots),
    attr: withSettings(
      { ...definition, attr: withInputShapes(definition.attr, argSlots, signature.inputArg.length) },
      { [ARGUMENT]: places(ARGUMENT, argSlots), [RESULT]: places(RESULT, resultSlots) },
      bodyAnnotations(definition),
    ),
  };
}

function changedArgs(
  defs: readonly OpDef_ArgDef[],
  slots: readonly BorderSlot[],
  taken: Set<string>,
): OpDef_ArgDef[] {
  const kept = remapped<OpDef_ArgDef | undefined>(defs, slots, undefined);
  return slots.map(({ type, name: wanted }, index) => {
    const known = kept[index];
    if (known) return known.type === type ? known : { ...known, type };
    const name = uniqueName(wanted, taken);
    taken.add(name);
    return OpDef_ArgDef.fromPartial({ name, type });
  });
}

function refuseIfRead(definition: FunctionDef, name: string, site: CallSite | undefined): void {
  const reads = (text: string) => {
    const reference = parseInput(text);
    return reference.kind !== "missing" && reference.node === name;
  };
  const names = { call: site?.node.name ?? "", function: nameOf(definition), name };
  const reader = definition.nodeDef.find(({ input }) => input.some(reads));
  if (reader) throw new Refusal(words.linkedArgumentRead({ ...names, reader: reader.name }));
  if ([...definition.ret.values()].some(reads)) throw new Refusal(words.linkedArgumentReturned(names));
}
