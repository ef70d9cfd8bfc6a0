import { randomFillSync } from "node:crypto";

/** Asking the system for eight bytes costs as much as asking for a page. */
const POOL_BYTES = 4096;
const ID_BYTES = 8;

const pool = new DataView(new ArrayBuffer(POOL_BYTES));
let used = POOL_BYTES;

/** 64 random bits, as an unsigned number. */
export function randomId(): bigint {
  if (used === POOL_BYTES) {
    randomFillSync(pool);
    used = 0;
  }
  const id = pool.getBigUint64(used);
  used += ID_BYTES;
  return id;
}

/** A random id by which a server recognizes a duplicate request: signed, and never 0, which is not checked. */
export function randomRequestId(): bigint {
  return BigInt.asIntN(64, randomId()) | 1n;
}
