/** YAML of files that people and other programs write. */
import { type Document, isScalar, parseAllDocuments, visit, YAMLParseError } from "yaml";

/**
 * The documents of a text as JavaScript values. Aliases stand for at most 100 copies each.
 * @throws Error that says where the text is no YAML, or gives one key of a mapping twice
 */
export function readYaml(text: string): unknown[] {
  // The parser compares each key with all others of its mapping, which takes minutes for a mapping of 50,000.
  // Compose merges the mapping behind "<<" into its own, which YAML 1.2 no longer does.
  const documents = parseAllDocuments(text, { uniqueKeys: false, merge: true });
  if (!Array.isArray(documents)) return [];
  return documents.map((document) => {
    const error = document.errors[0] ?? repeatedKey(document);
    if (error) throw error;
    return document.toJS({ maxAliasCount: 100 }) as unknown;
  });
}

function repeatedKey(document: Document.Parsed): Error | undefined {
  let found: Error | undefined;
  visit(document, {
    Map(_position, { items }) {
      const keys = new Set<unknown>();
      for (const { key } of items) {
        // "<<" may be given for each mapping that is merged.
        if (!isScalar(key) || key.value === "<<") continue;
        if (keys.has(key.value)) {
          const at = key.range?.[0] ?? 0;
          found = new YAMLParseError(
            [at, at + 1],
            "DUPLICATE_KEY",
            `The key ${JSON.stringify(key.value)} is given twice`,
          );
          return visit.BREAK;
        }
        keys.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}
