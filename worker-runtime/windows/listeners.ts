/** The processes that listen on the TCP ports of a Windows machine. */
import { ERROR_INSUFFICIENT_BUFFER, windowsError, windowsFunction } from "./windows-library.js";

const getTable = windowsFunction<[Uint8Array | null, Uint8Array, number, number, number, number], number>(
  "iphlpapi.dll",
  "uint32_t __stdcall GetExtendedTcpTable(void *table, void *bytes, int ordered, uint32_t family, int kind, " +
    "uint32_t reserved)",
);

/** TCP_TABLE_OWNER_PID_LISTENER. */
const LISTENERS_WITH_PIDS = 3;
/** In a table the number of its rows stands before them. */
const ROWS_OFFSET = 4;
/** MIB_TCPROW_OWNER_PID and MIB_TCP6ROW_OWNER_PID, by AF_INET and AF_INET6. Exported for the test. */
export const FAMILIES = [
  { family: 2, rowBytes: 24, portOffset: 8, pidOffset: 20 },
  { family: 23, rowBytes: 56, portOffset: 20, pidOffset: 52 },
] as const;
type Family = (typeof FAMILIES)[number];

/** Connections are made while the table is read, so it may outgrow its buffer more than once. */
const MOST_TRIES = 8;

/**
 * The process that listens on a port, at whichever address; undefined if there is none.
 *
 * @throws Error as `windowsFunction`; TensorFlowError INTERNAL with Windows' reason.
 */
export function listenerOf(port: number): number | undefined {
  for (const family of FAMILIES) {
    const pid = listenerIn(readTable(family), family, port);
    if (pid !== undefined) {
      return pid;
    }
  }
  return undefined;
}

/** Exported for its test. */
export function listenerIn(table: Buffer, family: Family, port: number): number | undefined {
  const rows = table.readUInt32LE();
  for (let row = 0; row < rows; row++) {
    const offset = ROWS_OFFSET + row * family.rowBytes;
    // In network byte order, in the lower half of a field of 32 bits.
    if (table.readUInt16BE(offset + family.portOffset) === port) {
      return table.readUInt32LE(offset + family.pidOffset);
    }
  }
  return undefined;
}

function readTable({ family }: Family): Buffer {
  let table: Buffer | null = null;
  const bytes = Buffer.alloc(4);
  for (let tries = 0; ; tries++) {
    const code = getTable()(table, bytes, 0, family, LISTENERS_WITH_PIDS, 0);
    if (code === 0 && table !== null) {
      return table;
    }
    if (code !== ERROR_INSUFFICIENT_BUFFER || tries === MOST_TRIES) {
      throw windowsError("GetExtendedTcpTable", code);
    }
    table = Buffer.alloc(Math.max(bytes.readUInt32LE(), ROWS_OFFSET));
  }
}
