import { inflateRawSync } from "node:zlib";
import { OP_LIST_BASE64, OP_LIST_TENSORFLOW_VERSION } from "../../../worker-runtime/graph/op-list.js";
import type { OpList } from "./op-list-service.js";

let bundled: OpList | undefined;

/** The ops of the TensorFlow that Tensordeck is built for, used until a library is available. */
export function bundledOps(): OpList {
  bundled ??= {
    source: `TensorFlow ${OP_LIST_TENSORFLOW_VERSION}, known to Tensordeck; no library was found here`,
    opList: new Uint8Array(inflateRawSync(Buffer.from(OP_LIST_BASE64, "base64"))),
  };
  return bundled;
}
