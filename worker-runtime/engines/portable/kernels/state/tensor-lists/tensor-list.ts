import type { VariantTensorDataProto } from "../../../../../../protos/generated/tensorflow/tensor.js";
import { TensorProto } from "../../../../../../protos/generated/tensorflow/tensor.js";
import { TensorShapeProto } from "../../../../../../protos/generated/tensorflow/tensor_shape.js";
import { DataType } from "../../../../../../protos/generated/tensorflow/types.js";
import { type DType, dataTypeOf, dtypeOf } from "../../../../../protocol/dtype.js";
import { shapeFromProto, shapeToProto } from "../../../../../protocol/shape.js";
import { invalidArgument, unimplemented } from "../../../../../protocol/status.js";
import { Tensor, tensorFromProto, tensorToProto } from "../../../../../protocol/tensor.js";
import { ObjectTensor, type VariantObject } from "../../../values.js";
import type { PartialShape } from "../../kernel-node.js";
import { readVarints, writeVarint } from "./varint.js";

/** An element of a list: numbers and strings, or objects such as further lists. */
export type ListElement = Tensor | ObjectTensor;

const TENSOR_LIST = "tensorflow::TensorList";

/** No limit on the number of elements. */
const UNLIMITED = -1;

export interface ListType {
  readonly elementType: DType;
  readonly elementShape: PartialShape;
  /** -1 for no limit. */
  readonly maxElements?: number;
}

/**
 * An immutable list of tensors of one dtype; a missing element stands for zeros. Each op creates a new list. Lists made
 * by appending share one array: a loop that appends n times copies nothing.
 */
export class TensorList implements VariantObject {
  readonly typeName = TENSOR_LIST;
  readonly elementType: DType;
  readonly elementShape: PartialShape;
  readonly maxElements: number;
  readonly length: number;
  /** Only the first `length` belong to this list; later ones belong to lists derived from it. */
  readonly #items: (ListElement | undefined)[];

  constructor(type: ListType, items: (ListElement | undefined)[] = [], length = items.length) {
    this.elementType = type.elementType;
    this.elementShape = type.elementShape;
    this.maxElements = type.maxElements ?? UNLIMITED;
    this.#items = items;
    this.length = length;
  }

  /** Returns a list of this type with other elements. */
  with(items: (ListElement | undefined)[]): TensorList {
    return new TensorList(this, items);
  }

  /** All elements; undefined for missing ones. */
  get items(): readonly (ListElement | undefined)[] {
    return this.#items.slice(0, this.length);
  }

  at(index: number): ListElement | undefined {
    return index < this.length ? this.#items[index] : undefined;
  }

  pushed(element: ListElement): TensorList {
    const items = this.#items.length === this.length ? this.#items : [...this.items];
    items.push(element);
    return new TensorList(this, items, this.length + 1);
  }

  popped(): TensorList {
    return new TensorList(this, this.#items, this.length - 1);
  }

  /** @throws TensorFlowError UNIMPLEMENTED for a list of resource handles. */
  encode(): VariantTensorDataProto {
    const metadata: number[] = [];
    const present: TensorProto[] = [];
    const missing: number[] = [];
    for (const [i, item] of this.items.entries()) {
      if (item === undefined) {
        missing.push(i);
      } else {
        present.push(elementToProto(item));
      }
    }
    for (const value of [missing.length, ...missing, dataTypeOf(this.elementType), this.maxElements]) {
      writeVarint(metadata, BigInt(value));
    }
    const shape = this.elementShape;
    const shapeProto =
      shape === undefined ? TensorShapeProto.fromPartial({ unknownRank: true }) : shapeToProto(shape);
    return {
      typeName: TENSOR_LIST,
      metadata: Uint8Array.from([...metadata, ...TensorShapeProto.encode(shapeProto).finish()]),
      tensors: present,
    };
  }
}

function elementToProto(element: ListElement): TensorProto {
  if (element instanceof Tensor) {
    return tensorToProto(element);
  }
  if (element.dtype === "resource") {
    throw unimplemented("A list of resource handles cannot leave its task.");
  }
  return TensorProto.fromPartial({
    dtype: DataType.DT_VARIANT,
    tensorShape: shapeToProto(element.shape),
    variantVal: element.elements.map((object) => ("encode" in object ? object.encode() : {})),
  });
}

function elementFromProto(proto: TensorProto): ListElement {
  return proto.dtype === DataType.DT_VARIANT
    ? new ObjectTensor("variant", shapeFromProto(proto.tensorShape), proto.variantVal.map(decodeVariant))
    : tensorFromProto(proto);
}

/**
 * Decodes an element of a variant tensor.
 * @throws TensorFlowError UNIMPLEMENTED for a type unknown to this engine, INVALID_ARGUMENT for malformed contents.
 */
export function decodeVariant(proto: VariantTensorDataProto): VariantObject {
  if (proto.typeName !== TENSOR_LIST) {
    throw unimplemented(`This engine does not know variants of type '${proto.typeName}'.`);
  }
  const broken = () => invalidArgument("Could not decode the metadata of a TensorList.");
  const count = readVarints(proto.metadata, 0, 1);
  const [missingCount = 0n] = count.values;
  if (missingCount > BigInt(proto.metadata.length)) {
    throw broken();
  }
  const indexes = readVarints(proto.metadata, count.end, Number(missingCount));
  const type = readVarints(proto.metadata, indexes.end, 2);
  const [dataType, maxElements] = type.values;
  if (dataType === undefined || maxElements === undefined) {
    throw broken();
  }
  const missing = new Set(indexes.values.map(Number));
  const tensors = proto.tensors.map(elementFromProto);
  const length = tensors.length + missing.size;
  let taken = 0;
  const items = Array.from({ length }, (_, i) => {
    if (missing.has(i)) {
      return undefined;
    }
    taken += 1;
    return tensors[taken - 1];
  });
  const shape = TensorShapeProto.decode(proto.metadata.subarray(type.end));
  return new TensorList(
    {
      elementType: dtypeOf(Number(dataType) as DataType),
      elementShape: shape.unknownRank ? undefined : shape.dim.map(({ size }) => Number(size)),
      maxElements: Number(BigInt.asIntN(64, maxElements)),
    },
    items,
  );
}
