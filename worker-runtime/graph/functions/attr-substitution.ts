import type { AttrValue, NameAttrList } from "../../../protos/generated/tensorflow/attr_value.js";
import { invalidArgument } from "../../protocol/status.js";

type Attrs = ReadonlyMap<string, AttrValue>;

/**
 * The attributes of a node of a function's body, with the caller's values in place of placeholders ("$T"), also within
 * attributes that are functions.
 * @throws TensorFlowError INVALID_ARGUMENT for a placeholder that has no value.
 */
export function substituteAttrs(attrs: Attrs, values: Attrs): Map<string, AttrValue> {
  const substituted = new Map<string, AttrValue>();
  for (const [name, attr] of attrs) {
    substituted.set(name, substitute(attr, values));
  }
  return substituted;
}

function substitute(attr: AttrValue, values: Attrs): AttrValue {
  const { value } = attr;
  switch (value?.$case) {
    case "placeholder": {
      const given = values.get(value.value);
      if (given === undefined) {
        throw invalidArgument(
          `Failed to bind all placeholders: the function's attribute '${value.value}' has no value.`,
        );
      }
      return given;
    }
    case "func":
      return { value: { $case: "func", value: substituteCallee(value.value, values) } };
    case "list":
      if (value.value.func.length === 0) {
        return attr;
      }
      return {
        value: {
          $case: "list",
          value: {
            ...value.value,
            func: value.value.func.map((callee) => substituteCallee(callee, values)),
          },
        },
      };
    default:
      return attr;
  }
}

function substituteCallee(callee: NameAttrList, values: Attrs): NameAttrList {
  return { ...callee, attr: substituteAttrs(callee.attr, values) };
}
