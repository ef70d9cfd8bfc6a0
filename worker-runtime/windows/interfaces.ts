/** The network interfaces of a Windows machine, with the bytes that have passed them. */
import { loadKoffi } from "../programs/load-library.js";
import { callAsync } from "../programs/native-function.js";
import { windowsError, windowsFunction } from "./windows-library.js";

export interface InterfaceTraffic {
  /** As `os.networkInterfaces` names it: "Ethernet". */
  readonly name: string;
  readonly isLoopback: boolean;
  /** True for a network card, which traffic with other machines passes in the end. */
  readonly isHardware: boolean;
  /** Since the system started. */
  readonly received: number;
  readonly sent: number;
}

const getTable = windowsFunction<[[bigint | null]], number>(
  "iphlpapi.dll",
  "uint32_t __stdcall GetIfTable2(_Out_ void **table)",
);
const freeTable = windowsFunction<[bigint], void>("iphlpapi.dll", "void __stdcall FreeMibTable(void *table)");

/** In MIB_IF_TABLE2 the number of rows stands before them. */
const ROWS_OFFSET = 8;
/** MIB_IF_ROW2. */
const ROW_BYTES = 1352;
const ALIAS_OFFSET = 28;
const ALIAS_BYTES = 514;
const TYPE_OFFSET = 1128;
const FLAGS_OFFSET = 1152;
const RECEIVED_OFFSET = 1208;
const SENT_OFFSET = 1280;
const IF_TYPE_SOFTWARE_LOOPBACK = 24;
const HARDWARE_FLAG = 1;
/** A driver between a card and a protocol; its counters repeat the card's. */
const FILTER_FLAG = 2;

/** @throws Error as `windowsFunction`; TensorFlowError INTERNAL with Windows' reason. */
export async function readInterfaces(): Promise<InterfaceTraffic[]> {
  const out: [bigint | null] = [null];
  // Drivers are asked, which takes a few milliseconds.
  const code = await callAsync(getTable(), out);
  const [table] = out;
  if (code !== 0 || table === null) {
    throw windowsError("GetIfTable2", code);
  }
  try {
    const koffi = loadKoffi();
    const rows = koffi.decode(table, "uint32_t") as number;
    return interfacesIn(Buffer.from(koffi.view(table, ROWS_OFFSET + rows * ROW_BYTES)));
  } finally {
    freeTable()(table);
  }
}

/** Exported for its test. */
export function interfacesIn(table: Buffer): InterfaceTraffic[] {
  return Array.from({ length: table.readUInt32LE() }, (_, row) => ROWS_OFFSET + row * ROW_BYTES).flatMap(
    (start) => {
      const flags = table.readUInt8(start + FLAGS_OFFSET);
      if ((flags & FILTER_FLAG) !== 0) {
        return [];
      }
      const alias = table.toString("utf16le", start + ALIAS_OFFSET, start + ALIAS_OFFSET + ALIAS_BYTES);
      return [
        {
          name: alias.replace(/\0.*$/s, ""),
          isLoopback: table.readUInt32LE(start + TYPE_OFFSET) === IF_TYPE_SOFTWARE_LOOPBACK,
          isHardware: (flags & HARDWARE_FLAG) !== 0,
          received: Number(table.readBigUInt64LE(start + RECEIVED_OFFSET)),
          sent: Number(table.readBigUInt64LE(start + SENT_OFFSET)),
        },
      ];
    },
  );
}
