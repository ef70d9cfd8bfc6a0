import type { OpDef } from "../../protos/generated/tensorflow/op_def.js";
import type { DataType } from "../../protos/generated/tensorflow/types.js";
import { dtypeName } from "../protocol/dtype.js";
import { invalidArgument } from "../protocol/status.js";

/** The attributes of a node inferred from its connected tensors. */
export interface InferredAttrs {
  readonly types: Map<string, DataType>;
  readonly typeLists: Map<string, DataType[]>;
  readonly numbers: Map<string, number>;
}

/** The types of the tensors at one argument: one for a single tensor, one per element for a list. */
export type ArgTypes = readonly (DataType | undefined)[];

/**
 * The attributes inferred from the tensors at a node's inputs: type attributes from their base types, lengths and
 * lists of types from list arguments.
 * @param inputs per input argument of the op; undefined entries are not connected yet and are ignored
 * @throws TensorFlowError INVALID_ARGUMENT if two inputs that share a type attribute differ
 */
export function inferAttrs(opDef: OpDef, inputs: readonly (ArgTypes | undefined)[]): InferredAttrs {
  const out: InferredAttrs = { types: new Map(), typeLists: new Map(), numbers: new Map() };
  const decidedBy = new Map<string, string>();
  opDef.inputArg.forEach((arg, i) => {
    const types = inputs[i];
    if (!types) return;
    if (arg.numberAttr !== "") setNumber(opDef, out, arg.numberAttr, types.length, arg.name);
    if (arg.typeListAttr !== "") {
      const known = types.filter((type) => type !== undefined);
      if (known.length === types.length) out.typeLists.set(arg.typeListAttr, known);
      return;
    }
    if (arg.typeAttr === "") return;
    for (const type of types) {
      if (type === undefined) continue;
      const before = out.types.get(arg.typeAttr);
      if (before === undefined) {
        out.types.set(arg.typeAttr, type);
        decidedBy.set(arg.typeAttr, arg.name);
      } else if (before !== type) {
        const first = decidedBy.get(arg.typeAttr) ?? "";
        throw invalidArgument(
          `Input '${arg.name}' of '${opDef.name}' Op has type ${dtypeName(type)} that does not match type ` +
            `${dtypeName(before)} of argument '${first}'. Put a Cast between them.`,
        );
      }
    }
  });
  return out;
}

function setNumber(opDef: OpDef, out: InferredAttrs, attr: string, length: number, arg: string): void {
  const before = out.numbers.get(attr);
  if (before !== undefined && before !== length) {
    throw invalidArgument(
      `List argument '${arg}' of '${opDef.name}' Op has ${length} tensors, but another list of the same length has ${before}.`,
    );
  }
  out.numbers.set(attr, length);
}
