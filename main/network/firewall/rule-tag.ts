/**
 * Identifies the rules of this installation: an unguessable tag, created once and kept. A rule of another program may
 * have any name; only rules with the tag are ever removed without asking.
 */
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { z } from "zod";
import { JsonFile } from "../../storage/json-file.js";
import { isRuleName, type RuleName } from "./rules.js";

const TAG_BYTES = 8;
const tagSchema = z.string().regex(/^[0-9a-f]{16}$/);

/** The tag of the installation with this data folder; created if absent. */
export async function loadRuleTag(dataDir: string): Promise<string> {
  const kept = await keptRuleTag(dataDir);
  if (kept !== undefined) return kept;
  const tag = randomBytes(TAG_BYTES).toString("hex");
  await tagFile(dataDir).save(tag);
  return tag;
}

/** The tag of an installation that has one; nothing is written. */
export async function keptRuleTag(dataDir: string): Promise<string | undefined> {
  return await tagFile(dataDir).load();
}

function tagFile(dataDir: string): JsonFile<string> {
  return new JsonFile(join(dataDir, "firewall-tag.json"), tagSchema, "The mark of firewall rules");
}

/** The name of a rule in a firewall that stores a comment with each rule. */
export function taggedName(name: RuleName, tag: string): string {
  return `${name} ${tag}`;
}

/**
 * The rule that a comment names, if it belongs to this installation or to a version without tags; otherwise undefined.
 */
export function ruleNameIn(comment: string, tag: string): RuleName | undefined {
  const name = comment.endsWith(` ${tag}`) ? comment.slice(0, -tag.length - 1) : comment;
  return isRuleName(name) ? name : undefined;
}
