/** Things that go with a package: its licences, its bill of materials, what the environment decides, and the workflow. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { environmentConfiguration } from "../../build/lib/dist/environment.mjs";
import { PACKAGED_NODES } from "../../build/lib/dist/fetched-parts.mjs";
import { writeSbom } from "../../build/lib/dist/sbom.mjs";
import { chosenTargets } from "../../build/lib/dist/targets.mjs";
import { ELECTRON_NODE, NEWEST_LTS } from "../../build/lib/node-versions.mjs";
import { repositoryRoot } from "../support/peers.js";

interface Licence {
  readonly name: string;
  readonly version: string;
  readonly licence: string;
  readonly text: string;
}
interface Component {
  readonly "bom-ref": string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
}
interface Sbom {
  readonly bomFormat: string;
  readonly serialNumber?: string;
  readonly metadata: { readonly timestamp?: string; readonly component: Component };
  readonly components: readonly Component[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const built = join(repositoryRoot, "build", "out");
const licences = JSON.parse(readFileSync(join(built, "renderer", "licences.json"), "utf8")) as Licence[];
const names = new Set(licences.map(({ name }) => name));

test("the list of licences has every package that is joined into the programs or loaded by them, and no other", () => {
  const paths = JSON.parse(readFileSync(join(built, "program-packages.json"), "utf8")) as string[];
  const joined = paths.map((path) => path.slice(path.lastIndexOf("node_modules/") + "node_modules/".length));
  expect(joined).toContain("@grpc/grpc-js");
  expect([...joined].filter((name) => !names.has(name))).toEqual([]);
  for (const loaded of ["koffi", "onnxruntime-node", "react", "elkjs"]) {
    expect(names).toContain(loaded);
  }
  for (const tool of ["vite", "typescript", "vitest", "electron-builder"]) expect(names).not.toContain(tool);
  for (const { name, version, licence } of licences) {
    expect(licence, name).not.toBe("");
    expect(version, name).toMatch(/^\d+\.\d+\.\d+/);
  }
  const elk = licences.find(({ name }) => name === "elkjs");
  expect(elk?.text).toContain("Eclipse Public License");
});

test("no licence asks more than its text, the Eclipse Public License's sources excepted", () => {
  const known =
    /^(\(?(MIT|ISC|0BSD|BSD-[23]-Clause|BlueOak-1\.0\.0|Python-2\.0|Unlicense|Apache-2\.0)( AND (MIT|BSD-3-Clause|Apache-2\.0))?\)?|EPL-2\.0 OR GPL-3\.0-or-later)$/;
  const others = licences.filter(({ licence }) => !known.test(licence));
  // HDF5's, and NIST's: permissive, in words of their own.
  expect(others.map(({ name }) => name)).toEqual(["h5wasm"]);
});

test("the bill of materials lists the same packages, Node and Electron, and is the same each time", () => {
  const file = join(mkdtempSync(join(tmpdir(), "tensordeck-sbom-")), "sbom.cdx.json");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  const text = readFileSync(writeSbom(file), "utf8");
  expect(readFileSync(writeSbom(file), "utf8")).toBe(text);
  const sbom = JSON.parse(text) as Sbom;
  expect(sbom).toMatchObject({ bomFormat: "CycloneDX", metadata: { component: { name: "tensordeck" } } });
  const listed = new Set(sbom.components.map(({ name, version }) => `${name}@${version}`));
  const nodes = new Set(Object.values(PACKAGED_NODES).map((node) => `node@${node.version}`));
  expect([...listed].filter((one) => one.startsWith("node@")).toSorted()).toEqual([...nodes].toSorted());
  expect([...listed].some((one) => one.startsWith("electron@"))).toBe(true);
  expect(licences.filter(({ name, version }) => !listed.has(`${name}@${version}`))).toEqual([]);
  expect(listed.size).toBe(licences.length + nodes.size + 1);
  const references = new Set([
    sbom.metadata.component["bom-ref"],
    ...sbom.components.map((component) => component["bom-ref"]),
  ]);
  const dangling = sbom.dependencies.flatMap(({ ref, dependsOn }) =>
    [ref, ...dependsOn].filter((one) => !references.has(one)),
  );
  expect(dangling).toEqual([]);
});

test("the Node of all packages has one major version, the newest with long-term support", () => {
  expect(Object.keys(PACKAGED_NODES).toSorted()).toEqual(
    chosenTargets({ all: true })
      .map(({ name }) => name)
      .toSorted(),
  );
  const majors = Object.values(PACKAGED_NODES).map((node) => node.version.split(".")[0]);
  expect([...new Set(majors)]).toEqual([NEWEST_LTS]);
});

test("the Node of the desktop's main process is named for the Electron that is installed", () => {
  const lock = JSON.parse(readFileSync(join(repositoryRoot, "package-lock.json"), "utf8")) as {
    packages: Record<string, { version: string }>;
  };
  expect(lock.packages["node_modules/electron"]?.version.split(".")[0]).toBe(ELECTRON_NODE.electron);
});

test("updates need a feed over https and signed packages; by default there are none", () => {
  expect(environmentConfiguration({})).toEqual({});
  expect(environmentConfiguration({ TENSORDECK_SIGN: "required" })).toEqual({ forceCodeSigning: true });
  const feed = { TENSORDECK_UPDATE_URL: "https://example.com/updates" };
  expect(environmentConfiguration({ ...feed, TENSORDECK_SIGN: "required" })).toEqual({
    forceCodeSigning: true,
    publish: { provider: "generic", url: "https://example.com/updates" },
  });
  expect(() => environmentConfiguration(feed)).toThrow("need not be signed");
  expect(() => environmentConfiguration({ TENSORDECK_SIGN: "yes" })).toThrow("TENSORDECK_SIGN is yes");
  for (const url of ["http://example.com", "file:///tmp", "nonsense"]) {
    expect(() =>
      environmentConfiguration({ TENSORDECK_UPDATE_URL: url, TENSORDECK_SIGN: "required" }),
    ).toThrow("https://");
  }
});

interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Readonly<Record<string, string>>;
}
interface Job {
  readonly steps: readonly Step[];
  readonly needs?: readonly string[];
  readonly if?: string;
  readonly strategy?: { readonly matrix: { readonly include: readonly { readonly targets: string }[] } };
}
interface Workflow {
  readonly permissions: unknown;
  readonly jobs: Readonly<Record<string, Job>>;
}

test("the workflow checks every change, and packages all targets, with secrets for tags alone", () => {
  const { permissions, jobs } = parse(
    readFileSync(join(repositoryRoot, ".github/workflows/packages.yml"), "utf8"),
  ) as Workflow;
  expect(permissions).toEqual({ contents: "read" });
  const { package: made, ...checks } = jobs;
  expect(made?.needs).toEqual(Object.keys(checks));
  const targets = made?.strategy?.matrix.include.flatMap((one) => one.targets.split(" ")) ?? [];
  expect(
    chosenTargets({}, targets)
      .map(({ name }) => name)
      .sort(),
  ).toEqual(
    chosenTargets({ all: true })
      .map(({ name }) => name)
      .sort(),
  );
  const scripts = (
    JSON.parse(readFileSync(join(repositoryRoot, "package.json"), "utf8")) as {
      scripts: Record<string, string>;
    }
  ).scripts;
  for (const { run = "", env = {}, if: condition = "" } of Object.values(jobs).flatMap(
    ({ steps }) => steps,
  )) {
    for (const [, name = ""] of run.matchAll(/npm run ([\w-]+)/g)) expect(scripts).toHaveProperty(name);
    for (const [file] of run.matchAll(/(?<=^|\s)(\.ci\/\w+|build\/[\w-]+\.mjs)/g)) {
      expect(existsSync(join(repositoryRoot, file)), file).toBe(true);
    }
    // Another's branch never gets a certificate: pull requests do not package, and only tags sign.
    for (const [name, value] of Object.entries(env)) {
      if (!value.includes("secrets.") || /^APPLE_API_(KEY_ID|ISSUER)$/.test(name)) continue;
      expect(`${condition} ${value}`, name).toContain("refs/tags/v");
    }
  }
  for (const { steps } of Object.values(checks)) expect(JSON.stringify(steps)).not.toContain("secrets.");
});
