// The terms of everything that a package of Tensordeck contains, as the window's "Licences" dialog shows them.
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BuildError, outDir, root } from "./project.mjs";

/** Optional packages that come with the program; the others are installed by the user, or never. */
const SHIPPED_OPTIONALS = new Set(["onnxruntime-node", "onnxruntime-common"]);

/** @typedef {{name: string, version: string, licence: string, text: string}} Licence */

/**
 * Writes build/out/renderer/licences.json: the packages of the program, from package-lock.json, those that are joined
 * into it, and those that are joined into the window, from the list that vite has just made. It is the same on every system. Returns 0.
 *
 * @throws BuildError if a package says nothing about its licence
 */
export function writeLicences() {
  const found = new Map([...ofWindow(), ...ofProgram()].map((one) => [`${one.name} ${one.version}`, one]));
  const all = [...found.values()].sort((a, b) => compare(a.name, b.name) || compare(a.version, b.version));
  const silent = all.filter(({ licence }) => licence === "");
  if (silent.length > 0) {
    throw new BuildError(
      `Nothing tells the licence of ${silent.map(({ name }) => name).join(", ")}.`,
      "Find out whether it may be distributed before you depend on it.",
    );
  }
  writeFileSync(join(outDir, "renderer", "licences.json"), JSON.stringify(all));
  return 0;
}

const compare = (a, b) => (a < b ? -1 : a > b ? 1 : 0);

/** @returns {Licence[]} */
function ofProgram() {
  const { packages } = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const joined = new Set(JSON.parse(readFileSync(join(outDir, "program-packages.json"), "utf8")));
  return Object.entries(packages).flatMap(([path, { version, license, dev, devOptional, optional }]) => {
    const name = path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length);
    const isNeeded = !dev && !devOptional && (!optional || SHIPPED_OPTIONALS.has(name));
    if (path === "" || name.startsWith("@types/") || !(isNeeded || joined.has(path))) return [];
    const folder = join(root, path);
    return [{ name, version, licence: license ?? licenceIn(folder), text: textIn(folder) }];
  });
}

function licenceIn(folder) {
  const file = join(folder, "package.json");
  if (!existsSync(file)) return "";
  const { license } = JSON.parse(readFileSync(file, "utf8"));
  return typeof license === "string" ? license : (license?.type ?? "");
}

/** The files of terms in a package's folder; "" where it has none, or is not installed here. */
function textIn(folder) {
  if (!existsSync(folder)) return "";
  return readdirSync(folder)
    .filter((file) => /^(licen[cs]e|notice|copying)([.-].*)?$/i.test(file) && !/\.[cm]?[jt]s$/.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), "utf8").replaceAll("\r\n", "\n").trim())
    .join("\n\n");
}

/** @returns {Licence[]} */
function ofWindow() {
  const text = readFileSync(join(outDir, "renderer", "licences.md"), "utf8");
  const heading = /^## (\S+) - (\S+) \((.+)\)$/gm;
  const heads = [...text.matchAll(heading)];
  return heads.map(({ 0: { length }, 1: name, 2: version, 3: licence, index }, at) => ({
    ...{ name, version, licence },
    text: text.slice(index + length, heads[at + 1]?.index).trim(),
  }));
}
