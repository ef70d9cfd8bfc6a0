/**
 * After an await, another tab may be shown: code that goes on reads and changes the document that it began in by
 * `inSession`, and never the active one. This finds where it does.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, it } from "vitest";

const renderer = fileURLToPath(new URL("../../renderer", import.meta.url));

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => [value].flat().filter(isNode));

const nodesOf = (value: unknown): Node[] => [value].flat().filter(isNode);

const nameOf = (node: unknown): string =>
  isNode(node) && node.type === "Identifier" ? String(node.name) : "";

const FUNCTIONS = /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/;
const LOOPS = /^(?:For|ForOf|ForIn|While|DoWhile)Statement$/;
/** Calls that make a store, or a record, of which each document has its own. */
const STORE_MAKERS = /^(?:perDocument|perGraph|ofGraph)$/;
const RECORD_MAKERS = /^(?:recordPerDocument|recordPerGraph)$/;

interface Module {
  readonly file: string;
  readonly code: string;
  readonly ast: Node;
  /** Where a name comes from: "stores/ui-store.ts uiActions". */
  readonly names: ReadonlyMap<string, string>;
}

/** The facts about all modules. Names are of the form "stores/ui-store.ts uiActions", methods "… uiActions.open". */
interface Knowledge {
  readonly stores: ReadonlySet<string>;
  readonly records: ReadonlySet<string>;
  /** Functions that use the active document before they wait for anything. */
  readonly users: ReadonlySet<string>;
}

function moduleOf(
  file: string,
  code: string,
  pathOf: (from: string, source: string) => string | undefined,
): Module {
  const ast = parseAst(code, { lang: file.endsWith("x") ? "tsx" : "ts" }) as unknown as Node;
  const names = new Map<string, string>();
  for (const statement of nodesOf(ast.body)) {
    if (statement.type === "ImportDeclaration") {
      const from = pathOf(file, String((statement.source as Node).value));
      for (const specifier of nodesOf(statement.specifiers)) {
        if (from !== undefined && specifier.type === "ImportSpecifier") {
          names.set(nameOf(specifier.local), `${from} ${nameOf(specifier.imported)}`);
        }
      }
    }
    const declaration = isNode(statement.declaration) ? statement.declaration : statement;
    for (const declared of [declaration, ...nodesOf(declaration.declarations)]) {
      const name = nameOf(declared.id);
      if (name !== "") names.set(name, `${file} ${name}`);
    }
  }
  return { file, code, ast, names };
}

/** Follows what modules only pass on: `export { useDocument } from "./document-state.js"`. */
function passedOn(modules: readonly Module[], pathOf: (from: string, source: string) => string | undefined) {
  const aliases = new Map<string, string>();
  for (const { file, ast } of modules) {
    for (const statement of nodesOf(ast.body)) {
      if (statement.type !== "ExportNamedDeclaration" || !isNode(statement.source)) continue;
      const from = pathOf(file, String(statement.source.value));
      for (const specifier of nodesOf(statement.specifiers)) {
        aliases.set(`${file} ${nameOf(specifier.exported)}`, `${from} ${nameOf(specifier.local)}`);
      }
    }
  }
  const follow = (name: string): string => {
    const next = aliases.get(name);
    return next === undefined ? name : follow(next);
  };
  return follow;
}

/** The functions of a module by name, with methods of its objects. */
function functionsOf({ file, ast }: Module): Map<string, Node> {
  const found = new Map<string, Node>();
  for (const statement of nodesOf(ast.body)) {
    const declaration = isNode(statement.declaration) ? statement.declaration : statement;
    if (declaration.type === "FunctionDeclaration")
      found.set(`${file} ${nameOf(declaration.id)}`, declaration);
    for (const { id, init } of nodesOf(declaration.declarations)) {
      if (!isNode(init)) continue;
      const name = `${file} ${nameOf(id)}`;
      if (FUNCTIONS.test(init.type)) found.set(name, init);
      for (const property of nodesOf(init.properties)) {
        if (isNode(property.value) && FUNCTIONS.test(property.value.type)) {
          found.set(`${name}.${nameOf(property.key)}`, property.value);
        }
      }
    }
  }
  return found;
}

interface Call {
  /** As it is written: "documentActions.undo". */
  readonly what: string;
  /** The name of the called function, or of the object with the method: "stores/document-store.ts documentActions". */
  readonly from: string;
  readonly method: string | undefined;
  readonly hasArguments: boolean;
  /** Where it begins, and where it takes place: when its arguments are there. */
  readonly start: number;
  readonly at: number;
}

/** All calls but those that `inSession` makes, and those of functions that run on their own. */
function* callsIn(node: Node, origin: (name: string) => string): Generator<Call> {
  if (node.type === "CallExpression") {
    const callee = node.callee as Node;
    const where = { hasArguments: nodesOf(node.arguments).length > 0, start: node.start, at: node.end - 1 };
    if (callee.type === "Identifier") {
      const what = nameOf(callee);
      const from = origin(what);
      if (/ in(?:Session|Shown)$/.test(from)) return;
      yield { what, from, method: undefined, ...where };
    } else if (callee.type === "MemberExpression" && !callee.computed) {
      const object = nameOf(callee.object);
      const method = nameOf(callee.property);
      yield { what: `${object}.${method}`, from: origin(object), method, ...where };
    }
  }
  // Which document is shown may be asked at any time.
  const isComparison = node.type === "BinaryExpression" && /^[!=]==$/.test(String(node.operator));
  for (const child of childrenOf(node)) {
    if (child.async === true && FUNCTIONS.test(child.type)) continue;
    if (isComparison && child.type === "CallExpression" && nameOf(child.callee) === "activeSession") continue;
    yield* callsIn(child, origin);
  }
}

/** True for a call that reads or changes the active document. */
function isUse({ from, method, hasArguments }: Call, { stores, records, users }: Knowledge): boolean {
  if (method !== undefined) {
    return users.has(`${from}.${method}`) || (stores.has(from) && /^(?:getState|setState)$/.test(method));
  }
  return / active(?:Session|Graph)$/.test(from) || users.has(from) || (records.has(from) && !hasArguments);
}

/** The parts of a function's code that run after it has waited: from where to where. */
function afterWaiting(body: Node): readonly (readonly [number, number])[] {
  const parts: [number, number][] = [];
  const look = (node: Node, loop: Node | undefined, block: Node): void => {
    if (FUNCTIONS.test(node.type)) return;
    const inner = LOOPS.test(node.type) ? node : loop;
    // Code behind a branch that ends by leaving was not reached through it.
    const leaves =
      node.type === "BlockStatement" &&
      /^(?:Return|Throw|Continue|Break)Statement$/.test(nodesOf(node.body).at(-1)?.type ?? "");
    const within = leaves ? node : block;
    if (node.type === "AwaitExpression" || (node.type === "ForOfStatement" && node.await === true)) {
      const around = loop !== undefined && loop.start >= within.start ? loop : undefined;
      parts.push([around?.start ?? node.end, within.end]);
    }
    for (const child of childrenOf(node)) look(child, inner, within);
  };
  for (const child of childrenOf(body)) look(child, undefined, body);
  return parts;
}

function knowledgeOf(modules: readonly Module[], follow: (name: string) => string): Knowledge {
  const stores = new Set<string>();
  const records = new Set<string>();
  for (const { file, ast } of modules) {
    for (const statement of nodesOf(ast.body)) {
      const declaration = isNode(statement.declaration) ? statement.declaration : statement;
      for (const { id, init } of nodesOf(declaration.declarations)) {
        const maker = isNode(init) && init.type === "CallExpression" ? nameOf(init.callee) : "";
        if (STORE_MAKERS.test(maker)) stores.add(`${file} ${nameOf(id)}`);
        if (RECORD_MAKERS.test(maker)) records.add(`${file} ${nameOf(id)}`);
      }
    }
  }
  const users = new Set<string>();
  const known = { stores, records, users };
  const all = modules.flatMap((module) => {
    const origin = (name: string) => follow(module.names.get(name) ?? "");
    return [...functionsOf(module)].map(([name, node]) => {
      const body = node.body as Node;
      const waits =
        node.async === true
          ? Math.min(...afterWaiting(body).map(([from]) => from))
          : Number.POSITIVE_INFINITY;
      return { name, calls: [...callsIn(body, origin)].filter(({ at }) => at < waits) };
    });
  });
  for (let before = -1; before !== users.size; ) {
    before = users.size;
    for (const { name, calls } of all) {
      if (calls.some((call) => isUse(call, known))) users.add(name);
    }
  }
  return known;
}

/** "actions/x.ts:12 uses documentActions.undo after it has waited" */
function faultsIn(module: Module, known: Knowledge, follow: (name: string) => string): string[] {
  const origin = (name: string) => follow(module.names.get(name) ?? "");
  const faults: string[] = [];
  const note = (body: Node, parts: ReturnType<typeof afterWaiting>): void => {
    for (const call of callsIn(body, origin)) {
      const { what, start, at } = call;
      if (!isUse(call, known) || !parts.some(([from, to]) => at >= from && at < to)) continue;
      const line = module.code.slice(0, start).split("\n").length;
      faults.push(`${module.file}:${line} uses ${what} after it has waited`);
    }
  };
  const look = (node: Node): void => {
    if (node.async === true && FUNCTIONS.test(node.type)) {
      const body = node.body as Node;
      note(body, afterWaiting(body));
    }
    const { callee } = node;
    if (isNode(callee) && /^(?:then|catch|finally)$/.test(nameOf(callee.property))) {
      for (const { type, body } of nodesOf(node.arguments)) {
        if (FUNCTIONS.test(type) && isNode(body)) note(body, [[body.start, body.end]]);
      }
    }
    childrenOf(node).forEach(look);
  };
  look(module.ast);
  return faults;
}

function faultsOf(
  sources: readonly (readonly [file: string, code: string])[],
  pathOf: (from: string, source: string) => string | undefined,
): string[] {
  const modules = sources.map(([file, code]) => moduleOf(file, code, pathOf));
  const follow = passedOn(modules, pathOf);
  const known = knowledgeOf(modules, follow);
  return modules.flatMap((module) => faultsIn(module, known, follow));
}

/** Before there are tabs. */
const START = "app/start.ts";

const sources = readdirSync(renderer, { recursive: true, encoding: "utf8" })
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts"))
  .map((file) => [file.replaceAll(sep, "/"), readFileSync(join(renderer, file), "utf8")] as const);

/** Relative to renderer/; undefined outside of it. */
function pathOf(from: string, source: string): string | undefined {
  if (!source.startsWith(".")) return undefined;
  const base = resolve(renderer, dirname(from), source).replace(/\.js$/, "");
  const file = [".ts", ".tsx"].map((ending) => base + ending).find((path) => existsSync(path));
  const path = file && relative(renderer, file).replaceAll(sep, "/");
  return path?.startsWith("..") ? undefined : path;
}

describe("code that goes on after it has waited", () => {
  const store =
    "export const useDocument = perDocument(() => ({})); export const pending = recordPerDocument(() => ({}));";
  const passing = `export { useDocument } from "./store.js"; import { useDocument } from "./store.js";
    export const actions = { undo: () => useDocument.setState({}) };
    export async function run() { actions.undo(); await nothing(); }`;
  const faultsOfCode = (code: string) =>
    faultsOf(
      [
        ["store.ts", store],
        ["passing.ts", passing],
        ["session.ts", "export function inSession() {} export function activeSession() {}"],
        [
          "code.ts",
          `import { actions, run, useDocument } from "./passing.js"; import { pending } from "./store.js";
           import { activeSession, inSession } from "./session.js"; ${code}`,
        ],
      ],
      (_from, source) => source.replace("./", "").replace(/js$/, "ts"),
    ).map((fault) => /uses (\S+)/.exec(fault)?.[1]);

  it.each([
    ["async () => { await x(); useDocument.getState(); }", ["useDocument.getState"]],
    ["async () => { await x(); pending(); activeSession(); }", ["pending", "activeSession"]],
    ["async () => { await x(); await run(); actions.undo(); }", ["run", "actions.undo"]],
    ["async () => { actions.put(await x()); actions.undo(await x()); }", ["actions.undo"]],
    ["async () => { for (const one of all) { actions.undo(); await x(one); } }", ["actions.undo"]],
    ["async () => { await x(); all.map(() => actions.undo()); }", ["actions.undo"]],
    ["() => x().then(() => actions.undo())", ["actions.undo"]],
  ])("is found: %s", (code, found) => {
    expect(faultsOfCode(`export const f = ${code};`)).toEqual(found);
  });

  it.each([
    "async () => { actions.undo(); await run(); }",
    "async () => { const session = activeSession(); await x(); inSession(session, () => actions.undo()); }",
    "async () => { await x(); useDocument.of(session).getState(); pending(session); }",
    "async () => { if (y) { await x(); return; } actions.undo(); }",
    "async () => { await x(); if (activeSession() === session) y(); }",
  ])("is left alone: %s", (code) => {
    expect(faultsOfCode(`export const f = ${code};`)).toEqual([]);
  });

  it("leaves the active document alone", () => {
    const faults = faultsOf(sources, pathOf);
    expect(faults.filter((fault) => !fault.startsWith(START))).toEqual([]);
  });
});
