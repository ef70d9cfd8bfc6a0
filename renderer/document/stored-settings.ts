/**
 * The document's own settings: JSON in the first value of the collection "tensordeck". A collection of byte strings is
 * what TensorFlow's import_meta_graph takes over unread.
 */
import type { CollectionDef } from "../../protos/generated/tensorflow/meta_graph.js";

type Settings = Readonly<Record<string, unknown>>;

/** What the collection says, by section; undefined when it is none of ours or cannot be read. */
export function readSettings(collection: CollectionDef | undefined): Settings | undefined {
  if (collection?.kind?.$case !== "bytesList") return undefined;
  const first = collection.kind.value.value[0];
  if (!first) return undefined;
  try {
    const settings: unknown = JSON.parse(new TextDecoder().decode(first));
    return typeof settings === "object" && settings !== null && !Array.isArray(settings)
      ? { ...settings }
      : undefined;
  } catch {
    return undefined;
  }
}

/** The collection with one section replaced, or taken out; sections of other versions and further values stay. */
export function writeSection(
  collection: CollectionDef | undefined,
  name: string,
  section: unknown,
): CollectionDef {
  const settings = readSettings(collection);
  const text = JSON.stringify({ ...settings, [name]: section });
  const values = collection?.kind?.$case === "bytesList" ? collection.kind.value.value : [];
  const value = [new TextEncoder().encode(text), ...(settings ? values.slice(1) : values)];
  return { kind: { $case: "bytesList", value: { value } } };
}
