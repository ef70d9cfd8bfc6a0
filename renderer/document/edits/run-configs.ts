/** Run configurations as a whole: added, copied, chosen, renamed, deleted. */

import { texts } from "../../texts/texts.js";
import type { GraphDocument, RunConfig, RunConfigs } from "../model.js";
import { EMPTY_RUN_CONFIG } from "../model.js";
import type { Operation } from "../operations.js";
import { uniqueName } from "../run-configs.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.runConfigs;

export const MAX_RUN_CONFIGS = 100;
const MAX_NAME_LENGTH = 80;

/** Adds an empty configuration and chooses it. */
export function addRunConfig(document: GraphDocument): EditResult {
  return added(document, { ...EMPTY_RUN_CONFIG, name: uniqueName(words.newName, document) });
}

/** Adds a copy of a configuration and chooses it. */
export function duplicateRunConfig(document: GraphDocument, name: string): EditResult {
  const config = configNamed(document, name);
  if (!config) return missing(name);
  return added(document, { ...config, name: uniqueName(name, document) });
}

function added(document: GraphDocument, config: RunConfig): EditResult {
  const operation = withRunConfig(document, config);
  if (typeof operation === "string") return refused(operation);
  return edit({ label: words.add({ name: config.name }), operations: [operation] });
}

/**
 * Operations that add a configuration and choose it, as a part of an edit; a text says why it cannot.
 *
 * @param makeDefault it is also chosen whenever the document is opened
 */
export function withRunConfig(
  document: GraphDocument,
  config: RunConfig,
  makeDefault = false,
): Operation | string {
  const others = [document.runConfig, ...document.otherRuns];
  if (others.length >= MAX_RUN_CONFIGS) return words.tooMany({ count: MAX_RUN_CONFIGS });
  const defaultRun = makeDefault ? config.name : document.defaultRun;
  return runConfigsOperation(document, { runConfig: config, otherRuns: others, defaultRun });
}

/** Makes a configuration the one that Run uses. */
export function chooseRunConfig(document: GraphDocument, name: string): EditResult {
  if (name === document.runConfig.name) return refused(words.chosen);
  const config = configNamed(document, name);
  if (!config) return missing(name);
  const otherRuns = [document.runConfig, ...document.otherRuns.filter((other) => other !== config)];
  return change(document, words.choose({ name }), { runConfig: config, otherRuns });
}

export function renameRunConfig(document: GraphDocument, from: string, to: string): EditResult {
  const name = to.trim();
  if (!configNamed(document, from)) return missing(from);
  if (name === "") return refused(words.noName);
  if (name.length > MAX_NAME_LENGTH) return refused(words.longName({ count: MAX_NAME_LENGTH }));
  if (name === from) return refused(texts.document.edits.common.sameName);
  if (configNamed(document, name)) return refused(words.taken({ name }));
  const renamed = (config: RunConfig): RunConfig => ({
    ...(config.name === from ? { ...config, name } : config),
    ...(config.evaluation?.configuration === from
      ? { evaluation: { ...config.evaluation, configuration: name } }
      : {}),
  });
  return change(document, words.rename({ from, to: name }), {
    runConfig: renamed(document.runConfig),
    otherRuns: document.otherRuns.map(renamed),
    ...(document.defaultRun === from ? { defaultRun: name } : {}),
  });
}

/** Another one is chosen, or becomes the default, in its place. */
export function removeRunConfig(document: GraphDocument, name: string): EditResult {
  if (!configNamed(document, name)) return missing(name);
  const left = [document.runConfig, ...document.otherRuns].filter((config) => config.name !== name);
  const fallback = left.find((config) => config.name === document.defaultRun) ?? left[0];
  if (!fallback) return refused(words.onlyOne);
  const chosen = left.find((config) => config === document.runConfig) ?? fallback;
  return change(document, words.delete({ name }), {
    runConfig: chosen,
    otherRuns: left.filter((config) => config !== chosen),
    defaultRun: fallback.name,
  });
}

/** Makes a configuration the one that is chosen when the document is opened. */
export function setDefaultRunConfig(document: GraphDocument, name: string): EditResult {
  if (!configNamed(document, name)) return missing(name);
  if (name === document.defaultRun) return refused(words.default);
  return change(document, words.makeDefault({ name }), { defaultRun: name });
}

/** Operations that change every configuration in the same way; none where all stay. */
export function changeEachConfig(
  document: GraphDocument,
  changed: (config: RunConfig) => RunConfig,
): Operation[] {
  const runConfig = changed(document.runConfig);
  const otherRuns = document.otherRuns.map(changed);
  if (otherRuns.some((config, index) => config !== document.otherRuns[index])) {
    return [runConfigsOperation(document, { runConfig, otherRuns })];
  }
  return runConfig === document.runConfig
    ? []
    : [{ type: "run-config", before: document.runConfig, after: runConfig }];
}

function change(document: GraphDocument, label: string, after: Partial<RunConfigs>): EditResult {
  return edit({ label, operations: [runConfigsOperation(document, after)] });
}

function runConfigsOperation(document: GraphDocument, after: Partial<RunConfigs>): Operation {
  const { runConfig, otherRuns, defaultRun } = document;
  const before: RunConfigs = { runConfig, otherRuns, defaultRun };
  return { type: "run-configs", before, after: { ...before, ...after } };
}

function configNamed({ runConfig, otherRuns }: RunConfigs, name: string): RunConfig | undefined {
  return [runConfig, ...otherRuns].find((config) => config.name === name);
}

function missing(name: string): EditResult {
  return refused(words.none({ name }));
}
