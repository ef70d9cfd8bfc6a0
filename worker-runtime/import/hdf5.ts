/**
 * Reads HDF5 files that are in memory, with NIST's build of the HDF5 library for WebAssembly (h5wasm). Its file system
 * is in memory as well: links that a file has to other files lead nowhere.
 */
import type { Dataset, File as HdfFile, Metadata } from "h5wasm";
import type { DType } from "../protocol/dtype.js";
import { elementsOfShape, shapeText } from "../protocol/shape.js";
import { asTensorFlowError, invalidArgument, notFound } from "../protocol/status.js";
import { Tensor } from "../protocol/tensor.js";

/** H5T_class_t of the HDF5 library. */
const INTEGER = 0;
const FLOAT = 1;

const DTYPES: Readonly<Record<string, DType>> = {
  "float 2": "float16",
  "float 4": "float32",
  "float 8": "float64",
  "int 1": "int8",
  "int 2": "int16",
  "int 4": "int32",
  "int 8": "int64",
  "uint 1": "uint8",
  "uint 2": "uint16",
  "uint 4": "uint32",
  "uint 8": "uint64",
};

/** Deeper than any model nests its layers; a file whose groups contain each other would have no end. */
const MAX_DEPTH = 64;
/** Groups that contain others twice have, a few levels deep, more paths than can be followed. */
const MAX_PATHS = 100_000;

export interface Hdf5Dataset {
  readonly dtype: DType;
  readonly shape: readonly number[];
}

/** The library's memory file; there is one at a time. */
const PATH = "/model.h5";

/** An open file. */
export class Hdf5File {
  readonly #file: HdfFile;
  readonly #unlink: () => void;
  readonly #name: string;
  readonly #maxBytes: number;
  #bytesRead = 0;
  #pathsFollowed = 0;

  private constructor(file: HdfFile, unlink: () => void, name: string, maxBytes: number) {
    this.#file = file;
    this.#unlink = unlink;
    this.#name = name;
    this.#maxBytes = maxBytes;
  }

  /**
   * Opens a file for as long as it is used.
   *
   * @param maxBytes of all values that are read; a small file may claim to have any number of them
   * @throws TensorFlowError INVALID_ARGUMENT if the file is damaged
   */
  static async with<T>(
    bytes: Uint8Array,
    { name, maxBytes }: { readonly name: string; readonly maxBytes: number },
    use: (file: Hdf5File) => T,
  ): Promise<T> {
    const { default: hdf5 } = await import("h5wasm");
    const library = await hdf5.ready;
    // Otherwise it prints what is wrong with a file.
    library.activate_throwing_error_handler();
    const { FS } = library;
    FS.writeFile(PATH, bytes);
    const file = new Hdf5File(opened(hdf5, name), () => FS.unlink(PATH), name, maxBytes);
    try {
      return use(file);
    } finally {
      file.#close();
    }
  }

  #close(): void {
    this.#file.close();
    this.#unlink();
  }

  /** The names in a group; empty if there is no such group. */
  keys(path: string): readonly string[] {
    return this.#reading(() => {
      const found = path === "/" ? this.#file : this.#file.get(path);
      return found !== null && "keys" in found ? found.keys() : [];
    });
  }

  /** The paths of all datasets below a group. */
  datasets(group = "/", depth = 0): readonly string[] {
    if (depth > MAX_DEPTH) throw damaged(this.#name, invalidArgument("its groups have no end"));
    return this.keys(group).flatMap((key) => {
      this.#pathsFollowed += 1;
      if (this.#pathsFollowed > MAX_PATHS) {
        throw damaged(
          this.#name,
          invalidArgument(`more than ${MAX_PATHS} paths lead to its groups and values`),
        );
      }
      const path = `${group === "/" ? "" : group}/${key}`;
      const found = this.#reading(() => this.#file.get(path));
      if (found !== null && "keys" in found) return this.datasets(path, depth + 1);
      return found !== null && "slice" in found ? [path] : [];
    });
  }

  /** The texts of an attribute, of which large lists have several with numbers; undefined if there is none. */
  texts(path: string, attribute: string): readonly string[] | undefined {
    const whole = this.#attribute(path, attribute);
    if (whole !== undefined) return whole;
    const parts: string[] = [];
    for (let part = 0; ; part += 1) {
      const texts = this.#attribute(path, `${attribute}${part}`);
      if (texts === undefined) return part === 0 ? undefined : parts;
      parts.push(...texts);
    }
  }

  /** The dtype and shape of a dataset; undefined if there is none. */
  dataset(path: string): Hdf5Dataset | undefined {
    const found = this.#find(path);
    return found && this.#reading(() => this.#typed(path, found.metadata));
  }

  /** The values of a dataset. @throws TensorFlowError NOT_FOUND, INVALID_ARGUMENT if they cannot be read here */
  read(path: string): Tensor {
    const found = this.#find(path);
    if (!found) throw notFound(`"${this.#name}" has no values ${path}.`);
    return this.#reading(() => {
      const { metadata } = found;
      const { dtype, shape } = this.#typed(path, metadata);
      const bytes = elementsOfShape(shape) * metadata.size;
      this.#bytesRead += bytes;
      if (this.#bytesRead > this.#maxBytes) {
        throw invalidArgument(
          `${path} is said to have the shape ${shapeText(shape)}, which makes the values larger than ` +
            `${Math.round(this.#maxBytes / 2 ** 20)} MiB`,
        );
      }
      if (elementsOfShape(shape) === 0) return new Tensor(dtype, shape, Tensor.of([], dtype, [0]).data);
      const value = shape.length === 0 ? found.value : found.slice(shape.map(() => []));
      return tensorFrom(value, dtype, shape);
    });
  }

  #find(path: string): Dataset | undefined {
    return this.#reading(() => {
      const found = this.#file.get(path);
      return found !== null && "slice" in found ? found : undefined;
    });
  }

  #attribute(path: string, name: string): readonly string[] | undefined {
    return this.#reading(() => {
      const found = path === "/" ? this.#file : this.#file.get(path);
      if (found === null || !("attrs" in found) || !(name in found.attrs)) return undefined;
      const value: unknown = found.attrs[name]?.value;
      const list: readonly unknown[] =
        value === null || value === undefined ? [] : Array.isArray(value) ? value : [value];
      // An empty list is an array of no numbers.
      return list.filter((item) => typeof item === "string");
    });
  }

  #typed(path: string, { type, size, signed, littleEndian, shape, virtual_sources }: Metadata): Hdf5Dataset {
    const kind = type === FLOAT ? "float" : type === INTEGER ? (signed ? "int" : "uint") : "other";
    const dtype = DTYPES[`${kind} ${size}`];
    const isHere = (virtual_sources?.length ?? 0) === 0;
    if (dtype !== undefined && shape && littleEndian && isHere) return { dtype, shape };
    throw invalidArgument(`${path} has values of a type that is not read here`);
  }

  #reading<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw damaged(this.#name, error);
    }
  }
}

function opened({ File }: typeof import("h5wasm").default, name: string): HdfFile {
  try {
    const file = new File(PATH, "r");
    if (file.file_id >= 0n) return file;
  } catch (error) {
    throw damaged(name, error);
  }
  throw damaged(name, invalidArgument("the HDF5 library cannot open it"));
}

function tensorFrom(value: unknown, dtype: DType, shape: readonly number[]): Tensor {
  if (!ArrayBuffer.isView(value)) return Tensor.of([value as number | bigint], dtype, shape);
  // Float16Array, where there is one, or bytes.
  if (dtype === "float16") {
    return new Tensor(dtype, shape, new Uint16Array(value.buffer, value.byteOffset, elementsOfShape(shape)));
  }
  return Tensor.of(value as Float32Array, dtype, shape);
}

/** The library's errors about damaged content, from messages of its own to faults of the compiled code. */
function damaged(name: string, error: unknown): Error {
  const { message } = asTensorFlowError(error);
  const prefix = `"${name}" is damaged, or not a complete HDF5 file`;
  return message.startsWith(prefix)
    ? (error as Error)
    : invalidArgument(`${prefix}: ${message}.`, { cause: error });
}
