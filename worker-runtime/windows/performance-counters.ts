/** Performance counters of Windows, by their English names whatever the system's language is. */
import { loadKoffi } from "../programs/load-library.js";
import { callAsync } from "../programs/native-function.js";
import { type Handle, windowsError, windowsFunction } from "./windows-library.js";

export interface CounterValue {
  /** The object that was counted: "pid_4_luid_0x00000000_0x0000C5A9_phys_0_eng_1_engtype_3D". */
  readonly instance: string;
  readonly value: number;
}

const PDH = "pdh.dll";
const openQuery = windowsFunction<[null, number, Uint8Array], number>(
  PDH,
  "uint32_t __stdcall PdhOpenQueryW(const char16_t *source, uintptr_t data, void *query)",
);
const addCounter = windowsFunction<[Handle, string, number, Uint8Array], number>(
  PDH,
  "uint32_t __stdcall PdhAddEnglishCounterW(intptr_t query, const char16_t *path, uintptr_t data, void *counter)",
);
const collect = windowsFunction<[Handle], number>(
  PDH,
  "uint32_t __stdcall PdhCollectQueryData(intptr_t query)",
);
const closeQuery = windowsFunction<[Handle], number>(PDH, "uint32_t __stdcall PdhCloseQuery(intptr_t query)");
const getValues = windowsFunction<[Handle, number, Uint8Array, Uint8Array, Uint8Array | null], number>(
  PDH,
  "uint32_t __stdcall PdhGetFormattedCounterArrayW(intptr_t counter, uint32_t format, void *bytes, void *count, " +
    "void *items)",
);

/** PDH_FMT_DOUBLE and PDH_FMT_NOCAP100: the processes of an engine are added up first. */
const FORMAT = 0x8200;
const PDH_MORE_DATA = 0x800007d2;
/**
 * A rate has no value before the second collection, nor where its counter began anew; what is counted may have no instance
 * now.
 */
const NO_VALUES: readonly number[] = [
  ...[0x800007d1, 0x800007d5, 0x800007d6, 0x800007d7, 0x800007d8, 0xc0000bba, 0xc0000bc6],
];
/** PDH_CSTATUS_VALID_DATA and PDH_CSTATUS_NEW_DATA. */
const VALID: readonly number[] = [0, 1];
/** PDH_FMT_COUNTERVALUE_ITEM_W: a pointer to the name, a status, and the value at 8 bytes' alignment. */
const ITEM_BYTES = 24;
const STATUS_OFFSET = 8;
const VALUE_OFFSET = 16;
const MOST_TRIES = 8;

/** Counters that are read again and again; their rates are those between two readings. */
export class PerformanceCounters {
  readonly #query: Handle;
  readonly #counters: readonly (Handle | undefined)[];

  private constructor(query: Handle, counters: readonly (Handle | undefined)[]) {
    this.#query = query;
    this.#counters = counters;
  }

  /**
   * @param paths such as "\GPU Engine(*)\Utilization Percentage"; a counter that this system has not stays without values.
   * @throws Error as `windowsFunction`; TensorFlowError INTERNAL with Windows' reason if it has none of them.
   */
  static open(paths: readonly string[]): PerformanceCounters {
    const out = Buffer.alloc(8);
    check("PdhOpenQuery", openQuery()(null, 0, out));
    const query = out.readBigInt64LE();
    let code = 0;
    const counters = paths.map((path) => {
      const added = addCounter()(query, path, 0, out);
      code ||= added;
      return added === 0 ? out.readBigInt64LE() : undefined;
    });
    if (counters.every((counter) => counter === undefined)) {
      closeQuery()(query);
      throw windowsError("PdhAddEnglishCounter", code);
    }
    return new PerformanceCounters(query, counters);
  }

  /** The values of each path, in the order of `open`. @throws as `open`. */
  async read(): Promise<CounterValue[][]> {
    // Drivers are asked, which takes tens of milliseconds.
    const code = await callAsync(collect(), this.#query);
    if (!NO_VALUES.includes(code)) {
      check("PdhCollectQueryData", code);
    }
    return this.#counters.map((counter) => (counter === undefined ? [] : valuesOf(counter)));
  }

  close(): void {
    closeQuery()(this.#query);
  }
}

function valuesOf(counter: Handle): CounterValue[] {
  const bytes = Buffer.alloc(4);
  const count = Buffer.alloc(4);
  let items: Buffer | null = null;
  for (let tries = 0; ; tries++) {
    const code = getValues()(counter, FORMAT, bytes, count, items);
    if (code === 0) {
      return items === null ? [] : valuesIn(items, count.readUInt32LE());
    }
    if (NO_VALUES.includes(code)) {
      return [];
    }
    if (code !== PDH_MORE_DATA || tries === MOST_TRIES) {
      throw windowsError("PdhGetFormattedCounterArray", code);
    }
    items = Buffer.alloc(bytes.readUInt32LE());
  }
}

/** The names stand behind the items, in the same buffer. */
function valuesIn(items: Buffer, count: number): CounterValue[] {
  return Array.from({ length: count }, (_, index) => index * ITEM_BYTES).flatMap((start) =>
    VALID.includes(items.readUInt32LE(start + STATUS_OFFSET))
      ? [
          {
            instance: loadKoffi().decode(items, start, "const char16_t *") as string,
            value: items.readDoubleLE(start + VALUE_OFFSET),
          },
        ]
      : [],
  );
}

function check(call: string, code: number): void {
  if (code !== 0) {
    throw windowsError(call, code);
  }
}
