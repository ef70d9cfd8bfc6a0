/**
 * All cases, by family: those that specs and programs declare, and for every registered (op, dtype) that none of these
 * has, some of them with that dtype.
 */
import type { OpDef } from "../../../../protos/generated/tensorflow/op_def.js";
import { createKernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/all.js";
import { KernelNode } from "../../../../worker-runtime/engines/portable/kernels/kernel-node.js";
import type { KernelRegistry } from "../../../../worker-runtime/engines/portable/kernels/registry.js";
import {
  createLoweringRegistry,
  createUpdateRegistry,
} from "../../../../worker-runtime/engines/portable/lowering/all.js";
import { inputArgs } from "../../../../worker-runtime/graph/node-signature.js";
import { bundledOpRegistry } from "../../../../worker-runtime/graph/op-registry.js";
import { type DType, dtypeKind, dtypeOf } from "../../../../worker-runtime/protocol/dtype.js";
import { dataTypes } from "./arbitraries.js";
import type { Case } from "./case.js";
import type { Exceptions } from "./coverage.js";
import { converted } from "./elements.js";
import { exercisedPairs } from "./exercised.js";
import { attr, nodeDefOf, type OpCase } from "./op-case.js";
import { casesOf, type Draws, drawnCases, type OpSpec, type Types, typeChoices } from "./op-spec.js";
import { assignmentPrograms } from "./programs/assignments.js";
import { programsByFamily } from "./programs/index.js";
import { optimizerPrograms } from "./programs/optimizers.js";
import { caseOfProgram, type Program } from "./programs/program.js";
import {
  type Choice,
  pairsOfNode,
  pairText,
  registeredChoices,
  registeredPairs,
} from "./registered-pairs.js";
import { retyped, typedPlaces } from "./retyped.js";
import { specsByFamily } from "./specs/index.js";

/** A program, which is built for each server as it may keep files in a folder of its own. */
export interface CaseBuilder {
  readonly name: string;
  build(folder: string): Case;
}

export interface Family {
  readonly name: string;
  /** Cases that are single nodes. */
  readonly nodes: readonly OpCase[];
  readonly programs: readonly CaseBuilder[];
}

export interface Plan {
  readonly families: readonly Family[];
  /** Every registered pair (registered-pairs.ts), by op. */
  readonly registered: ReadonlyMap<string, ReadonlySet<string>>;
}

/** @param exceptions pairs for which no case is made of another one's */
export function makePlan(draws: Draws, exceptions: Exceptions): Plan {
  const kernels = createKernelRegistry();
  const registered = registeredPairs(kernels);
  const open = new Set([...registered.values()].flatMap((pairs) => [...pairs]));
  for (const pair of open) if (exceptions[pair] !== undefined) open.delete(pair);
  const close = (pairs: Iterable<string>) => {
    for (const pair of pairs) open.delete(pair);
  };
  const declared = Object.entries(specsByFamily).map(([name, specs]) => {
    const nodes = specs.flatMap((spec) => casesOf(spec, draws));
    for (const one of nodes) close(pairsOfCase(one));
    return { name, specs, nodes };
  });
  const programs = Object.entries(programsByFamily).map(([name, list]) => {
    for (const program of list) close(pairsOfProgram(caseOfProgram(program, "")));
    return { name, list };
  });
  const widened = declared.map(({ name, specs, nodes }) => ({
    name,
    nodes: [...nodes, ...specs.flatMap((spec) => widenedCases(spec, draws, kernels, registered, open))],
    programs: [],
  }));
  const retypings = programs.map(({ name, list }) => ({
    name,
    nodes: [],
    programs: list.flatMap((program) => [
      builderOf(program),
      ...retypedPrograms(program, kernels, registered, open),
    ]),
  }));
  return { families: [...widened, ...retypings], registered };
}

/** The programs of ops that change variables and have lowerings. */
export function loweredPrograms(): readonly CaseBuilder[] {
  const updates = createUpdateRegistry();
  const isLowered = (program: Program) =>
    caseOfProgram(program, "").graph.node.some(({ op }) => updates.of(op).some(({ isCopy }) => !isCopy));
  return [...optimizerPrograms.filter(isLowered), ...assignmentPrograms].map(builderOf);
}

const builderOf = (program: Program): CaseBuilder => ({
  name: program.name,
  build: (folder) => caseOfProgram(program, folder),
});

/** The cases of some ops that are single nodes: those that specs declare, and some of each registered dtype that these lack. */
export function nodeCases(ops: readonly string[], draws: Draws, kernels: KernelRegistry): OpCase[] {
  const registered = registeredPairs(kernels, ops);
  const open = new Set([...registered.values()].flatMap((pairs) => [...pairs]));
  const specs = Object.values(specsByFamily)
    .flat()
    .filter(({ op }) => ops.includes(op));
  const declared = specs.flatMap((spec) => casesOf(spec, draws));
  for (const pair of declared.flatMap(pairsOfCase)) open.delete(pair);
  return [...declared, ...specs.flatMap((spec) => widenedCases(spec, draws, kernels, registered, open))];
}

/** The declared cases of the ops that have a lowering, by family; families without any are left out. */
export function loweredFamilies(draws: Draws): readonly Omit<Family, "programs">[] {
  const lowered = new Set(createLoweringRegistry().ops());
  return Object.entries(specsByFamily)
    .map(([name, specs]) => ({
      name,
      nodes: specs
        .filter(({ op, noKernel }) => lowered.has(op) && noKernel === undefined)
        .flatMap((spec) => casesOf(spec, draws)),
    }))
    .filter(({ nodes }) => nodes.length > 0);
}

const pairsOfCase = (one: OpCase): string[] => pairsOfNode(nodeDefOf(one));

const pairsOfProgram = (one: Case): Set<string> =>
  new Set(one.steps.flatMap((step) => [...exercisedPairs(one, step)]));

/** Cases of a spec for the dtypes of its attributes that are open; each of its dtypes is open no longer. */
function widenedCases(
  spec: OpSpec,
  draws: Draws,
  kernels: KernelRegistry,
  registered: Plan["registered"],
  open: Set<string>,
): OpCase[] {
  if (spec.noKernel !== undefined || ![...(registered.get(spec.op) ?? [])].some((pair) => open.has(pair))) {
    return [];
  }
  const opDef = bundledOpRegistry().require(spec.op);
  const choices = registeredChoices(kernels, spec.op);
  const declared = typeChoices(spec).map((types) => ({ ...defaultTypes(opDef), ...types }));
  const cases: OpCase[] = [];
  for (const { name } of opDef.attr.filter(({ type }) => type === "type")) {
    for (const dtype of new Set(choices.map((choice) => choice.get(name)))) {
      const pair = dtype === undefined ? "" : pairText(spec.op, name, dtype);
      if (dtype === undefined || !open.has(pair) || !suits(spec.types[name] ?? [], dtype)) continue;
      const types = nearestTypes(
        choices.filter((choice) => choice.get(name) === dtype),
        declared,
        dtype,
      );
      const drawn = types === undefined ? [] : drawnCases(spec, types, draws);
      const usable = drawn
        .map((one) => withFittingInputs(one, types ?? {}))
        .filter((one) => hasKernel(one, kernels));
      cases.push(...usable);
      for (const one of usable) for (const covered of pairsOfCase(one)) open.delete(covered);
    }
  }
  for (const { name } of opDef.attr.filter(({ type }) => type === "list(type)")) {
    for (const dtype of dataTypes.filter((one) => open.has(pairText(spec.op, name, one)))) {
      const usable = drawnCases(spec, declared[0] ?? {}, draws)
        .map((one) => withListOf(one, name, dtype))
        .filter((one) => hasKernel(one, kernels));
      cases.push(...usable);
      for (const one of usable) for (const covered of pairsOfCase(one)) open.delete(covered);
    }
  }
  return cases;
}

/** The dtypes that an op's type attributes have where a node does not name them. */
function defaultTypes(opDef: OpDef): Types {
  return Object.fromEntries(
    opDef.attr.flatMap(({ name, defaultValue }) =>
      defaultValue?.value?.$case === "type" ? [[name, dtypeOf(defaultValue.value.value)]] : [],
    ),
  );
}

/** A case with given dtypes, which its inputs are made to be of: a spec may draw inputs and attributes of dtypes of its own. */
function withFittingInputs(drawn: OpCase, types: Types): OpCase {
  const typeAttrs = Object.fromEntries(
    Object.entries(types).map(([name, dtype]) => [name, attr.type(dtype)]),
  );
  const one = { ...drawn, attrs: { ...drawn.attrs, ...typeAttrs } };
  const args = inputArgs(bundledOpRegistry().require(one.op), nodeDefOf(one));
  return {
    ...one,
    inputs: one.inputs.map((input, i) => {
      const type = args[i]?.dtype;
      const dtype = type === undefined ? input.dtype : dtypeOf(type);
      return dtype === input.dtype ? input : converted(input, dtype);
    }),
  };
}

/** A case with a list of types that names one dtype alone. */
function withListOf(one: OpCase, name: string, dtype: DType): OpCase {
  const given = one.attrs[name];
  const length = given?.$case === "list" ? given.value.type.length : 0;
  const list = attr.types(...new Array<DType>(length).fill(dtype));
  return withFittingInputs({ ...one, attrs: { ...one.attrs, [name]: list } }, {});
}

/** A spec of complex numbers alone draws nothing else. */
function suits(declared: readonly DType[], dtype: DType): boolean {
  return (
    dtypeKind(dtype) === "complex" ||
    declared.length === 0 ||
    declared.some((one) => dtypeKind(one) !== "complex")
  );
}

function hasKernel(one: OpCase, kernels: KernelRegistry): boolean {
  const node = new KernelNode(nodeDefOf(one), bundledOpRegistry().require(one.op));
  return kernels.find(node, "CPU") !== undefined;
}

/** The one among choices with a kernel that differs least from what a spec declares, but for having this dtype. */
function nearestTypes(
  choices: readonly Choice[],
  declared: readonly Types[],
  dtype: DType,
): Types | undefined {
  let nearest: Types | undefined;
  let fewest = Number.POSITIVE_INFINITY;
  for (const choice of choices) {
    // If several differ equally, the one with the dtype everywhere.
    const others = [...choice.values()].filter((one) => one !== dtype).length / (choice.size + 1);
    for (const types of declared) {
      const different = Object.entries(types).filter(([name, one]) => choice.get(name) !== one).length;
      if (different + others < fewest) {
        fewest = different + others;
        nearest = Object.fromEntries(choice);
      }
    }
  }
  return nearest;
}

/** A program with other dtypes, for those of its nodes' attributes that are open; each is open no longer. */
function retypedPrograms(
  program: Program,
  kernels: KernelRegistry,
  registered: Plan["registered"],
  open: Set<string>,
): CaseBuilder[] {
  if (program.noKernel !== undefined) {
    return [];
  }
  const builders: CaseBuilder[] = [];
  const tried = new Set<string>();
  for (const { key, op, attr: name, dtype: from, isOfHandle } of typedPlaces(caseOfProgram(program, ""))) {
    const missing = [...(registered.get(op) ?? [])].filter(
      (pair) => open.has(pair) && pair.startsWith(`${op} ${name}=`),
    );
    for (const to of missing.map((pair) => pair.slice(pair.indexOf("=") + 1) as DType)) {
      for (const only of isOfHandle ? [undefined] : [undefined, key]) {
        const text = `${from} as ${to} ${only ?? ""}`;
        if (tried.has(text) || !open.has(pairText(op, name, to))) continue;
        tried.add(text);
        const newName = `${program.name}_with_${from}_as_${to}_${builders.length + 1}`;
        const part = only === undefined ? {} : { only: only.replace(program.name, newName) };
        const build = (folder: string) =>
          retyped(caseOfProgram({ ...program, name: newName }, folder), { from, to, ...part }, kernels);
        const made = build("");
        const covered = made === undefined ? [] : [...pairsOfProgram(made)].filter((pair) => open.has(pair));
        if (covered.length === 0) continue;
        for (const pair of covered) open.delete(pair);
        builders.push({ name: newName, build: (folder) => build(folder) as Case });
      }
    }
  }
  return builders;
}
