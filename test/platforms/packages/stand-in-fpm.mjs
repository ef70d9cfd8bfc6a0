#!/usr/bin/env node
// Stands in for fpm as far as electron-builder uses it (FpmTarget): a deb is made by dpkg-deb, an rpm by rpmbuild. It has fpm's
// rules for what it is not told: rpm's package owns the files alone, unless folders are named, and has no other dependencies.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseArgs } from "node:util";

const text = { type: "string", default: "" };
const texts = { type: "string", multiple: true, default: [] };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    s: { ...text, short: "s" },
    t: { ...text, short: "t" },
    depends: { ...texts, short: "d" },
    force: { type: "boolean" },
    ...Object.fromEntries(
      [
        "after-install",
        "after-remove",
        "architecture",
        "deb-compression",
        "deb-priority",
        "description",
        "license",
      ]
        .concat([
          "maintainer",
          "name",
          "package",
          "rpm-compression",
          "rpm-os",
          "rpm-summary",
          "url",
          "vendor",
          "version",
        ])
        .map((name) => [name, text]),
    ),
    "deb-recommends": texts,
    directories: texts,
  },
});

const folder = mkdtempSync(join(tmpdir(), "stand-in-fpm-"));
const tree = join(folder, "tree");
for (const positional of positionals) {
  const [, from, to] = /^(.*?)=(.*)$/.exec(positional);
  const target = join(tree, to);
  const isFolder = statSync(from).isDirectory();
  mkdirSync(isFolder ? target : dirname(target), { recursive: true });
  cpSync(from, target, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
}

const script = (name) => readFileSync(values[name], "utf8");
if (values.t === "deb") makeDeb();
else makeRpm();
rmSync(folder, { recursive: true });

function makeDeb() {
  const [summary, ...rest] = values.description.split("\n");
  const control = {
    Package: values.name,
    Version: values.version,
    Architecture: values.architecture,
    Maintainer: values.maintainer,
    Depends: values.depends.join(", "),
    Recommends: values["deb-recommends"].join(", "),
    Section: "default",
    Priority: values["deb-priority"],
    Homepage: values.url,
    Description: [summary, ...rest.map((line) => ` ${line}`)].join("\n"),
  };
  mkdirSync(join(tree, "DEBIAN"));
  const lines = Object.entries(control).map(([name, value]) => `${name}: ${value}\n`);
  writeFileSync(join(tree, "DEBIAN/control"), lines.join(""));
  writeFileSync(join(tree, "DEBIAN/postinst"), script("after-install"), { mode: 0o755 });
  writeFileSync(join(tree, "DEBIAN/postrm"), script("after-remove"), { mode: 0o755 });
  const how = [
    "--root-owner-group",
    `-Z${values["deb-compression"].replace(/^gz$/, "gzip")}`,
    "-z1",
    "--build",
  ];
  execFileSync("dpkg-deb", [...how, tree, values.package], { stdio: "inherit" });
}

function makeRpm() {
  const paths = readdirSync(tree, { recursive: true, withFileTypes: true }).map((entry) => ({
    path: join(entry.parentPath, entry.name).slice(tree.length),
    isFolder: entry.isDirectory(),
  }));
  const owned = (path) => values.directories.some((owner) => path === owner || path.startsWith(`${owner}/`));
  const files = paths.flatMap(({ path, isFolder }) => {
    if (isFolder) return owned(path) ? [`%dir "${path}"`] : [];
    return [`"${path}"`];
  });
  const spec = `
%global __os_install_post %{nil}
%global _build_id_links none
%define _binary_payload w1.gzdio
Name: ${values.name}
Version: ${values.version}
Release: 1
Summary: ${values["rpm-summary"]}
License: ${values.license}
Vendor: ${values.vendor}
URL: ${values.url}
AutoReqProv: no
${values.depends.map((name) => `Requires: ${name}`).join("\n")}
%description
${values.description}
%post
${script("after-install")}
%postun
${script("after-remove")}
%files
%defattr(-,root,root,-)
${files.join("\n")}
`;
  writeFileSync(join(folder, "package.spec"), spec);
  const definitions = { _rpmdir: folder, _topdir: folder, _rpmfilename: "made.rpm" };
  const defined = Object.entries(definitions).flatMap(([name, value]) => ["--define", `${name} ${value}`]);
  const target = ["--target", `${values.architecture}-unknown-linux`, "--buildroot", tree];
  // It would empty the folder that it is to pack.
  const spared = ["--noclean", "--define", "__spec_install_pre %{nil}"];
  execFileSync(
    "rpmbuild",
    ["-bb", "--quiet", ...defined, ...target, ...spared, join(folder, "package.spec")],
    {
      stdio: "inherit",
    },
  );
  cpSync(join(folder, "made.rpm"), values.package);
}
