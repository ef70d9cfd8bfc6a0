#!/usr/bin/env node
// The `tensordeck` command. It is the target of package.json's "bin", so it must exist before anything is built.
import { existsSync } from "node:fs";

const main = new URL("../out/program/cli/main.js", import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  process.stderr.write("FAILED_PRECONDITION: Tensordeck is not built yet. Build it with: npm run build\n");
  process.exitCode = 1;
}
