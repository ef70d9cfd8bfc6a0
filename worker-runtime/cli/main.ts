#!/usr/bin/env node
/** The part of the `tensordeck` command that needs no application: what a task's process is started with. */
import { runCommandLine } from "./command-line.js";

await runCommandLine(process.argv.slice(2));
