#!/usr/bin/env node
/** The part of the `tensordeck` command that needs no application: the entry point of a task's process. */
import { runCommandLine } from "./command-line.js";

await runCommandLine(process.argv.slice(2));
