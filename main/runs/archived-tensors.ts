/** The results of a run that has ended, in the form in which they are kept on disk. */
import { promisify } from "node:util";
import { gunzip, gzip } from "node:zlib";
import { decode, encode } from "@msgpack/msgpack";
import { z } from "zod";
import { TensorProto } from "../../protos/generated/tensorflow/tensor.js";
import { tensorFromProto, tensorToProto } from "../../worker-runtime/protocol/tensor.js";
import { bytesSchema } from "../api/documents.js";
import type { RunTensors } from "./tensors/tensor-store.js";

/** Counts up with changes that earlier versions cannot read. */
const FORMAT = 1;
/** The most bytes of one run's tensors, before they are compressed; the largest tensors are left out. */
const MAX_TENSOR_BYTES = 16 << 20;
/** No results that were kept unpack to more: a short string takes more room than its characters. */
const MAX_UNPACKED_BYTES = 64 << 20;

const archivedTensorsSchema = z.object({
  format: z.literal(FORMAT),
  step: z.number().int().nonnegative(),
  tensors: z.array(z.object({ name: z.string(), proto: bytesSchema })),
  /** Names of those that were left out. */
  left: z.array(z.string()),
});

/** Compressed, with as many of the smallest tensors as fit; undefined if none does. */
export async function encodeTensors({ step, tensors, left }: RunTensors): Promise<Uint8Array | undefined> {
  const kept: { name: string; proto: Uint8Array }[] = [];
  const tooLarge: string[] = [];
  let bytes = 0;
  for (const { name, tensor } of tensors.toSorted((a, b) => a.tensor.byteLength - b.tensor.byteLength)) {
    if (bytes + tensor.byteLength > MAX_TENSOR_BYTES) {
      tooLarge.push(name);
      continue;
    }
    bytes += tensor.byteLength;
    kept.push({ name, proto: TensorProto.encode(tensorToProto(tensor)).finish() });
  }
  if (kept.length === 0) return undefined;
  const content = { format: FORMAT, step, tensors: kept, left: [...left, ...tooLarge] };
  return await promisify(gzip)(encode(content));
}

/** @throws an error of any kind for bytes that are not of `encodeTensors`, or of another version */
export async function decodeTensors(bytes: Uint8Array): Promise<RunTensors> {
  const content = await promisify(gunzip)(bytes, { maxOutputLength: MAX_UNPACKED_BYTES });
  const { step, tensors, left } = archivedTensorsSchema.parse(decode(content));
  return {
    ...{ step, left },
    tensors: tensors.map(({ name, proto }) => ({ name, tensor: tensorFromProto(TensorProto.decode(proto)) })),
  };
}
