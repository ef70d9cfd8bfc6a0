// The GPU of the GPU tests: SwiftShader, a software Vulkan implementation. Chromium's npm package includes it and the
// Vulkan loader, so nothing needs to be installed (Linux on x86-64).
import { join } from "node:path";
import { lackOfPackage, packageFile, unpacked } from "./chromium-package.mjs";

/** The last file of the archive. */
const DRIVER_FILE = "vk_swiftshader_icd.json";

/** The environment in which a process finds only the software Vulkan, or why there is none. */
export function lookForVulkan() {
  const lack = lackOfPackage();
  if (lack !== undefined) return lack;
  const archive = JSON.stringify(packageFile("bin", "swiftshader.tar.br"));
  const unpack = `import { inflate } from "@sparticuz/chromium"; await inflate(${archive});`;
  const { folder, why } = unpacked("vulkan", unpack, DRIVER_FILE);
  if (folder === undefined) return { why, command: "npm test" };
  const driver = join(folder, DRIVER_FILE);
  return {
    environment: {
      // Where the loader is: ONNX Runtime opens libvulkan.so.1 by its name.
      LD_LIBRARY_PATH: [folder, process.env.LD_LIBRARY_PATH].filter(Boolean).join(":"),
      // For old and new loaders, which otherwise also offer the machine's own drivers.
      VK_ICD_FILENAMES: driver,
      VK_DRIVER_FILES: driver,
    },
  };
}
