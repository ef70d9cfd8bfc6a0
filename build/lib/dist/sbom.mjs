// The bill of materials of a package (CycloneDX), for those who look for vulnerable parts.
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { npmCommand } from "../programs.mjs";
import { outDir, root } from "../project.mjs";
import { PACKAGED_NODES } from "./fetched-parts.mjs";

const SBOM = join(root, "build", "dist", "sbom.cdx.json");

/**
 * Writes build/dist/sbom.cdx.json, or another file: npm's bill of materials, reduced to what is shipped, which
 * licences.json lists, and completed by Node and Electron. Without time and serial number, so that equal sources give
 * equal files.
 *
 * @returns {string} its path
 */
export function writeSbom(file = SBOM) {
  const [npm, ...script] = npmCommand();
  const text = execFileSync(npm, [...script, "sbom", "--sbom-format", "cyclonedx", "--package-lock-only"], {
    cwd: root,
    encoding: "utf8",
    maxBuffer: 2 ** 26,
  });
  const { serialNumber, metadata, components, dependencies, ...rest } = JSON.parse(text);
  const { timestamp, ...described } = metadata;
  const licences = JSON.parse(readFileSync(join(outDir, "renderer", "licences.json"), "utf8"));
  const shipped = new Set(licences.map(({ name, version }) => `${name}@${version}`));
  const own = described.component["bom-ref"];
  const kept = components
    .filter(({ name, version }) => shipped.has(`${name}@${version}`))
    // npm calls optional what only the build installs; in a package it is joined into the window.
    .map(({ scope, properties, ...component }) => ({ ...component, scope: "required" }));
  const references = new Set([own, ...kept.map((component) => component["bom-ref"])]);
  const sbom = {
    ...rest,
    metadata: {
      ...described,
      component: { ...described.component, type: "application", name: "tensordeck" },
    },
    components: [...kept, ...runtimes()],
    dependencies: dependencies
      .filter(({ ref }) => references.has(ref))
      .map(({ ref, dependsOn = [] }) => ({
        ref,
        dependsOn: [
          ...dependsOn.filter((other) => references.has(other)),
          ...(ref === own ? runtimes().map((runtime) => runtime["bom-ref"]) : []),
        ],
      })),
  };
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(sbom, undefined, 2)}\n`);
  return file;
}

/** Components that are no dependencies in npm's sense. */
function runtimes() {
  const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8"));
  const nodes = new Set(Object.values(PACKAGED_NODES).map(({ version }) => version));
  return [
    ...[...nodes].map((version) => ({ name: "node", version, purl: `pkg:generic/node@${version}` })),
    { name: "electron", version: lock.packages["node_modules/electron"].version },
  ].map(({ name, version, purl = `pkg:npm/${name}@${version}` }) => ({
    ...{ "bom-ref": `${name}@${version}`, type: "framework", name, version, scope: "required", purl },
    licenses: [{ license: { id: "MIT" } }],
  }));
}
