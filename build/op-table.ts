// Writes the table of the portable engine's ops into its README, between the markers.
// Usage: tsx build/op-table.ts
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { opTable, TABLE_BEGIN, TABLE_END } from "../test/interop/portable/op-table/op-table.js";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const file = join(root, "worker-runtime", "engines", "portable", "README.md");
const readme = readFileSync(file, "utf8");
const [begin, end] = [readme.indexOf(TABLE_BEGIN), readme.indexOf(TABLE_END)];
if (begin < 0 || end < begin) {
  console.error(`${file} lacks the markers ${TABLE_BEGIN} and ${TABLE_END}.`);
  process.exitCode = 1;
} else {
  writeFileSync(file, readme.slice(0, begin) + opTable() + readme.slice(end + TABLE_END.length));
}
