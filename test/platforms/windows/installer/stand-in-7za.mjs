#!/usr/bin/env node
// Stands in for 7za as electron-builder calls it: "a OPTIONS ARCHIVE FILE" appends a file, or the current folder's ("."). The
// archive is what the plug-in in stand-in-plugins.c unpacks.
import { appendFileSync, readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";

const [archive = "", what = ""] = process.argv.slice(3).filter((word) => !word.startsWith("-"));
const files =
  what === "."
    ? readdirSync(what, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => relative("", join(entry.parentPath, entry.name)))
    : [what];

function withLength(bytes) {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(bytes.length);
  return Buffer.concat([length, bytes]);
}

for (const file of files) {
  appendFileSync(archive, withLength(Buffer.from(file.replaceAll("/", "\\"))));
  appendFileSync(archive, withLength(readFileSync(file)));
}
