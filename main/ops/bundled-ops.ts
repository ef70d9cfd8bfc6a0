import { OpList as OpListMessage } from "../../protos/generated/tensorflow/op_def.js";
import { OP_LIST_TENSORFLOW_VERSION } from "../../worker-runtime/graph/op-list.js";
import { bundledOpRegistry } from "../../worker-runtime/graph/op-registry.js";
import type { OpList } from "./op-list-service.js";

let bundled: OpList | undefined;

/** The ops of the TensorFlow that Tensordeck is built for, for as long as no library is there to be asked. */
export function bundledOps(): OpList {
  bundled ??= {
    source: `TensorFlow ${OP_LIST_TENSORFLOW_VERSION}, known to Tensordeck; no library was found here`,
    opList: OpListMessage.encode({
      op: bundledOpRegistry()
        .names()
        .map((name) => bundledOpRegistry().require(name)),
    }).finish(),
  };
  return bundled;
}
