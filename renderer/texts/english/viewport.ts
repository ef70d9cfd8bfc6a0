export const viewport = {
  colouring: {
    otherOps: "{count, plural, one {# other op} other {# other ops}}",
  },
  drawing: {
    nodes: "{count, plural, one {# node} other {# nodes}}",
    auto: "auto",
  },
  nodeText: {
    argument: "argument",
    result: "result",
    noValue: "no value",
    notFed: "not fed",
    fed: "fed {value}",
  },
  ports: {
    oneMore: "one more of {argument}",
  },
} as const;
