/**
 * PowerShell scripts checked without a PowerShell: parsed by its grammar, and every cmdlet and parameter looked up in
 * cmdlets.json, which lists the parameter sets of Microsoft's documentation (the modules NetSecurity, NetConnection and
 * NetTCPIP of Windows Server 2025, and Windows PowerShell 5.1).
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { Language, type Node, Parser } from "web-tree-sitter";
import { z } from "zod";

const cmdletsSchema = z.record(
  z.string(),
  z.object({
    module: z.string(),
    parameterSets: z.array(z.object({ name: z.string(), parameters: z.array(z.string()) })),
  }),
);
const cmdlets = cmdletsSchema.parse(
  JSON.parse(readFileSync(new URL("./cmdlets.json", import.meta.url), "utf8")),
);

/** Every cmdlet takes these. */
const commonParameters = new Set(["ErrorAction", "ErrorVariable", "WarningAction", "Verbose", "OutVariable"]);

let parser: Promise<Parser> | undefined;

/** The trees of the scripts so far: some tests run one script hundreds of times. */
const trees = new Map<string, SyntaxNode>();

async function makeParser(): Promise<Parser> {
  await Parser.init();
  const grammar = createRequire(import.meta.url).resolve(
    "tree-sitter-powershell/tree-sitter-powershell.wasm",
  );
  const made = new Parser();
  made.setLanguage(await Language.load(grammar));
  return made;
}

export interface ParsedCommand {
  readonly name: string;
  readonly parameters: readonly string[];
  readonly text: string;
}

export interface ParsedScript {
  /** The parts that the grammar does not understand, with their places. */
  readonly errors: readonly string[];
  /** Calls of cmdlets, without those of the script's own functions. */
  readonly commands: readonly ParsedCommand[];
  /** Values of all literals in single quotation marks. */
  readonly literals: readonly string[];
}

/** A node of the grammar, out of the parser's memory, where each access takes longer than a step of a script. */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly isNamed: boolean;
  readonly children: readonly SyntaxNode[];
}

function copied(node: Node): SyntaxNode {
  const { type, text, startIndex, endIndex, isNamed } = node;
  const children = node.children.filter((child) => child !== null).map(copied);
  return { type, text, startIndex, endIndex, isNamed, children };
}

/** All nodes of a type within one, in the order of the text. */
export function descendants(node: SyntaxNode, type: string): SyntaxNode[] {
  return node.children.flatMap((child) => [
    ...(child.type === type ? [child] : []),
    ...descendants(child, type),
  ]);
}

/** The syntax tree of a script. */
export async function parseTree(script: string): Promise<SyntaxNode> {
  const known = trees.get(script);
  if (known) return known;
  const tree = copied(await parse(script));
  trees.set(script, tree);
  return tree;
}

async function parse(script: string): Promise<Node> {
  parser ??= makeParser();
  const tree = (await parser).parse(script);
  if (!tree) throw new Error("The grammar gave nothing.");
  return tree.rootNode;
}

export async function parseScript(script: string): Promise<ParsedScript> {
  const rootNode = await parse(script);
  return {
    errors: errorsIn(rootNode),
    commands: commandsOf(rootNode),
    literals: ofType(rootNode, "verbatim_string_characters").map(({ text }) =>
      text.slice(1, -1).replace(/(['\u2018\u2019\u201a\u201b])\1/g, "$1"),
    ),
  };
}

/** The faults of a script's commands: unknown cmdlets, unknown parameters, parameters of different sets. */
export function commandProblems(commands: readonly ParsedCommand[]): string[] {
  return commands.flatMap(({ name, parameters, text }) => {
    const known = cmdlets[name];
    if (!known) return [`${name} is no cmdlet that is listed: ${text}`];
    const own = parameters.filter((parameter) => !commonParameters.has(parameter));
    const fits = known.parameterSets.some((set) =>
      own.every((parameter) => set.parameters.includes(parameter)),
    );
    return fits ? [] : [`No parameter set of ${name} has all of ${own.join(", ")}: ${text}`];
  });
}

function commandsOf(root: Node): ParsedCommand[] {
  const own = ofType(root, "function_name").map(({ text }) => text);
  return ofType(root, "command")
    .map(parsedCommand)
    .filter(({ name }) => !own.includes(name));
}

function parsedCommand(node: Node): ParsedCommand {
  const name = ofType(node, "command_name")[0]?.text ?? "";
  const elements = node.children.find((child) => child?.type === "command_elements");
  const parameters = (elements?.children ?? [])
    .filter((child) => child?.type === "command_parameter")
    .map((child) => (child?.text ?? "").replace(/^-|:$/g, ""));
  return { name, parameters, text: node.text };
}

function errorsIn(node: Node): string[] {
  const own =
    node.isError || node.isMissing ? [`line ${node.startPosition.row + 1}: ${node.text || node.type}`] : [];
  return [...own, ...node.children.flatMap((child) => (child ? errorsIn(child) : []))];
}

function ofType(node: Node, type: string): Node[] {
  return node.descendantsOfType(type).filter((one) => one !== null);
}
