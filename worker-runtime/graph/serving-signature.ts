import { SignatureDef, TensorInfo } from "../../protos/generated/tensorflow/meta_graph.js";
import { dataTypeOf } from "../protocol/dtype.js";
import type { Output } from "./operation.js";
import { partialShapeToProto } from "./shape.js";

/** The name under which TensorFlow Serving and Keras look for a model's signature. */
export const SERVING_SIGNATURE = "serving_default";

export interface ModelSignature {
  /** By the names that the model gives them. */
  readonly inputs: ReadonlyMap<string, Output>;
  readonly outputs: ReadonlyMap<string, Output>;
}

/** The signature of a model that predicts outputs from inputs. */
export function servingSignature({ inputs, outputs }: ModelSignature): SignatureDef {
  const signature = SignatureDef.fromPartial({ methodName: "tensorflow/serving/predict" });
  return { ...signature, inputs: infosOf(inputs), outputs: infosOf(outputs) };
}

function infosOf(tensors: ReadonlyMap<string, Output>): Map<string, TensorInfo> {
  return new Map(
    [...tensors].map(([name, tensor]) => [
      name,
      TensorInfo.fromPartial({
        encoding: { $case: "name", value: tensor.name },
        dtype: dataTypeOf(tensor.dtype),
        tensorShape: partialShapeToProto(tensor.shape),
      }),
    ]),
  );
}
