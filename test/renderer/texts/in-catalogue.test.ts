import { readdirSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { parseAst } from "rolldown/parseAst";
import { describe, expect, it } from "vitest";

const renderer = fileURLToPath(new URL("../../../renderer", import.meta.url));

/** Attributes whose value is always a text. */
const SPOKEN = /^(?:aria-(?:label|description|roledescription|valuetext)|title|placeholder|alt|label)$/;

/** Attributes that take names of classes and the like. */
const TECHNICAL = /^(?:className|style|accept|id|d|aria-keyshortcuts|data-.*)$/;

/** Attributes and properties that may also have values of programs. */
const SHOWN =
  /^(?:title|label|short|named|note|hint|keywords|reason|remedy|message|text|foot|what|detail|heading)$/;

/** Names of products, formats and protocols, and examples of what is typed: the same in every language. */
const SAME_EVERYWHERE: ReadonlySet<string> = new Set([
  ...["Tensordeck", "TensorFlow", "Apache 2.0", "TF_CONFIG", "clusterspec.json", "grpc", "GPUs"],
  ...[
    "NaN",
    "NaN, Inf",
    "CSV",
    "PNG",
    "TCP",
    "TLS",
    "HTTP/2",
    "GetStatus",
    "Linux",
    "macOS",
    "Windows",
    "/job:ps",
    "encoder/layer_1",
  ],
]);

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const isNode = (value: unknown): value is Node =>
  typeof value === "object" && value !== null && typeof (value as Node).type === "string";

const childrenOf = (node: Node): Node[] =>
  Object.values(node).flatMap((value) => [value].flat().filter(isNode));

const nameOf = (key: unknown): string => {
  if (!isNode(key)) return "";
  if (key.type === "JSXNamespacedName") return `${nameOf(key.namespace)}:${nameOf(key.name)}`;
  return String(key.name ?? key.value ?? "");
};

/** A word of a language, rather than an identifier, a file's ending, a key, or markup. */
const isText = (text: string) =>
  /\p{L}{2}/u.test(text) && !SAME_EVERYWHERE.has(text.trim()) && !/^\{"|^color-mix\(|^<\/?[a-z]/.test(text);

/** A part that cannot be a value of a program. */
const isSentence = (text: string) => isText(text) && /^\p{Lu}\p{Ll}|\p{L} \p{L}|…$/u.test(text);

/** The same where keys and names of groups may stand. */
const isPhrase = (text: string) => isSentence(text) && text.trim().includes(" ");

/** Errors about faults of the program itself, for those who read its log. */
const isProgramError = ({ type, callee }: Node) => type === "NewExpression" && nameOf(callee) === "Error";

/** The parts of a value, through choices and defaults. */
function partsOf(value: Node): Node[] {
  switch (value.type) {
    case "JSXExpressionContainer":
    case "ParenthesizedExpression":
    case "TSAsExpression":
      return partsOf(value.expression as Node);
    case "ConditionalExpression":
      return [value.consequent, value.alternate].flatMap((part) => partsOf(part as Node));
    case "LogicalExpression":
      return [value.left, value.right].flatMap((part) => partsOf(part as Node));
    case "ArrowFunctionExpression":
      return value.expression === true ? partsOf(value.body as Node) : [];
    default:
      return [value];
  }
}

function writtenIn(value: unknown): string {
  if (!isNode(value)) return "";
  if (value.type === "Literal") return typeof value.value === "string" ? value.value : "";
  if (value.type !== "TemplateLiteral") return "";
  return (value.quasis as readonly { value: { cooked: string } }[])
    .map((part) => part.value.cooked)
    .join(" ");
}

/** The texts of a module that are written in it. */
function textsIn(source: string, file: string): string[] {
  const found: string[] = [];
  const note = (value: unknown, is: (text: string) => boolean) => {
    if (isNode(value)) found.push(...partsOf(value).map(writtenIn).filter(is));
  };
  const visit = (node: Node): void => {
    if (/^(?:TSType|TSInterface|ImportDeclaration)/.test(node.type) || isProgramError(node)) return;
    if (node.type === "NewExpression" || node.type === "CallExpression")
      for (const one of childrenOf(node)) note(one, isPhrase);
    if (node.type === "JSXText" && isText(String(node.value))) found.push(String(node.value).trim());
    if (node.type === "JSXAttribute" && SPOKEN.test(nameOf(node.name))) note(node.value, isText);
    if (node.type === "JSXAttribute" && !TECHNICAL.test(nameOf(node.name))) note(node.value, isSentence);
    if (node.type === "JSXExpressionContainer") note(node.expression, isSentence);
    if (node.type === "Property" && SHOWN.test(nameOf(node.key))) note(node.value, isSentence);
    if (node.type === "ReturnStatement") note(node.argument, isSentence);
    if (node.type === "ArrowFunctionExpression") note(node, isSentence);
    if (node.type === "VariableDeclarator") note(node.init, isPhrase);
    if (node.type === "ArrayExpression") for (const one of childrenOf(node)) note(one, isPhrase);
    for (const child of childrenOf(node)) visit(child);
  };
  visit(parseAst(source, { lang: file.endsWith("x") ? "tsx" : "ts" }, file) as unknown as Node);
  return [...new Set(found)];
}

const files = readdirSync(renderer, { recursive: true, encoding: "utf8" })
  .map((file) => file.split(sep).join("/"))
  .filter((file) => /\.tsx?$/.test(file) && !file.endsWith(".d.ts") && !file.startsWith("texts/"));

const written = files.flatMap((file) =>
  textsIn(readFileSync(join(renderer, file), "utf8"), file).map((text) => `${file}: ${text}`),
);

describe("the texts of the window", () => {
  it("stand in the catalogue, none in a module", () => {
    expect(written).toEqual([]);
  });

  it("are found wherever a module may have one", () => {
    const source = `
      const kind = "none", question = ["Is it so?"], refusal = () => { throw new Refusal("It is not."); };
      const refuse = () => refused(full ? "No room is left." : 'data-kind');
      const svg = ['<rect x="1" y="2"/>'];
      const wrong = () => new Error("Cannot happen.");
      const spec = { id: "a.b", label: "Open it", short: () => "Open now", kind: "Not shown" };
      export const A = ({ on }) => <p title={on ? "It is on" : undefined} className="big text" hint="Shown too">
        Some words <b aria-label={\`\${on} nodes\`}>{on ? "Switch it off" : "ok"}</b> grpc TensorFlow
      </p>;`;
    expect(textsIn(source, "a.tsx")).toEqual([
      ...["Is it so?", "It is not.", "No room is left."],
      ...[
        "Open it",
        "Open now",
        "It is on",
        "Shown too",
        "Some words",
        "  nodes",
        "Switch it off",
        "grpc TensorFlow",
      ],
    ]);
  });
});
