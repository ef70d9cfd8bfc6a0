/** The commands of the selected edge. */
import { insertPlace } from "../viewport/new-node-place.js";
import { useCanvas } from "../viewport/view-store.js";
import { defineCommands } from "./command.js";
import { edgeTarget } from "./target-kinds.js";

export const edgeCommands = defineCommands(edgeTarget, {
  insert: {
    id: "graph.insertOnEdge",
    group: "Graph",
    label: "Insert a node on the edge…",
    keywords: "add, op, between",
    icon: "plus",
    shortcut: "I",
    onCanvas: true,
    run: ({ from, output, to, input }) => {
      const { at, screen } = insertPlace(from, to);
      const { contextMenu } = useCanvas.getState();
      useCanvas.setState({
        edgeMenu: {
          from: { type: "output", end: { node: from, output } },
          into: { node: to, input },
          at,
          screen: contextMenu?.screen ?? screen,
        },
      });
    },
  },
});
