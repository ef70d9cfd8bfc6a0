/** A graph and its run as a TypeScript module for this library, which builds it node by node. */
import { GraphDef } from "../../../protos/generated/tensorflow/graph.js";
import type { OpRegistry } from "../op-registry.js";
import { stripPrivateAttrs } from "../private-attrs.js";
import type { ScriptFeed, ScriptPixels, ScriptRun } from "./run-part.js";
import {
  type Argument,
  type Block,
  blocksOf,
  type OutputRef,
  programOf,
  type Statement,
} from "./statements.js";
import { dataLiteral } from "./tensor-literal.js";
import { hasLiteral, typescriptAttr, typescriptConstant } from "./typescript-values.js";

/** TypeScript's reserved words, and the names that the script itself uses. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    "abstract arguments async await boolean break case catch class const continue debugger declare default delete do " +
    "else enum eval export extends false finally for from function get if implements import in instanceof interface " +
    "is let module namespace new null number object of package private protected public return set static string " +
    "super switch symbol this throw true try type typeof undefined var void while with yield any Infinity Number " +
    "Buffer ClusterSpec Graph GraphDef Session Tensor cluster console decode feedFromFile feedFromText feeds fetches " +
    "graph index inflateSync name ops result session step target targets Float32Array Float64Array Int8Array " +
    "Int16Array Int32Array BigInt64Array Uint8Array Uint16Array Uint32Array BigUint64Array"
  ).split(" "),
);

const INDENT = "  ";
/** The names that the library exports and a script may use. */
const LIBRARY = [
  "ClusterSpec",
  "feedFromFile",
  "feedFromText",
  "Graph",
  "GraphDef",
  "ops",
  "Session",
  "Tensor",
];

/**
 * The whole module, ending in a newline. A graph that cannot be written node by node (functions, loops, thousands of
 * nodes) is embedded as a GraphDef, with a comment that says why.
 */
export function typescriptGraphScript(graph: GraphDef, run: ScriptRun, registry: OpRegistry): string {
  const program = programOf(graph, { registry, reserved: RESERVED, hasLiteral });
  const built =
    program.obstacle === undefined
      ? buildLines(program.statements)
      : embeddedLines(stripPrivateAttrs(graph), program.obstacle);
  const body = [...built, "", ...runLines(run)].join("\n");
  const used = LIBRARY.filter((name) => new RegExp(`\\b${name}[.(]`).test(body));
  const zlib = body.includes("inflateSync(") || body.includes("decode(");
  return `${zlib ? 'import { inflateSync } from "node:zlib";\n' : ""}import { ${used.join(", ")} } from "tensordeck";
${/[ (]decode\(/.test(body) ? DECODE_FUNCTION : ""}
${body}
`;
}

const DECODE_FUNCTION = `
/** A large constant, from the base64 text of its compressed bytes. */
function decode<T>(type: new (buffer: ArrayBuffer) => T, data: string): T {
  return new type(Uint8Array.from(inflateSync(Buffer.from(data, "base64"))).buffer);
}
`;

function embeddedLines(graph: GraphDef, obstacle: string): string[] {
  return [
    `// The graph as a whole, because ${obstacle}.`,
    `const data = ${dataLiteral(GraphDef.encode(graph).finish())};`,
    'const graph = Graph.fromGraphDef(GraphDef.decode(inflateSync(Buffer.from(data, "base64"))));',
  ];
}

function buildLines(statements: readonly Statement[]): string[] {
  return ["const graph = new Graph();", ...blocksOf(statements).flatMap(blockLines)];
}

/** Scopes are callbacks, which return the nodes that are made in them. */
function blockLines(block: Block): string[] {
  const scopes = [
    ...block.colocatedWith.map(({ variable }) => `graph.withColocation(${variable}, () => `),
    ...(block.device === "" ? [] : [`graph.withDevice(${JSON.stringify(block.device)}, () => `]),
    ...(block.controls.length === 0
      ? []
      : [
          `graph.withControlDependencies([${block.controls.map(({ variable }) => variable).join(", ")}], () => `,
        ]),
  ];
  const nodes = block.statements.map((statement) => ({
    variable: statement.variable,
    value: valueText(statement),
  }));
  const [first] = nodes;
  const closing = ")".repeat(scopes.length);
  if (scopes.length === 0 || first === undefined) {
    return nodes.map(({ variable, value }) => `const ${variable} = ${value};`);
  }
  if (nodes.length === 1) return [`const ${first.variable} = ${scopes.join("")}${first.value}${closing};`];
  const all = `{ ${nodes.map(({ variable }) => variable).join(", ")} }`;
  return [
    `const ${all} = ${scopes.join("")}{`,
    ...nodes.map(({ variable, value }) => `${INDENT}const ${variable} = ${value};`),
    `${INDENT}return ${all};`,
    `}${closing};`,
  ];
}

function valueText({ node, name, constant, inputs, attrs }: Statement): string {
  if (constant) {
    const { value, options } = typescriptConstant(constant);
    return `ops.constant(graph, ${value}, { ${[...options, `name: ${JSON.stringify(name)}`].join(", ")} })`;
  }
  const given = attrs.flatMap(([attr, value]) => {
    const text = typescriptAttr(value);
    return text === undefined ? [] : [`${attr}: ${text}`];
  });
  const attributes = given.length === 0 ? "{}" : `{ ${given.join(", ")} }`;
  return `graph.op("${node.op}", [${inputs.map(argumentText).join(", ")}], ${attributes}, ${JSON.stringify(name)})`;
}

function argumentText({ value }: Argument): string {
  return Array.isArray(value) ? `[${value.map(tensorText).join(", ")}]` : tensorText(value as OutputRef);
}

/** An operation stands for its first output. */
function tensorText({ of: { variable }, output }: OutputRef): string {
  return output === 0 ? variable : `${variable}.outputAt(${output})`;
}

function runLines({ fetches, targets, initialisers, feeds, steps, cluster }: ScriptRun): string[] {
  const feedLines = Object.entries(feeds).map(
    ([name, feed]) => `${INDENT}${JSON.stringify(name)}: ${feedText(feed)},`,
  );
  const given = [
    ...(feedLines.length === 0 ? [] : ["feeds"]),
    ...(targets.length === 0 ? [] : [`targets: ${JSON.stringify(targets)}`]),
  ];
  const args = given.length === 0 ? "" : `, { ${given.join(", ")} }`;
  const step = `session.run(fetches${args})`;
  return [
    `const fetches = ${JSON.stringify(fetches)};`,
    ...(feedLines.length === 0 ? [] : ["const feeds = {", ...feedLines, "};"]),
    ...sessionLines(cluster),
    "try {",
    ...(initialisers.length === 0
      ? []
      : [`${INDENT}await session.run([], { targets: ${JSON.stringify(initialisers)} });`]),
    ...(steps === 1
      ? [`${INDENT}const result = await ${step};`]
      : [
          `${INDENT}let result = await ${step};`,
          `${INDENT}for (let step = 1; step < ${steps}; step++) result = await ${step};`,
        ]),
    `${INDENT}for (const [index, name] of fetches.entries()) console.log(name, result.values[index]?.toArray());`,
    "} finally {",
    `${INDENT}await session.close();`,
    "}",
  ];
}

function sessionLines(cluster: ScriptRun["cluster"]): string[] {
  if (cluster === undefined) return ["const session = new Session(undefined, { graph });"];
  const { spec, master } = cluster;
  const target = JSON.stringify(`grpc://${spec.taskAddress(master.job, master.index)}`);
  return [
    `const cluster = ClusterSpec.from(${JSON.stringify(spec.asDict())});`,
    `const session = new Session(${target}, {`,
    `${INDENT}graph,`,
    `${INDENT}config: {`,
    `${INDENT}${INDENT}clusterDef: cluster.asClusterDef(),`,
    `${INDENT}${INDENT}allowSoftPlacement: true,`,
    `${INDENT}${INDENT}// Variables then live in the tasks and are shared by every session.`,
    `${INDENT}${INDENT}experimental: { shareSessionStateInClusterspecPropagation: true },`,
    `${INDENT}},`,
    "});",
  ];
}

function feedText(feed: ScriptFeed): string {
  if (feed.kind === "pixels") return pixelsText(feed);
  if (feed.kind === "file") {
    const { path, column, feature } = feed;
    const parts = Object.entries({ column, feature }).flatMap(([key, value]) =>
      value === undefined ? [] : `${key}: ${JSON.stringify(value)}`,
    );
    const options = parts.length === 0 ? "" : `, { ${parts.join(", ")} }`;
    return `await feedFromFile(${JSON.stringify(path)}${options})`;
  }
  return isPlainJson(feed.text) ? feed.text.trim() : `feedFromText(${JSON.stringify(feed.text)})`;
}

const IN_RANGE = { unit: "byte / 255", signed: "(byte / 255) * 2 - 1", byte: "byte" } as const;

function pixelsText({ bytes, shape, range, dtype }: ScriptPixels): string {
  const data = `decode(Uint8Array, ${dataLiteral(bytes)})`;
  const values = dtype === "uint8" ? data : `Float32Array.from(${data}, (byte) => ${IN_RANGE[range]})`;
  return `new Tensor("${dtype}", [${shape.join(", ")}], ${values})`;
}

/** Numbers, texts and lists of them get the dtype of their placeholder. */
function isPlainJson(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value !== "object" || Array.isArray(value);
  } catch {
    return false;
  }
}
