import { existsSync, readdirSync } from "node:fs";
import path from "node:path";
import type { LibraryFiles } from "./candidate.js";

interface LibraryNames {
  /** Libraries with TF_NewServer, the better first. */
  readonly main: readonly RegExp[];
  /** Further libraries that the main library needs. */
  readonly framework: RegExp;
  /** Folders below the given one in which packages keep the libraries. */
  readonly folders: readonly string[];
}

// Names of the pip packages (libtensorflow_cc, since 2.13), of the C library's archives and of tfjs-node (libtensorflow).
// On Windows pip's package has everything in one DLL; the archive's is tensorflow.dll.
const namesByPlatform: Partial<Record<NodeJS.Platform, LibraryNames>> = {
  linux: {
    main: [/^libtensorflow_cc\.so(\.\d+)*$/, /^libtensorflow\.so(\.\d+)*$/],
    framework: /^libtensorflow_framework\.so(\.\d+)*$/,
    folders: [".", "tensorflow", "lib"],
  },
  darwin: {
    main: [/^libtensorflow_cc(\.\d+)*\.dylib$/, /^libtensorflow(\.\d+)*\.dylib$/],
    framework: /^libtensorflow_framework(\.\d+)*\.dylib$/,
    folders: [".", "tensorflow", "lib"],
  },
  win32: {
    main: [/^tensorflow\.dll$/i, /^_pywrap_tensorflow_common\.dll$/i],
    framework: /^tensorflow_framework\.dll$/i,
    folders: [".", "python", "tensorflow\\python", "lib"],
  },
};

/** True if this platform has a libtensorflow that can be hosted at all. */
export function isPlatformKnown(platform: NodeJS.Platform = process.platform): boolean {
  return namesByPlatform[platform] !== undefined;
}

/**
 * The main library in a folder or in a subfolder where packages keep it, or undefined. Unreadable folders count as
 * empty.
 */
export function mainLibraryIn(
  folder: string,
  platform: NodeJS.Platform = process.platform,
): string | undefined {
  const names = namesByPlatform[platform];
  if (names === undefined) {
    return undefined;
  }
  for (const below of names.folders) {
    const subfolder = path.join(folder, below);
    for (const pattern of names.main) {
      const name = shortestMatch(subfolder, pattern);
      if (name !== undefined) {
        return path.join(subfolder, name);
      }
    }
  }
  return undefined;
}

/**
 * The main library with the libraries that have to be loaded before it.
 *
 * On Linux the CUDA build opens libcusolver by name from libtensorflow_framework, whose run path lists every CUDA
 * library's folder but that one (seen in the 2.21 wheel). A library that is already loaded is found by its name, so
 * libcusolver is loaded first if it is in the neighbouring folder; its own run path brings the CUDA libraries that it
 * needs.
 */
export function libraryFiles(main: string, platform: NodeJS.Platform = process.platform): LibraryFiles {
  const folder = path.dirname(main);
  const preload: string[] = [];
  const framework = namesByPlatform[platform]?.framework;
  const frameworkName = framework === undefined ? undefined : shortestMatch(folder, framework);
  const gpuPreload =
    platform === "linux"
      ? besides(path.join(folder, "..", "nvidia", "cusolver", "lib"), /^libcusolver\.so\.\d+$/)
      : [];
  if (platform === "win32") {
    // Pip's DLL is linked against the Python that it was built for.
    preload.push(...besides(folder, /^python3\d+\.dll$/i));
  }
  if (frameworkName !== undefined) {
    preload.push(path.join(folder, frameworkName));
  }
  return { path: main, preload, gpuPreload };
}

function besides(folder: string, pattern: RegExp): string[] {
  const name = shortestMatch(folder, pattern);
  return name === undefined ? [] : [path.join(folder, name)];
}

/** The shortest name among libx.so, libx.so.2 and libx.so.2.9.1, which are usually links to one file. */
function shortestMatch(folder: string, pattern: RegExp): string | undefined {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => pattern.test(name));
  } catch {
    return undefined;
  }
  names.sort((a, b) => a.length - b.length || a.localeCompare(b));
  // A dangling link is not a library.
  return names.find((name) => existsSync(path.join(folder, name)));
}
