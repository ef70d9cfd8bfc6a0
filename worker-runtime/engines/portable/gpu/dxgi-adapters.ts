import koffi from "koffi";
import { loadWindowsLibrary } from "../../../programs/load-library.js";
import { internalError } from "../../../protocol/status.js";
import { type Adapter, byPreference } from "./adapter.js";

/** IID_IDXGIFactory1, {770aae78-f26f-4dba-a829-253c83d1b387}, in memory layout. */
const FACTORY_ID = Uint8Array.of(
  ...[0x78, 0xae, 0x0a, 0x77, 0x6f, 0xf2, 0xba, 0x4d, 0xa8, 0x29, 0x25, 0x3c, 0x83, 0xd1, 0xb3, 0x87],
);
const POINTER_BYTES = 8;
/** Vtable indices, from dxgi.h. */
const RELEASE = 2;
const ENUM_ADAPTERS_1 = 12;
const GET_DESC_1 = 10;
const NOT_FOUND = 0x887a0002 | 0;
/** DXGI_ADAPTER_DESC1 on 64-bit systems: 128 UTF-16 units, four numbers, three sizes, a LUID, flags. */
const DESC_BYTES = 312;
const NAME_UNITS = 128;
const VENDOR_OFFSET = 256;
const DEDICATED_MEMORY_OFFSET = 272;
const SHARED_MEMORY_OFFSET = 288;
/** The lower half first. */
const LUID_OFFSET = 296;
const FLAGS_OFFSET = 304;
const SOFTWARE = 2;
/** An integrated GPU has little dedicated memory and shares the rest. */
const MIN_DISCRETE_BYTES = 512 * 2 ** 20;

/**
 * The GPUs of a Windows machine. Must be called in a separate process: a driver may crash.
 * @throws Error if dxgi.dll cannot be loaded; TensorFlowError INTERNAL if DXGI fails.
 */
export function dxgiAdapters(): Adapter[] {
  const create = loadWindowsLibrary("dxgi.dll").func(
    "int __stdcall CreateDXGIFactory1(void *id, _Out_ void **factory)",
  );
  const enumPrototype = koffi.proto(
    "int __stdcall EnumAdapters1(void *self, uint32_t index, _Out_ void **adapter)",
  );
  const descPrototype = koffi.proto("int __stdcall GetDesc1(void *self, void *desc)");
  const releasePrototype = koffi.proto("uint32_t __stdcall Release(void *self)");
  const method = (object: unknown, index: number, prototype: ReturnType<typeof koffi.proto>) => {
    const table: unknown = koffi.decode(object, "void *");
    return koffi.decode(table, index * POINTER_BYTES, koffi.pointer(prototype)) as (
      ...args: unknown[]
    ) => number;
  };
  const release = (object: unknown) => method(object, RELEASE, releasePrototype)(object);
  const factory: [unknown] = [null];
  check("CreateDXGIFactory1", create(FACTORY_ID, factory));
  const enumerate = method(factory[0], ENUM_ADAPTERS_1, enumPrototype);
  const adapters: Adapter[] = [];
  for (let index = 0; ; index += 1) {
    const adapter: [unknown] = [null];
    const result = enumerate(factory[0], index, adapter);
    if (result === NOT_FOUND) {
      break;
    }
    check("EnumAdapters1", result);
    const desc = new Uint8Array(DESC_BYTES);
    check("GetDesc1", method(adapter[0], GET_DESC_1, descPrototype)(adapter[0], desc));
    adapters.push({ ...describe(new DataView(desc.buffer)), number: index });
    release(adapter[0]);
  }
  release(factory[0]);
  return byPreference(adapters);
}

function describe(desc: DataView): Omit<Adapter, "number"> {
  const units = new Uint16Array(desc.buffer, 0, NAME_UNITS);
  const end = units.indexOf(0);
  const own = Number(desc.getBigUint64(DEDICATED_MEMORY_OFFSET, true));
  const shared = Number(desc.getBigUint64(SHARED_MEMORY_OFFSET, true));
  const isSoftware = (desc.getUint32(FLAGS_OFFSET, true) & SOFTWARE) !== 0;
  const isDiscrete = own >= MIN_DISCRETE_BYTES;
  return {
    name: String.fromCharCode(...units.subarray(0, end < 0 ? NAME_UNITS : end)),
    kind: isSoftware ? "software" : isDiscrete ? "discrete" : "integrated",
    memoryBytes: isDiscrete ? own : own + shared,
    vendor: desc.getUint32(VENDOR_OFFSET, true),
    luid: `${hexadecimal(desc.getUint32(LUID_OFFSET + 4, true))}_${hexadecimal(desc.getUint32(LUID_OFFSET, true))}`,
  };
}

function hexadecimal(half: number): string {
  return `0x${half.toString(16).toUpperCase().padStart(8, "0")}`;
}

function check(call: string, result: unknown): void {
  if (typeof result !== "number" || result < 0) {
    throw internalError(`${call} failed with ${String(result)}.`);
  }
}
