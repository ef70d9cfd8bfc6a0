/** Texts of YAML files. */
import { stringify } from "yaml";

/**
 * One or more documents as one file.
 * @param comment lines above them, without #.
 */
export function yamlText(comment: readonly string[], documents: readonly object[]): string {
  const head = comment.map((line) => `# ${line}\n`).join("");
  // Long values, such as TF_CONFIG, stay on their line, and nothing is shared by anchors, which few tools read.
  const bodies = documents.map((document) =>
    stringify(document, { lineWidth: 0, aliasDuplicateObjects: false }),
  );
  return head + bodies.join("---\n");
}
