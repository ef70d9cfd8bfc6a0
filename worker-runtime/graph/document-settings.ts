/**
 * The document's own settings: JSON in the first value of the collection "tensordeck". TensorFlow's import_meta_graph
 * copies a collection of byte strings without interpreting it.
 */
import { getTextEncoding } from "@bufbuild/protobuf/wire";
import type { CollectionDef } from "../../protos/generated/tensorflow/meta_graph.js";

/** The section with the document's run configuration. */
export const RUN_SECTION = "run";

type Settings = Readonly<Record<string, unknown>>;

/** The settings in the collection by section; undefined if it is not Tensordeck's or cannot be parsed. */
export function readSettings(collection: CollectionDef | undefined): Settings | undefined {
  if (collection?.kind?.$case !== "bytesList") return undefined;
  const first = collection.kind.value.value[0];
  if (!first) return undefined;
  try {
    const settings: unknown = JSON.parse(getTextEncoding().decodeUtf8(first));
    return typeof settings === "object" && settings !== null && !Array.isArray(settings)
      ? { ...settings }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The collection with one section replaced or removed; unknown sections and further values are kept. */
export function writeSection(
  collection: CollectionDef | undefined,
  name: string,
  section: unknown,
): CollectionDef {
  const settings = readSettings(collection);
  const text = JSON.stringify({ ...settings, [name]: section });
  const values = collection?.kind?.$case === "bytesList" ? collection.kind.value.value : [];
  const value = [getTextEncoding().encodeUtf8(text), ...(settings ? values.slice(1) : values)];
  return { kind: { $case: "bytesList", value: { value } } };
}

/** The fetches and targets of the document's run configuration; empty if it has none. */
export function readChosenRun(collection: CollectionDef | undefined): {
  readonly fetches: readonly string[];
  readonly targets: readonly string[];
} {
  const run = readSettings(collection)?.[RUN_SECTION];
  const names = (key: string): string[] => {
    const list: unknown = typeof run === "object" && run !== null ? Reflect.get(run, key) : undefined;
    return Array.isArray(list) ? list.filter((name) => typeof name === "string") : [];
  };
  return { fetches: names("fetches"), targets: names("targets") };
}
