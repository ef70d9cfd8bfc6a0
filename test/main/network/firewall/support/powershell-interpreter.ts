/**
 * Runs the scripts that change firewall rules where there is no PowerShell: an interpreter of the part of the language that
 * they use, after its specification. Anything else is an error, so that a script that uses more is noticed.
 *
 * After Set-StrictMode a variable that was not set and a property that is not there are errors, as in PowerShell.
 *
 * Cmdlets are stand-ins that the caller gives. Errors of theirs end the script, since all scripts begin with
 * `$ErrorActionPreference = 'Stop'`, except where `-ErrorAction SilentlyContinue` stands.
 */
import { createHash } from "node:crypto";
import { descendants, parseTree, type SyntaxNode } from "./powershell-grammar.js";

/** Properties by their names, whose case does not matter. */
export interface PsObject {
  readonly [property: string]: PsValue;
}
export type PsValue = string | number | boolean | undefined | Uint8Array | PsObject | readonly PsValue[];

/** @param input The object from the pipeline; undefined where the cmdlet begins one. */
export type Cmdlet = (parameters: ReadonlyMap<string, PsValue>, input: PsValue) => readonly PsValue[];

/** A failing cmdlet. The ID is what `$_.FullyQualifiedErrorId` gives. */
export class CmdletError extends Error {
  constructor(
    message: string,
    readonly id: string,
  ) {
    super(message);
  }
}

export interface ScriptOutcome {
  readonly exitCode: number;
  /** Lines of the error stream. */
  readonly errors: readonly string[];
}

class Exit {
  constructor(readonly code: number) {}
}
class Continue {}

/** @throws the errors of cmdlets that are no CmdletError. */
export async function runScript(
  script: string,
  cmdlets: Readonly<Record<string, Cmdlet>>,
): Promise<ScriptOutcome> {
  const interpreter = new Interpreter(cmdlets);
  const root = await parseTree(script);
  try {
    interpreter.run(root);
  } catch (thrown) {
    if (thrown instanceof Exit) return { exitCode: thrown.code, errors: interpreter.errors };
    // powershell.exe ends with 1 for an error that nothing catches.
    if (thrown instanceof CmdletError)
      return { exitCode: 1, errors: [...interpreter.errors, thrown.message] };
    throw thrown;
  }
  return { exitCode: 0, errors: interpreter.errors };
}

class Interpreter {
  readonly errors: string[] = [];
  readonly #variables = new Map<string, PsValue>([["pshome", "C:\\PowerShell"]]);
  readonly #functions = new Map<string, SyntaxNode>();
  /** Thrown again by `throw` alone. */
  #caught: CmdletError | undefined;
  #isStrict = false;

  constructor(readonly cmdlets: Readonly<Record<string, Cmdlet>>) {}

  run(node: SyntaxNode): readonly PsValue[] {
    switch (node.type) {
      case "program":
      case "statement_list":
      case "statement_block":
      case "script_block":
      case "script_block_body":
        return parts(node).flatMap((child) => this.run(child));
      case "pipeline":
      case "pipeline_chain":
        return this.#pipeline(node);
      case "if_statement":
        return this.#if(node);
      case "foreach_statement":
        return this.#forEach(node);
      case "try_statement":
        return this.#try(node);
      case "flow_control_statement":
        return this.#leave(node);
      case "function_statement":
        this.#functions.set(parts(node)[0]?.text ?? "", node);
        return [];
      case "param_block":
        return [];
      default:
        throw unsupported(node);
    }
  }

  #pipeline(node: SyntaxNode): readonly PsValue[] {
    const [first, ...others] = parts(node);
    if (!first) throw unsupported(node);
    if (first.type === "assignment_expression") return this.#assign(first);
    if (first.type === "pipeline_chain" && others.length === 0) return this.#pipeline(first);
    let values = first.type === "command" ? this.#command(first, [undefined]) : listOf(this.#value(first));
    for (const command of others) values = this.#command(command, values);
    return values;
  }

  /** The value of a pipeline: of an expression alone the value itself, so that an array with one element stays one. */
  #result(pipeline: SyntaxNode): PsValue {
    const [chain] = parts(pipeline);
    const [first, ...others] = chain ? parts(chain) : [];
    if (chain?.type === "pipeline_chain" && first && first.type !== "command" && others.length === 0)
      return this.#value(first);
    return single(this.run(pipeline));
  }

  #assign(node: SyntaxNode): readonly PsValue[] {
    const [target, operator, source] = parts(node);
    if (!target || !operator || !source) throw unsupported(node);
    const name = variableName(target);
    const value = this.#result(source);
    if (operator.text === "=") this.#variables.set(name, value);
    else if (operator.text === "+=") this.#variables.set(name, add(this.#variables.get(name), value));
    else throw unsupported(operator);
    return [];
  }

  #if(node: SyntaxNode): readonly PsValue[] {
    const [condition, block, otherwise] = parts(node);
    if (!condition || !block) throw unsupported(node);
    if (isTrue(this.#result(condition))) return this.run(block);
    if (!otherwise) return [];
    const [other] = parts(otherwise);
    if (otherwise.type !== "else_clause" || !other) throw unsupported(otherwise);
    return this.run(other);
  }

  #forEach(node: SyntaxNode): readonly PsValue[] {
    const [variable, list, block] = parts(node);
    if (!variable || !list || !block) throw unsupported(node);
    return this.run(list).flatMap((value) => {
      this.#variables.set(variableName(variable), value);
      try {
        return this.run(block);
      } catch (thrown) {
        if (thrown instanceof Continue) return [];
        throw thrown;
      }
    });
  }

  #try(node: SyntaxNode): readonly PsValue[] {
    const [block, clauses] = parts(node);
    const handler = clauses && descendants(clauses, "statement_block")[0];
    if (!block || !handler) throw unsupported(node);
    try {
      return this.run(block);
    } catch (thrown) {
      if (!(thrown instanceof CmdletError)) throw thrown;
      this.#variables.set("_", errorRecord(thrown));
      this.#caught = thrown;
      return this.run(handler);
    }
  }

  #leave(node: SyntaxNode): never {
    const [value] = parts(node);
    if (node.text === "continue") throw new Continue();
    if (node.text === "throw" && this.#caught) throw this.#caught;
    if (!node.text.startsWith("exit") || !value) throw unsupported(node);
    throw new Exit(Number(this.#result(value)));
  }

  /** Calls the cmdlet once for each input, as cmdlets process a pipeline. */
  #command(node: SyntaxNode, inputs: readonly PsValue[]): readonly PsValue[] {
    const name = descendants(node, "command_name")[0]?.text ?? "";
    if (name === "Set-StrictMode") {
      this.#isStrict = true;
      return [];
    }
    const parameters = this.#parameters(node);
    if (name === "Out-Null") return [];
    if (name === "Where-Object" || name === "ForEach-Object")
      return this.#eachInput(node, name === "Where-Object", inputs);
    const called = this.#functions.get(name);
    if (called) return this.#callFunction(called, parameters);
    const cmdlet = this.cmdlets[name];
    if (!cmdlet) throw unsupported(node);
    return inputs.flatMap((input) => {
      try {
        return cmdlet(parameters, input);
      } catch (error) {
        if (!(error instanceof CmdletError) || parameters.get("ErrorAction") !== "SilentlyContinue")
          throw error;
        const kept = parameters.get("ErrorVariable");
        if (typeof kept === "string") this.#keepError(kept, error);
        return [];
      }
    });
  }

  #callFunction(called: SyntaxNode, parameters: ReadonlyMap<string, PsValue>): readonly PsValue[] {
    const body = parts(called).find(({ type }) => type === "script_block");
    if (!body) throw unsupported(called);
    const outer = new Map(this.#variables);
    for (const [name, value] of parameters) this.#variables.set(name.toLowerCase(), value);
    const values = this.run(body);
    // Its variables, $_ among them, are those of its own scope.
    this.#variables.clear();
    for (const [name, value] of outer) this.#variables.set(name, value);
    return values;
  }

  #keepError(variable: string, error: CmdletError): void {
    if (!variable.startsWith("+")) throw new Error(`-ErrorVariable ${variable} is not known here.`);
    const name = variable.slice(1).toLowerCase();
    this.#variables.set(name, [...listOf(this.#variables.get(name)), errorRecord(error)]);
  }

  #eachInput(node: SyntaxNode, isFilter: boolean, inputs: readonly PsValue[]): readonly PsValue[] {
    const block = descendants(node, "script_block")[0];
    if (!block) throw unsupported(node);
    return inputs.flatMap((input) => {
      this.#variables.set("_", input);
      const values = this.run(block);
      if (!isFilter) return values;
      return isTrue(single(values)) ? [input] : [];
    });
  }

  #parameters(node: SyntaxNode): ReadonlyMap<string, PsValue> {
    const found = new Map<string, PsValue>();
    const elements = parts(node).find(({ type }) => type === "command_elements");
    let name: string | undefined;
    for (const element of elements ? parts(elements) : []) {
      if (element.type === "command_parameter") {
        name = element.text.slice(1);
        found.set(name, true);
        continue;
      }
      if (name === undefined) throw unsupported(element);
      if (descendants(element, "script_block").length === 0) found.set(name, this.#value(element));
    }
    return found;
  }

  #value(node: SyntaxNode): PsValue {
    const children = parts(node);
    switch (node.type) {
      case "verbatim_string_characters":
        return node.text.slice(1, -1).replace(/(['\u2018\u2019\u201a\u201b])\1/g, "$1");
      case "expandable_string_literal":
        return this.#expanded(node);
      case "decimal_integer_literal":
        return Number(node.text);
      case "generic_token":
        return node.text;
      case "variable":
        return this.#variable(node);
      case "array_expression":
        return children.flatMap((child) => this.run(child));
      case "sub_expression":
      case "parenthesized_expression":
        return single(children.flatMap((child) => this.run(child)));
      case "hash_literal_expression":
        return this.#hash(node);
      case "cast_expression":
        return this.#cast(node);
      case "member_access":
        return this.#member(node);
      case "invokation_expression":
        return this.#call(node);
      case "array_literal_expression":
        if (children.length > 1) return children.map((child) => this.#value(child));
        break;
      case "expression_with_unary_operator":
        if (node.children[0]?.text === "-not") return !isTrue(this.#value(children[0] ?? node));
        break;
    }
    const [only] = children;
    if (children.length === 1 && only && node.children.length === 1) return this.#value(only);
    return this.#operation(node);
  }

  #variable(node: SyntaxNode): PsValue {
    const name = variableName(node);
    if (this.#isStrict && !this.#variables.has(name)) {
      throw new CmdletError(`The variable '$${name}' cannot be retrieved because it has not been set.`, "");
    }
    return this.#variables.get(name);
  }

  /** A string in double quotation marks: between its variables stands text that the grammar has no nodes for. */
  #expanded(node: SyntaxNode): string {
    let text = "";
    let end = node.startIndex + 1;
    for (const part of parts(node)) {
      text += node.text.slice(end - node.startIndex, part.startIndex - node.startIndex);
      text += asString(this.#value(part));
      end = part.endIndex;
    }
    text += node.text.slice(end - node.startIndex, -1);
    if (text.includes("`")) throw unsupported(node);
    return text;
  }

  #hash(node: SyntaxNode): PsObject {
    const entries = descendants(node, "hash_entry").map((entry) => {
      const [key, value] = parts(entry);
      if (!key || !value) throw unsupported(node);
      return [key.text, this.#result(value)] as const;
    });
    return Object.fromEntries(entries);
  }

  #cast(node: SyntaxNode): PsValue {
    const [type, operand] = parts(node);
    if (!type || !operand) throw unsupported(node);
    const value = this.#value(operand);
    if (type.text === "[string]") return asString(value);
    if (type.text === "[string[]]") return listOf(value).map(asString);
    if (type.text === "[char]") return String.fromCharCode(Number(value));
    throw unsupported(node);
  }

  #member(node: SyntaxNode): PsValue {
    const [owner, member] = parts(node);
    if (!owner || !member) throw unsupported(node);
    if (owner.type === "type_literal") return `${owner.text}::${member.text}`;
    const value = this.#value(owner);
    const name =
      value === undefined
        ? undefined
        : Object.keys(objectOf(value, node)).find((key) => key.toLowerCase() === member.text.toLowerCase());
    if (name === undefined) {
      if (!this.#isStrict) return undefined;
      throw new CmdletError(`The property '${member.text}' cannot be found on this object.`, "");
    }
    return objectOf(value, node)[name];
  }

  #call(node: SyntaxNode): PsValue {
    const [owner, member, list] = parts(node);
    if (!owner || !member || !list) throw unsupported(node);
    const target = owner.type === "type_literal" ? owner.text : this.#value(owner);
    const isStatic = owner.type === "type_literal";
    const args = parts(list).flatMap(parts);
    const values = args.map((arg) => this.#value(arg));
    const [first, second] = values;
    switch (`${asString(target)}${isStatic ? "::" : "."}${member.text}`) {
      case "[Environment]::ExpandEnvironmentVariables":
        return asString(first).replace(/%SystemDrive%/gi, "C:");
      case "[Array]::Sort": {
        // In place: the argument is a variable. Ordinal comparison is that of UTF-16 code units, as JavaScript's.
        const [variable] = args[0] ? descendants(args[0], "variable") : [];
        if (!variable || second !== "[StringComparer]::Ordinal") throw unsupported(node);
        this.#variables.set(variableName(variable), listOf(first).map(asString).toSorted(byCodeUnits));
        return undefined;
      }
      case "[string]::Join":
        return listOf(second).map(asString).join(asString(first));
      case "[Text.Encoding]::Unicode.GetBytes":
        return Buffer.from(asString(first), "utf16le");
      case "[Security.Cryptography.SHA256]::Create":
        return "SHA256";
      case "SHA256.ComputeHash":
        if (first instanceof Uint8Array) return createHash("sha256").update(first).digest();
        break;
      case "[Convert]::ToBase64String":
        if (first instanceof Uint8Array) return Buffer.from(first).toString("base64");
        break;
      case "[Console]::Error.WriteLine":
        this.errors.push(asString(first));
        return undefined;
    }
    throw unsupported(node);
  }

  #operation(node: SyntaxNode): PsValue {
    const [left, operator, right] = node.children;
    if (!left || !operator || !right || node.children.length !== 3) throw unsupported(node);
    const a = this.#value(left);
    const b = () => this.#value(right);
    switch (operator.text) {
      case "-and":
        return isTrue(a) && isTrue(b());
      case "+":
        return add(a, b());
      case "*":
        return Number(a) * Number(b());
      case "-contains":
        return listOf(a).some((one) => isEqual(one, b()));
      case "-match":
        return isMatch(a, b());
      case "-notmatch":
        return !isMatch(a, b());
    }
    if (typeof a !== "string") throw unsupported(node);
    switch (operator.text) {
      case "-eq":
        return isEqual(a, b());
      case "-ceq":
        return a === asString(b());
      case "-cne":
        return a !== asString(b());
    }
    throw unsupported(node);
  }
}

function unsupported(node: SyntaxNode): Error {
  return new Error(`The interpreter of the tests knows no such ${node.type}: ${node.text}`);
}

const MEANINGLESS = new Set(["comment", "command_argument_sep", "empty_statement"]);

/** The children that carry a meaning of their own. */
function parts(node: SyntaxNode): SyntaxNode[] {
  return node.children.filter(({ type, isNamed }) => isNamed && !MEANINGLESS.has(type));
}

function variableName(node: SyntaxNode): string {
  return node.text.replace(/^\$/, "").toLowerCase();
}

/** The value of a variable that takes the output of a pipeline: nothing, one object, or an array. */
function single(values: readonly PsValue[]): PsValue {
  return values.length > 1 ? values : values[0];
}

function isList(value: PsValue): value is readonly PsValue[] {
  return Array.isArray(value);
}

function isObject(value: PsValue): value is PsObject {
  return typeof value === "object" && !isList(value) && !(value instanceof Uint8Array);
}

function objectOf(value: PsValue, node: SyntaxNode): PsObject {
  if (!isObject(value)) throw unsupported(node);
  return value;
}

function listOf(value: PsValue): readonly PsValue[] {
  if (value === undefined) return [];
  return isList(value) ? value : [value];
}

function add(a: PsValue, b: PsValue): PsValue {
  if (isList(a)) return [...a, ...listOf(b)];
  if (typeof a === "number") return a + Number(b);
  throw new Error(`The interpreter of the tests cannot add to ${JSON.stringify(a)}.`);
}

function isTrue(value: PsValue): boolean {
  if (!isList(value)) return Boolean(value);
  return value.length > 1 || isTrue(value[0]);
}

function asString(value: PsValue): string {
  if (value === undefined) return "";
  if (typeof value === "boolean") return value ? "True" : "False";
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new Error(`The interpreter of the tests knows no text of ${JSON.stringify(value)}.`);
}

function isMatch(value: PsValue, pattern: PsValue): boolean {
  return new RegExp(asString(pattern), "i").test(asString(value));
}

function errorRecord(error: CmdletError): PsObject {
  return { Exception: { Message: error.message }, FullyQualifiedErrorId: error.id };
}

function isEqual(a: PsValue, b: PsValue): boolean {
  return asString(a).toLowerCase() === asString(b).toLowerCase();
}

function byCodeUnits(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
