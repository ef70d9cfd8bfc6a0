import type { AttrValue } from "../../../../../protos/generated/tensorflow/attr_value.js";
import type { KernelNode } from "../kernel-node.js";

/** An attribute in the JSON form of a GraphDef: bytes in base64, integers as numbers. */
interface AttrJson {
  readonly s?: string;
  readonly i?: number;
  readonly f?: number;
  readonly b?: boolean;
  readonly type?: number;
  readonly list?: {
    readonly s?: readonly string[];
    readonly i?: readonly number[];
    readonly f?: readonly number[];
    readonly b?: readonly boolean[];
    readonly type?: readonly number[];
  };
}

/** A node in the JSON form of a GraphDef. */
export interface NodeJson {
  readonly name: string;
  readonly op: string;
  readonly input: readonly string[];
  readonly attr: Readonly<Record<string, AttrJson>>;
}

/**
 * A node with its attributes (including the op's defaults) in the form that TensorFlow.js reads.
 * @param inputs the names of the nodes that feed it.
 */
export function nodeJson(node: KernelNode, inputs: readonly string[]): NodeJson {
  const attr: Record<string, AttrJson> = {};
  for (const { name } of node.opDef.attr) {
    const value = node.attr(name);
    const json = value === undefined ? undefined : attrJson(value);
    if (json !== undefined) {
      attr[name] = json;
    }
  }
  return { name: node.name, op: node.op, input: inputs, attr };
}

/** Returns undefined for kinds of attributes that no op of the converter has. */
function attrJson({ value }: AttrValue): AttrJson | undefined {
  switch (value?.$case) {
    case "s":
      return { s: base64(value.value) };
    case "i":
      return { i: Number(value.value) };
    case "f":
      return { f: value.value };
    case "b":
      return { b: value.value };
    case "type":
      return { type: value.value };
    case "list":
      // Empty lists are omitted: the converter uses the first list that is present.
      return {
        list: {
          ...(value.value.s.length > 0 ? { s: value.value.s.map(base64) } : {}),
          ...(value.value.i.length > 0 ? { i: value.value.i.map(Number) } : {}),
          ...(value.value.f.length > 0 ? { f: value.value.f } : {}),
          ...(value.value.b.length > 0 ? { b: value.value.b } : {}),
          ...(value.value.type.length > 0 ? { type: value.value.type } : {}),
        },
      };
    default:
      return undefined;
  }
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}
