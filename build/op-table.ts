// Writes the table of the portable engine's ops into README.md, between its markers.
// Usage: tsx build/op-table.ts
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { opTable, TABLE_BEGIN, TABLE_END } from "../test/interop/portable/op-table/op-table.js";

const file = join(dirname(fileURLToPath(import.meta.url)), "..", "README.md");
const readme = readFileSync(file, "utf8");
const [begin, end] = [readme.indexOf(TABLE_BEGIN), readme.indexOf(TABLE_END)];
if (begin < 0 || end < begin) {
  console.error(`README.md lacks the markers ${TABLE_BEGIN} and ${TABLE_END}.`);
  process.exitCode = 1;
} else {
  writeFileSync(file, readme.slice(0, begin) + opTable() + readme.slice(end + TABLE_END.length));
}
