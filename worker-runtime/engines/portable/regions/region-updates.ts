import { Tensor } from "../../../protocol/tensor.js";
import type { StepContext } from "../executor/step-context.js";
import { toHost } from "../gpu/device-tensor.js";
import type { Outputs } from "../kernels/kernel.js";
import { fill } from "../kernels/state/reference-variables.js";
import { validatesShape } from "../kernels/state/variable-access.js";
import { sameShape } from "../kernels/support/shapes.js";
import { freeUnlessHeld } from "../memory/held-tensor.js";
import { ReferenceVariable } from "../resources/reference-variable.js";
import { aloneAnywhere, Variable } from "../resources/variable.js";
import { RefValue, type Value } from "../values.js";
import { SessionError } from "./device-errors.js";
import type { RegionOutline } from "./region-outline.js";
import type { Unit } from "./region-program.js";
import { variableAt, variableType } from "./updated-variables.js";

/** A variable that a region changes, with the shape that it had when the region started. */
export interface BoundVariable {
  readonly variable: Variable;
  readonly shape: readonly number[];
}

export type VariablesBySlot = ReadonlyMap<number, BoundVariable>;

/** A session cannot compute the updates of this run, but may compute those of another one. */
export class NotThisTimeError extends SessionError {}

type SessionUnit = Extract<Unit, { readonly kind: "session" }>;

const NO_VARIABLES: VariablesBySlot = new Map();

/**
 * The variables that a region changes.
 * @returns undefined if one does not exist or has no value, which its kernel must report.
 */
export function boundVariables(
  { members }: RegionOutline,
  inputs: readonly (Value | undefined)[],
  step: StepContext,
): VariablesBySlot | undefined {
  let found: Map<number, BoundVariable> | undefined;
  for (const { update, inputs: slots, node } of members) {
    if (update === undefined) {
      continue;
    }
    found ??= new Map();
    const given = slots.map((slot) => inputs[slot]) as readonly Value[];
    for (const index of update.variables) {
      const slot = slots[index] ?? -1;
      if (!found.has(slot)) {
        const variable = given[index] && variableAt(node.node, { inputs: given, step }, index);
        if (variable?.shape === undefined || !variable.initialized) {
          return undefined;
        }
        found.set(slot, { variable, shape: variable.shape });
      }
    }
  }
  return found ?? NO_VARIABLES;
}

/**
 * Runs a session that changes variables. It has exclusive access to them, and to the reference variables that it reads,
 * from before their values are read until the new ones are assigned: no other update comes between.
 * @param values by slot.
 * @param on `inputs` is called with those of the session before it runs, `ran` as `DeviceSession.run` says.
 * @returns the other outputs of the session.
 * @throws SessionError, DeviceLostError; no variable was changed then.
 */
export async function runUpdates(
  unit: SessionUnit,
  values: readonly (Value | undefined)[],
  bound: VariablesBySlot = NO_VARIABLES,
  step: StepContext,
  on: { inputs(inputs: readonly Tensor[]): void; ran(millis: number): void },
): Promise<Outputs> {
  const read = unit.inputs.flatMap((slot) => {
    const value = values[slot];
    return value instanceof RefValue && value.cell instanceof Variable ? value.cell : [];
  });
  const changed = unit.updates.flatMap(({ variables }) =>
    variables.flatMap((slot) => bound.get(slot)?.variable ?? []),
  );
  return await aloneAnywhere([...read, ...changed], step, async () => {
    checkUpdates(unit, bound, changed);
    const inputs = unit.inputs.map((slot): Tensor => {
      const value = values[slot];
      const tensor =
        bound.get(slot)?.variable.value ?? (value instanceof RefValue ? value.cell.value : value);
      if (!(tensor instanceof Tensor)) {
        throw new SessionError("An input has no value.");
      }
      return tensor;
    });
    on.inputs(inputs);
    const outputs = await unit.session.run(inputs, step.signal, on.ran);
    const made = outputs.slice(unit.outputs.length);
    if (!haveFitShapes(unit, changed, made)) {
      outputs.forEach(freeUnlessHeld);
      throw new NotThisTimeError("The new value of a variable has another shape.");
    }
    for (const [index, variable] of changed.entries()) {
      const value = made[index];
      if (value !== undefined) {
        await replace(variable, value, step);
      }
    }
    return outputs.slice(0, unit.outputs.length);
  });
}

/** Gives a variable a new value that nothing else uses. */
async function replace(variable: Variable, value: Tensor, step: StepContext): Promise<void> {
  if (variable instanceof ReferenceVariable && variable.isReadBy(step)) {
    // The value that the step has read becomes the new value, as in TensorFlow.
    try {
      await fill(variable, await toHost(value, step));
    } finally {
      freeUnlessHeld(value);
    }
  } else {
    variable.adopt(value);
  }
}

/** Whether the new values have the shapes of their variables, where an assignment does not allow others. */
function haveFitShapes(
  { updates }: SessionUnit,
  changed: readonly Variable[],
  made: readonly Tensor[],
): boolean {
  const mayReshape = updates.flatMap(({ member, variables }) =>
    variables.map(() => member.update?.isCopy === true && !validatesShape(member.node.node)),
  );
  return changed.every(
    ({ shape = [] }, index) => mayReshape[index] || sameShape(shape, made[index]?.shape ?? []),
  );
}

/** @throws NotThisTimeError if the kernels must run: for inputs that they reject, and one variable with two updates. */
function checkUpdates(unit: SessionUnit, bound: VariablesBySlot, changed: readonly Variable[]): void {
  const areFit = unit.updates.every(({ member, variables }) => {
    const [first] = variables.map((slot) => bound.get(slot)?.shape ?? []);
    return variables.every((slot) => {
      const { variable, shape = [] } = bound.get(slot) ?? {};
      return (
        variable?.initialized &&
        variable.dtype === variableType(member.node.node) &&
        sameShape(variable.shape ?? [], shape) &&
        sameShape(shape, first ?? []) &&
        // With no elements, broadcasting could go unnoticed.
        !shape.includes(0)
      );
    });
  });
  if (!areFit || new Set(changed).size < changed.length) {
    throw new NotThisTimeError("These variables cannot be updated together.");
  }
}
