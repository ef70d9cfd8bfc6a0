import { type DType, dtypeOf, itemSize } from "../../../protocol/dtype.js";
import { elementsOfShape } from "../../../protocol/shape.js";
import type { Tensor } from "../../../protocol/tensor.js";
import type { LoweringContext, LoweringDevice, UpdateLowering } from "../lowering/lowering.js";
import { products } from "../lowering/origins.js";
import { Writer } from "../lowering/writer.js";
import { ModelBuilder, type OnnxValue } from "../onnx/model-builder.js";
import type { PausingWork } from "../pauses.js";
import type { SessionOutput } from "./device-session.js";
import type { Known, Recording } from "./known-values.js";
import type { RegionMember, RegionOutline } from "./region-outline.js";
import type { SessionUpdate } from "./region-program.js";
import { MIN_KEPT_BYTES } from "./sent-tensors.js";
import { variableType } from "./updated-variables.js";

/** Nodes of a region as one model. */
export interface LoweredMembers {
  /** The model, serialized. */
  build(): Uint8Array;
  /** The slots of the model's inputs. */
  readonly inputs: readonly number[];
  /** The slots of the model's outputs. */
  readonly outputs: readonly number[];
  /** The members that change variables, whose new values are further outputs of the model. */
  readonly updates: readonly SessionUpdate[];
  /** All outputs of the model. */
  readonly results: readonly SessionOutput[];
}

/** A member that changes variables, with their new values. */
interface LoweredUpdate extends SessionUpdate {
  readonly values: readonly OnnxValue[];
}

/** Larger constants are inputs of the model: the thread keeps them, and their bytes are not serialized. */
const MAX_CONSTANT_BYTES = 8 * 2 ** 20;

/** Members written between two pauses: about a millisecond. */
const MEMBERS_PER_PAUSE = 16;

/** Thrown if a lowering queries something unknown about its inputs. */
class NotKnown extends Error {}

/** The facts about a region, given the ranks or the shapes of its inputs. */
export interface KnownByInputs {
  readonly recording: Recording;
  readonly byRanks: Known;
  readonly byShapes: Known;
}

/**
 * Writes nodes of one region as a model. The outputs of a declined member become inputs of the model; the caller finds
 * the member in `declined` and regroups the nodes.
 */
export class MemberLowering {
  /** Members that cannot be lowered for these inputs. */
  readonly declined = new Set<RegionMember>();
  /** Whether the models are valid only for the current shapes of the region's inputs. */
  isSpecialized = false;
  readonly #outline: RegionOutline;
  readonly #known: KnownByInputs;
  readonly #device: LoweringDevice;

  /** @param device what runs the models. */
  constructor(outline: RegionOutline, known: KnownByInputs, device: LoweringDevice) {
    this.#outline = outline;
    this.#known = known;
    this.#device = device;
  }

  /**
   * @param outputs the slots used elsewhere.
   * @throws the error of a lowering that has a bug.
   */
  *lower(members: readonly RegionMember[], outputs: readonly number[]): PausingWork<LoweredMembers> {
    const model = new ModelBuilder();
    const values = new Map<number, OnnxValue>();
    const slots = new Map<string, number>();
    const inputs: number[] = [];
    const updates: LoweredUpdate[] = [];
    const dtypes = this.#dtypes();
    /** The names of the model's inputs and constants. */
    const given = new Set<string>();
    const set = (slot: number, value: OnnxValue): void => {
      values.set(slot, value);
      if (!slots.has(value.name)) {
        slots.set(value.name, slot);
      }
    };
    const onnxValue = (slot: number): OnnxValue => {
      const made = values.get(slot);
      if (made !== undefined) {
        return made;
      }
      const value = this.#constantOf(slot);
      const isInput = this.#outline.constants.has(slot) && (value?.byteLength ?? 0) > MAX_CONSTANT_BYTES;
      if (value !== undefined && !isInput) {
        set(slot, model.constant(value));
      } else {
        inputs.push(slot);
        set(
          slot,
          model.input(dtypes.get(slot) ?? "float32", this.#known.recording.shapes[slot]?.length ?? 0),
        );
      }
      const found = onnxValue(slot);
      given.add(found.name);
      return found;
    };
    const context = this.#context(model, slots);
    for (const [index, member] of members.entries()) {
      if (index % MEMBERS_PER_PAUSE === 0) {
        yield;
      }
      if (this.declined.has(member)) {
        continue;
      }
      model.setScope(member.node.node.name);
      if (member.update !== undefined) {
        const update = member.update.isCopy
          ? lowerCopy(member, values, given)
          : this.#lowerUpdate(member, member.update, onnxValue, context);
        if (update === undefined) {
          this.declined.add(member);
        } else {
          updates.push(update);
        }
        continue;
      }
      if (member.outputs.every((slot) => this.#constantOf(slot) !== undefined)) {
        continue;
      }
      const made = this.#lowerOne(member, member.inputs.map(onnxValue), context);
      if (made === undefined) {
        this.declined.add(member);
      } else {
        member.outputs.forEach((slot, index) => {
          const value = made[index];
          if (value !== undefined) {
            set(slot, value);
          }
        });
      }
    }
    for (const slot of outputs) {
      model.output(onnxValue(slot));
    }
    for (const value of updates.flatMap(({ values: made }) => made)) {
      model.output(value);
    }
    return {
      build: () => model.build("region"),
      inputs,
      outputs,
      updates,
      results: [
        ...outputs.map((slot): SessionOutput => ({ dtype: onnxValue(slot).dtype, stays: false })),
        ...updates.flatMap((update) => this.#resultsOf(update)),
      ],
    };
  }

  /** New values stay on the thread, for the next step, unless it is faster to send them again. */
  #resultsOf({ member, variables, values }: LoweredUpdate): readonly SessionOutput[] {
    const shaped = member.update?.isCopy ? member.inputs.slice(1) : variables;
    return values.map(({ dtype }, index): SessionOutput => {
      const elements = elementsOfShape(this.#known.recording.shapes[shaped[index] ?? -1] ?? []);
      const slot = variables[index] ?? -1;
      return {
        dtype,
        stays: elements * itemSize(dtype) >= MIN_KEPT_BYTES && !this.#outline.usedByRows.has(slot),
      };
    });
  }

  #lowerUpdate(
    member: RegionMember,
    update: UpdateLowering,
    onnxValue: (slot: number) => OnnxValue,
    context: LoweringContext,
  ): LoweredUpdate | undefined {
    const write = new Writer(context);
    const variables = update.variables.map((index) => member.inputs[index] ?? -1);
    const given = member.inputs.map(onnxValue);
    const [target] = update.variables.map((index) => given[index]);
    const made = this.#unlessUnknown(() => {
      const ranks = new Map<string, number>();
      const inputs = given.map((value, index) => {
        const rank = context.rank(value);
        // Fails for a value that would be broadcast to the variable's shape, which the kernel rejects.
        const checked =
          update.variables.includes(index) || target === undefined || rank === 0
            ? value
            : write.reshape(value, write.same("Max", [write.shape(target), write.shape(value)]));
        ranks.set(checked.name, rank);
        const product = products.get(value);
        if (product !== undefined) {
          products.set(checked, product);
        }
        return checked;
      });
      const lower = update.lower.bind(update, member.node.node, inputs);
      return lower({ ...context, rank: ({ name }) => ranks.get(name) ?? 0 });
    });
    return made?.length === variables.length ? { member, variables, values: made } : undefined;
  }

  #lowerOne(
    member: RegionMember,
    inputs: readonly OnnxValue[],
    context: LoweringContext,
  ): readonly OnnxValue[] | undefined {
    const made = this.#unlessUnknown(() => member.lowering?.lower(member.node.node, inputs, context));
    return made?.length === member.outputs.length ? made : undefined;
  }

  /** Returns undefined if something is queried that is not known. */
  #unlessUnknown<T>(lower: () => T): T | undefined {
    try {
      return lower();
    } catch (error) {
      if (error instanceof NotKnown) {
        return undefined;
      }
      throw error;
    }
  }

  /** A value that needs no node; undefined if it is computed. */
  #constantOf(slot: number): Tensor | undefined {
    const { byRanks, byShapes, recording } = this.#known;
    const isKnown = (this.isSpecialized ? byShapes : byRanks).value[slot] === 1;
    return isKnown ? recording.values[slot] : undefined;
  }

  #context(model: ModelBuilder, slots: ReadonlyMap<string, number>): LoweringContext {
    const { byRanks, byShapes, recording } = this.#known;
    const slotOf = ({ name }: OnnxValue): number => {
      const slot = slots.get(name);
      if (slot === undefined) {
        throw new NotKnown();
      }
      return slot;
    };
    const ask = (kind: keyof Known, slot: number): boolean => {
      if (byRanks[kind][slot] === 1) {
        return true;
      }
      if (byShapes[kind][slot] === 1) {
        this.isSpecialized = true;
        return true;
      }
      return false;
    };
    return {
      model,
      ...this.#device,
      rank(input) {
        const slot = slotOf(input);
        const shape = recording.shapes[slot];
        if (shape === undefined || !ask("rank", slot)) {
          throw new NotKnown();
        }
        return shape.length;
      },
      shape(input) {
        const slot = slotOf(input);
        return ask("shape", slot) ? recording.shapes[slot] : undefined;
      },
      likelyShape: (input) => recording.shapes[slotOf(input)],
      value(input) {
        const slot = slotOf(input);
        return ask("value", slot) ? recording.values[slot] : undefined;
      },
    };
  }

  #dtypes(): ReadonlyMap<number, DType> {
    const dtypes = new Map<number, DType>();
    for (const { node, inputs, outputs, update } of this.#outline.members) {
      inputs.forEach((slot, index) => {
        const isVariable = update?.variables.includes(index);
        dtypes.set(slot, isVariable ? variableType(node.node) : dtypeOf(node.node.inputs[index]?.dtype ?? 0));
      });
      outputs.forEach((slot, index) => {
        dtypes.set(slot, dtypeOf(node.node.outputs[index]?.dtype ?? 0));
      });
    }
    return dtypes;
  }
}

/**
 * An assignment of a value that the model computes; the kernel assigns any other value without a copy through the thread.
 * @param given the names of values that the model does not compute.
 */
function lowerCopy(
  member: RegionMember,
  values: ReadonlyMap<number, OnnxValue>,
  given: ReadonlySet<string>,
): LoweredUpdate | undefined {
  const [variable = -1, source = -1] = member.inputs;
  const value = values.get(source);
  return value === undefined || given.has(value.name)
    ? undefined
    : { member, variables: [variable], values: [value] };
}
