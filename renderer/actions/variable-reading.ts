/** Reads the variables that the tasks hold for the open document. */
import { MAX_READ_VARIABLES } from "../../main/api/variables.js";
import { ProblemError, toProblem } from "../../main/api/wire.js";
import { variablesOf } from "../document/variables.js";
import { activeSession, inSession, recordPerDocument } from "../stores/document-session.js";
import { documentActions, useDocument } from "../stores/document-store.js";
import { useDocumentRun } from "../stores/run-store.js";
import { uiActions } from "../stores/ui-store.js";
import { useVariables } from "../stores/variable-store.js";
import { texts } from "../texts/texts.js";
import { client } from "../transport/client.js";

/** Reads that are on their way. */
const pending = recordPerDocument(() => ({ inspection: 0, figures: new Set<string>() }));

/**
 * Reads which variables have values, and where; the figures follow for those that are looked at. Never rejects: the
 * store has the problem.
 */
export async function inspectVariables(): Promise<void> {
  const session = activeSession();
  const store = useVariables.of(session);
  const { nodes } = useDocument.getState().document;
  if (variablesOf(nodes).length === 0) return;
  const number = ++pending().inspection;
  store.setState({ reading: true });
  try {
    const step = useDocumentRun.getState().latest?.step;
    const { graphId, variables } = await client().call("variables.inspect", {
      graph: documentActions.toRunGraph(),
    });
    if (number !== pending(session).inspection) return;
    pending(session).figures.clear();
    store.setState({
      ...{ nodes, graphId, step, readAt: Date.now(), figures: new Map(), problem: undefined },
      states: new Map(variables.map((state) => [state.name, state])),
    });
    const opened = [...store.getState().kept.keys()];
    await inSession(session, () => keepAgain(opened, graphId));
  } catch (error) {
    if (number !== pending(session).inspection) return;
    store.setState({ problem: toProblem(error), graphId: undefined, states: new Map(), figures: new Map() });
  } finally {
    if (number === pending(session).inspection) store.setState({ reading: false });
  }
}

/** Those of some variables that have a value now, and the application's id of the graph; none if that cannot be read. */
export async function readLive(
  names: readonly string[],
): Promise<{ readonly graphId: string | undefined; readonly live: readonly string[] }> {
  const store = useVariables.of(activeSession());
  await inspectVariables();
  const { graphId, states } = store.getState();
  return { graphId, live: names.filter((name) => states.get(name)?.initialized === true) };
}

/** Reads the figures of variables that have a value, as far as they are not known; never rejects. */
export async function readFigures(names: readonly string[]): Promise<void> {
  const session = activeSession();
  const store = useVariables.of(session);
  const { graphId, states, figures } = store.getState();
  const asked = pending().figures;
  const { inspection } = pending();
  const wanted = names
    .filter((name) => states.get(name)?.initialized && !figures.has(name) && !asked.has(name))
    .slice(0, MAX_READ_VARIABLES);
  if (graphId === undefined || wanted.length === 0) return;
  for (const name of wanted) asked.add(name);
  try {
    const found = await client().call("variables.figures", { graphId, names: wanted });
    if (inspection !== pending(session).inspection) return;
    store.setState((state) => ({
      figures: new Map([...state.figures, ...found.map((one) => [one.name, one] as const)]),
    }));
  } catch (error) {
    if (inspection === pending(session).inspection) store.setState({ problem: toProblem(error) });
  }
}

/** The application's id of the open document's graph as it is now. */
export async function currentGraph(): Promise<string> {
  const { nodes, graphId } = useVariables.getState();
  if (graphId !== undefined && nodes === useDocument.getState().document.nodes) return graphId;
  const session = activeSession();
  await inspectVariables();
  const { graphId: found, problem } = useVariables.of(session).getState();
  if (found !== undefined) return found;
  throw new ProblemError(problem ?? { code: "ABORTED", message: texts.actions.variableActions.graphChanged });
}

/** Reads a variable's value and shows it as a tensor. */
export async function openVariable(name: string): Promise<void> {
  const session = activeSession();
  const graphId = await currentGraph();
  await inSession(session, () => keep(name, graphId));
  inSession(session, () => uiActions.openTensor(name));
}

async function keep(name: string, graphId: string): Promise<void> {
  const store = useVariables.of(activeSession());
  const variable = await client().call("variables.keep", { graphId, name });
  store.setState(({ kept }) => ({ kept: new Map(kept).set(name, { ...variable, readAt: Date.now() }) }));
}

/** Variables that are open as tabs follow the values; one that has none any more keeps showing its last. */
async function keepAgain(names: readonly string[], graphId: string): Promise<void> {
  const session = activeSession();
  for (const name of names) {
    if (!useVariables.of(session).getState().states.get(name)?.initialized) continue;
    await inSession(session, () => keep(name, graphId));
  }
}
