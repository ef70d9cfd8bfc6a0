import { loadLinkedLibrary } from "../../../programs/load-library.js";
import { internalError } from "../../../protocol/status.js";
import { type Adapter, byPreference } from "./adapter.js";

const LOADER = "libvulkan.so.1";

/** Offsets and sizes of Vulkan's structures on 64-bit systems, from vulkan_core.h. */
const INSTANCE_CREATE_INFO_BYTES = 64;
const STRUCTURE_TYPE_INSTANCE_CREATE_INFO = 1;
const PROPERTIES_BYTES = 824;
const VENDOR_OFFSET = 8;
const DEVICE_TYPE_OFFSET = 16;
const NAME_OFFSET = 20;
const NAME_BYTES = 256;
/** memoryTypeCount, 32 types of two numbers, memoryHeapCount and its padding: then the heaps. */
const MEMORY_PROPERTIES_BYTES = 520;
const HEAP_COUNT_OFFSET = 4 + 32 * 8;
const HEAPS_OFFSET = 264;
const HEAP_BYTES = 16;
const HEAP_FLAGS_OFFSET = 8;
const DEVICE_LOCAL = 1;

/** VkPhysicalDeviceType. */
const kinds: readonly Adapter["kind"][] = ["other", "integrated", "discrete", "virtual", "software"];

/**
 * The GPUs that Vulkan reports. Must be called in a separate process (`loadLinkedLibrary`): a driver may crash.
 * @throws Error if there is no Vulkan loader; TensorFlowError INTERNAL if Vulkan fails.
 */
export function vulkanAdapters(): Adapter[] {
  const library = loadLinkedLibrary(LOADER);
  const createInstance = library.func(
    "int vkCreateInstance(void *info, void *allocator, _Out_ void **instance)",
  );
  const enumerate = library.func(
    "int vkEnumeratePhysicalDevices(void *instance, _Inout_ uint32_t *count, void *devices)",
  );
  const getProperties = library.func("void vkGetPhysicalDeviceProperties(void *device, void *properties)");
  const getMemory = library.func("void vkGetPhysicalDeviceMemoryProperties(void *device, void *properties)");
  const info = new Uint8Array(INSTANCE_CREATE_INFO_BYTES);
  new DataView(info.buffer).setUint32(0, STRUCTURE_TYPE_INSTANCE_CREATE_INFO, true);
  const instance: [unknown] = [null];
  check("vkCreateInstance", createInstance(info, null, instance));
  const count: [number] = [0];
  check("vkEnumeratePhysicalDevices", enumerate(instance[0], count, null));
  const devices = new BigUint64Array(count[0]);
  check("vkEnumeratePhysicalDevices", enumerate(instance[0], count, devices));
  const adapters = [...devices].map((device, number): Adapter => {
    const properties = new Uint8Array(PROPERTIES_BYTES);
    getProperties(device, properties);
    const memory = new Uint8Array(MEMORY_PROPERTIES_BYTES);
    getMemory(device, memory);
    return { ...describe(new DataView(properties.buffer), new DataView(memory.buffer)), number };
  });
  return byPreference(adapters);
}

function describe(properties: DataView, memory: DataView): Omit<Adapter, "number"> {
  const name = new Uint8Array(properties.buffer, NAME_OFFSET, NAME_BYTES);
  const end = name.indexOf(0);
  let memoryBytes = 0;
  for (let heap = 0; heap < memory.getUint32(HEAP_COUNT_OFFSET, true); heap += 1) {
    const at = HEAPS_OFFSET + heap * HEAP_BYTES;
    if ((memory.getUint32(at + HEAP_FLAGS_OFFSET, true) & DEVICE_LOCAL) !== 0) {
      memoryBytes = Math.max(memoryBytes, Number(memory.getBigUint64(at, true)));
    }
  }
  return {
    name: new TextDecoder().decode(name.subarray(0, end < 0 ? NAME_BYTES : end)),
    kind: kinds[properties.getUint32(DEVICE_TYPE_OFFSET, true)] ?? "other",
    memoryBytes,
    vendor: properties.getUint32(VENDOR_OFFSET, true),
  };
}

function check(call: string, result: unknown): void {
  if (typeof result !== "number" || result < 0) {
    throw internalError(`${call} failed with ${String(result)}.`);
  }
}
