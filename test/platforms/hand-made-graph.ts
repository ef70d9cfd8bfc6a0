/** A folder with a name that only Unicode has. */
export const FOLDER = "/trial/Graphen für Zoë";

/** x = 3 + 4, as it is saved by hand. */
export const GRAPH = `
node { name: "a" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 3 } } } }
node { name: "b" op: "Const" attr { key: "dtype" value { type: DT_FLOAT } }
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { } float_val: 4 } } } }
node { name: "x" op: "AddV2" input: "a" input: "b" attr { key: "T" value { type: DT_FLOAT } } }
`;
