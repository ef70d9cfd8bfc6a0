/** The commands of the selected edge. */
import { texts } from "../texts/texts.js";
import { insertPlace } from "../viewport/new-node-place.js";
import { useCanvas } from "../viewport/view-store.js";
import { defineCommands } from "./command.js";
import { edgeTarget } from "./target-kinds.js";

const words = texts.commands.edge;

export const edgeCommands = defineCommands(edgeTarget, {
  insert: {
    id: "graph.insertOnEdge",
    group: "Graph",
    label: words.insert.label,
    keywords: words.insert.keywords,
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
