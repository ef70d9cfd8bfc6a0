/** How styles are organised: see renderer/README.md. What TypeScript cannot see of them is checked here. */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { type ESTree, parseAst, preprocessCSS, resolveConfig } from "vite";
import { beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const renderer = join(root, "renderer");

/** Classes by which a library finds elements, which therefore have to stand as they are. */
const OF_LIBRARIES = new Set(["nopan", "nodrag"]);
/** Two letters that are a word. */
const SHORT_WORDS = new Set(["at", "in", "no", "of", "ok", "on", "op", "to"]);
const ABBREVIATIONS =
  /^(bar0|bg|bgs|btn|btns|cls|cmd|col|ctl|ctrl|desc|dlg|dsc|el|elem|ell|err|fg|hdr|img|inp|lbl|lnk|mach|msg|nav|num|opt|opts|param|params|pos|prev|prob|ref|sec|sel|sep|sig|src|srch|stat|stt|tbl|tmp|txt|val|vals|warn)$/;

const all = readdirSync(renderer, { recursive: true, encoding: "utf8" }).map((file) =>
  file.split(sep).join("/"),
);
const modules = all.filter((file) => file.endsWith(".module.css"));
const sources = all.filter((file) => file.endsWith(".tsx") || file.endsWith(".ts"));

/** "ui/button.module.css" to its classes and what they are called in the page. */
const classesOf = new Map<string, ReadonlyMap<string, string>>();

interface Use {
  readonly source: string;
  readonly module: string;
  /** Undefined where the name is not plain in the source. */
  readonly name: string | undefined;
}

interface Source {
  readonly uses: readonly Use[];
  /** Strings among what is given as a class. */
  readonly strings: readonly string[];
}

/** Anything of a syntax tree. */
type Tree = ESTree.Node & Readonly<Record<string, unknown>>;

function isTree(value: unknown): value is Tree {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

function children(tree: Tree): Tree[] {
  return Object.values(tree).flatMap((value) => (Array.isArray(value) ? value : [value]).filter(isTree));
}

/** The strings that an expression can have as its value, beside those that it only compares. */
function givenStrings(tree: Tree): string[] {
  if (tree.type === "Literal") return typeof tree.value === "string" && tree.value !== "" ? [tree.value] : [];
  if (tree.type === "TemplateLiteral") return tree.quasis.map(({ value }) => value.raw);
  if (tree.type === "BinaryExpression" && tree.operator !== "+") return [];
  if (tree.type === "MemberExpression") return [];
  if (tree.type === "ConditionalExpression")
    return [tree.consequent, tree.alternate].flatMap((one) => givenStrings(one as Tree));
  return children(tree).flatMap(givenStrings);
}

function readSource(source: string, text: string): Source {
  const tree = parseAst(text, { lang: source.endsWith("x") ? "tsx" : "ts" }) as unknown as Tree;
  const names = new Map<string, string>();
  const uses: Use[] = [];
  const strings: string[] = [];
  const visit = (node: Tree): void => {
    if (node.type === "ImportDeclaration" && node.source.value.endsWith(".module.css")) {
      const module = relative(renderer, resolve(renderer, dirname(source), node.source.value));
      for (const { local } of node.specifiers) names.set(local.name, module.split(sep).join("/"));
    }
    if (node.type === "MemberExpression" && node.object.type === "Identifier") {
      const module = names.get(node.object.name);
      const name = !node.computed && node.property.type === "Identifier" ? node.property.name : undefined;
      if (module !== undefined) uses.push({ source, module, name });
    }
    if (node.type === "JSXAttribute" && node.name.type === "JSXIdentifier") {
      const { name, value } = node;
      if (/^(className|\w+ClassName)$/.test(name.name) && isTree(value)) strings.push(...givenStrings(value));
    }
    if (
      node.type === "CallExpression" &&
      node.callee.type === "Identifier" &&
      node.callee.name === "classNames"
    )
      strings.push(...node.arguments.flatMap((argument) => givenStrings(argument as Tree)));
    for (const child of children(node)) visit(child);
  };
  visit(tree);
  return { uses, strings };
}

const words = (name: string) => name.split(/(?=[A-Z])/).map((word) => word.toLowerCase());

function isWholeWord(word: string): boolean {
  return /^[a-z]+$/.test(word) && !ABBREVIATIONS.test(word) && (word.length > 2 || SHORT_WORDS.has(word));
}

/** A sheet's animations are among what it exports, and used by the sheet itself. */
const animations = (text: string) => new Set([...text.matchAll(/@keyframes (\w+)/g)].map(([, name]) => name));

const read = (file: string) => readFileSync(join(renderer, file), "utf8");
const uses = sources.flatMap((file) => readSource(file, read(file)).uses);

beforeAll(async () => {
  const config = await resolveConfig({ configFile: join(root, "vite.config.ts") }, "build");
  for (const file of modules) {
    const { modules: names = {} } = await preprocessCSS(read(file), join(renderer, file), config);
    const own = animations(read(file));
    classesOf.set(file, new Map(Object.entries(names).filter(([name]) => !own.has(name))));
  }
});

describe("the styles of the window", () => {
  it("stand in modules, except for the theme", () => {
    expect(all.filter((file) => file.endsWith(".css") && !/\.module\.css$|^theme\//.test(file))).toEqual([]);
  });

  it("have every class that a component asks for", () => {
    expect(
      uses.filter(({ module, name }) => name === undefined || !classesOf.get(module)?.has(name)),
    ).toEqual([]);
  });

  it("have no class that nothing asks for", () => {
    const used = new Set(uses.map(({ module, name }) => `${module} ${name}`));
    expect(
      [...classesOf].flatMap(([module, names]) =>
        [...names.keys()].map((name) => `${module} ${name}`).filter((name) => !used.has(name)),
      ),
    ).toEqual([]);
  });

  it("are called by whole words", () => {
    expect(
      [...classesOf].flatMap(([module, names]) =>
        [...names.keys()]
          .filter((name) => !words(name).every(isWholeWord))
          .map((name) => `${module} ${name}`),
      ),
    ).toEqual([]);
  });

  it("have names of their own in the page", () => {
    const names = [...classesOf.values()].flatMap((classes) => [...classes.values()]);
    expect(new Set(names).size).toBe(names.length);
  });

  it("are given by no other names", () => {
    const given = sources.flatMap((file) =>
      readSource(file, read(file)).strings.map((name) => `${file}: ${name}`),
    );
    expect(given.filter((name) => !OF_LIBRARIES.has(name.split(": ")[1] ?? ""))).toEqual([]);
  });

  it("name classes of libraries only where they reach outside their module", () => {
    const reached = modules.flatMap((file) =>
      [...read(file).matchAll(/:global\(([^)]*)\)/g)].map(([, selector = ""]) => `${file}: ${selector}`),
    );
    expect(reached.filter((selector) => !/: (\.react-flow__|\[cmdk-)/.test(selector))).toEqual([]);
  });
});

describe("the check of styles", () => {
  it("sees classes, strings and what is not plain", () => {
    const found = readSource(
      "ui/example.tsx",
      `import styles from "./example.module.css";
       export const Example = (kind) => (
         <a className={classNames(styles.first, kind === "ok" && "second", styles[kind])}>
           <b className="third">{kind ? styles.fourth : null}</b>
           <i className={kind === "x" ? "fifth" : styles.sixth} />
         </a>
       );`,
    );
    expect(found.uses.map(({ name }) => name)).toEqual(["first", undefined, "fourth", "sixth"]);
    expect(new Set(found.strings)).toEqual(new Set(["second", "third", "fifth"]));
  });

  it("knows words from abbreviations", () => {
    expect(
      ["nodeBody", "noValue", "op", "toolbarButton"].every((name) => words(name).every(isWholeWord)),
    ).toBe(true);
    expect(["nb", "fg2", "btn", "msgBox", "selRow"].some((name) => words(name).every(isWholeWord))).toBe(
      false,
    );
  });
});
