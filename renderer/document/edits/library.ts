/** Edits of the functions of a document's library as a whole. */
import type { AttrValue, NameAttrList } from "../../../protos/generated/tensorflow/attr_value.js";
import type { FunctionDef } from "../../../protos/generated/tensorflow/function.js";
import type { NodeDef } from "../../../protos/generated/tensorflow/node_def.js";
import { texts } from "../../texts/texts.js";
import { functionsOf, functionUses, libraryOf, nameOf, withFunctions } from "../library.js";
import type { GraphDocument } from "../model.js";
import { replaceNodes } from "../operations.js";
import type { OpLookup } from "../signature.js";
import { type EditResult, edit, refused } from "./types.js";

const words = texts.document.edits.library;

/** The names that TensorFlow accepts for a function, as of an op that nodes may have. */
const FUNCTION_NAME = /^[A-Za-z_][A-Za-z0-9_.\-/]*$/;

/** Renames a function, and wherever it is named: ops and attributes of nodes, in functions too, and gradients. */
export function renameFunction(
  document: GraphDocument,
  lookup: OpLookup,
  from: string,
  to: string,
): EditResult {
  const { metaGraph, nodes } = document;
  const { library } = metaGraph.graphDef ?? {};
  if (!library || !libraryOf(metaGraph).has(from)) return refused(words.noFunction({ name: from }));
  if (from === to) return refused(texts.document.edits.common.sameName);
  if (!FUNCTION_NAME.test(to)) {
    return refused(words.wrongName);
  }
  if (lookup(to)) return refused(words.taken({ name: to }));
  const named = (name: string) => (name === from ? to : name);
  const functions = functionsOf(metaGraph).map((definition) => inFunction(definition, from, to));
  const renamed = withFunctions(metaGraph, functions);
  const after = {
    ...renamed,
    graphDef: renamed.graphDef && {
      ...renamed.graphDef,
      library: {
        ...library,
        function: functions,
        gradient: library.gradient.map((one) => ({
          ...one,
          functionName: named(one.functionName),
          gradientFunc: named(one.gradientFunc),
        })),
        registeredGradients: library.registeredGradients.map((one) => ({
          ...one,
          gradientFunc: named(one.gradientFunc),
        })),
      },
    },
  };
  return edit({
    label: words.rename({ from, to }),
    operations: [
      { type: "meta-graph", before: metaGraph, after },
      ...replaceNodes([...nodes.values()].map((node) => [node, inNode(node, from, to)] as const)),
    ],
  });
}

function inFunction(definition: FunctionDef, from: string, to: string): FunctionDef {
  const nodeDef = definition.nodeDef.map((node) => inNode(node, from, to));
  const attr = inAttrs(definition.attr, from, to);
  const isSame =
    attr === definition.attr && nodeDef.every((node, index) => node === definition.nodeDef[index]);
  if (nameOf(definition) !== from) return isSame ? definition : { ...definition, nodeDef, attr };
  return {
    ...definition,
    ...(isSame ? {} : { nodeDef, attr }),
    signature: definition.signature && { ...definition.signature, name: to },
  };
}

function inNode(node: NodeDef, from: string, to: string): NodeDef {
  const attr = inAttrs(node.attr, from, to);
  if (attr === node.attr && node.op !== from) return node;
  return { ...node, attr, op: node.op === from ? to : node.op };
}

function inAttrs(attr: Map<string, AttrValue>, from: string, to: string): Map<string, AttrValue> {
  let differs = false;
  const result = new Map<string, AttrValue>();
  for (const [key, value] of attr) {
    const after = inAttr(value, from, to);
    differs ||= after !== value;
    result.set(key, after);
  }
  return differs ? result : attr;
}

function inAttr(attr: AttrValue, from: string, to: string): AttrValue {
  const { value } = attr;
  if (value?.$case === "func") {
    const func = inCall(value.value, from, to);
    return func === value.value ? attr : { ...attr, value: { $case: "func", value: func } };
  }
  if (value?.$case !== "list" || value.value.func.length === 0) return attr;
  const func = value.value.func.map((one) => inCall(one, from, to));
  const isSame = func.every((one, index) => one === value.value.func[index]);
  return isSame ? attr : { ...attr, value: { $case: "list", value: { ...value.value, func } } };
}

/** A function that is named with values of its own attributes, which may name functions in turn. */
function inCall(call: NameAttrList, from: string, to: string): NameAttrList {
  const attr = inAttrs(call.attr, from, to);
  if (call.name !== from && attr === call.attr) return call;
  return { ...call, name: call.name === from ? to : call.name, attr };
}

/** Deletes the functions that no node of the graph leads to. */
export function deleteUnusedFunctions(document: GraphDocument): EditResult {
  const { metaGraph } = document;
  const unused = functionUses(document).flatMap(({ definition, isUsed }) =>
    isUsed ? [] : [nameOf(definition)],
  );
  const { library } = metaGraph.graphDef ?? {};
  if (!library || unused.length === 0) return refused(words.allCalled);
  const gone = new Set(unused);
  const left = withFunctions(
    metaGraph,
    functionsOf(metaGraph).filter((one) => !gone.has(nameOf(one))),
  );
  const gradient = library.gradient.filter(
    ({ functionName, gradientFunc }) => !gone.has(functionName) && !gone.has(gradientFunc),
  );
  const registeredGradients = library.registeredGradients.filter(
    ({ gradientFunc }) => !gone.has(gradientFunc),
  );
  const after = {
    ...left,
    graphDef: left.graphDef?.library && {
      ...left.graphDef,
      library: { ...left.graphDef.library, gradient, registeredGradients },
    },
  };
  const [first = ""] = unused;
  return edit({
    label:
      unused.length === 1
        ? words.deleteUnused({ name: first })
        : words.deleteAllUnused({ count: unused.length }),
    operations: [{ type: "meta-graph", before: metaGraph, after }],
  });
}
